// java Till.java print|kick|status|events|receive [TEXT]; the node is NODE, http://127.0.0.1:8080 where not given.
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Till {
  static final String NODE = env("NODE", "http://127.0.0.1:8080");
  static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  static String env(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  /** Done once: sent again with its key where the answer is lost, for 90 s. */
  static String once(String path, String command) throws InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(NODE + path)).timeout(Duration.ofSeconds(30))
        .header("Idempotency-Key", UUID.randomUUID().toString()).POST(BodyPublishers.ofString(command)).build();
    for (var last = Instant.now().plusSeconds(90);; Thread.sleep(1000)) {
      String answer;
      try {
        answer = CLIENT.send(request, BodyHandlers.ofString()).body();
      } catch (IOException lost) {
        answer = "{\"ok\":false,\"error\":\"unreachable\"}";
      }
      var again = answer.matches("(?s).*\"error\":\"(unreachable|busy|key_in_use|restarting)\".*");
      if (!again || Instant.now().isAfter(last)) return answer; // write_failed: look at the paper
    }
  }

  static void receive() throws Exception {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(env("PORT", "8000"))), 0);
    server.createContext("/", exchange -> {
      var body = exchange.getRequestBody().readNBytes(1024);
      var shown = exchange.getRequestHeaders().getFirst("X-NODE-Signature");
      var right = MessageDigest.isEqual(signed(body).getBytes(), String.valueOf(shown).getBytes());
      exchange.sendResponseHeaders(right ? 204 : 401, -1);
      exchange.close();
      if (right) System.out.println(new String(body, "UTF-8"));
    });
    server.start();
  }

  static String signed(byte[] body) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(env("SECRET", "").getBytes(), "HmacSHA256"));
      return "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (java.security.GeneralSecurityException none) {
      throw new IllegalStateException(none);
    }
  }

  static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  public static void main(String[] args) throws Exception {
    var at = "\"id\":\"" + UUID.randomUUID() + "\",\"endpoint\":\"receipt\"";
    var text = args.length > 1 ? args[1] : "Hello";
    switch (args[0]) {
      case "print" -> System.out.println(once("/print", "{\"type\":\"print\"," + at
          + ",\"lines\":[{\"type\":\"text\",\"value\":" + quoted(text) + "},{\"type\":\"cut\"}]}"));
      case "kick" -> System.out.println(once("/drawer/kick", "{\"type\":\"drawer_kick\"," + at + "}"));
      case "status" -> System.out.println(
          CLIENT.send(HttpRequest.newBuilder(URI.create(NODE + "/status")).build(), BodyHandlers.ofString()).body());
      case "events" -> CLIENT.send(HttpRequest.newBuilder(URI.create(NODE + "/events")).build(), BodyHandlers.ofLines())
          .body().filter(line -> line.startsWith("data: ")).forEach(line -> System.out.println(line.substring(6)));
      case "receive" -> receive();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }
}
