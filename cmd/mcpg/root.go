package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcpg/bench"
	"mcpg/ingest/format"
	"mcpg/internal/buildinfo"
	"mcpg/internal/cli"
	"mcpg/internal/letters"
	"mcpg/suites"
)

// Exit codes.
const (
	codeOK       = 0
	codeFindings = 1 // findings, or a threshold that was not met
	codeUsage    = 2
	codeFailed   = 3 // could not run, or a result that can't be trusted
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

// latch remembers the first error of an output, so that a full disk isn't
// mistaken for success.
type latch struct {
	w   io.Writer
	err error
}

func (l *latch) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	if err != nil && l.err == nil {
		l.err = err
	}
	return n, err
}

// Width is how many columns the output has; 0 if it is no terminal.
func (l *latch) Width() int {
	f, ok := l.w.(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// Color tells whether the output shows colours: a terminal that nobody asked to do without
// (https://no-color.org).
func (l *latch) Color() bool {
	f, ok := l.w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func run(ctx context.Context, args []string, s streams) int {
	out := &latch{w: s.out}
	s.out = out
	a := &app{streams: s}
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("stdout: %w", plainPath(out.err))
	}
	switch {
	case err == nil:
		return a.code
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(s.err, "mcpg: interrupted; no file was written")
		return codeFailed
	}
	if saw := new(format.DetectError); errors.As(err, &saw) {
		fmt.Fprintf(s.err, "mcpg: %s: no known log format; name one with --from. What each detector saw:\n  %s\n", saw.File, strings.Join(saw.Why, "\n  "))
		return codeFailed
	}
	fmt.Fprintln(s.err, "mcpg:", strings.ReplaceAll(err.Error(), "\n", "; "))
	if isUsage(err) {
		return codeUsage
	}
	return codeFailed
}

// isUsage tells mistakes in the command line from failures of the work.
func isUsage(err error) bool {
	var u *usageError
	var option *bench.ErrOption
	var suite *suites.ErrUnknown
	return errors.As(err, &u) || errors.As(err, &option) || errors.As(err, &suite) || errors.Is(err, format.ErrUnknown)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "mcpg",
		Version: buildinfo.Text("mcpg"),
		Short:   "When do MCP tools work? Learn it from recorded calls, and measure what it is worth",
		Example: `  I have logs
    mcpg ingest ~/.claude/projects -o calls.parquet       one table of all calls
    mcpg stats calls.parquet --by server,tool,cause       which were wasted, and why
    mcpg learn calls.parquet -o model.json                when each tool works
    mcpg report calls.parquet -o report.html              all of it to look at
  I run CI
    mcpg bench run --suite stateful-v1 --json new.json    play the benchmark
    mcpg bench gate new.json --baseline old.json --max-increase invalid_reached=10%
    mcpg check calls.parquet --max invalid_call_rate=5%   hold recorded calls against a limit
  I want it live
    mcpg demo                                             see it first
    mcpg wrap --adapter filesystem -- npx -y @modelcontextprotocol/server-filesystem DIR`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w%s; see %s --help", err, cli.MeantFlag(c, err), c.CommandPath())
	})
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"logs", "From recorded calls:", []*cobra.Command{a.ingestCommand(), a.statsCommand(), a.learnCommand(), a.explainCommand(), a.offersCommand(), a.replayCommand(), a.graphCommand(), a.reportCommand(), a.viewCommand()}},
		{"ci", "Measured, and held against limits:", []*cobra.Command{a.benchCommand(), a.checkCommand(), a.exploreCommand()}},
		{"live", "Before a server:", []*cobra.Command{a.wrapCommand(), a.demoCommand(), a.adapterCommand(), a.simCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.watchCommand())
	strict(root)
	return root
}

// strict makes mistakes in arguments usage errors, and a group of commands
// refuse a command that it doesn't have.
func strict(c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	check := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(c, args); err != nil {
			if s := c.SuggestionsFor(first(args)); c.HasSubCommands() && len(s) > 0 {
				return usage("%w; did you mean %s?", err, strings.Join(s, " or "))
			}
			return usage("%w; see %s --help", err, c.CommandPath())
		}
		return nil
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// inputs wants at least one file.
func inputs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no input: name files, or - for stdin")
	}
	return nil
}

func oneOf(what, got string, want ...string) error {
	for _, w := range want {
		if w == got {
			return nil
		}
	}
	return usage("unknown %s %q: want one of %s%s", what, got, strings.Join(want, ", "), letters.DidYouMean(got, want))
}
