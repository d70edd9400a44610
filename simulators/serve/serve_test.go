package serve

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/internal/mcpserve"
	"mcpg/simulate"
	"mcpg/simulators/filesystem"
	"mcpg/simulators/release"
)

var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

func newRelease(t testing.TB, world string) simulate.Server {
	t.Helper()
	w := release.Demo()
	if world != "" {
		var err error
		if w, err = release.ParseWorld(jsontext.Value(world)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := release.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newFilesystem(t testing.TB) simulate.Server {
	t.Helper()
	s, err := filesystem.New(filesystem.Demo())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func serve(t testing.TB, sim simulate.Server) *mcp.Server {
	t.Helper()
	s, err := New(sim, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func connect(t testing.TB, over mcp.Transport, revision string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, opts).Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// client connects in process.
func client(t testing.TB, s *mcp.Server, revision string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, here, revision, opts)
}

func call(t testing.TB, c *mcp.ClientSession, tool, args string) (text string, isError bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: jsontext.Value(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

// played is what a client of the release simulator does and reads.
var played = []struct {
	tool, args, want string
	isError          bool
}{
	{"publish_release", `{"release_id":"app-2.0"}`, "channel beta is locked by ops", true},
	{"unlock_channel", `{"channel":"beta","owner":"ops"}`, `"locked":false`, false},
	{"publish_release", `{"release_id":"app-2.0"}`, `"status":"PUBLISHED"`, false},
	{"publish_release", `{"release_id":7}`, "MCP error -32602: Input validation error", true},
	{"forget_release", `{}`, "MCP error -32602: Tool forget_release not found", true},
}

func TestClients(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, way := range []string{"pipe", "http"} {
			t.Run(revision+" "+way, func(t *testing.T) {
				t.Parallel()
				s := serve(t, newRelease(t, ""))
				var c *mcp.ClientSession
				if way == "http" {
					web := httptest.NewServer(mcpserve.Handler(s))
					t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
					c = connect(t, &mcp.StreamableClientTransport{Endpoint: web.URL, MaxRetries: -1}, revision, nil)
				} else {
					c = client(t, s, revision, nil)
				}
				if got := c.InitializeResult().ProtocolVersion; got != revision {
					t.Errorf("protocol version %s", got)
				}
				for _, p := range played {
					if text, isError := call(t, c, p.tool, p.args); isError != p.isError || !strings.Contains(text, p.want) {
						t.Errorf("%s: %v %s", p.tool, isError, text)
					}
				}
			})
		}
	}
}

// hello are the lines that begin a session; the newest revision has none.
const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

const newestMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// talk sends lines and gives the results that came, in their order, by id.
func talk(t *testing.T, s *mcp.Server, lines string) (ids []int, results map[int]jsontext.Value) {
	t.Helper()
	var out strings.Builder
	if err := mcpserve.Pipe(t.Context(), s, InOrder(mcpserve.Stdio(strings.NewReader(lines), &out))); err != nil {
		t.Fatal(err)
	}
	results = map[int]jsontext.Value{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			ID     *int           `json:"id"`
			Result jsontext.Value `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if r.ID != nil {
			ids = append(ids, *r.ID)
			results[*r.ID] = r.Result
		}
	}
	return ids, results
}

func canonical(t *testing.T, v jsontext.Value) string {
	t.Helper()
	v = slices.Clone(v)
	if err := v.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// TestWords: tools and answers are the simulator's to the last member, in both
// eras; the SDK's own types know fewer.
func TestWords(t *testing.T) {
	t.Parallel()
	for name, sim := range map[string]func() simulate.Server{
		"release":    func() simulate.Server { return newRelease(t, "") },
		"filesystem": func() simulate.Server { return newFilesystem(t) },
	} {
		for era, frame := range map[string][2]string{"handshake": {hello, ""}, "stateless": {"", newestMeta}} {
			t.Run(name+" "+era, func(t *testing.T) {
				t.Parallel()
				twin := sim()
				twin.At(0)
				meta := frame[1]
				lines := frame[0] + `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + "}}\n"
				if meta != "" {
					meta = "," + meta
				}
				want := []simulate.Answer{}
				for i, c := range [][2]string{{"get_release", `{"release_id":"app-1.1"}`}, {"read_text_file", `{"path":"/desk/README.md"}`}, {"read_text_file", `{"path":"<gone>"}`}, {"no_such", `{}`}} {
					twin.At(i)
					want = append(want, twin.Call(c[0], jsontext.Value(c[1]), 0.5))
					lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`+"\n", i+2, c[0], c[1], meta)
				}
				_, got := talk(t, serve(t, sim()), lines)
				var list struct {
					Tools []jsontext.Value `json:"tools"`
				}
				if err := json.Unmarshal(got[1], &list); err != nil {
					t.Fatal(err)
				}
				tools := twin.Tools()
				if len(list.Tools) != len(tools) {
					t.Fatalf("%d tools, want %d", len(list.Tools), len(tools))
				}
				for i, tool := range tools {
					if canonical(t, list.Tools[i]) != canonical(t, tool.Raw) {
						t.Errorf("%s is listed as\n%s\nwant\n%s", tool.Name, list.Tools[i], tool.Raw)
					}
				}
				for i, a := range want {
					if g, w := canonical(t, bare(t, got[i+2])), canonical(t, a.Raw); g != w {
						t.Errorf("call %d: %s\nwant %s", i, g, w)
					}
				}
			})
		}
	}
}

// bare is a result without what the newest revision adds to each.
func bare(t *testing.T, result jsontext.Value) jsontext.Value {
	t.Helper()
	var m map[string]jsontext.Value
	if err := json.Unmarshal(result, &m); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	if rt, ok := m["resultType"]; ok && string(rt) != `"complete"` {
		t.Errorf("resultType %s", rt)
	}
	delete(m, "resultType")
	delete(m, "_meta")
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOrder: calls that come in one piece are made and answered in their order.
func TestOrder(t *testing.T) {
	t.Parallel()
	lines := hello
	const n = 300
	for i := 1; i <= n; i++ {
		lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"push_commit","arguments":{"release_id":"app-1.2"}}}`+"\n", i)
	}
	ids, results := talk(t, serve(t, newRelease(t, "")), lines)
	if len(ids) != n+1 || !slices.IsSorted(ids) {
		t.Fatalf("%d answers: %v", len(ids), ids)
	}
	for i := 1; i <= n; i++ {
		if want := fmt.Sprintf(`"revision":%d}`, 2+i); !strings.Contains(string(results[i]), want) {
			t.Fatalf("answer %d: %s", i, results[i])
		}
	}
}

// TestSideBySide: sessions share the world, and one call is made at a time.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	s := serve(t, newRelease(t, ""))
	var all sync.WaitGroup
	for _, revision := range revisions {
		c := client(t, s, revision, nil)
		for range 20 {
			all.Go(func() {
				if text, isError := call(t, c, "push_commit", `{"release_id":"app-1.2"}`); isError {
					t.Error(text)
				}
			})
		}
	}
	all.Wait()
	if text, _ := call(t, client(t, s, "2025-11-25", nil), "get_release", `{"release_id":"app-1.2"}`); !strings.Contains(text, `"revision":62`) {
		t.Error(text)
	}
}

// TestDrift: a server that changes its tools says so.
func TestDrift(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			s := serve(t, newRelease(t, `{"releases":{"a":{"status":"DRAFT","tests_passed":true,"approved_by":[],"channel":"c","revision":1}},"channels":{"c":{"locked":false}},"drift":{"at":1,"to":"direct"}}`))
			changed := make(chan struct{}, 8)
			c := client(t, s, revision, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
			if text, isError := call(t, c, "archive_release", `{"release_id":"a"}`); !isError {
				t.Errorf("before: %s", text)
			}
			if text, isError := call(t, c, "archive_release", `{"release_id":"a"}`); isError {
				t.Errorf("after: %s", text)
			}
			<-changed
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "archive_release" })
			if text := fmt.Sprint(list.Tools[i].InputSchema); !strings.Contains(text, "reason") {
				t.Errorf("schema %s", text)
			}
		})
	}
}

// TestSeed: chance is the seed's.
func TestSeed(t *testing.T) {
	t.Parallel()
	const world = `{"releases":{"a":{"status":"PUBLISHED","tests_passed":true,"approved_by":["x","y"],"channel":"c","revision":1}},"channels":{"c":{"locked":false}},"flaky":0.5}`
	outcomes := func(seed uint64) string {
		sim := newRelease(t, world)
		h, err := New(sim, seed)
		if err != nil {
			t.Fatal(err)
		}
		c := client(t, h, "2025-11-25", nil)
		var out strings.Builder
		for i := range 16 {
			id := fmt.Sprintf(`{"release_id":"r%d"`, i)
			call(t, c, "create_release", id+`,"channel":"c"}`)
			call(t, c, "run_tests", id+`}`)
			call(t, c, "approve_release", id+`,"reviewer":"x"}`)
			call(t, c, "approve_release", id+`,"reviewer":"y"}`)
			_, isError := call(t, c, "publish_release", id+`}`)
			fmt.Fprint(&out, isError, " ")
		}
		return out.String()
	}
	one := outcomes(1)
	if again := outcomes(1); again != one {
		t.Errorf("%s\n%s", one, again)
	}
	if other := outcomes(2); other == one || !strings.Contains(one, "true") || !strings.Contains(one, "false") {
		t.Errorf("%s\n%s", one, other)
	}
}

// broken is a simulator that breaks its word.
type broken struct {
	simulate.Server
	tool, answer string
}

func (b *broken) Tools() []simulate.Tool {
	return []simulate.Tool{{Name: "t", Raw: jsontext.Value(b.tool)}}
}
func (b *broken) At(int) {}
func (b *broken) Call(string, jsontext.Value, float64) simulate.Answer {
	return simulate.Answer{Raw: jsontext.Value(b.answer)}
}
func (b *broken) Name() string { return "broken" }

func TestBroken(t *testing.T) {
	t.Parallel()
	if _, err := New(&broken{tool: `{"name":5}`}, 1); err == nil || !strings.HasPrefix(err.Error(), "tool t: ") {
		t.Error(err)
	}
	s := serve(t, &broken{tool: `{"name":"t","inputSchema":{"type":"object"}}`, answer: `[]`})
	for _, tool := range []string{"t", "u"} {
		_, err := client(t, s, "2025-11-25", nil).CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		if err == nil || !strings.Contains(err.Error(), "the simulator's answer") {
			t.Errorf("%s: %v", tool, err)
		}
	}
}
