package proxy

import (
	"context"
	"errors"
	"io"
)

// ErrEnded says that the server ended before its client did.
var ErrEnded = errors.New("the server ended")

// Stopper is a server that can be made to end at once.
type Stopper interface{ Stop() }

// ServeStdio runs one session, whose client speaks on in and hears on out, to its end:
// that of the client's input, of the server, or of ctx.
func (p *Proxy) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, server func(deliver func([]byte, bool)) (Server, error)) error {
	s, err := p.Start(ctx, out, server)
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
		}
		<-s.server.Done()
	}
	why := "the server has ended"
	if err := s.server.Err(); err != nil {
		why = err.Error()
	}
	s.End(why)
	s.held.Wait()
	switch err := s.server.Err(); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case clientFirst:
		return nil
	}
	return ErrEnded
}
