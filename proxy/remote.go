package proxy

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Remote says which server is spoken to by Streamable HTTP.
type Remote struct {
	Context  context.Context // ends the conversation
	URL      string
	Headers  []string // NAME: VALUE
	Client   *http.Client
	MaxFrame int
}

// remote is a conversation with one.
type remote struct {
	Remote
	header  http.Header
	deliver func([]byte, bool)
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup // requests that are open
	notes   chan func()    // that post what has no answer
	done    chan struct{}
	end     sync.Once
	err     error

	out sync.Mutex // frames are delivered one after another

	mu        sync.Mutex
	session   string // Mcp-Session-Id
	version   string // of the protocol, as the server agreed to it
	hello     string // key of the initialize request's id
	listening bool
	params    map[string][]binding // headers that tools want of their arguments
}

// binding is an argument that goes into a header too.
type binding struct {
	path   []string
	header string
}

// Start begins the conversation; nothing is sent before a frame is.
func (r Remote) Start(deliver func(frame []byte, long bool)) (Server, error) {
	c := &remote{Remote: r, header: http.Header{}, deliver: deliver, done: make(chan struct{}), params: map[string][]binding{}}
	for _, h := range r.Headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("header %q: want NAME: VALUE", h)
		}
		c.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if c.Client == nil {
		c.Client = &http.Client{}
	}
	if c.MaxFrame == 0 {
		c.MaxFrame = MaxFrame
	}
	if _, err := http.NewRequest(http.MethodPost, r.URL, nil); err != nil || !strings.HasPrefix(r.URL, "http") {
		return nil, fmt.Errorf("--url %s: want http:// or https://", r.URL)
	}
	c.ctx, c.cancel = context.WithCancel(r.Context)
	context.AfterFunc(c.ctx, func() { c.finish(nil) })
	c.notes = make(chan func(), 256)
	go func() { // ends with the conversation
		for {
			select {
			case send := <-c.notes:
				send()
				c.work.Done()
			case <-c.ctx.Done():
				return
			}
		}
	}()
	return c, nil
}

func (c *remote) Done() <-chan struct{} { return c.done }
func (c *remote) Err() error            { return c.err }

func (c *remote) finish(err error) {
	c.end.Do(func() {
		c.err = err
		close(c.done)
		c.cancel()
	})
}

// Send posts a frame. A request's answers come by themselves; what has none is posted
// one after another.
func (c *remote) Send(frame []byte) error {
	m, ok := parse(frame)
	if !ok {
		if len(bytes.TrimSpace(frame)) == 0 || bytes.TrimSpace(frame)[0] != '[' {
			return nil // a line that is no message has no way over HTTP
		}
		m.id = nil
	}
	if m.method == "initialize" {
		c.mu.Lock()
		c.hello = idKey(m.id)
		c.mu.Unlock()
	}
	if m.method != "" && m.id != nil || !ok {
		c.work.Go(func() { c.post(c.ctx, &m) })
		return nil
	}
	send := func() {
		ctx, cancel := context.WithTimeout(c.ctx, 30*time.Second)
		defer cancel()
		c.post(ctx, &m)
	}
	if m.method == "notifications/initialized" { // before all that follows
		send()
		c.listen()
		return nil
	}
	c.work.Add(1)
	select {
	case c.notes <- send: // in their order, and nothing waits for them
	case <-c.ctx.Done():
		c.work.Done()
	}
	return nil
}

func (c *remote) post(ctx context.Context, m *message) {
	body := bytes.TrimRight(m.frame, "\r\n")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		c.failed(m, err.Error())
		return
	}
	c.headers(req, m)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := c.Client.Do(req)
	if err != nil {
		c.failed(m, err.Error())
		return
	}
	defer resp.Body.Close()
	c.mu.Lock()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	lost := resp.StatusCode == http.StatusNotFound && c.session != ""
	c.mu.Unlock()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case lost:
		c.failed(m, "the server has lost the session")
		c.finish(errors.New("the server has lost the session"))
	case kind == "text/event-stream" && resp.StatusCode < 300:
		c.stream(ctx, resp.Body, m)
	case resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent:
		if m.method != "" && m.id != nil {
			c.failed(m, "the server took the request and gives no answer")
		}
	default:
		b, err := io.ReadAll(io.LimitReader(resp.Body, int64(c.MaxFrame)+1))
		answer, ok := parse(b)
		switch {
		case err != nil:
			c.failed(m, err.Error())
		case len(b) > c.MaxFrame:
			c.failed(m, "the answer is longer than "+strconv.Itoa(c.MaxFrame>>20)+" MiB")
		case ok && answer.response() && answer.id != nil, resp.StatusCode < 300 && len(bytes.TrimSpace(b)) > 0 && bytes.TrimSpace(b)[0] == '[':
			c.frame(b)
		case resp.StatusCode >= 300:
			c.failed(m, "HTTP "+resp.Status+": "+shortText(b))
		case m.id != nil && m.method != "":
			c.failed(m, "no JSON-RPC answer: "+shortText(b))
		}
	}
}

func shortText(b []byte) string {
	const most = 200
	s := strings.TrimSpace(string(b))
	if len(s) > most {
		s = cutRunes(s, most) + "…"
	}
	return s
}

// failed answers a request that couldn't be made; what has no answer is lost.
func (c *remote) failed(m *message, why string) {
	if m.method == "" || m.id == nil {
		return
	}
	c.frame([]byte(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"error":{"code":-32000,"message":` + string(quote("mcpg: "+why)) + `}}`))
}

// headers are those that every request carries, and those that its frame wants.
func (c *remote) headers(req *http.Request, m *message) {
	for name, values := range c.header {
		req.Header[name] = values
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	version := c.version
	if m != nil {
		if v := text(member(m.params, "_meta"), protocolMeta+"protocolVersion"); v != "" {
			version = v
		}
	}
	if version == "" {
		return
	}
	req.Header.Set("MCP-Protocol-Version", version)
	if m == nil || version < "2026-07-28" || m.method == "" {
		return
	}
	req.Header.Set("Mcp-Method", m.method)
	name := ""
	switch m.method {
	case "tools/call", "prompts/get":
		name = text(m.params, "name")
	case "resources/read":
		name = text(m.params, "uri")
	}
	if name != "" {
		req.Header.Set("Mcp-Name", headerValue(name))
	}
	if m.method != "tools/call" {
		return
	}
	for _, b := range c.params[name] {
		v := member(m.params, "arguments")
		for _, p := range b.path {
			v = member(v, p)
		}
		switch v.Kind() {
		case '"':
			req.Header.Set("Mcp-Param-"+b.header, headerValue(unquote(v)))
		case '0', 't', 'f':
			req.Header.Set("Mcp-Param-"+b.header, string(v))
		}
	}
}

// headerValue is a text as a header may have it: as it is, or in base 64 with marks.
func headerValue(s string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, "=?base64?")
	for i := range len(s) {
		plain = plain && s[i] >= 0x20 && s[i] < 0x7F
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// frame delivers a message: on one line, whatever blanks it came with.
func (c *remote) frame(b []byte) {
	line := oneLine(b)
	c.learn(line)
	c.out.Lock()
	defer c.out.Unlock()
	c.deliver(line, false)
}

// learn takes from answers what requests must carry.
func (c *remote) learn(frame []byte) {
	m, ok := parse(frame)
	if !ok || !m.response() || m.result == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hello != "" && idKey(m.id) == c.hello {
		c.version, c.hello = text(m.result, "protocolVersion"), ""
	}
	tools := member(m.result, "tools")
	if tools.Kind() != '[' || !bytes.Contains(tools, []byte("x-mcp-header")) {
		return
	}
	d := jsontext.NewDecoder(bytes.NewReader(tools), lenient...)
	_, _ = d.ReadToken()
	for d.PeekKind() != ']' {
		t, err := d.ReadValue()
		if err != nil {
			return
		}
		c.params[text(t, "name")] = bindings(member(t, "inputSchema"), nil, nil)
	}
}

// bindings finds the properties of a schema that are named as headers.
func bindings(schema jsontext.Value, path []string, out []binding) []binding {
	for name, p := range members(member(schema, "properties")) {
		if p == nil {
			return out
		}
		here := append(path[:len(path):len(path)], name)
		if h := text(p, "x-mcp-header"); h != "" {
			out = append(out, binding{here, h})
		}
		out = bindings(p, here, out)
	}
	return out
}

// stream reads the events that answer a request, and goes on where a connection ended
// before the answer came.
func (c *remote) stream(ctx context.Context, body io.Reader, m *message) {
	last, retry, answered := c.events(body, m)
	for tries := 0; !answered && last != "" && tries < 5 && ctx.Err() == nil; tries++ {
		if !pause(ctx, retry) {
			break
		}
		resp, err := c.get(ctx, last)
		if err != nil {
			continue
		}
		if resp.StatusCode == http.StatusOK {
			at := ""
			if at, retry, answered = c.events(resp.Body, m); at != "" {
				last, tries = at, 0
			}
		}
		resp.Body.Close()
	}
	if !answered && m.method != "" && m.id != nil {
		c.failed(m, "the stream ended before the answer came")
	}
}

// events delivers events, each as it comes, and tells the last one's id, how long to
// wait before coming again, and whether the answer to m was among them.
func (c *remote) events(body io.Reader, m *message) (last string, retry time.Duration, answered bool) {
	retry = time.Second
	in := newLines(newLineEnds(body), c.MaxFrame)
	var data []byte
	has := false
	for {
		line, long, err := in.next()
		field, value := splitField(bytes.TrimRight(line, "\r\n"))
		switch {
		case long:
			data, has = nil, false
			line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("data:")), " ")
			c.out.Lock()
			c.deliver(line, true)
			c.out.Unlock()
			if id := idOf(line); m != nil && id != nil && idKey(id) == idKey(m.id) {
				answered = true
			}
		case len(bytes.TrimRight(line, "\r\n")) == 0:
			if has && len(bytes.TrimSpace(data)) > 0 {
				if got, ok := parse(data); m != nil && ok && got.response() && idKey(got.id) == idKey(m.id) {
					answered = true
				}
				c.frame(data)
			}
			data, has = nil, false
		case field == "data":
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, value...), true
		case field == "id":
			last = string(value)
		case field == "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
				retry = time.Duration(ms) * time.Millisecond
			}
		}
		if err != nil {
			return last, retry, answered
		}
	}
}

// splitField parts a line of an event.
func splitField(line []byte) (string, []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	return string(name), bytes.TrimPrefix(value, []byte(" "))
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *remote) get(ctx context.Context, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, err
	}
	c.headers(req, nil)
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	return c.Client.Do(req)
}

// listen opens the stream by which a server of the older era speaks by itself.
func (c *remote) listen() {
	c.mu.Lock()
	again := c.listening || c.version == "" || c.version >= "2026-07-28"
	c.listening = true
	c.mu.Unlock()
	if again {
		return
	}
	go func() { // ends with the conversation
		last, wait := "", time.Second
		for c.ctx.Err() == nil {
			resp, err := c.get(c.ctx, last)
			if err == nil && resp.StatusCode != http.StatusOK {
				resp.Body.Close()
				if resp.StatusCode < 500 { // it has no such stream
					return
				}
				err = errors.New(resp.Status)
			}
			if err == nil {
				at, retry, _ := c.events(resp.Body, nil)
				resp.Body.Close()
				if at != "" {
					last = at
				}
				wait = retry
			} else {
				wait = min(2*wait, 30*time.Second)
			}
			if !pause(c.ctx, wait) {
				return
			}
		}
	}()
}

// CloseSend does nothing yet: there is no input that ends.
func (c *remote) CloseSend() {}

// Finish lets open requests come to their end for a moment, and gives the session back.
func (c *remote) Finish() {
	go func() {
		over := make(chan struct{})
		go func() {
			c.work.Wait()
			close(over)
		}()
		select {
		case <-over:
		case <-time.After(2 * time.Second):
		case <-c.done:
		}
		c.mu.Lock()
		session := c.session
		c.mu.Unlock()
		if session != "" && c.ctx.Err() == nil {
			ctx, cancel := context.WithTimeout(c.ctx, 2*time.Second)
			if req, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.URL, nil); err == nil {
				c.headers(req, nil)
				if resp, err := c.Client.Do(req); err == nil {
					resp.Body.Close()
				}
			}
			cancel()
		}
		c.finish(nil)
	}()
}

// lineEnds reads events, whose lines may end with CR too, and which may begin with a
// mark of their encoding, with LF alone.
type lineEnds struct {
	r     io.Reader
	begun bool
	cr    bool // the last byte was one
}

func newLineEnds(r io.Reader) *lineEnds { return &lineEnds{r: r} }

func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	out := p[:0]
	for _, x := range p[:n] {
		was := l.cr
		l.cr = x == '\r'
		switch {
		case x == '\n' && was:
			continue // of CR LF
		case x == '\r':
			x = '\n'
		}
		out = append(out, x)
	}
	if !l.begun && len(out) > 0 {
		l.begun = true
		if rest, ok := bytes.CutPrefix(out, []byte("\xef\xbb\xbf")); ok {
			out = p[:copy(p, rest)]
		}
	}
	return len(out), err
}
