"""python3 till.py print|kick|status|events|receive [TEXT]; the node is NODE, http://127.0.0.1:8080 where not given."""
import hashlib, hmac, json, os, sys, time, urllib.error, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

NODE = os.environ.get("NODE", "http://127.0.0.1:8080")


def ask(method, path, body=None, headers={}):
    request = urllib.request.Request(NODE + path, json.dumps(body).encode() if body else None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:  # an envelope, too
        return json.load(refused)


def once(path, command):
    """Done once: sent again with its key where the answer is lost, for 90 s."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    until = time.monotonic() + 90
    while True:
        try:
            answer = ask("POST", path, command, key)
            if answer.get("error") not in ("busy", "key_in_use", "restarting"):
                return answer  # write_failed: look at the paper
        except OSError:
            answer = None
        if time.monotonic() > until:
            return answer or {"ok": False, "error": "unreachable"}
        time.sleep(1)


def events():
    with urllib.request.urlopen(NODE + "/events", timeout=60) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers["Content-Length"]), 1024))
        own = "sha256=" + hmac.new(os.environ["SECRET"].encode(), body, hashlib.sha256).hexdigest()
        right = hmac.compare_digest(own, self.headers.get("X-NODE-Signature", ""))
        self.send_response(204 if right else 401)
        self.end_headers()
        if right:
            print(body.decode(), flush=True)

    def log_message(self, *_):
        pass


what, text = sys.argv[1], (sys.argv[2:] or ["Hello"])[0]
name = str(uuid.uuid4())
if what == "print":
    lines = [{"type": "text", "value": text}, {"type": "cut"}]
    print(json.dumps(once("/print", {"type": "print", "id": name, "endpoint": "receipt", "lines": lines})))
elif what == "kick":
    print(json.dumps(once("/drawer/kick", {"type": "drawer_kick", "id": name, "endpoint": "receipt"})))
elif what == "status":
    print(json.dumps(ask("GET", "/status")))
elif what == "events":
    for event in events():
        print(json.dumps(event), flush=True)
elif what == "receive":
    HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
