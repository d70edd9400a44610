package proxy

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/store"
)

// Server is the far end of a session: frames go to it by Send; those that it says come
// to whoever started it.
type Server interface {
	// Send passes a frame on, its line end with it, and doesn't wait for an answer.
	Send(frame []byte) error
	// CloseSend says that no frame will follow; a server then ends when it likes.
	CloseSend()
	// Finish makes it end, gently at first. It doesn't wait.
	Finish()
	// Done is closed when no more frames come.
	Done() <-chan struct{}
	// Err says after Done why; nil if the server ended as it should.
	Err() error
}

// Recorder keeps calls. A call is kept when Add returns.
type Recorder interface {
	Add(c *calllog.Call, d store.Decision) error
}

// Asker answers the proxy's own tools: a text for people and models, and the same as
// data.
type Asker interface {
	// Affordances says what can be done with a resource in its state.
	Affordances(g *behavior.Graph, r *Resource, goal string) (text string, data jsontext.Value, err error)
	// Explain says what an offer of an earlier answer, or a tool's guard, rests on.
	Explain(g *behavior.Graph, known []*Resource, what string) (text string, data jsontext.Value, err error)
	// Graph draws the model.
	Graph(g *behavior.Graph, format string) (text string, data jsontext.Value, err error)
}

// Resource is one that a session asked about.
type Resource struct {
	Name        string // class:id
	Server      string
	Class       string
	State       behavior.State
	Model       string // fingerprint of the model that it was judged by
	Fingerprint func(tool string) string
	Adapter     *adapter.Adapter
	Approved    func(tool string) bool
}

// Options of a proxy.
type Options struct {
	Policy   *policy.Policy
	Mode     policy.Mode
	Adapters adapter.Set
	Recorder Recorder               // nil keeps nothing
	Redact   func(*calllog.Call)    // takes secrets out of what is kept; nil keeps them
	Model    func() *behavior.Graph // what is known, for the own tools
	Asker    Asker                  // nil: no own tools
	Log      io.Writer              // for people; nil says nothing
	MaxFrame int                    // 0: MaxFrame
	// Loaded is closed when Policy knows what it is to know from the start; calls wait for
	// that as long as for an observation. nil: it does already.
	Loaded <-chan struct{}
	// ReadTimeout is how long an observation may take, and QueueTimeout how long a call
	// waits for others on its resource; then it goes on unobserved. 0: 5 and 30 seconds.
	ReadTimeout  time.Duration
	QueueTimeout time.Duration
}

// Proxy is what all sessions of a process share. Its counts are of calls.
type Proxy struct {
	Options
	counts   counts
	sessions atomic.Int64
	logMu    sync.Mutex
	lost     sync.Once // the recorder's first error was told
}

// counts are what status tells.
type counts struct {
	calls, warned, refused, held, approved, probes, unrecorded, unobserved, own atomic.Int64
}

// New makes a proxy.
func New(o Options) *Proxy {
	if o.MaxFrame == 0 {
		o.MaxFrame = MaxFrame
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = 5 * time.Second
	}
	if o.QueueTimeout == 0 {
		o.QueueTimeout = 30 * time.Second
	}
	return &Proxy{Options: o}
}

func (p *Proxy) loaded() bool {
	if p.Loaded == nil {
		return true
	}
	select {
	case <-p.Loaded:
		return true
	default:
		return false
	}
}

func (p *Proxy) logf(format string, a ...any) {
	if p.Log == nil {
		return
	}
	p.logMu.Lock()
	defer p.logMu.Unlock()
	fmt.Fprintf(p.Log, "mcpg: "+format+"\n", a...)
}

// record keeps a call.
func (p *Proxy) record(c *calllog.Call, d store.Decision) {
	if p.Recorder == nil {
		return
	}
	kept := *c
	if p.Redact != nil {
		p.Redact(&kept)
	}
	if err := p.Recorder.Add(&kept, d); err != nil {
		p.counts.unrecorded.Add(1)
		p.lost.Do(func() { p.logf("calls can't be recorded, and go on without: %v", err) })
	}
}

// Start opens a session: to is the client's end, and server is started with the function
// that takes its frames.
func (p *Proxy) Start(ctx context.Context, to io.Writer, server func(deliver func(frame []byte, long bool)) (Server, error)) (*Session, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{p: p, prefix: ourPrefix + rand.Text()[:10] + ":", ctx: ctx, cancel: cancel, to: to, started: time.Now(), ready: make(chan struct{}),
		open: map[string][]*request{}, ours: map[string]chan message{}, asked: map[string]chan message{}, approvals: map[string]bool{}}
	s.heard, s.deaf = context.WithCancel(ctx)
	s.id = fmt.Sprintf("%s-%s-%d", s.started.UTC().Format("20060102T150405"), rand.Text()[:8], p.sessions.Add(1))
	far, err := server(func(frame []byte, long bool) {
		<-s.ready
		s.fromServer(frame, long)
	})
	if err != nil {
		cancel()
		return nil, err
	}
	s.server = far
	close(s.ready)
	return s, nil
}
