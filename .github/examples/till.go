// go run till.go print|kick|status|events|receive [TEXT]; the node is NODE, http://127.0.0.1:8080 where not given.
package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

var node = env("NODE", "http://127.0.0.1:8080")
var client = http.Client{Timeout: 30 * time.Second}

func newKey() string {
	bytes := make([]byte, 16)
	rand.Read(bytes)
	return hex.EncodeToString(bytes)
}

func ask(method, path string, body any, key string) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, _ := json.Marshal(body)
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, node+path, sent)
	if err != nil {
		return nil, err
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// Done once: sent again with its key where the answer is lost, for 90 s.
func once(path string, command any) []byte {
	key := newKey()
	for last := time.Now().Add(90 * time.Second); ; time.Sleep(time.Second) {
		answer, err := ask("POST", path, command, key)
		if err != nil {
			answer = []byte(`{"ok":false,"error":"unreachable"}`)
		}
		var found struct{ Error string }
		json.Unmarshal(answer, &found)
		switch found.Error {
		case "unreachable", "busy", "key_in_use", "restarting":
			if time.Now().Before(last) {
				continue
			}
		}
		return answer // write_failed: look at the paper
	}
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(request.Body, 1024))
	own := hmac.New(sha256.New, []byte(os.Getenv("SECRET")))
	own.Write(body)
	if !hmac.Equal([]byte("sha256="+hex.EncodeToString(own.Sum(nil))), []byte(request.Header.Get("X-NODE-Signature"))) {
		response.WriteHeader(401)
		return
	}
	response.WriteHeader(204)
	fmt.Println(string(body))
}

type fields map[string]any

func main() {
	text := "Hello"
	if len(os.Args) > 2 {
		text = os.Args[2]
	}
	command := fields{"id": newKey(), "endpoint": "receipt"}
	switch os.Args[1] {
	case "print":
		command["type"], command["lines"] = "print", []fields{{"type": "text", "value": text}, {"type": "cut"}}
		fmt.Print(string(once("/print", command)))
	case "kick":
		command["type"] = "drawer_kick"
		fmt.Print(string(once("/drawer/kick", command)))
	case "status":
		answer, _ := ask("GET", "/status", nil, "")
		fmt.Print(string(answer))
	case "events":
		stream, err := http.Get(node + "/events")
		if err != nil {
			panic(err)
		}
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if line := lines.Text(); strings.HasPrefix(line, "data: ") {
				fmt.Println(line[len("data: "):])
			}
		}
	case "receive":
		http.ListenAndServe("127.0.0.1:"+env("PORT", "8000"), http.HandlerFunc(receive))
	}
}
