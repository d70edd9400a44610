package proxy

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/policy"
)

// TestListenSDK: SDK clients of both eras speak to an SDK server by HTTP on both sides,
// several at once, with requests of the server's and progress.
func TestListenSDK(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{false, true} {
		server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
		type in struct {
			Order string `json:"order_id"`
		}
		mcp.AddTool(server, &mcp.Tool{Name: "ship_order"}, func(ctx context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1})
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "shipped " + a.Order}}}, nil, nil
		})
		far := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
		p := New(Options{Policy: policy.New(nil, policy.Options{}), Model: NewModel(nil, nil).Graph, Asker: noAsker{}})
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		l := p.Listen(ctx, Remote{Context: ctx, URL: far.URL}.Start)
		near := httptest.NewServer(l)
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				progress := make(chan bool, 10)
				client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
					ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress <- true }})
				session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: near.URL}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				tools, err := session.ListTools(ctx, nil)
				if err != nil || len(tools.Tools) != 5 {
					t.Errorf("%v %v", tools, err)
				}
				params := &mcp.CallToolParams{Name: "ship_order", Arguments: map[string]any{"order_id": strings.Repeat("7", i)}}
				params.SetProgressToken("p")
				r, err := session.CallTool(ctx, params)
				if err != nil || r.Content[0].(*mcp.TextContent).Text != "shipped "+strings.Repeat("7", i) {
					t.Errorf("%v %v", r, err)
				}
				if v := session.InitializeResult().ProtocolVersion; v != map[bool]string{false: "2025-11-25", true: "2026-07-28"}[stateless] {
					t.Errorf("version %s", v)
				}
				select {
				case <-progress:
				case <-ctx.Done():
					t.Error("no progress")
				}
				if err := session.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		cancel()
		l.Close()
		near.Close()
		far.Close()
	}
}

// TestListenRules: what isn't a session's is refused, in the terms of the transport.
func TestListenRules(t *testing.T) {
	t.Parallel()
	p := New(Options{Policy: policy.New(nil, policy.Options{}), MaxFrame: 1 << 16})
	ctx, cancel := context.WithCancel(context.Background())
	l := p.Listen(ctx, Process{Argv: []string{os.Args[0], "server", "echo"}, Grace: time.Second}.Start)
	web := httptest.NewServer(l)
	t.Cleanup(func() {
		cancel()
		l.Close()
		web.CloseClientConnections()
		web.Close()
	})
	do := func(method, session, body string) (*http.Response, string) {
		req, err := http.NewRequest(method, web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(b)
	}
	const hello = "{\n  \"jsonrpc\":\"2.0\",\r\n  \"id\":\"é\",\"method\":\"initialize\",\"params\":{}}"
	resp, body := do("POST", "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != 200 || id == "" || resp.Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(body, "\ndata:   {\"result\"") || !strings.HasSuffix(body, "\n\n") {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	for name, tt := range map[string]struct {
		method, session, body string
		want                  int
	}{
		"notification":     {"POST", id, `{"method":"notifications/initialized"}`, 202},
		"response":         {"POST", id, `{"id":9,"result":{}}`, 202},
		"request":          {"POST", id, `{"id":9,"method":"ping"}`, 200},
		"unknown session":  {"POST", "other", `{"id":9,"method":"ping"}`, 404},
		"no session":       {"POST", "", `{"id":9,"method":"ping"}`, 400},
		"batch":            {"POST", id, `[{"id":9,"method":"ping"}]`, 400},
		"junk":             {"POST", id, `hello`, 400},
		"long":             {"POST", id, `{"id":1,"method":"` + strings.Repeat("x", 1<<17) + `"}`, 413},
		"put":              {"PUT", id, "", 405},
		"get of none":      {"GET", "", "", 404},
		"delete of none":   {"DELETE", "other", "", 404},
		"stateless":        {"POST", "", `{"id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 200},
		"discover":         {"POST", "", `{"id":1,"method":"server/discover"}`, 200},
		"stateless, again": {"POST", "", `{"id":1,"method":"y","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 200},
	} {
		if resp, body := do(tt.method, tt.session, tt.body); resp.StatusCode != tt.want {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
	if resp, _ := do("DELETE", id, ""); resp.StatusCode != 200 {
		t.Errorf("%d", resp.StatusCode)
	}
	for began := time.Now(); ; {
		if resp, _ := do("POST", id, `{"method":"notifications/x"}`); resp.StatusCode == 404 {
			break
		}
		if time.Since(began) > patience {
			t.Fatal("the session doesn't end")
		}
	}
}

// TestListenIdle: a session that nobody uses ends.
func TestListenIdle(t *testing.T) {
	t.Parallel()
	p := New(Options{Policy: policy.New(nil, policy.Options{})})
	l := p.Listen(t.Context(), Process{Argv: []string{os.Args[0], "server", "echo"}, Grace: time.Second}.Start)
	l.Idle = 20 * time.Millisecond
	v, err := l.visit("v")
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-v.ended:
	case <-time.After(patience):
		t.Error("it lives on")
	}
	l.Close()
}

// TestStatelessStreams: requests that share an id or a progress token never share a session.
func TestStatelessStreams(t *testing.T) {
	t.Parallel()
	v := &visit{}
	for _, tt := range []struct {
		id, token string
		want      bool
	}{
		{"1", `"p"`, true},
		{"1", `"q"`, false},
		{"2", `"p"`, false},
		{"2", "", true},
		{"3", "", true},
		{"4", `"q"`, true},
	} {
		if got := v.openFree(newStream(tt.id, tt.token, false)); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
