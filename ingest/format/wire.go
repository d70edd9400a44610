package format

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	"in": clientSide, "c2s": clientSide, "client": clientSide, "client->server": clientSide, "client-to-server": clientSide, "client_to_server": clientSide, "from_client": clientSide, "to_server": clientSide, "request": clientSide,
	"out": serverSide, "s2c": serverSide, "server": serverSide, "server->client": serverSide, "server-to-client": serverSide, "server_to_client": serverSide, "from_server": serverSide, "to_client": serverSide, "response": serverSide,
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
	pending [3]map[string]request // by who asked
	tools   map[string]*Tool
	more    map[string]*pair // calls that wait for input, by tool and arguments
	tasks   map[string]*pair // calls that run as tasks, by task id
}

// request is a message that wants an answer.
type request struct {
	method string
	params object
	pair   *pair // of tools/call
	line   int
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
	c := &conn{key: f.conn, session: w.name(f), server: f.server, tools: map[string]*Tool{}, more: map[string]*pair{}, tasks: map[string]*pair{}}
	for i := range c.pending {
		c.pending[i] = map[string]request{}
	}
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
	for _, c := range w.conns {
		w.close(c)
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
		w.in.find(f.line, "bad-message", "a message that is no request, notification or answer")
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

func (w *wire) request(f *frame, m object) string {
	method := m.str("method")
	from := f.from
	if from == unknownSide || method == "tools/call" || method == "initialize" {
		from = clientSide
		if serverAsks[method] {
			from = serverSide
		}
	}
	if c := w.conns[f.conn]; method == "initialize" && c != nil && (c.begun || c.used) {
		w.open(f)
	}
	c := w.conn(f)
	c.begun = c.begun || method == "initialize"
	r := request{method: method, params: m.obj("params"), line: f.line}
	key := id(m.get("id"))
	if old, dup := c.pending[from][key]; dup && old.pair != nil && !old.pair.done {
		w.in.find(f.line, "duplicate-id", fmt.Sprintf("the id of the call in line %d, which has no answer yet, is used again", old.line))
		w.p.forget(old.pair)
		old.pair.done = true
	}
	use := "other requests"
	if method == "tools/call" {
		use = Used
		if r.pair = w.call(c, f, r.params, key); r.pair == nil {
			use = Faulty
		}
	} else if pr := c.tasks[id(r.params.get("taskId"))]; pr != nil && method == "tasks/result" {
		use, r.pair = Used, pr
	}
	if from == clientSide {
		c.used = true
	}
	c.pending[from][key] = r
	return use
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
	again := name + "\x00" + calllog.Canonical(args)
	if params.has("inputResponses") || params.has("requestState") { // the same call, with what was asked for
		if pr := c.more[again]; pr != nil && !pr.gone {
			delete(c.more, again)
			w.p.rename(pr, c.pairKey(key))
			return pr
		}
	}
	call := &calllog.Call{ID: idText(key), Time: f.time, Session: c.session, Server: c.server, Tool: name, Args: keep(args), Pos: w.in.pos(f.line)}
	return w.p.call(c.pairKey(key), Record{Call: call, Tool: c.tools[name]})
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
	if m.str("method") != "notifications/cancelled" {
		return "notifications"
	}
	params := m.obj("params")
	asker := f.from
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

// answers are the members that tell what method a result answers.
var answers = map[string][]string{
	"tools/call":             {"content", "structuredContent", "isError", "toolResult", "task"},
	"tools/list":             {"tools"},
	"initialize":             {"serverInfo", "capabilities"},
	"server/discover":        {"serverInfo", "capabilities", "supportedVersions"},
	"resources/list":         {"resources"},
	"resources/read":         {"contents"},
	"prompts/list":           {"prompts"},
	"prompts/get":            {"messages"},
	"sampling/createMessage": {"role", "model"},
	"elicitation/create":     {"action"},
	"roots/list":             {"roots"},
}

// asked finds the request that an answer is to.
func (c *conn) asked(f *frame, m object, key string) (side, request, bool) {
	byClient, a := c.pending[clientSide][key]
	byServer, b := c.pending[serverSide][key]
	switch asker := f.from.other(); {
	case asker == clientSide && a, asker == unknownSide && a && !b:
		return clientSide, byClient, true
	case asker == serverSide && b, asker == unknownSide && b && !a:
		return serverSide, byServer, true
	case !a || !b:
		return 0, request{}, false
	}
	// Both sides wait for this id, and the log doesn't say who sent it.
	if result := m.obj("result"); result.hasAny(answers[byServer.method]...) && !result.hasAny(answers[byClient.method]...) {
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
	}
	return "other answers"
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
			w.in.find(f.line, "late-answer", fmt.Sprintf("the call in line %d was handed on before this answer came", pr.Call.Pos.Line))
		}
		return
	}
	if result := m.obj("result"); !hasError(m) {
		if result.str("resultType") == "input_required" {
			pr.Call.ErrorText = "the server asked for input"
			c.more[pr.Call.Tool+"\x00"+calllog.Canonical(pr.Call.Args)] = pr
			return
		}
		if task := result.obj("task"); task != nil && !result.has("content") {
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
	return &Tool{Name: strings.Clone(name), Input: keep(o.get("inputSchema")), Fingerprint: fingerprint(name, o.get("inputSchema"), o.get("outputSchema"))}
}

// fingerprint identifies a tool's name and schemas: 12 hex digits, the same that
// a live server's tools get.
func fingerprint(name string, schemas ...jsontext.Value) string {
	h := sha256.New()
	h.Write([]byte(name))
	for _, v := range schemas {
		v = v.Clone()
		_ = v.Canonicalize() // what isn't JSON is taken as it stands
		h.Write([]byte{0})
		h.Write(v)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
