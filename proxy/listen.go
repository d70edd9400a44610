package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Listener serves clients by Streamable HTTP, each session with a server of its own.
type Listener struct {
	p      *Proxy
	ctx    context.Context
	server func(deliver func([]byte, bool)) (Server, error)
	// Idle is after how long without a request or a stream a session ends; an hour.
	Idle time.Duration

	mu       sync.Mutex
	sessions map[string]*visit
	// stateless are sessions of requests that say all by themselves. Ids and progress
	// tokens are their clients' own, so that each is in use once at a time in a session.
	stateless []*visit
	work      sync.WaitGroup
}

// Listen makes a handler; server starts a session's server.
func (p *Proxy) Listen(ctx context.Context, server func(deliver func([]byte, bool)) (Server, error)) *Listener {
	return &Listener{p: p, ctx: ctx, server: server, Idle: time.Hour, sessions: map[string]*visit{}}
}

// visit is one session of a client that comes by HTTP. Its writer gets whole frames.
type visit struct {
	l    *Listener
	name string // "" in the era without sessions
	s    *Session
	in   sync.Mutex // frames of the client go in one after another

	mu      sync.Mutex
	streams []*stream // that are open, oldest first
	early   [][]byte  // frames that no stream was there for
	used    time.Time
	ended   chan struct{} // closed when nothing more comes
}

// stream is an answer that is being written: events for the client.
type stream struct {
	id     string // key of the request that it answers; "" for the one that is of none
	token  string // of progress
	listen bool   // subscribes to what the server says
	frames chan []byte
	done   chan struct{} // closed when its reader is gone
}

// maxEarly is how many frames wait for a stream.
const maxEarly = 256

// visit starts a session.
func (l *Listener) visit(name string) (*visit, error) {
	v := &visit{l: l, name: name, used: time.Now(), ended: make(chan struct{})}
	s, err := l.p.Start(l.ctx, v, l.server)
	if err != nil {
		return nil, err
	}
	v.s = s
	l.work.Go(func() {
		idle := time.NewTicker(max(l.Idle/10, time.Millisecond))
		defer idle.Stop()
		for {
			select {
			case <-s.server.Done():
				why := "the server has ended"
				if err := s.server.Err(); err != nil {
					why = err.Error()
				}
				s.End(why)
				s.held.Wait()
				l.forget(v)
				return
			case <-l.ctx.Done():
				v.stop()
				<-s.server.Done()
			case <-idle.C:
				if v.idle(l.Idle) {
					v.stop()
				}
			}
		}
	})
	return v, nil
}

func (v *visit) stop() {
	if stop, ok := v.s.server.(Stopper); ok {
		stop.Stop()
		return
	}
	v.s.server.CloseSend()
	v.s.server.Finish()
}

func (v *visit) idle(after time.Duration) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.streams) == 0 && time.Since(v.used) > after
}

// forget ends a session's streams.
func (l *Listener) forget(v *visit) {
	l.mu.Lock()
	delete(l.sessions, v.name)
	l.stateless = slices.DeleteFunc(l.stateless, func(o *visit) bool { return o == v })
	l.mu.Unlock()
	close(v.ended)
}

// Close waits for the sessions to end, after the context.
func (l *Listener) Close() { l.work.Wait() }

func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.Header.Get("Mcp-Session-Id")
	switch r.Method {
	case http.MethodPost:
		l.post(w, r, name)
	case http.MethodGet:
		v := l.of(name)
		if v == nil {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		s := newStream("", "", false)
		if !v.open(s) {
			http.Error(w, "the session has such a stream already", http.StatusConflict)
			return
		}
		v.events(w, r, s)
	case http.MethodDelete:
		v := l.of(name)
		if v == nil {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		l.work.Go(v.s.EOF)
		w.WriteHeader(http.StatusOK)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE")
		http.Error(w, "want POST, GET or DELETE", http.StatusMethodNotAllowed)
	}
}

func (l *Listener) of(name string) *visit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sessions[name]
}

func (l *Listener) post(w http.ResponseWriter, r *http.Request, name string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(l.p.MaxFrame)))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "null", "the message is longer than "+strconv.Itoa(l.p.MaxFrame>>20)+" MiB, or broke off")
		return
	}
	frame := oneLine(body)
	m, ok := parse(frame)
	if !ok {
		refuse(w, http.StatusBadRequest, "null", "want one JSON-RPC message")
		return
	}
	v, s, status, why := l.host(&m, name)
	if v == nil {
		id := "null"
		if m.id != nil {
			id = string(m.id)
		}
		refuse(w, status, id, why)
		return
	}
	if v.name != "" {
		w.Header().Set("Mcp-Session-Id", v.name)
	}
	if m.method == "" || m.id == nil {
		v.take(frame)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	v.take(frame)
	v.events(w, r, s)
}

// host finds the session that a message is for, or starts it, and opens the stream of a
// request's answer: finding and opening are one step, or two requests with one id would
// both find its place free.
func (l *Listener) host(m *message, name string) (v *visit, s *stream, status int, why string) {
	if m.method != "" && m.id != nil {
		s = newStream(idKey(m.id), string(member(member(m.params, "_meta"), "progressToken")), m.method == "subscriptions/listen")
	}
	if name != "" {
		if v = l.of(name); v == nil {
			return nil, nil, http.StatusNotFound, "no such session"
		}
		if s != nil {
			v.open(s)
		}
		return v, s, 0, ""
	}
	if m.method != "initialize" {
		if !m.stateless() && m.method != "server/discover" {
			return nil, nil, http.StatusBadRequest, "want Mcp-Session-Id: a session begins with initialize"
		}
		l.mu.Lock()
		for _, v := range l.stateless {
			if s == nil || v.openFree(s) {
				l.mu.Unlock()
				return v, s, 0, ""
			}
		}
		l.mu.Unlock()
	} else {
		name = rand.Text()
	}
	v, err := l.visit(name)
	if err != nil {
		return nil, nil, http.StatusBadGateway, err.Error()
	}
	if s != nil {
		v.open(s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if name != "" {
		l.sessions[name] = v
	} else {
		l.stateless = append(l.stateless, v)
	}
	return v, s, 0, ""
}

// openFree opens a stream, unless an open one has its id or progress token.
func (v *visit) openFree(s *stream) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if slices.ContainsFunc(v.streams, func(o *stream) bool { return o.id == s.id || s.token != "" && o.token == s.token }) {
		return false
	}
	v.add(s)
	return true
}

// take hands a frame of the client's on.
func (v *visit) take(frame []byte) {
	v.in.Lock()
	defer v.in.Unlock()
	v.s.FromClient(frame, false)
}

func newStream(id, token string, listen bool) *stream {
	return &stream{id: id, token: token, listen: listen, frames: make(chan []byte, 64), done: make(chan struct{})}
}

// open opens a stream; false if it is the second one that answers no request.
func (v *visit) open(s *stream) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.id == "" {
		if slices.ContainsFunc(v.streams, func(o *stream) bool { return o.id == "" }) {
			return false
		}
		for _, f := range v.early {
			if len(s.frames) < cap(s.frames) {
				s.frames <- f
			}
		}
		v.early = nil
	}
	v.add(s)
	return true
}

// add notes an open stream. v.mu is held.
func (v *visit) add(s *stream) {
	v.streams = append(v.streams, s)
	v.used = time.Now()
}

// close takes a stream off.
func (v *visit) close(s *stream) {
	close(s.done)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.streams = slices.DeleteFunc(v.streams, func(o *stream) bool { return o == s })
	v.used = time.Now()
}

// Write takes a frame of the session's for the client, and finds its stream.
func (v *visit) Write(frame []byte) (int, error) {
	m, ok := parse(frame)
	if !ok { // there is no way for it
		return len(frame), nil
	}
	v.mu.Lock()
	s := v.stream(&m)
	if s == nil {
		if len(v.early) < maxEarly {
			v.early = append(v.early, bytes.Clone(frame))
		}
		v.mu.Unlock()
		return len(frame), nil
	}
	v.mu.Unlock()
	select {
	case s.frames <- bytes.Clone(frame):
	case <-s.done:
	case <-v.ended:
	}
	return len(frame), nil
}

// stream finds where a frame goes: an answer to its request's, progress likewise, and
// what the server says by itself where the client listens, or else with the last answer
// that is open. v.mu is held.
func (v *visit) stream(m *message) *stream {
	var own, listening, last *stream
	token := ""
	if m.method == "notifications/progress" {
		token = string(member(m.params, "progressToken"))
	}
	for _, s := range v.streams {
		switch {
		case m.response() && s.id != "" && s.id == idKey(m.id):
			return s
		case token != "" && s.token == token:
			return s
		case s.id == "":
			own = s
		case s.listen:
			listening = s
		default:
			last = s
		}
	}
	switch {
	case m.response():
		return nil
	case m.id != nil && last != nil: // a request of the server's is most likely of a call's
		return last
	case own != nil:
		return own
	case listening != nil:
		return listening
	}
	return last
}

// events writes a stream to its end: its request's answer, or that of the session.
func (v *visit) events(w http.ResponseWriter, r *http.Request, s *stream) {
	defer v.close(s)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	alive := time.NewTicker(15 * time.Second) // so that nobody between takes it for dead
	defer alive.Stop()
	write := func(f []byte) (more bool) {
		if _, err := w.Write(event(f)); err != nil {
			return false
		}
		if err := flush.Flush(); err != nil {
			return false
		}
		m, ok := parse(f)
		return !ok || !m.response() || s.id == "" || idKey(m.id) != s.id
	}
	for {
		select {
		case f := <-s.frames:
			if !write(f) {
				return
			}
		case <-v.ended:
			for len(s.frames) > 0 && write(<-s.frames) {
			}
			return
		case <-alive.C:
			if _, err := io.WriteString(w, ": \n\n"); err != nil {
				return
			}
			_ = flush.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// event is a frame as an event.
func event(frame []byte) []byte {
	out := append([]byte("event: message\ndata: "), bytes.TrimRight(frame, "\r\n")...)
	return append(out, "\n\n"...)
}

// oneLine makes a message a frame: blanks between its values may be line ends, while in
// texts these are escaped.
func oneLine(b []byte) []byte {
	b = bytes.TrimSpace(b)
	line := make([]byte, 0, len(b)+1)
	for _, x := range b {
		if x == '\n' || x == '\r' {
			x = ' '
		}
		line = append(line, x)
	}
	return append(line, '\n')
}

func refuse(w http.ResponseWriter, status int, id, words string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32600,"message":`+string(quote("mcpg: "+words))+"}}\n")
}
