package proxy

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/policy"
)

// Session is one client's conversation with one server.
type Session struct {
	p       *Proxy
	id      string
	prefix  string          // of the ids of our own requests
	ctx     context.Context // ends with the session
	cancel  context.CancelFunc
	server  Server
	ready   chan struct{} // closed when server is set
	started time.Time

	toMu sync.Mutex
	to   io.Writer

	mu        sync.Mutex
	open      map[string][]*request   // of the client, without an answer
	ours      map[string]chan message // our requests to the server
	asked     map[string]chan message // our requests to the client
	waiting   []parked
	approvals map[string]bool // tools that a person allowed for the session
	last      int             // number of our last request
	client    clientInfo
	name      string // the server's own
	noTools   bool   // the server has none
	tools     catalog
	judge     *policy.Session
	adapter   *adapter.Adapter
	shown     []*Resource // that affordances were asked for

	mute time.Time // until when nothing is read

	load    sync.Once // of what the policy knows from the start
	waited  bool      // that was waited for
	listing sync.Mutex
	queue   queue
	held    sync.WaitGroup  // calls that aren't at their end
	heard   context.Context // ends with the client's input
	deaf    context.CancelFunc
}

// clientInfo is what a client says of itself.
type clientInfo struct {
	name    string
	elicits bool
	meta    jsontext.Value // the protocol's members of the last request's _meta
}

// request is a client's request that has no answer yet.
type request struct {
	id     jsontext.Value // as the client wrote it
	method string
	held   *held // a judged call
	first  bool  // a list from its first page on
}

// FromClient takes a frame that the client sent; long says that it is the beginning of
// one that is too long. It must not be called concurrently.
func (s *Session) FromClient(frame []byte, long bool) {
	if long {
		s.tooLong(frame, true)
		return
	}
	m, ok := parse(frame)
	switch {
	case !ok:
		s.send(frame)
	case m.response():
		if answer := s.taken(s.asked, m.id); answer != nil {
			answer <- m
			return
		}
		if s.isOurs(m.id) {
			return
		}
		s.send(frame)
	case m.notification():
		if m.method == "notifications/cancelled" && s.cancelled(&m) {
			return
		}
		s.send(frame)
	default:
		s.request(&m)
	}
}

func (s *Session) request(m *message) {
	r := &request{id: m.id, method: m.method}
	if meta := member(m.params, "_meta"); meta != nil {
		s.learnMeta(meta)
	}
	switch m.method {
	case "initialize":
		s.mu.Lock()
		caps := member(m.params, "capabilities")
		s.client.elicits = elicitsForms(caps)
		s.client.name = text(member(m.params, "clientInfo"), "name")
		s.mu.Unlock()
	case "tools/list":
		s.mu.Lock()
		none := s.noTools && s.p.Asker != nil
		s.mu.Unlock()
		if none {
			s.answer(m.id, result(m, jsontext.Value(`{"tools":[`+string(ownTools())+`]}`)))
			return
		}
		r.first = member(m.params, "cursor").Kind() != '"'
	case "tools/call":
		s.call(m, r)
		return
	}
	s.opened(r)
	s.send(m.frame)
}

// protocolMeta begins the names of _meta's members that speak of the protocol.
const protocolMeta = "io.modelcontextprotocol/"

// learnMeta keeps what our own requests must carry too, and what the client can do.
func (s *Session) learnMeta(meta jsontext.Value) {
	var kept []byte
	for name, v := range members(meta) {
		if v == nil || !strings.HasPrefix(name, protocolMeta) {
			continue
		}
		if kept != nil {
			kept = append(kept, ',')
		}
		kept = append(append(append(kept, quote(name)...), ':'), v...)
	}
	if kept == nil {
		return
	}
	caps := member(meta, protocolMeta+"clientCapabilities")
	name := text(member(meta, protocolMeta+"clientInfo"), "name")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client.meta = jsontext.Value("{" + string(kept) + "}")
	if caps != nil {
		s.client.elicits = elicitsForms(caps)
	}
	if name != "" {
		s.client.name = name
	}
}

// stateless tells the era in which each request says its version.
func (m *message) stateless() bool {
	return text(member(m.params, "_meta"), protocolMeta+"protocolVersion") >= "2026-07-28"
}

// opened notes a request that the server has to answer.
func (s *Session) opened(r *request) {
	r.id = slices.Clone(r.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := idKey(r.id)
	s.open[k] = append(s.open[k], r)
}

// closed takes the request that an answer is to; nil if nobody asked.
func (s *Session) closed(id jsontext.Value) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := idKey(id)
	list := s.open[k]
	if len(list) == 0 {
		return nil
	}
	if s.open[k] = list[1:]; len(list) == 1 {
		delete(s.open, k)
	}
	return list[0]
}

// ourPrefix begins the ids of our own requests; what follows it is a session's own, for
// a client or a server may be a proxy too.
const ourPrefix = "mcpg:"

// taken takes the channel that waits for an answer to one of our requests.
func (s *Session) taken(list map[string]chan message, id jsontext.Value) chan message {
	if id.Kind() != '"' {
		return nil
	}
	key := unquote(id)
	if !strings.HasPrefix(key, s.prefix) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := list[key]
	delete(list, key)
	return c
}

// errGone says that nobody will answer any more.
var errGone = errors.New("the session has ended")

// ask makes a request of ours, by way of send, and waits for its answer.
func (s *Session) ask(ctx context.Context, list map[string]chan message, method string, params []byte, send func([]byte)) (message, error) {
	s.mu.Lock()
	s.last++
	id := s.prefix + strconv.Itoa(s.last)
	answer := make(chan message, 1)
	list[id] = answer
	s.mu.Unlock()
	frame := `{"jsonrpc":"2.0","id":` + string(quote(id)) + `,"method":` + string(quote(method)) + `,"params":` + string(params) + "}\n"
	send([]byte(frame))
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
	case <-s.ctx.Done():
	case <-s.server.Done():
	}
	s.mu.Lock()
	_, open := list[id]
	delete(list, id)
	s.mu.Unlock()
	if open && s.ctx.Err() == nil { // whoever was asked need not go on
		send([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(quote(id)) + `,"reason":"no longer needed"}}` + "\n"))
	}
	if err := ctx.Err(); err != nil {
		return message{}, err
	}
	return message{}, errGone
}

func (s *Session) askServer(ctx context.Context, method string, params []byte) (message, error) {
	return s.ask(ctx, s.ours, method, params, func(b []byte) { s.send(b) })
}

func (s *Session) askClient(ctx context.Context, method string, params []byte) (message, error) {
	return s.ask(ctx, s.asked, method, params, s.toClient)
}

// send passes a frame to the server. That the server is gone is told by Done.
func (s *Session) send(frame []byte) { _ = s.server.Send(frame) }

// toClient writes whole frames.
func (s *Session) toClient(frame []byte) {
	s.toMu.Lock()
	defer s.toMu.Unlock()
	_, _ = s.to.Write(frame) // a client that is gone is seen where its frames are read
}

// fromServer takes a frame of the server's.
func (s *Session) fromServer(frame []byte, long bool) {
	if long {
		s.tooLong(frame, false)
		return
	}
	m, ok := parse(frame)
	if !ok {
		s.toClient(frame)
		return
	}
	if !m.response() {
		if m.method == "notifications/tools/list_changed" {
			s.mu.Lock()
			s.tools.stale = true
			s.mu.Unlock()
		}
		s.toClient(frame)
		return
	}
	if answer := s.taken(s.ours, m.id); answer != nil {
		answer <- m
		return
	}
	if s.isOurs(m.id) {
		return // an answer that came too late for us
	}
	r := s.closed(m.id)
	switch {
	case r == nil:
		s.toClient(frame)
	case r.held != nil:
		r.held.answered(m)
	case r.method == "initialize" || r.method == "server/discover":
		s.toClient(s.introduced(&m))
	case r.method == "tools/list":
		s.toClient(s.listed(r, &m))
	default:
		s.toClient(frame)
	}
}

// isOurs tells whether an id is one that we give out.
func (s *Session) isOurs(id jsontext.Value) bool {
	return id.Kind() == '"' && strings.HasPrefix(unquote(id), s.prefix)
}

// introduced learns of the server from its answer to initialize or server/discover, and
// gives it the tools that it has by us.
func (s *Session) introduced(m *message) []byte {
	if m.result == nil {
		return m.frame
	}
	name := text(member(m.result, "serverInfo"), "name")
	if name == "" {
		name = text(member(member(m.result, "_meta"), protocolMeta+"serverInfo"), "name")
	}
	caps := member(m.result, "capabilities")
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != "" {
		s.name = name
	}
	if s.p.Asker == nil || caps.Kind() != '{' || member(caps, "tools") != nil {
		return m.frame
	}
	s.noTools = true
	return insert(m.frame, caps, []byte(`"tools":{}`))
}

// result wraps a result's members as the era of a request has it.
func result(m *message, v jsontext.Value) jsontext.Value {
	if !m.stateless() || v.Kind() != '{' {
		return v
	}
	return insert(v, v, []byte(`"resultType":"complete"`))
}

// answer gives the client an answer of ours.
func (s *Session) answer(id, result jsontext.Value) {
	s.toClient([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + string(result) + "}\n"))
}

func (s *Session) fault(id jsontext.Value, code int, words string) {
	s.toClient([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"error":{"code":` + strconv.Itoa(code) + `,"message":` + string(quote(words)) + "}}\n"))
}

// tooLong answers a frame that is too long for us, if it can be told whose it is.
func (s *Session) tooLong(ends []byte, fromClient bool) {
	id := idOf(ends)
	words := "mcpg: a frame is longer than " + strconv.Itoa(s.p.MaxFrame>>20) + " MiB"
	s.p.logf("%s, and was dropped (id %s)", words, id)
	if id == nil {
		return
	}
	if !fromClient {
		if r := s.closed(id); r == nil {
			return
		} else if r.held != nil {
			r.held.abandon()
		}
	}
	s.fault(id, -32600, words)
}

// lastID is an id at the end of a frame, other members of a message behind it.
var lastID = regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*)\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*)*\}\s*$`)

// idOf looks for the id of a frame of which only beginning and end are known.
func idOf(ends []byte) jsontext.Value {
	for name, v := range members(ends) {
		if name == "id" && v != nil {
			return v
		}
	}
	if m := lastID.FindSubmatch(ends); m != nil {
		return m[1]
	}
	return nil
}

// openAtEOF is how long open requests may still take once the client has said all.
const openAtEOF = time.Minute

// EOF says that the client will send nothing more. Calls that are held get to their end
// first, for the server may end with its input; then the server is to end, when it has
// answered what is open.
func (s *Session) EOF() {
	s.deaf() // a person who is asked can't answer any more
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.held.Wait()
	}()
	late := time.NewTimer(openAtEOF)
	defer late.Stop()
	select {
	case <-done:
	case <-s.server.Done():
	case <-late.C:
	}
	s.server.CloseSend()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		s.mu.Lock()
		open := len(s.open)
		s.mu.Unlock()
		if open == 0 {
			break
		}
		select {
		case <-tick.C:
			continue
		case <-s.server.Done():
		case <-late.C:
		}
		break
	}
	s.server.Finish()
}

// End ends the session after the server: every open request is answered.
func (s *Session) End(why string) {
	s.mu.Lock()
	var open []*request
	for _, list := range s.open {
		open = append(open, list...)
	}
	clear(s.open)
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	slices.SortFunc(open, func(a, b *request) int { return strings.Compare(string(a.id), string(b.id)) })
	for _, r := range open {
		if r.held != nil {
			r.held.abandon()
		}
		s.fault(r.id, -32000, "mcpg: "+why)
	}
	for _, w := range waiting {
		w.call.abandon()
	}
	s.cancel()
}
