package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mcpg/internal/mcpserve"
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
	if f.http != "" && !mcpserve.LoopbackAddress(f.http) {
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
	mcpserve.Patient()
	if f.http != "" {
		err = mcpserve.Listen(ctx, s, f.http, func(url string) { fmt.Fprintf(a.err, "mcptree: serving %s\n", url) })
		if far := new(mcpserve.AddressError); errors.As(err, &far) {
			return usage("--http %s: %w", f.http, far)
		}
		return err
	}
	return mcpserve.Pipe(ctx, s, mcpserve.Stdio(a.in, a.out))
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
		_ = writeText(a.err, rejected, false)
		return nil, false
	}
	return trees, ok
}
