package main

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
	"github.com/spf13/cobra"

	"mcpg/mcptree"
	"mcpg/mcptree/server"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	sessions string
	name     string
	noElicit bool
	http     string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve DIR",
		Short: "Publish a folder's trees to agents, as an MCP server",
		Long: `Publish the trees of a folder as an MCP server with five tools: tree_list, tree_start,
tree_answer, tree_status and tree_trace. It speaks over stdin and stdout, or with --http
over Streamable HTTP to programs on this computer.

Sessions are kept in files, one each, and go on in any process that serves the same
sessions, each on the document that it began with. Trees that the protocol rejects, and two
trees with the same id, are refused with their findings, and the exit code is 1. Where the
client can ask its human, the questions of a tree are asked there first.`,
		Example: "  mcptree serve trees/\n  mcptree serve trees/ --sessions /var/lib/triage --no-elicit\n  mcptree serve trees/ --http 127.0.0.1:8321",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.serve(c.Context(), &f, args[0]) },
	}
	c.Flags().StringVar(&f.sessions, "sessions", "", "folder of the sessions (default ~/.mcptree/sessions)")
	c.Flags().StringVar(&f.name, "name", "mcptree", "name of the server")
	c.Flags().BoolVar(&f.noElicit, "no-elicit", false, "never ask the client's human; leave questions to the agent")
	c.Flags().StringVar(&f.http, "http", "", "serve Streamable HTTP on this loopback address instead of stdin and stdout")
	return c
}

func (a *app) serve(ctx context.Context, f *serveFlags, dir string) error {
	if f.http != "" && !loopbackAddress(f.http) {
		return usage("--http %s: want a loopback address with a port, such as 127.0.0.1:8321", f.http)
	}
	trees, ok := a.published(dir)
	if !ok {
		a.code = codeFindings
		return nil
	}
	s, err := server.New(trees, server.Options{Name: f.name, Sessions: f.sessions, NoElicit: f.noElicit})
	if err != nil {
		return err
	}
	patient()
	if f.http != "" {
		return a.listen(ctx, s, f.http)
	}
	return a.pipe(ctx, s)
}

// grace is how long running calls may still take once the server is told to
// stop: some wait for a human.
const grace = 2 * time.Second

// patient keeps signals after the first from ending the process, and with
// another exit code, in the bounded time that a server takes to stop: who stops
// a group of processes may well signal each of them twice. It isn't undone,
// since the process ends with the server.
func patient() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
}

// pipe serves on stdin and stdout until the input or the context ends.
func (a *app) pipe(ctx context.Context, s *mcp.Server) error {
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx, server.Stdio(a.in, a.out)) }()
	select {
	case err := <-served:
		if ctx.Err() != nil {
			return nil // told to stop
		}
		return err
	case <-ctx.Done():
	}
	select {
	case <-served:
	case <-time.After(grace):
	}
	return nil
}

// published reads the trees of a folder; if any can't be served it says why on
// stderr.
func (a *app) published(dir string) ([]*mcptree.Tree, bool) {
	files, err := treeFiles(dir)
	if err != nil {
		fmt.Fprintln(a.err, "mcptree:", err)
	}
	if len(files) == 0 {
		fmt.Fprintf(a.err, "mcptree: no trees found in %s\n", dir)
		return nil, false
	}
	var trees []*mcptree.Tree
	var rejected []*mcptree.Document
	first := map[string]string{}
	ok := true
	for _, d := range a.load(files, nil) {
		if d.Tree == nil {
			rejected = append(rejected, d)
			continue
		}
		if other, twice := first[d.Tree.ID]; twice {
			fmt.Fprintf(a.err, "mcptree: %s: tree id %q is the one of %s\n", d.File, d.Tree.ID, other)
			ok = false
		}
		first[d.Tree.ID] = d.File
		trees = append(trees, d.Tree)
	}
	if len(rejected) > 0 {
		writeText(a.err, rejected, false)
		return nil, false
	}
	return trees, ok
}

func loopbackAddress(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	return err == nil && port != "" && server.IsLoopback(host)
}

// listen serves until the context ends.
func (a *app) listen(ctx context.Context, s *mcp.Server, addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		l.Close()
		return usage("--http %s: %s is no loopback address", addr, l.Addr())
	}
	fmt.Fprintf(a.err, "mcptree: serving http://%s/mcp\n", l.Addr())
	mux := http.NewServeMux()
	h := server.HTTPHandler(s)
	mux.Handle("/mcp", h)
	mux.Handle("/{$}", h)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
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
