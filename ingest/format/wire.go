package format

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// side is who sent a message.
type side uint8

const (
	unknownSide side = iota
	clientSide
	serverSide
)

func (s side) other() side {
	switch s {
	case clientSide:
		return serverSide
	case serverSide:
		return clientSide
	}
	return unknownSide
}

// sides are the words that logs have for directions, as seen from a proxy or a
// server: in is what the client sent.
var sides = map[string]side{
	"in": clientSide, "c2s": clientSide, "client": clientSide, "client->server": clientSide, "client-to-server": clientSide, "client_to_server": clientSide, "from_client": clientSide, "to_server": clientSide,
	"out": serverSide, "s2c": serverSide, "server": serverSide, "server->client": serverSide, "server-to-client": serverSide, "server_to_client": serverSide, "from_server": serverSide, "to_client": serverSide,
}

// frame is one JSON-RPC message of a log.
type frame struct {
	conn    string // tells connections apart
	session string // its name; "" for one made of the input's scope
	server  string // as the log names it; "" if it doesn't
	from    side
	time    time.Time
	took    time.Duration // of an answer, where the log has that and no time
	line    int
	msg     jsontext.Value
}

// wire turns the JSON-RPC messages of MCP connections into calls. Both eras of
// the protocol are read: connections that begin with initialize, and requests
// that carry who they are (2026-07-28).
type wire struct {
	in     *Input
	p      *pairing
	conns  map[string]*conn
	epochs map[string]int // by session name: connections that had it
	named  bool           // the log's names of servers count, and not their own
	byTime bool           // later connections of a name are told apart by their time
}

// conn is one connection.
type conn struct {
	key     string
	session string
	server  string
	begun   bool // has seen initialize
	used    bool
	turned  bool                  // the log takes in for out
	pending [3]map[string]request // by who asked; made when they are needed, as all below
	tools   map[string]*Tool
	more    []*pair          // calls that wait for input
	tasks   map[string]*pair // calls that run as tasks, by task id
	asks    int
}

// request is a message that wants an answer.
type request struct {
	method string
	pair   *pair // of tools/call
	line   int
	nth    int // of the connection's requests
}

func (in *Input) wire() *wire {
	return &wire{in: in, p: newPairing(in), conns: map[string]*conn{}, epochs: map[string]int{}}
}

// conn gives the frame's connection.
func (w *wire) conn(f *frame) *conn {
	c := w.conns[f.conn]
	if c == nil {
		c = w.open(f)
	}
	if f.server != "" && c.server == "" {
		c.server = f.server
	}
	return c
}

// open begins a connection, in the place of the one before it. Ids start anew.
func (w *wire) open(f *frame) *conn {
	if old := w.conns[f.conn]; old != nil {
		w.close(old)
	}
	c := &conn{key: f.conn, session: w.name(f), server: f.server}
	w.conns[f.conn] = c
	return c
}

// name names a connection's session; the second one of a name gets a number.
func (w *wire) name(f *frame) string {
	name := firstString(f.session, w.in.Scope)
	w.epochs[name]++
	n := w.epochs[name]
	switch {
	case w.byTime && !f.time.IsZero():
		return name + "@" + f.time.UTC().Format("2006-01-02T15:04:05.000Z")
	case n > 1:
		return fmt.Sprintf("%s#%d", name, n)
	}
	return name
}

// close ends a connection: what it hasn't answered it never will.
func (w *wire) close(c *conn) {
	prefix := c.session + "\x00"
	w.p.abandon(func(pr *pair) bool {
		ours := strings.HasPrefix(pr.key, prefix)
		if ours && pr.Call.Server == "" {
			pr.Call.Server = c.server
		}
		return ours
	})
}

// end hands on what is left.
func (w *wire) end() error {
	servers := map[string]string{}
	for _, c := range w.conns {
		servers[c.session] = c.server
	}
	for _, pr := range w.p.queue {
		if pr.Call.Server == "" {
			pr.Call.Server = servers[pr.Call.Session]
		}
	}
	return w.p.end()
}

// take takes one message or, as in protocol 2025-03-26, a batch, and says what
// it was.
func (w *wire) take(f frame) (use string, err error) {
	if f.msg.Kind() == '[' {
		use = "empty batches"
		for _, m := range elements(f.msg) {
			one := f
			one.msg = m
			u, err := w.take(one)
			if err != nil {
				return u, err
			}
			if use != Used {
				use = u
			}
		}
		return use, nil
	}
	m := objectOf(f.msg)
	if m == nil {
		w.in.find(f.line, "bad-message", "a message that is no JSON object")
		return Faulty, nil
	}
	switch {
	case m.get("method").Kind() == '"' && hasID(m):
		use = w.request(&f, m)
	case m.get("method").Kind() == '"':
		use = w.notification(&f, m)
	case m.has("result"), m.has("error"):
		use = w.response(&f, m)
	default:
		if w.in.other(f.line, m, "") == "" {
			w.in.find(f.line, "bad-message", "a message that is no request, notification or answer")
		}
		return Faulty, nil
	}
	return use, w.p.step()
}

func hasID(m object) bool {
	v := m.get("id")
	return v != nil && v.Kind() != 'n'
}

// serverAsks are the requests that servers make.
var serverAsks = map[string]bool{"sampling/createMessage": true, "elicitation/create": true, "roots/list": true}

// asker tells who makes a request. Where the log doesn't say, the method does;
// one that both sides make, as a ping, is the server's if the client still waits
// for an answer under that id: it never uses one twice.
func (w *wire) asker(f *frame, method, key string) side {
	c := w.conns[f.conn]
	switch {
	case method == "tools/call" || method == "initialize" || method == "tools/list":
		if c != nil && f.from == serverSide {
			c.turned = true // the log is a client's, whose out is the server's in
		}
		return clientSide
	case serverAsks[method]:
		return serverSide
	case f.from != unknownSide:
		return f.from.in(c)
	}
	if c != nil && !strings.Contains(method, "/") {
		if _, waits := c.pending[clientSide][key]; waits {
			return serverSide
		}
	}
	return clientSide
}

// in turns a side round where the connection's log has them so.
func (s side) in(c *conn) side {
	if c != nil && c.turned {
		return s.other()
	}
	return s
}

func (w *wire) request(f *frame, m object) string {
	method, key, params := m.str("method"), id(m.get("id")), m.obj("params")
	if c := w.conns[f.conn]; method == "initialize" && c != nil && (c.begun || c.used) {
		w.open(f)
	}
	c := w.conn(f)
	from := w.asker(f, method, key)
	c.begun = c.begun || method == "initialize"
	c.asks++
	r := request{method: method, line: f.line, nth: c.asks}
	if old, waits := c.pending[from][key]; waits && f.from == unknownSide && from == clientSide && !strings.Contains(old.method, "/") {
		// What both sides may ask and the client seemed to have: it never uses an id twice.
		delete(c.pending[clientSide], key)
		c.expect(serverSide, key, old)
	}
	if old, dup := c.pending[from][key]; dup && old.pair != nil && !old.pair.done {
		w.in.find(f.line, "duplicate-id", fmt.Sprintf("the id of the call in line %d, which has no answer yet, is used again", old.line))
		w.p.forget(old.pair)
		old.pair.done = true
	}
	use := "other requests"
	if method == "tools/call" {
		use = Used
		if r.pair = w.call(c, f, params, key); r.pair == nil {
			use = Faulty
		}
	} else if pr := c.tasks[id(params.get("taskId"))]; pr != nil && method == "tasks/result" {
		use, r.pair = Used, pr
	}
	if from == clientSide {
		c.used = true
	}
	c.expect(from, key, r)
	return use
}

// expect remembers a request until its answer.
func (c *conn) expect(from side, key string, r request) {
	if c.pending[from] == nil {
		c.pending[from] = map[string]request{}
	}
	c.pending[from][key] = r
}

// pairKey is the key of the call that a request of the client with this id made.
func (c *conn) pairKey(key string) string { return c.session + "\x00" + key }

// call takes a tools/call request.
func (w *wire) call(c *conn, f *frame, params object, key string) *pair {
	name := params.str("name")
	if name == "" {
		w.in.find(f.line, "bad-message", "a tools/call without the name of a tool")
		return nil
	}
	args := params.get("arguments")
	if params.has("inputResponses") || params.has("requestState") { // the same call, with what was asked for
		if pr := c.waiting(name, args, params.get("requestState")); pr != nil {
			w.p.rename(pr, c.pairKey(key))
			return pr
		}
	}
	call := &calllog.Call{ID: idText(key), Time: f.time, Session: c.session, Server: c.server, Tool: name, Args: keep(args), Pos: w.in.pos(f.line)}
	return w.p.call(c.pairKey(key), Record{Call: call, Tool: c.tools[name]})
}

// waiting takes the call that waits for this input: the one with that state, or
// the first of that tool with those arguments.
func (c *conn) waiting(tool string, args, state jsontext.Value) *pair {
	c.more = slices.DeleteFunc(c.more, func(pr *pair) bool { return pr.gone })
	same := func(pr *pair) bool {
		return pr.Call.Tool == tool && calllog.Canonical(pr.Call.Args) == calllog.Canonical(args)
	}
	i := slices.IndexFunc(c.more, func(pr *pair) bool { return state != nil && pr.state == calllog.Canonical(state) })
	if i < 0 {
		i = slices.IndexFunc(c.more, same)
	}
	if i < 0 {
		return nil
	}
	pr := c.more[i]
	c.more = slices.Delete(c.more, i, i+1)
	return pr
}

// idText is an id as the table shows it.
func idText(key string) string {
	if v := jsontext.Value(key); v.Kind() == '"' {
		return unquote(v)
	}
	return key
}

func (w *wire) notification(f *frame, m object) string {
	c := w.conn(f)
	params := m.obj("params")
	switch m.str("method") {
	case "notifications/tasks/status":
		return w.task(c, params, "notifications")
	case "notifications/cancelled":
	default:
		return "notifications"
	}
	asker := f.from.in(c)
	if asker == unknownSide {
		asker = clientSide
	}
	r, ok := c.pending[asker][id(params.get("requestId"))]
	if !ok || r.pair == nil || r.pair.done {
		return "notifications"
	}
	r.pair.Call.ErrorText = strings.TrimSuffix("cancelled: "+params.str("reason"), ": ")
	return Used
}

// waits tells whether somebody waits for the frame, an answer.
func (w *wire) waits(f *frame) bool {
	c, m := w.conns[f.conn], objectOf(f.msg)
	if c == nil || !hasID(m) {
		return false
	}
	_, _, ok := c.asked(f, m, id(m.get("id")))
	return ok
}

// fits tells whether an answer is one to a request that a server made.
func fits(method string, m object) bool {
	result := m.obj("result")
	switch {
	case hasError(m):
		return false
	case method == "elicitation/create":
		return result.get("action").Kind() == '"'
	case method == "sampling/createMessage":
		return result.get("role").Kind() == '"'
	case method == "roots/list":
		return result.has("roots")
	}
	return !result.hasAny(answers["tools/call"]...)
}

// answers are the members that tell what method a result answers.
var answers = map[string][]string{
	"tools/call":      {"content", "structuredContent", "isError", "toolResult", "task"},
	"tools/list":      {"tools"},
	"initialize":      {"serverInfo", "capabilities"},
	"server/discover": {"serverInfo", "capabilities", "supportedVersions"},
}

// asked finds the request that an answer is to.
func (c *conn) asked(f *frame, m object, key string) (side, request, bool) {
	byClient, a := c.pending[clientSide][key]
	byServer, b := c.pending[serverSide][key]
	switch asker := f.from.in(c).other(); {
	case asker == clientSide && a, asker == unknownSide && a && !b:
		return clientSide, byClient, true
	case asker == serverSide && b, asker == unknownSide && b && !a:
		return serverSide, byServer, true
	case !a || !b:
		return 0, request{}, false
	}
	// Both sides wait for this id, and the log doesn't say who sent it. An error
	// is of whoever asked last: what a server asks during a call comes first.
	if fits(byServer.method, m) || hasError(m) && byServer.nth > byClient.nth {
		return serverSide, byServer, true
	}
	return clientSide, byClient, true
}

func (w *wire) response(f *frame, m object) string {
	c := w.conn(f)
	key := id(m.get("id"))
	asker, r, ok := c.asked(f, m, key)
	if !ok {
		return w.unasked(f, m)
	}
	delete(c.pending[asker], key)
	result := m.obj("result")
	if info := result.obj("_meta").obj("io.modelcontextprotocol/serverInfo"); info != nil && c.server == "" {
		c.server = info.str("name")
	}
	if r.pair != nil {
		w.answer(c, f, m, r)
		return Used
	}
	switch r.method {
	case "initialize", "server/discover":
		if name := result.obj("serverInfo").str("name"); name != "" && !(w.named && c.server != "") {
			c.server = name
		}
		return "handshakes"
	case "tools/list":
		c.list(result)
		return "tool lists"
	case "tasks/get":
		return w.task(c, result, "other answers")
	}
	return "other answers"
}

// task takes what is said of a task: one that failed has no result to come.
func (w *wire) task(c *conn, o object, other string) string {
	pr := c.tasks[id(o.get("taskId"))]
	if pr == nil || pr.done || o.str("status") != "failed" {
		return other
	}
	w.p.answer(pr.key, func(r *Record) { r.flagged(true, firstString(o.str("statusMessage"), "the task failed")) })
	return Used
}

// unasked is an answer whose request isn't in the log.
func (w *wire) unasked(f *frame, m object) string {
	if result := m.obj("result"); m.has("result") && !result.hasAny(answers["tools/call"]...) {
		return "other answers"
	}
	w.in.find(f.line, "unpaired", "an answer to no open request")
	return Faulty
}

// answer takes the answer to a tools/call request.
func (w *wire) answer(c *conn, f *frame, m object, r request) {
	pr := r.pair
	if pr.gone || pr.done {
		if pr.gone {
			w.in.find(f.line, "late-answer", fmt.Sprintf("the call in line %d was handed on before this answer came", pr.line))
		}
		return
	}
	if result := m.obj("result"); !hasError(m) {
		if result.str("resultType") == "input_required" {
			pr.Call.ErrorText = "the server asked for input"
			pr.state = calllog.Canonical(result.get("requestState"))
			c.more = append(c.more, pr)
			return
		}
		if task := result.obj("task"); task != nil && !result.has("content") {
			if c.tasks == nil {
				c.tasks = map[string]*pair{}
			}
			c.tasks[id(task.get("taskId"))] = pr
			return
		}
	}
	w.p.answer(pr.key, func(rec *Record) {
		call := rec.Call
		call.Latency = max(f.took, between(call.Time, f.time))
		call.ErrorText = ""
		if rec.Tool == nil {
			rec.Tool = c.tools[call.Tool]
		}
		if call.Server == "" {
			call.Server = c.server
		}
		if hasError(m) {
			rec.rpcError(m.get("error"))
		} else {
			rec.mcpResult(m.get("result"))
		}
	})
}

// hasError tells whether a message has an error. MCPSpy writes an empty object
// where there is none.
func hasError(m object) bool {
	v := m.get("error")
	if v == nil || v.Kind() == 'n' {
		return false
	}
	o := objectOf(v)
	return o == nil || len(o) > 0
}

// list remembers the tools of a tools/list answer.
func (c *conn) list(result object) {
	for _, v := range elements(result.get("tools")) {
		if t := toolOf(v); t != nil {
			if c.tools == nil {
				c.tools = map[string]*Tool{}
			}
			c.tools[t.Name] = t
		}
	}
}

// toolOf reads an entry of a tool list.
func toolOf(v jsontext.Value) *Tool {
	o := objectOf(v)
	name := o.str("name")
	if name == "" {
		return nil
	}
	return &Tool{Name: strings.Clone(name), Input: keep(o.get("inputSchema")), Fingerprint: calllog.Fingerprint(name, o.get("inputSchema"), o.get("outputSchema"))}
}
