package mcpserve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestRebinding(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(Handler(mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil)))
	defer web.Close()
	port := web.URL[strings.LastIndex(web.URL, ":"):]
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"localhost" + port, "", 200}, {"127.0.0.1" + port, "http://localhost:3000", 200}, {"[::1]" + port, "https://127.0.0.1", 200},
		{"evil.example.com", "", 403}, {"localhost.evil.example.com" + port, "", 403}, {"127.0.0.1" + port, "http://evil.example.com", 403}, {"127.0.0.1" + port, "null", 403},
		{"10.0.0.1" + port, "", 403}, {"127.0.0.1" + port, "file://localhost", 403}, {"127.0.0.1.nip.io", "", 403},
	} {
		req, _ := http.NewRequest("POST", web.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		req.Host = test.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != test.want {
			t.Errorf("%s from %q: %d, want %d", test.host, test.origin, res.StatusCode, test.want)
		}
	}
}

func TestLoopbackAddress(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:80": true, "localhost:8321": true, "LOCALHOST:1": true,
		"127.0.0.1": false, "127.0.0.1:": false, ":80": false, "0.0.0.0:80": false, "example.com:80": false, "": false,
	} {
		if got := LoopbackAddress(addr); got != want {
			t.Errorf("%q: %v", addr, got)
		}
	}
}
