package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mcpg/ingest"
	"mcpg/internal/mcpserve"
	"mcpg/report"
)

func (a *app) viewCommand() *cobra.Command {
	var f pageFlags
	var addr string
	c := &cobra.Command{
		Use:   "view CALLS…|MODEL|STORE",
		Short: "Look at the report in a browser, kept up to date",
		Long: `Serve the page that mcpg report writes to browsers on this computer. It looks for changes of
its files, such as the store of a running mcpg wrap, and shows them by itself.`,
		Example: "  mcpg view calls.sqlite\n  mcpg view calls.parquet --addr 127.0.0.1:8080",
		Args:    inputs,
		RunE: func(c *cobra.Command, args []string) error {
			if slices.Contains(args, "-") {
				return usage("stdin can't be watched: name files")
			}
			if !mcpserve.LoopbackAddress(addr) {
				return usage("--addr %s: want a loopback address with a port, such as 127.0.0.1:8080", addr)
			}
			return a.view(c.Context(), &f, args, addr)
		},
	}
	f.flags(c)
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "serve on this loopback address; port 0 is any free one")
	return c
}

// viewer makes the page anew when its files have changed.
type viewer struct {
	a    *app
	f    *pageFlags
	args []string

	mu      sync.Mutex // one page is made at a time
	version string
	page    []byte
	made    time.Time
	took    time.Duration
}

func (a *app) view(ctx context.Context, f *pageFlags, args []string, addr string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	quiet := *a
	quiet.err = io.Discard // what a reading has to say was said by the first
	v := &viewer{a: a, f: f, args: args}
	if _, _, err := v.now(ctx); err != nil {
		return err
	}
	v.a = &quiet
	socket, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		page, _, err := v.now(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("X-Frame-Options", "DENY")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, version, err := v.now(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, version)
	})
	server := &http.Server{Handler: mcpserve.Local(mux), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(a.err, "mcpg: open http://%s in a browser; Ctrl-C ends it\n", socket.Addr())
	served := make(chan error, 1)
	go func() { served <- server.Serve(socket) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(end)
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// files is a text that changes when the files do; a store grows in its -wal. What can't be
// seen is 0.
func (v *viewer) files() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d.", ingest.TotalSize(v.args))
	for _, name := range append(v.args[:len(v.args):len(v.args)], v.f.model, v.f.bench) {
		for _, part := range []string{name, name + "-wal"} {
			if st, err := os.Stat(part); name != "" && err == nil {
				fmt.Fprintf(&b, "%d-%d.", st.Size(), st.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

// restful is how many times as long as the last page took nothing is made anew.
const restful = 5

// now is the page of the files as they are, or as they were a moment ago: what took long
// isn't made all the time. While they can't be read, the last page stays.
func (v *viewer) now(ctx context.Context) (page []byte, version string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.page != nil && time.Since(v.made) < restful*v.took {
		return v.page, v.version, nil
	}
	files := v.files()
	if v.page != nil && files == v.version {
		return v.page, v.version, nil
	}
	began := time.Now()
	p, err := v.a.page(ctx, v.f, v.args)
	var none *ingest.NoCallsError
	switch {
	case errors.Is(err, errNoCalls) || errors.As(err, &none):
		p = &report.Page{Title: "No calls yet", Source: "this page looks for some by itself"}
	case err != nil && v.page != nil:
		return v.page, v.version, nil
	case err != nil:
		return nil, "", err
	}
	p.Version = files
	var b bytes.Buffer
	if err := p.HTML(ctx, &b); err != nil {
		return nil, "", err
	}
	v.page, v.version, v.made, v.took = b.Bytes(), files, time.Now(), time.Since(began)
	return v.page, v.version, nil
}
