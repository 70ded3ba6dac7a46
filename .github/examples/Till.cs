// mcs -r:System.Net.Http Till.cs && mono Till.exe print|kick|status|events|receive [TEXT]; or a console project of .NET.
// The node is NODE, http://127.0.0.1:8080 where not given.
using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

static class Till
{
    static readonly string Node = Env("NODE", "http://127.0.0.1:8080");
    static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };

    static string Env(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

    /// <summary>Done once: sent again with its key where the answer is lost, for 90 s.</summary>
    static string Once(string path, string command)
    {
        var key = Guid.NewGuid().ToString();
        for (var last = DateTime.UtcNow.AddSeconds(90); ; Thread.Sleep(1000))
        {
            string answer;
            try
            {
                var request = new HttpRequestMessage(HttpMethod.Post, Node + path) { Content = new StringContent(command) };
                request.Headers.Add("Idempotency-Key", key);
                answer = Client.SendAsync(request).Result.Content.ReadAsStringAsync().Result;
            }
            catch (AggregateException)
            {
                answer = "{\"ok\":false,\"error\":\"unreachable\"}";
            }
            var again = Regex.IsMatch(answer, "\"error\":\"(unreachable|busy|key_in_use|restarting)\"");
            if (!again || DateTime.UtcNow > last) return answer; // write_failed: look at the paper
        }
    }

    static void Receive()
    {
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://127.0.0.1:{Env("PORT", "8000")}/");
        listener.Start();
        for (; ; )
        {
            var context = listener.GetContext();
            var stream = new MemoryStream();
            if (context.Request.ContentLength64 <= 1024) context.Request.InputStream.CopyTo(stream);
            var right = Same(Signed(stream.ToArray()), context.Request.Headers["X-NODE-Signature"] ?? "");
            context.Response.StatusCode = right ? 204 : 401;
            context.Response.Close();
            if (right) Console.WriteLine(Encoding.UTF8.GetString(stream.ToArray()));
        }
    }

    static string Signed(byte[] body)
    {
        using (var mac = new HMACSHA256(Encoding.UTF8.GetBytes(Env("SECRET", ""))))
            return "sha256=" + BitConverter.ToString(mac.ComputeHash(body)).Replace("-", "").ToLowerInvariant();
    }

    /// <summary>In the same time whatever they are.</summary>
    static bool Same(string a, string b)
    {
        var differs = a.Length ^ b.Length;
        for (var i = 0; i < Math.Min(a.Length, b.Length); i++) differs |= a[i] ^ b[i];
        return differs == 0;
    }

    static string Quoted(string text) => "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";

    static void Main(string[] args)
    {
        var at = $"\"id\":\"{Guid.NewGuid()}\",\"endpoint\":\"receipt\"";
        var text = args.Length > 1 ? args[1] : "Hello";
        switch (args[0])
        {
            case "print":
                Console.WriteLine(Once("/print", "{\"type\":\"print\"," + at + ",\"lines\":[{\"type\":\"text\",\"value\":"
                    + Quoted(text) + "},{\"type\":\"cut\"}]}"));
                break;
            case "kick":
                Console.WriteLine(Once("/drawer/kick", "{\"type\":\"drawer_kick\"," + at + "}"));
                break;
            case "status":
                Console.WriteLine(Client.GetStringAsync(Node + "/status").Result);
                break;
            case "events":
                using (var lines = new StreamReader(Client.GetStreamAsync(Node + "/events").Result))
                    for (var line = lines.ReadLine(); line != null; line = lines.ReadLine())
                        if (line.StartsWith("data: ")) Console.WriteLine(line.Substring(6));
                break;
            case "receive":
                Receive();
                break;
        }
    }
}
