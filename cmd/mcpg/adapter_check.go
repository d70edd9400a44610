package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/report"
)

func (a *app) adapterCheckCommand() *cobra.Command {
	var s toolSource
	c := &cobra.Command{
		Use:   "check ADAPTER [LOG…] [flags] [-- CMD ARG…]",
		Short: "Hold an adapter against its server's tools",
		Long: `Load an adapter, a file or a shipped one by name, and hold it against its server's tools:
that its reads are there, only read, and take the id; that the tools and arguments that it
names exist; and that what changes something names a thing. Findings are printed with their
lines, and the exit code is then 1; it is 3 if the server can't be asked. Remarks that may
well be right go to stderr.`,
		Example: `  mcpg adapter check files.json -- npx -y @modelcontextprotocol/server-filesystem /tmp/x
  mcpg adapter check filesystem --tools list.json`,
		Args: func(c *cobra.Command, args []string) error {
			s.given(c, args)
			if len(s.files) == 0 {
				return usage("name an adapter: a file, or one of the shipped ones")
			}
			s.files = s.files[1:]
			_, err := s.check()
			return err
		},
		RunE: func(c *cobra.Command, args []string) error { return a.adapterCheck(c.Context(), &s, args[0]) },
	}
	s.flags(c)
	return c
}

func (a *app) adapterCheck(ctx context.Context, s *toolSource, name string) error {
	ad, err := adapter.Load(name)
	var file syscall.Errno
	switch {
	case errors.Is(err, adapter.ErrUnknown):
		return &usageError{err}
	case errors.As(err, &file):
		return err
	case err != nil:
		fmt.Fprintf(a.out, "%s [load]\n", report.Clean(err.Error()))
		a.code = codeFindings
		return nil
	}
	if n, _ := s.check(); n == 0 {
		fmt.Fprintf(a.err, "mcpg: %s loads; name its server, --tools or logs to hold it against them\n", name)
		return nil
	}
	t, err := s.tell(ctx, a)
	if err != nil {
		return err
	}
	defer t.close()
	found := ad.CheckTools(name, t.tools)
	wrong := 0
	for _, f := range found {
		if f.Note {
			fmt.Fprintf(a.err, "mcpg: %s\n", report.Clean(f.String()))
			continue
		}
		wrong++
		fmt.Fprintln(a.out, report.Clean(f.String()))
	}
	if wrong > 0 {
		a.code = codeFindings
		return nil
	}
	fmt.Fprintf(a.err, "mcpg: %s fits the %s of %s\n", name, countOf(len(t.tools), "tool"), t.server)
	return nil
}
