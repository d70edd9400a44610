package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"mcpg/internal/mcpserve"
)

// listen serves clients by Streamable HTTP until ctx ends.
func (w *wrapped) listen(ctx context.Context, f *wrapFlags, argv []string) error {
	if !mcpserve.LoopbackAddress(f.listen) {
		return usage("--listen %s: want a loopback address with a port, such as 127.0.0.1:8080", f.listen)
	}
	socket, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	clients := w.proxy.Listen(ctx, w.far(ctx, f, argv))
	server := &http.Server{Handler: mcpserve.Local(clients), ReadHeaderTimeout: 10 * time.Second}
	if !f.quiet {
		fmt.Fprintf(w.a.err, "mcpg: serving http://%s\n", socket.Addr())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(socket) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		clients.Close()
		stop, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(stop) // what is open then is cut
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
