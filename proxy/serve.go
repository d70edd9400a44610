package proxy

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrEnded says that the server ended before its client did.
var ErrEnded = errors.New("the server ended")

// Stopper is a server that can be made to end at once.
type Stopper interface{ Stop() }

// lastWords is how long a client may take to read what is left for it when a session
// ends.
const lastWords = 2 * time.Second

// ServeStdio runs one session, whose client speaks on in and hears on out, to its end:
// that of the client's input, of the server, or of ctx.
func (p *Proxy) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, server func(deliver func([]byte, bool)) (Server, error)) error {
	s, err := p.Start(context.WithoutCancel(ctx), out, server)
	if err != nil {
		return err
	}
	eof := make(chan struct{})
	go func() { // ends with the input, or with the process
		frames := newLines(in, p.MaxFrame)
		for {
			frame, long, err := frames.next()
			if len(frame) > 0 {
				s.FromClient(frame, long)
			}
			if err != nil {
				close(eof)
				s.EOF()
				return
			}
		}
	}()
	clientFirst := false
	select {
	case <-s.server.Done():
		select {
		case <-eof:
			clientFirst = true
		default:
		}
	case <-ctx.Done():
		if stop, ok := s.server.(Stopper); ok {
			stop.Stop()
		} else {
			s.server.CloseSend()
			s.server.Finish()
		}
		select {
		case <-s.server.Done():
		case <-time.After(2 * lastWords): // it is held up by a client that doesn't read
		}
	}
	over := make(chan struct{})
	go func() { // a client that doesn't read may hold this up for ever
		defer close(over)
		why := "the server has ended"
		select {
		case <-s.server.Done():
			if err := s.server.Err(); err != nil {
				why = err.Error()
			}
		default:
		}
		s.End(why)
		s.held.Wait()
	}()
	select {
	case <-over:
	case <-time.After(lastWords):
	}
	if w, ok := s.server.(interface{ Wait() }); ok {
		cleared := make(chan struct{})
		go func() {
			defer close(cleared)
			w.Wait()
		}()
		select {
		case <-cleared:
		case <-time.After(2 * lastWords):
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	switch err := s.server.Err(); {
	case err != nil:
		return err
	case clientFirst:
		return nil
	}
	return ErrEnded
}
