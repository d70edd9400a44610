package proxy

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// Lossy writes to somebody who may not read: what they don't take is dropped, so that
// nothing ever waits for them.
type Lossy struct {
	mu     sync.Mutex
	chunks chan []byte
	closed bool
	done   chan struct{}
}

// NewLossy begins to write to w.
func NewLossy(w io.Writer) *Lossy {
	l := &Lossy{chunks: make(chan []byte, 64), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for c := range l.chunks {
			_, _ = w.Write(c)
		}
	}()
	return l
}

func (l *Lossy) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		select {
		case l.chunks <- bytes.Clone(p):
		default:
		}
	}
	return len(p), nil
}

// Close gives the reader a moment for what is left.
func (l *Lossy) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.chunks)
	}
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-time.After(200 * time.Millisecond):
	}
	return nil
}
