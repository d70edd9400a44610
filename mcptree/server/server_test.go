package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/internal/mcpserve"
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

const (
	asks = `{"mcptree":"0.2","id":"asks","title":"Asks","description":"d","entry":"a","nodes":{
		"a":{"type":"ask","prompt":"one","capture":"x","next":"b"},
		"b":{"type":"ask","prompt":"two {{ x }}","options":[{"id":"yes","then":"c"},{"id":"no","then":"z"}]},
		"c":{"type":"action","tool":"t","args":{"n":1.0,"big":123456789012345678901234567890},"result":{"capture":"r"},"next":"d","on_error":"z"},
		"d":{"type":"ask","prompt":"three {{ r }}","options":[{"id":"yes","then":"z"},{"id":"no","then":"c"}]},
		"z":{"type":"terminal","outcome":"ok","summary":"end {{ r }}"}}}`
	loop = `{"mcptree":"0.2","id":"loop","title":"Loop","entry":"a","max_steps":1000,"nodes":{
		"a":{"type":"ask","prompt":"again?","options":[{"id":"again","then":"a"},{"id":"stop","then":"z"}]},
		"z":{"type":"terminal","outcome":"ok","summary":"end"}}}`
)

func trees(t testing.TB, texts ...string) []*mcptree.Tree {
	t.Helper()
	var out []*mcptree.Tree
	for _, text := range texts {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := mcptree.FromValue(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tree)
	}
	return out
}

func newServer(t testing.TB, dir string, opts Options) *mcp.Server {
	t.Helper()
	opts.Sessions = dir
	s, err := New(trees(t, asks, loop), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

type human func(message string, options []any) (action string, answer any)

// client connects to s; nobody is there to be asked if ask is nil.
func client(t testing.TB, s *mcp.Server, revision string, ask human) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, here, revision, ask)
}

func connect(t testing.TB, over mcp.Transport, revision string, ask human) *mcp.ClientSession {
	t.Helper()
	opts := &mcp.ClientOptions{}
	if ask != nil {
		opts.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			schema := req.Params.RequestedSchema.(map[string]any)
			options, _ := schema["properties"].(map[string]any)["value"].(map[string]any)["enum"].([]any)
			action, answer := ask(req.Params.Message, options)
			res := &mcp.ElicitResult{Action: action}
			if action == "accept" {
				res.Content = map[string]any{"value": answer}
			}
			return res, nil
		}
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// call gives the result's JSON, which must be the same in both places.
func call(t testing.TB, c *mcp.ClientSession, tool, args string) (text string, failed bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	text = res.Content[0].(*mcp.TextContent).Text
	if !res.IsError {
		var both [2]any
		json.Unmarshal([]byte(text), &both[0])
		raw, _ := json.Marshal(res.StructuredContent)
		json.Unmarshal(raw, &both[1])
		a, _ := json.Marshal(both[0])
		b, _ := json.Marshal(both[1])
		if string(a) != string(b) {
			t.Errorf("text %s and structured %s", a, b)
		}
	}
	return text, res.IsError
}

func get(t testing.TB, text string, path ...string) string {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	v, _ = value.Lookup(v, path...)
	return string(value.AppendJSON(nil, v))
}

// sources lists who answered each node of a session's trace.
func sources(t testing.TB, c *mcp.ClientSession, id string) string {
	t.Helper()
	text, _ := call(t, c, "tree_trace", `{"session_id":`+id+`}`)
	var trace struct {
		Trace []struct{ Node, Source string }
	}
	if err := json.Unmarshal([]byte(text), &trace); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range trace.Trace {
		b.WriteString(e.Node + ":" + e.Source + " ")
	}
	return strings.TrimSpace(b.String())
}

func files(t testing.TB, dir string) int {
	t.Helper()
	all, _ := filepath.Glob(filepath.Join(dir, "ses_*.json"))
	return len(all)
}

func TestElicitation(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			dir := t.TempDir()
			s := newServer(t, dir, Options{})
			var asked []string
			var before []int
			replies := []any{}
			ask := func(message string, options []any) (string, any) {
				asked = append(asked, fmt.Sprint(message, options))
				before = append(before, files(t, dir))
				r := replies[0]
				replies = replies[1:]
				if action, ok := r.(error); ok {
					return action.Error(), nil
				}
				return "accept", r
			}
			c := client(t, s, revision, ask)

			replies = []any{"v", "yes"}
			text, _ := call(t, c, "tree_start", `{"tree_id":"asks"}`)
			id := get(t, text, "session_id")
			if get(t, text, "node") != `"c"` || get(t, text, "step") != "3" || get(t, text, "expects", "args") != `{"n":1.0,"big":123456789012345678901234567890}` {
				t.Errorf("started: %s", text)
			}
			if got := strings.Join(asked, "|"); got != "one[]|two v[yes no]" || before[0]+before[1] != 0 {
				t.Errorf("asked %s with %v sessions stored", got, before)
			}

			// The answer leads to an ask, which sends the walk back to the action: one question.
			asked, replies = nil, []any{"no"}
			text, _ = call(t, c, "tree_answer", `{"session_id":`+id+`,"step":3,"value":{"b":1.0,"a":1e22}}`)
			if get(t, text, "node") != `"c"` || get(t, text, "step") != "5" || strings.Join(asked, "|") != `three {"b":1.0,"a":1e+22}[yes no]` {
				t.Errorf("answered: %s after %v", text, asked)
			}
			for _, action := range []string{"decline", "cancel"} {
				replies = []any{fmt.Errorf("%s", action)}
				step := get(t, text, "step")
				text, _ = call(t, c, "tree_answer", `{"session_id":`+id+`,"step":`+step+`,"value":7}`)
				if get(t, text, "state") != `"awaiting_answer"` || get(t, text, "error") != "null" || get(t, text, "node") != `"d"` || get(t, text, "instruction") != `"three 7"` {
					t.Errorf("%s: %s", action, text)
				}
				text, _ = call(t, c, "tree_answer", `{"session_id":`+id+`,"step":`+get(t, text, "step")+`,"value":"no","rationale":"r"}`)
			}
			want := "a:elicitation b:elicitation c:tree_answer d:elicitation c:tree_answer d:tree_answer c:tree_answer d:tree_answer"
			if got := sources(t, c, id); got != want {
				t.Errorf("trace %s, want %s", got, want)
			}

			// A rejected answer ends the asking, and its envelope comes back.
			replies = []any{strings.Repeat("x", 70_000)}
			text, _ = call(t, c, "tree_start", `{"tree_id":"asks"}`)
			if !strings.HasPrefix(get(t, text, "error"), `"fact_too_large`) || get(t, text, "step") != "1" || len(replies) != 0 {
				t.Errorf("rejected: %s", text)
			}
			// So does a rejected answer of the agent's: nobody is asked.
			text, _ = call(t, c, "tree_answer", `{"session_id":`+get(t, text, "session_id")+`,"step":9,"value":"v"}`)
			if get(t, text, "error") != `"step_mismatch: expected step 1, got 9"` {
				t.Errorf("rejected: %s", text)
			}
			if text, _ = call(t, c, "tree_status", `{"session_id":`+get(t, text, "session_id")+`}`); get(t, text, "error") != "null" {
				t.Errorf("status: %s", text)
			}

			// Twenty asks in a row come to an end in every revision.
			for range 20 {
				replies = append(replies, "again")
			}
			replies = append(replies, fmt.Errorf("decline"))
			text, _ = call(t, c, "tree_start", `{"tree_id":"loop"}`)
			if get(t, text, "state") != `"awaiting_answer"` || get(t, text, "error") != "null" || files(t, dir) != 3 {
				t.Errorf("twenty asks: %s", text)
			}
		})
	}
}

func TestUnasked(t *testing.T) {
	for _, revision := range revisions {
		for _, off := range []bool{false, true} {
			s := newServer(t, t.TempDir(), Options{NoElicit: off})
			var ask human
			if off {
				ask = func(string, []any) (string, any) { t.Error("asked"); return "cancel", nil }
			}
			c := client(t, s, revision, ask)
			text, _ := call(t, c, "tree_start", `{"tree_id":"asks"}`)
			if get(t, text, "state") != `"awaiting_answer"` || get(t, text, "expects") != `{"kind":"text"}` {
				t.Errorf("%s: %s", revision, text)
			}
		}
	}
}

func TestRequestState(t *testing.T) {
	dir := t.TempDir()
	s := newServer(t, dir, Options{})
	there, here := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	opts := &mcp.ClientOptions{MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil }}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func(tree, state, answer string) *mcp.CallToolResult {
		t.Helper()
		p := &mcp.CallToolParams{Name: "tree_start", Arguments: json.RawMessage(`{"tree_id":"` + tree + `"}`), RequestState: state}
		if answer != "" {
			p.InputResponses = mcp.InputResponseMap{"ask-1": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"value": answer}}}
		}
		res, err := c.CallTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	res := ask("asks", "", "")
	if len(res.InputRequests) != 1 || res.RequestState == "" || len(res.Content) != 0 || files(t, dir) != 0 {
		t.Fatalf("%+v, %d files", res, files(t, dir))
	}
	forged := "A" + res.RequestState[1:]
	if forged == res.RequestState {
		forged = "B" + res.RequestState[1:]
	}
	for _, bad := range []struct{ tree, state string }{{"loop", res.RequestState}, {"asks", forged}, {"asks", "x"}, {"asks", res.RequestState + "AAAA"}} {
		if got := ask(bad.tree, bad.state, "v"); !got.IsError || files(t, dir) != 0 {
			t.Errorf("%v was taken", bad)
		}
	}
	if again := ask("asks", res.RequestState, ""); len(again.InputRequests) != 1 {
		t.Error("a call without the answer isn't asked again")
	}
	next := ask("asks", res.RequestState, "v")
	if next.InputRequests["ask-2"] == nil || files(t, dir) != 0 {
		t.Errorf("%+v", next)
	}
}

func TestTools(t *testing.T) {
	dir := t.TempDir()
	c := client(t, newServer(t, dir, Options{}), "", nil)
	text, _ := call(t, c, "tree_list", `null`)
	if text != `{"result":[{"id":"asks","title":"Asks","description":"d"},{"id":"loop","title":"Loop","description":""}]}` {
		t.Error(text)
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 5 {
		t.Fatal(list, err)
	}
	for _, tool := range list.Tools {
		if tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s has no output schema or description", tool.Name)
		}
	}
	text, _ = call(t, c, "tree_start", `{"tree_id":"loop"}`)
	id := get(t, text, "session_id")
	for _, test := range []struct{ tool, args, want string }{
		{"tree_start", `{"tree_id":"nope"}`, `unknown tree "nope"; known trees: "asks", "loop"`},
		{"tree_start", `{}`, "tree_start needs the argument tree_id"},
		{"tree_start", `{"tree_id":5}`, "argument tree_id of tree_start must be a string, got 5"},
		{"tree_start", `{"tree_id":"loop","x":1}`, `tree_start has no argument "x"; it has tree_id`},
		{"tree_list", `{"x":1}`, `tree_list has no argument "x"; it has none`},
		{"tree_status", `{"session_id":"ses_0123456789ab"}`, `unknown session "ses_0123456789ab"; known sessions: ` + strings.Trim(id, `"`)},
		{"tree_trace", `{"session_id":"../x"}`, `unknown session "../x": an id is ses_ and 12 lowercase hexadecimal digits; sessions begun lately: ` + strings.Trim(id, `"`)},
		{"tree_answer", `{"session_id":` + id + `,"step":"1","value":1}`, `argument step of tree_answer must be an integer, got "1"`},
		{"tree_answer", `{"session_id":` + id + `,"step":1.5,"value":1}`, `argument step of tree_answer must be an integer, got 1.5`},
		{"tree_answer", `{"session_id":` + id + `,"step":true,"value":1}`, `argument step of tree_answer must be an integer, got true`},
		{"tree_answer", `{"session_id":` + id + `,"step":1}`, `tree_answer needs the argument value`},
		{"tree_answer", `{"session_id":` + id + `,"step":1,"value":1,"is_error":"yes"}`, `argument is_error of tree_answer must be a boolean, got "yes"`},
		{"tree_answer", `{"session_id":` + id + `,"step":1,"value":1,"rationale":[]}`, `argument rationale of tree_answer must be a string or null, got a list`},
		{"tree_answer", `{"session_id":` + id + `,"step":1,"value":` + strings.Repeat("[", 920) + strings.Repeat("]", 920) + `}`, `argument value of tree_answer must be at most 900 levels deep, got a list`},
	} {
		if got, failed := call(t, c, test.tool, test.args); got != test.want || !failed {
			t.Errorf("%s %.80s: %s, want %s", test.tool, test.args, got, test.want)
		}
	}
	if text, _ = call(t, c, "tree_answer", `{"session_id":`+id+`,"step":1.0,"value":"again","rationale":null}`); get(t, text, "step") != "2" {
		t.Error(text)
	}
	path := filepath.Join(dir, strings.Trim(id, `"`)+".json")
	if err := os.WriteFile(path, []byte("{ truncated"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, failed := call(t, c, "tree_status", `{"session_id":`+id+`}`); !failed || !strings.Contains(text, path) {
		t.Error(text)
	}
}

func TestParallel(t *testing.T) {
	c := client(t, newServer(t, t.TempDir(), Options{NoElicit: true}), "", nil)
	text, _ := call(t, c, "tree_start", `{"tree_id":"loop"}`)
	id := get(t, text, "session_id")
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 16 {
		wg.Go(func() {
			text, failed := call(t, c, "tree_answer", `{"session_id":`+id+`,"step":1,"value":"again"}`)
			mu.Lock()
			defer mu.Unlock()
			seen[fmt.Sprintf("%v %s", failed, get(t, text, "error"))]++
		})
	}
	wg.Wait()
	if len(seen) != 2 || seen["false null"] != 1 || seen[`false "step_mismatch: expected step 2, got 1"`] != 15 {
		t.Error(seen)
	}
}

func TestMount(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "mine", Version: "1"}, nil)
	if err := Mount(s, trees(t, asks, asks), Options{Sessions: t.TempDir()}); err == nil || !strings.Contains(err.Error(), `"asks"`) {
		t.Error(err)
	}
	if err := Mount(s, trees(t, asks), Options{Sessions: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if text, _ := call(t, client(t, s, "", nil), "tree_list", "{}"); !strings.Contains(text, "asks") {
		t.Error(text)
	}
}

func TestHTTP(t *testing.T) {
	for _, revision := range revisions {
		dir := t.TempDir()
		web := httptest.NewServer(mcpserve.Handler(newServer(t, dir, Options{})))
		replies := []any{"v", "yes", "yes"}
		c := connect(t, &mcp.StreamableClientTransport{Endpoint: web.URL}, revision, func(string, []any) (string, any) {
			r := replies[0]
			replies = replies[1:]
			return "accept", r
		})
		text, _ := call(t, c, "tree_start", `{"tree_id":"asks"}`)
		text, _ = call(t, c, "tree_answer", `{"session_id":`+get(t, text, "session_id")+`,"step":3,"value":1.0}`)
		if get(t, text, "outcome") != `"ok"` || get(t, text, "instruction") != `"end 1.0"` {
			t.Errorf("%s: %s", revision, text)
		}
		c.Close()
		web.CloseClientConnections()
		web.Close()
	}
}

// TestWire talks in lines, as a client that holds answers against nothing.
func TestWire(t *testing.T) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := newServer(t, t.TempDir(), Options{})
	done := make(chan error)
	go func() { done <- s.Run(t.Context(), mcpserve.Stdio(fromClient, toClient)) }()
	lines := bufio.NewReader(fromServer)
	send := func(text string) { io.WriteString(toServer, text+"\n") }
	read := func() string {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	read()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	start := func(answer string) string {
		send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tree_start","arguments":{"tree_id":"loop"}}}`)
		send(`{"jsonrpc":"2.0","id":` + get(t, read(), "id") + `,` + answer + `}`)
		return get(t, read(), "result", "structuredContent")
	}
	for answer, want := range map[string]string{
		`"result":{"action":"accept","content":{"value":"bogus"}}`: `"invalid_option: expected one of ['again', 'stop']"`,
		`"result":{"action":"accept","content":{"value":5}}`:       `"invalid_option: expected one of ['again', 'stop']"`,
		`"result":{"action":"accept"}`:                             "null",
		`"result":{"action":"decline"}`:                            "null",
		`"error":{"code":-32601,"message":"unsupported"}`:          "null",
	} {
		if got := start(answer); get(t, got, "error") != want || get(t, got, "step") != "1" || get(t, got, "state") != `"awaiting_answer"` {
			t.Errorf("%s: %s", answer, got)
		}
	}
	toServer.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestEnd: calls that were written before the input ended are answered; those
// that wait for the client aren't waited for.
func TestEnd(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for caps, want := range map[string]int{`{}`: 201, `{"elicitation":{}}`: 1} {
		in := fmt.Sprintf(hello, caps)
		for i := 1; i <= 200; i++ {
			in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tree_start","arguments":{"tree_id":"loop"}}}`+"\n", i)
		}
		var out strings.Builder
		if err := newServer(t, t.TempDir(), Options{}).Run(t.Context(), mcpserve.Stdio(strings.NewReader(in), &out)); err != nil {
			t.Error(err)
		}
		if got := strings.Count(out.String(), `"result":`); got < want || want == 201 && got != want {
			t.Errorf("client with %s: %d answers, want %d", caps, got, want)
		}
	}
}
