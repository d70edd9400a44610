package mcpserve

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is a transport of JSON lines, in from one stream and out on another,
// which stays open. When the input ends, calls that were read before are
// answered still.
func Stdio(in io.Reader, out io.Writer) mcp.Transport {
	r, ok := in.(io.ReadCloser)
	if !ok {
		r = io.NopCloser(in)
	}
	return &stdio{mcp.IOTransport{Reader: r, Writer: staysOpen{out}, MaxLineLength: maxLine}}
}

// maxLine is the longest message that is read.
const maxLine = 64 << 20

type staysOpen struct{ io.Writer }

func (staysOpen) Close() error { return nil }

type stdio struct{ mcp.IOTransport }

func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.IOTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	d := &draining{Connection: c}
	d.changed = sync.NewCond(&d.mu)
	return d, nil
}

// draining is a connection that reports the end of its input only once the
// calls read before are answered, or wait for an answer that can't come.
type draining struct {
	mcp.Connection
	mu      sync.Mutex
	changed *sync.Cond
	open    int // calls of the client's without an answer
	asked   int // calls of ours without one
	over    bool
}

// patience bounds the wait for calls that never end.
const patience = 10 * time.Second

func (d *draining) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := d.Connection.Read(ctx)
	if err != nil {
		d.drain()
		return msg, err
	}
	switch m := msg.(type) {
	case *jsonrpc.Request:
		if m.IsCall() {
			d.count(1, 0)
		}
	case *jsonrpc.Response:
		d.count(0, -1)
	}
	return msg, nil
}

func (d *draining) Write(ctx context.Context, msg jsonrpc.Message) error {
	if m, ok := msg.(*jsonrpc.Request); ok && m.IsCall() {
		d.count(0, 1)
	}
	err := d.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		d.count(-1, 0)
	}
	return err
}

func (d *draining) Close() error {
	d.giveUp()
	return d.Connection.Close()
}

func (d *draining) giveUp() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.changed.Broadcast()
}

func (d *draining) count(open, asked int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open += open
	d.asked += asked
	d.changed.Broadcast()
}

func (d *draining) drain() {
	timer := time.AfterFunc(patience, d.giveUp)
	defer timer.Stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.open > 0 && d.asked == 0 && !d.over {
		d.changed.Wait()
	}
}
