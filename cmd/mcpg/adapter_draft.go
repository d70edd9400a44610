package main

import (
	"context"
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/report"
)

// draftFlags are the flags of adapter draft.
type draftFlags struct {
	toolSource
	server, output string
	probe          int
}

func (a *app) adapterDraftCommand() *cobra.Command {
	var f draftFlags
	c := &cobra.Command{
		Use:   "draft [LOG…] [flags] [-- CMD ARG…]",
		Short: "Draft an adapter from a server's tools, or from recorded calls",
		Long: `Draft an adapter from what a server lists in answer to tools/list, or from recorded calls.
It says on stderr what it decided, and what it couldn't. The draft always loads; whether it
is right only who knows the server can say, and adapter check helps.

A server that is asked live is started with CMD over stdio or reached at a URL. No tool of
it is called, but for up to N of those that are annotated as read-only with --probe N: that
shows in which format it answers.`,
		Example: `  mcpg adapter draft -o files.json -- npx -y @modelcontextprotocol/server-filesystem /tmp/x
  mcpg adapter draft --tools list.json
  mcpg adapter draft calls.parquet`,
		Args: func(c *cobra.Command, args []string) error {
			f.given(c, args)
			n, err := f.check()
			switch {
			case err != nil:
				return err
			case n == 0:
				return usage("name a server's command after --, --url, --tools, or recorded logs")
			case f.probe < 0 || f.probe > math.MaxInt16:
				return usage("--probe %d: want a number of calls", f.probe)
			case f.probe > 0 && len(f.command) == 0 && f.url == "":
				return usage("--probe wants a server that can be called: a command after --, or --url")
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return a.draft(c.Context(), &f) },
	}
	f.flags(c)
	c.Flags().StringVar(&f.server, "server", "", "the server's name in logs; its own, or the file's, if not given")
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the draft here instead of stdout")
	c.Flags().IntVar(&f.probe, "probe", 0, "make up to this many calls of read-only tools, to see how they answer")
	return c
}

func (a *app) draft(ctx context.Context, f *draftFlags) error {
	t, err := f.tell(ctx, a)
	if err != nil {
		return err
	}
	defer t.close()
	if f.probe > 0 {
		calls := 0
		t.answers, err = adapter.Probe(t.tools, f.probe, func(tool string, args jsontext.Value) (string, bool, error) {
			calls++
			fmt.Fprintf(a.err, "mcpg: probing: %s %s\n", tool, report.Clean(string(args)))
			r, err := t.live.Call(ctx, tool, args)
			return r.Text, r.IsError, err
		})
		if err != nil {
			return fmt.Errorf("probing %s: %w", t.server, err)
		}
		if calls == 0 {
			fmt.Fprintln(a.err, "mcpg: nothing to probe: of the tools that states would come from none is annotated as read-only, or nothing lists ids")
		}
	}
	if f.server != "" {
		t.server = f.server
	}
	d, err := adapter.Propose(t.server, t.tools, t.answers)
	if err != nil {
		return err
	}
	for _, line := range d.Said {
		fmt.Fprintln(a.err, "mcpg:", report.Clean(line))
	}
	return a.writeOut(f.output, d.JSON)
}
