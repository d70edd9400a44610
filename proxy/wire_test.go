package proxy

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/store"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// far is a server whose words a test decides.
type far struct {
	got     chan string
	deliver func([]byte, bool)
	done    chan struct{}
	once    sync.Once
	err     error
}

func (f *far) Send(frame []byte) error {
	f.got <- string(frame)
	return nil
}
func (f *far) CloseSend()            {}
func (f *far) Finish()               { f.end(nil) }
func (f *far) Done() <-chan struct{} { return f.done }
func (f *far) Err() error            { return f.err }

func (f *far) end(err error) {
	f.once.Do(func() {
		f.err = err
		close(f.done)
	})
}

// wire is a session between a test's client and its server.
type wire struct {
	t    *testing.T
	s    *Session
	p    *Proxy
	far  *far
	to   chan string // what the client gets
	kept *kept1
}

// kept1 keeps calls in memory.
type kept1 struct {
	mu    sync.Mutex
	calls []calllog.Call
	what  []store.Decision
	model *Model
	fail  error
}

func (k *kept1) Add(c *calllog.Call, d store.Decision) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		return k.fail
	}
	k.calls, k.what = append(k.calls, *c), append(k.what, d)
	k.model.Add(c)
	return nil
}

const shopAdapter = `{"server_id":"shop","resource_class":"order","observation_tool":"get_order","id_param":"order_id",
 "effect_classes":{"get_order":"READ_ONLY","ship_order":"MUTATING","delete_order":"DESTRUCTIVE"},"argument_features":{"*":[]}}`

// newWire opens a session; change may change its options.
func newWire(t *testing.T, mode policy.Mode, change func(*Options)) *wire {
	t.Helper()
	a, err := adapter.Parse([]byte(shopAdapter))
	if err != nil {
		t.Fatal(err)
	}
	set := adapter.Set{a}
	model := NewModel(set, nil)
	w := &wire{t: t, far: &far{got: make(chan string, 1000), done: make(chan struct{})}, to: make(chan string, 1000), kept: &kept1{model: model}}
	o := Options{Policy: policy.New(set, policy.Options{Mode: mode}), Mode: mode, Adapters: set, Recorder: w.kept, Model: model.Graph, ReadTimeout: patience, QueueTimeout: patience}
	if change != nil {
		change(&o)
	}
	w.p = New(o)
	out, in := io.Pipe()
	go func() {
		defer close(w.to)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				w.to <- line
			}
			if err != nil {
				return
			}
		}
	}()
	if w.s, err = w.p.Start(context.Background(), in, func(deliver func([]byte, bool)) (Server, error) {
		w.far.deliver = deliver
		return w.far, nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.far.end(nil)
		w.s.End("the test is over")
		w.s.held.Wait()
		in.Close()
	})
	return w
}

func (w *wire) client(frame string) { w.s.FromClient([]byte(frame), false) }
func (w *wire) server(frame string) { w.far.deliver([]byte(frame), false) }

func (w *wire) wait(c <-chan string, what string) string {
	w.t.Helper()
	select {
	case s := <-c:
		return s
	case <-time.After(patience):
		w.t.Fatalf("%s got nothing", what)
		return ""
	}
}

// toServer is the next frame that the server gets, toClient that the client gets.
func (w *wire) toServer() string { w.t.Helper(); return w.wait(w.far.got, "the server") }
func (w *wire) toClient() string { w.t.Helper(); return w.wait(w.to, "the client") }

// quiet fails if the server or the client has got something more.
func (w *wire) quiet() {
	w.t.Helper()
	select {
	case s := <-w.far.got:
		w.t.Errorf("the server got %s", s)
	case s := <-w.to:
		w.t.Errorf("the client got %s", s)
	default:
	}
}

// through sends frames from one end and wants them at the other, as they are.
func (w *wire) through(frames ...string) {
	w.t.Helper()
	for _, f := range frames {
		w.client(f)
		if got := w.toServer(); got != f {
			w.t.Errorf("the server got %q\nof %q", got, f)
		}
	}
}

func (w *wire) back(frames ...string) {
	w.t.Helper()
	for _, f := range frames {
		w.server(f)
		if got := w.toClient(); got != f {
			w.t.Errorf("the client got %q\nof %q", got, f)
		}
	}
}

const shopTools = `{"name":"get_order","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"ship_order","inputSchema":{"type":"object"}},{"name":"delete_order","inputSchema":{"type":"object"}},{"name":"count","inputSchema":{"type":"object"}}`

// hello shakes hands and lists the tools.
func (w *wire) hello(capabilities string) {
	w.t.Helper()
	w.through(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	w.back(`{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}}` + "\n")
	w.through(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n", `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`+"\n")
	w.server(`{"jsonrpc":"2.0","id":"list","result":{"tools":[` + shopTools + `]}}` + "\n")
	w.toClient()
}

// observed answers the proxy's own read with a state, "" for not found.
func (w *wire) observed(state string) {
	w.t.Helper()
	m, ok := parse([]byte(w.toServer()))
	if !ok || !strings.HasPrefix(unquote(m.id), ourPrefix) || text(m.params, "name") != "get_order" {
		w.t.Fatalf("want an observation, got %s", m.frame)
	}
	w.read(m.id, state)
}

func (w *wire) read(id jsontext.Value, state string) {
	if state == "" {
		w.server(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"content":[{"type":"text","text":"Order not found"}],"isError":true}}` + "\n")
		return
	}
	w.server(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"content":[{"type":"text","text":` + string(quote(state)) + `}]}}` + "\n")
}

func call(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}` + "\n"
}

func answer(id, words string, failed bool) string {
	f := ""
	if failed {
		f = `,"isError":true`
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":` + string(quote(words)) + `}]` + f + `}}` + "\n"
}

// ship makes a call on an order that is in a state, and gives what the client reads.
func (w *wire) ship(id, order, state, words string, failed bool) string {
	w.t.Helper()
	w.client(call(id, "ship_order", `{"order_id":"`+order+`"}`))
	w.observed(state)
	if got := w.toServer(); !strings.Contains(got, `"ship_order"`) {
		w.t.Fatalf("want the call, got %s", got)
	}
	w.server(answer(id, words, failed))
	w.observed(state)
	return w.toClient()
}

const (
	open1  = `{"status":"open"}`
	closed = `{"status":"closed"}`
	no     = "An order whose status is closed can't be shipped"
)

// teach lets the policy learn that only open orders can be shipped.
func (w *wire) teach() {
	w.t.Helper()
	w.ship("1", "a", open1, "shipped", false)
	w.ship("2", "b", open1, "shipped", false)
	w.ship("3", "c", closed, no, true)
	w.ship("4", "d", closed, no, true)
}
