package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/internal/atomicfile"
)

func (a *app) adapterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "adapter",
		Short: "Draft an adapter from a server's tools, and hold one against them",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.adapterDraftCommand(), a.adapterCheckCommand())
	return c
}

// toolSource is where tools are told from: one of a server to start, a server's
// URL, a file with a tools/list answer, and recorded calls.
type toolSource struct {
	url, tools string
	logs       source

	command, files []string
}

func (s *toolSource) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.url, "url", "", "ask the server at this URL, over Streamable HTTP")
	c.Flags().StringVar(&s.tools, "tools", "", "read the tools from this file: a tools/list answer, or a list of tools")
	c.Flags().StringVar(&s.logs.from, "from", "", "format of the logs; told by content if not given")
}

// given takes the arguments apart: files before the dash, and a command after it.
func (s *toolSource) given(c *cobra.Command, args []string) {
	s.files = args
	if n := c.ArgsLenAtDash(); n >= 0 {
		s.files, s.command = args[:n], args[n:]
	}
}

// check wants one source at most.
func (s *toolSource) check() (n int, err error) {
	for _, is := range []bool{len(s.command) > 0, s.url != "", s.tools != "", len(s.files) > 0} {
		if is {
			n++
		}
	}
	if n > 1 {
		return n, usage("name one of a server's command after --, --url, --tools, and recorded logs")
	}
	return n, nil
}

// told is what a source tells.
type told struct {
	server  string // its name
	tools   []adapter.Tool
	answers map[string][]string
	live    *server // to be closed; nil if there is none
}

func (t *told) close() {
	if t.live != nil {
		_ = t.live.Close() // what it tells was told
	}
}

// tell asks the source.
func (s *toolSource) tell(ctx context.Context, a *app) (*told, error) {
	switch {
	case s.tools != "":
		return s.readTools(a)
	case len(s.files) > 0:
		return s.readLogs(ctx, a)
	}
	return s.ask(ctx)
}

func (s *toolSource) readTools(a *app) (*told, error) {
	var b []byte
	var err error
	if s.tools == "-" {
		b, err = io.ReadAll(a.in)
	} else {
		b, err = os.ReadFile(s.tools)
	}
	if err != nil {
		return nil, plainPath(err)
	}
	tools, err := adapter.ParseTools(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.tools, err)
	}
	base := filepath.Base(s.tools)
	return &told{server: strings.TrimSuffix(base, filepath.Ext(base)), tools: tools}, nil
}

// readLogs tells tools from calls. Of several servers the one with most calls is
// meant.
func (s *toolSource) readLogs(ctx context.Context, a *app) (*told, error) {
	seen := map[string]*adapter.Seen{}
	n := map[string]int{}
	err := a.each(ctx, &s.logs, s.files, func(c *calllog.Call, _ adapter.Set) error {
		if seen[c.Server] == nil {
			seen[c.Server] = &adapter.Seen{}
		}
		seen[c.Server].Add(c)
		n[c.Server]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(seen))
	if len(names) == 0 {
		return nil, errors.New("no call is in the logs")
	}
	most := slices.MaxFunc(names, func(x, y string) int { return n[x] - n[y] })
	if len(names) > 1 {
		fmt.Fprintf(a.err, "mcpg: of %d servers in the logs the one with most calls is meant, %q\n", len(names), most)
	}
	return &told{server: most, tools: seen[most].Tools, answers: seen[most].Answers}, nil
}

// writeOut writes a file, or stdout where none is named.
func (a *app) writeOut(name string, b []byte) error {
	fill := func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
	if name == "" || name == "-" {
		return fill(a.out)
	}
	return atomicfile.Write(name, fill)
}
