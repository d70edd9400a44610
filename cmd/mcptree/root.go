package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/internal/buildinfo"
	"mcpg/internal/cli"
)

// Exit codes. A tree that the protocol rejects is a finding, and so, as in the
// reference, is a folder without trees.
const (
	codeOK       = 0
	codeFindings = 1
	codeUsage    = 2
	codeFailed   = 3
)

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is one invocation: its streams, and the code that it will exit with if
// nothing fails.
type app struct {
	streams
	code int
}

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, a ...any) error { return &usageError{fmt.Errorf(format, a...)} }

func run(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s}
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.code
	}
	fmt.Fprintln(s.err, "mcptree:", strings.ReplaceAll(err.Error(), "\n", "; "))
	var u *usageError
	if errors.As(err, &u) {
		return codeUsage
	}
	return codeFailed
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "mcptree",
		Version: buildinfo.Text("mcptree"),
		Short:   "Decision trees for agents: lint, draw, serve and walk them",
		Example: `  mcptree validate trees/
  mcptree viz trees/incident.yaml
  mcptree serve trees/`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w%s; see %s --help", err, cli.MeantFlag(c, err), c.CommandPath())
	})
	root.AddCommand(a.validateCommand(), a.vizCommand(), a.serveCommand(), a.testCommand(), a.runCommand(), a.sessionsCommand(), a.replayCommand())
	strict(root)
	return root
}

// strict makes mistakes in arguments usage errors.
func strict(c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	check := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(c, args); err != nil {
			if len(args) > 0 && c.HasSubCommands() {
				if s := c.SuggestionsFor(args[0]); len(s) > 0 {
					return usage("%w; did you mean %s?", err, strings.Join(s, " or "))
				}
			}
			return usage("%w; see %s --help", err, c.CommandPath())
		}
		return nil
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
}
