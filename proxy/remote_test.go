package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/policy"
)

// web is an HTTP server whose answers a test decides.
type web struct {
	t      *testing.T
	mu     sync.Mutex
	heard  []string // method, and what matters of the headers
	frames chan string
	far    Server
}

// note writes down a request.
func (w *web) note(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := r.Method
	for _, h := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Last-Event-Id", "Authorization"} {
		if v := r.Header.Get(h); v != "" {
			line += " " + h + "=" + v
		}
	}
	w.heard = append(w.heard, line)
}

func (w *web) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.heard)
}

// newWeb speaks to a handler.
func newWeb(t *testing.T, headers []string, h http.HandlerFunc) *web {
	t.Helper()
	w := &web{t: t, frames: make(chan string, 100)}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.note(r)
		h(rw, r)
	}))
	ctx, cancel := context.WithCancel(context.Background())
	far, err := Remote{Context: ctx, URL: s.URL, Headers: headers}.Start(func(b []byte, _ bool) { w.frames <- string(b) })
	if err != nil {
		t.Fatal(err)
	}
	w.far = far
	t.Cleanup(func() {
		cancel()
		<-far.Done()
		s.CloseClientConnections()
		s.Close()
	})
	return w
}

func (w *web) send(frame string) { _ = w.far.Send([]byte(frame + "\n")) }

func (w *web) next() string {
	w.t.Helper()
	select {
	case s := <-w.frames:
		return s
	case <-time.After(patience):
		w.t.Fatal("no frame came")
		return ""
	}
}

func body(r *http.Request) message {
	b, _ := io.ReadAll(r.Body)
	m, _ := parse(b)
	return m
}

// TestRemoteEvents: events come through at once, split at any byte, long, many lines
// long, with and without a name.
func TestRemoteEvents(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("é", 40<<10)
	stream := ": comment\n\nevent: message\nid: 1\ndata: {\"method\":\"notifications/progress\",\"n\":1.0}\n\n" +
		"data: {\"method\":\"notifications/big\",\ndata:  \"params\":\"" + big + "\"}\r\n\r\n" + "event: endpoint\ndata:\n\n" +
		"data:{\"result\":{\"x\":9007199254740993},\"id\":1}\n\n"
	want := []string{
		`{"method":"notifications/progress","n":1.0}` + "\n", `{"method":"notifications/big",  "params":"` + big + `"}` + "\n", `{"result":{"x":9007199254740993},"id":1}` + "\n",
	}
	for _, at := range []int{1, 2, 7, 60, 1000, 1 << 20} {
		w := newWeb(t, nil, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			for part := range slices.Chunk([]byte(stream), at) {
				if at > 2 || len(part) < 2 {
					_, _ = rw.Write(part)
				} else {
					_, _ = rw.Write(part[:1])
					_, _ = rw.Write(part[1:])
				}
				if at >= 60 {
					rw.(http.Flusher).Flush()
				}
			}
		})
		w.send(`{"id":1,"method":"x"}`)
		for i, f := range want {
			if got := w.next(); got != f {
				t.Errorf("split at %d, %d: %.200q", at, i, got)
			}
		}
	}
	// An event is there before the stream ends.
	hold := make(chan struct{})
	w := newWeb(t, nil, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(rw, "data: {\"method\":\"early\"}\n\n")
		rw.(http.Flusher).Flush()
		<-hold
		io.WriteString(rw, "data: {\"id\":1,\"result\":{}}\n\n")
	})
	w.send(`{"id":1,"method":"x"}`)
	if got := w.next(); got != `{"method":"early"}`+"\n" {
		t.Errorf("%s", got)
	}
	close(hold)
	w.next()
}

// TestRemoteAnswers: an answer comes for every request, whatever the server does.
func TestRemoteAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"json": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{\n  \"id\": 1,\r\n  \"result\": {\"a\":1.0}\n}\n")
		}, `{   "id": 1,    "result": {"a":1.0} }`},
		"refused": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`)
		}, `"code":-32001`},
		"broken":   {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "the farm burns", 500) }, "HTTP 500 Internal Server Error: the farm burns"},
		"html":     {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>login") }, "no JSON-RPC answer: <html>login"},
		"accepted": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) }, "gives no answer"},
		"cut": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"method\":\"x\"}\n\n")
		}, "the stream ended before the answer came"},
		"gone": {func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		w := newWeb(t, nil, tt.h)
		w.send(`{"id":1,"method":"x"}`)
		got := w.next()
		if name == "cut" {
			got = w.next()
		}
		m, ok := parse([]byte(got))
		if !ok || string(m.id) != "1" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", name, got)
		}
		w.send("junk")
		w.send(`{"method":"notifications/x"}`)
	}

	for _, url := range []string{"ftp://x", "localhost:80", "http://%zz"} {
		if _, err := (Remote{Context: context.Background(), URL: url}).Start(nil); err == nil {
			t.Errorf("%s was taken", url)
		}
	}
	if _, err := (Remote{Context: context.Background(), URL: "http://x", Headers: []string{"nothing"}}).Start(nil); err == nil {
		t.Error("a header without a value was taken")
	}
}

// TestRemoteOlder goes through a conversation of the older era: version and session in
// headers, the stream by which the server speaks, resumed, and the end.
func TestRemoteOlder(t *testing.T) {
	t.Parallel()
	var gets int
	deleted := make(chan struct{})
	w := newWeb(t, []string{"Authorization: Bearer x"}, func(rw http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			rw.Header().Set("Content-Type", "text/event-stream")
			gets++
			switch gets {
			case 1:
				io.WriteString(rw, "retry: 0\nid: e1\ndata: {\"id\":1,\"method\":\"roots/list\"}\n\n")
			case 2:
				io.WriteString(rw, "id: e2\ndata: {\"method\":\"notifications/tools/list_changed\"}\n\n")
				rw.(http.Flusher).Flush()
				<-r.Context().Done()
			}
			return
		case http.MethodDelete:
			close(deleted)
			return
		}
		m := body(r)
		switch m.method {
		case "initialize":
			rw.Header().Set("Mcp-Session-Id", "s1")
			rw.Header().Set("Content-Type", "application/json")
			io.WriteString(rw, `{"id":0,"result":{"protocolVersion":"2025-06-18"}}`)
		case "cut":
			rw.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(rw, "id: c1\nretry: 0\ndata: {\"method\":\"first\"}\n\n")
		default:
			rw.WriteHeader(202)
		}
	})
	w.send(`{"id":0,"method":"initialize","params":{}}`)
	w.next()
	w.send(`{"method":"notifications/initialized"}`)
	if got := w.next(); got != `{"id":1,"method":"roots/list"}`+"\n" {
		t.Errorf("%s", got)
	}
	w.next()
	w.send(`{"id":1,"result":{}}`)
	w.far.CloseSend()
	w.far.Finish()
	<-w.far.Done()
	<-deleted
	want := []string{
		"POST Authorization=Bearer x",
		"POST Mcp-Session-Id=s1 Mcp-Protocol-Version=2025-06-18 Authorization=Bearer x",
		"GET Mcp-Session-Id=s1 Mcp-Protocol-Version=2025-06-18 Authorization=Bearer x",
		"GET Mcp-Session-Id=s1 Mcp-Protocol-Version=2025-06-18 Last-Event-Id=e1 Authorization=Bearer x",
		"POST Mcp-Session-Id=s1 Mcp-Protocol-Version=2025-06-18 Authorization=Bearer x",
		"DELETE Mcp-Session-Id=s1 Mcp-Protocol-Version=2025-06-18 Authorization=Bearer x",
	}
	if got := w.all(); !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := w.far.Err(); err != nil {
		t.Error(err)
	}
}

// TestRemoteResumed: a stream that ends before its answer is taken up again.
func TestRemoteResumed(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		if r.Method == http.MethodPost {
			io.WriteString(rw, "id: c1\nretry: 0\ndata: {\"method\":\"first\"}\n\n")
			return
		}
		if r.Header.Get("Last-Event-Id") == "c1" {
			io.WriteString(rw, "id: c2\ndata: {\"method\":\"second\"}\n\n")
			return
		}
		io.WriteString(rw, "id: c3\ndata: {\"id\":5,\"result\":{}}\n\n")
	})
	w.send(`{"id":5,"method":"cut"}`)
	for _, want := range []string{`{"method":"first"}`, `{"method":"second"}`, `{"id":5,"result":{}}`} {
		if got := w.next(); got != want+"\n" {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestRemoteStateless: in the newer era each request says what it is in headers.
func TestRemoteStateless(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil, func(rw http.ResponseWriter, r *http.Request) {
		m := body(r)
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `{"id":%s,"result":{"tools":[{"name":"grün","inputSchema":{"properties":{"where":{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}}}]}}`, m.id)
	})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, f := range []string{
		`{"id":1,"method":"tools/list","params":{` + meta + `}}`, `{"id":2,"method":"tools/call","params":{"name":"grün","arguments":{"where":{"region":"eu west"}},` + meta + `}}`,
		`{"id":3,"method":"resources/read","params":{"uri":"file:///a",` + meta + `}}`,
	} {
		w.send(f)
		w.next()
	}
	want := []string{
		"POST Mcp-Protocol-Version=2026-07-28 Mcp-Method=tools/list",
		"POST Mcp-Protocol-Version=2026-07-28 Mcp-Method=tools/call Mcp-Name==?base64?Z3LDvG4=?= Mcp-Param-Region=eu west",
		"POST Mcp-Protocol-Version=2026-07-28 Mcp-Method=resources/read Mcp-Name=file:///a",
	}
	if got := w.all(); !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRemoteLost: a lost session ends the conversation.
func TestRemoteLost(t *testing.T) {
	t.Parallel()
	n := 0
	w := newWeb(t, nil, func(rw http.ResponseWriter, r *http.Request) {
		if n++; n > 1 {
			rw.WriteHeader(404)
			return
		}
		rw.Header().Set("Mcp-Session-Id", "s1")
		rw.Header().Set("Content-Type", "application/json")
		io.WriteString(rw, `{"id":0,"result":{}}`)
	})
	w.send(`{"id":0,"method":"initialize"}`)
	w.next()
	w.send(`{"id":1,"method":"x"}`)
	if got := w.next(); !strings.Contains(got, "lost the session") {
		t.Errorf("%s", got)
	}
	<-w.far.Done()
	if err := w.far.Err(); err == nil {
		t.Error("no error")
	}
}

// TestRemoteSDK lets the SDK's client speak to the SDK's server through a proxy, in
// both eras.
func TestRemoteSDK(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{false, true} {
		server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
		type in struct {
			Order string `json:"order_id"`
		}
		mcp.AddTool(server, &mcp.Tool{Name: "ship_order"}, func(_ context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "shipped " + a.Order}}}, nil, nil
		})
		s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
		p := New(Options{Policy: policy.New(nil, policy.Options{}), Model: NewModel(nil, nil).Graph, Asker: noAsker{}})
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		ended := make(chan error, 1)
		go func() {
			err := p.ServeStdio(ctx, inR, outW, Remote{Context: ctx, URL: s.URL}.Start)
			outW.Close()
			ended <- err
		}()
		client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := session.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) != 5 {
			t.Errorf("%v %v", tools, err)
		}
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ship_order", Arguments: map[string]any{"order_id": "7"}})
		if err != nil || r.Content[0].(*mcp.TextContent).Text != "shipped 7" {
			t.Errorf("%v %v", r, err)
		}
		if r, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "mcpg_status"}); err != nil || r.IsError {
			t.Errorf("%v %v", r, err)
		}
		t.Logf("stateless %t: version %s", stateless, session.InitializeResult().ProtocolVersion)
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		cancel()
		s.Close()
	}
}
