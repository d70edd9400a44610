package mcpserve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// grace is how long running calls may still take once the server is told to
// stop: some wait for a human.
const grace = 2 * time.Second

// Patient keeps signals after the first from ending the process, and with
// another exit code, in the bounded time that a server takes to stop: who stops
// a group of processes may well signal each of them twice. It isn't undone,
// since the process ends with the server.
func Patient() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
}

// Pipe serves over a transport until its input or the context ends.
func Pipe(ctx context.Context, s *mcp.Server, t mcp.Transport) error {
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx, t) }()
	select {
	case err := <-served:
		if ctx.Err() != nil {
			return nil // told to stop
		}
		return err
	case <-ctx.Done():
	}
	select {
	case <-served: //nolint:errcheck // it was asked to end, however that went
	case <-time.After(grace):
	}
	return nil
}

// AddressError is an address that isn't this computer's alone.
type AddressError struct{ Addr string }

func (e *AddressError) Error() string { return fmt.Sprintf("%s is no loopback address", e.Addr) }

// Listen serves over HTTP until the context ends; told gets the URL once it
// answers.
func Listen(ctx context.Context, s *mcp.Server, addr string, told func(url string)) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		l.Close()
		return &AddressError{l.Addr().String()}
	}
	mux := http.NewServeMux()
	h := Handler(s)
	mux.Handle("/mcp", h)
	mux.Handle("/{$}", h)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	told(fmt.Sprintf("http://%s/mcp", l.Addr()))
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	for ses := range s.Sessions() {
		go ses.Close() // ends its streams once its calls are answered
	}
	if web.Shutdown(ending) != nil {
		web.Close()
	}
	return nil
}
