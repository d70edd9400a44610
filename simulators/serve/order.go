package serve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// InOrder makes a transport whose calls of tools are answered in the order in
// which they were sent. The SDK runs them side by side, and which of two gets to
// a simulator first would be chance.
func InOrder(t mcp.Transport) mcp.Transport { return &ordered{t} }

type ordered struct{ mcp.Transport }

func (o *ordered) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := o.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &queue{Connection: c, closed: make(chan struct{})}, nil
}

// queue hands no message on while a call of a tool is unanswered.
type queue struct {
	mcp.Connection
	closed chan struct{}

	mu       sync.Mutex
	open     any           // id of the call
	answered chan struct{} // nil without one
	over     bool
}

func (q *queue) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := q.Connection.Read(ctx)
	q.mu.Lock()
	before := q.answered
	q.mu.Unlock()
	if before != nil {
		select {
		case <-before:
		case <-q.closed:
		case <-ctx.Done():
		}
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() && r.Method == "tools/call" {
		q.mu.Lock()
		q.open, q.answered = r.ID.Raw(), make(chan struct{})
		q.mu.Unlock()
	}
	return msg, err
}

func (q *queue) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := q.Connection.Write(ctx, msg)
	if r, ok := msg.(*jsonrpc.Response); ok {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.answered != nil && r.ID.Raw() == q.open {
			close(q.answered)
			q.answered = nil
		}
	}
	return err
}

func (q *queue) Close() error {
	q.mu.Lock()
	if !q.over {
		q.over = true
		close(q.closed)
	}
	q.mu.Unlock()
	return q.Connection.Close()
}
