package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mcpg/internal/atomicfile"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/session"
	"mcpg/mcptree/value"
	"mcpg/mcptree/walk"
)

// store opens the sessions of a folder, "" for the default one.
func store(dir string) (*session.Store, error) {
	if dir == "" {
		var err error
		if dir, err = session.DefaultDir(); err != nil {
			return nil, err
		}
	}
	return session.New(dir, mcptree.FromValue, session.Options{}), nil
}

func (a *app) sessionsCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "sessions",
		Short: "Look at stored sessions, and tidy them up",
		Long: `Look at stored sessions, and tidy them up. Results of tools in a trace were reported by
the agent, not observed: a trace is testimony, through the channel that it names.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&dir, "sessions", "", "folder of the sessions (default ~/.mcptree/sessions)")
	with := func(f func(s *session.Store, args []string) error) func(*cobra.Command, []string) error {
		return func(_ *cobra.Command, args []string) error {
			s, err := store(dir)
			if err != nil {
				return err
			}
			return known(f(s, args))
		}
	}
	var out string
	export := &cobra.Command{Use: "export SESSION", Short: "Write a session with its tree and trace as JSON", Args: cobra.ExactArgs(1),
		RunE: with(func(s *session.Store, args []string) error {
			if out == "-" {
				return s.Export(args[0], a.out)
			}
			return atomicfile.Write(out, func(w io.Writer) error { return s.Export(args[0], w) })
		})}
	export.Flags().StringVarP(&out, "output", "o", "-", "the file; - is stdout")
	var age time.Duration
	var all bool
	prune := &cobra.Command{Use: "prune", Short: "Delete ended sessions", Args: cobra.NoArgs,
		RunE: with(func(s *session.Store, _ []string) error { return a.prune(s, age, all) })}
	prune.Flags().DurationVar(&age, "older", 30*24*time.Hour, "only those that have not changed for so long")
	prune.Flags().BoolVar(&all, "unfinished", false, "unfinished ones too")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List the sessions, those changed last first", Args: cobra.NoArgs,
			RunE: with(func(s *session.Store, _ []string) error { return a.listSessions(s) })},
		&cobra.Command{Use: "show SESSION", Short: "Print a session's trace", Args: cobra.ExactArgs(1),
			RunE: with(func(s *session.Store, args []string) error { return a.showSession(s, args[0]) })},
		export, prune)
	return c
}

// known makes an id that names nothing a mistake in the command line.
func known(err error) error {
	var u *session.UnknownError
	if errors.As(err, &u) {
		return &usageError{err}
	}
	return err
}

func (a *app) listSessions(s *session.Store) error {
	list, err := s.List()
	for _, i := range list {
		if i.Err != nil {
			fmt.Fprintf(a.out, "%s  %s\n", i.ID, printable(i.Err.Error()))
			a.code = codeFindings
			continue
		}
		where := "at " + i.Machine.Node(&i.State).ID
		if i.State.Done {
			where = "ended: " + i.State.Outcome
		}
		fmt.Fprintf(a.out, "%s  %s  step %d  %s  %s\n", i.ID, i.Changed.UTC().Format(time.DateTime), i.State.Step, printable(i.Tree().ID), printable(where))
	}
	return err
}

func (a *app) showSession(s *session.Store, id string) error {
	ses, trace, err := s.Trace(id)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s  %s  begun %s  tree_hash %s\n", ses.ID, printable(ses.Tree().ID), ses.Created, ses.Tree().Hash)
	for i := range trace {
		a.printEntry(&trace[i])
	}
	if ses.State.Done {
		fmt.Fprintf(a.out, "ended: %s\n", printable(ses.State.Outcome))
	} else {
		fmt.Fprintf(a.out, "waits at %s, step %d\n", printable(ses.Machine.Node(&ses.State).ID), ses.State.Step)
	}
	fmt.Fprintln(a.out, "results were reported, not observed: a trace is testimony")
	return nil
}

func (a *app) printEntry(e *engine.Entry) {
	fmt.Fprintf(a.out, "%4d  %s  %s", e.Seq, e.Timestamp, printable(e.Node))
	if e.Source != "" {
		text := string(value.AppendJSON(nil, e.Input))
		if r := []rune(text); len(r) > 120 {
			text = string(r[:119]) + "…"
		}
		fmt.Fprintf(a.out, "  %s (%s)", printable(text), e.Source)
	}
	if e.Rationale != nil {
		fmt.Fprintf(a.out, "  because %s", printable(*e.Rationale))
	}
	if e.Branch != nil {
		fmt.Fprintf(a.out, " -> %s", printable(*e.Branch))
	}
	fmt.Fprintln(a.out)
}

func (a *app) prune(s *session.Store, age time.Duration, all bool) error {
	list, err := s.List()
	if err != nil {
		return err
	}
	n := 0
	for _, i := range list {
		if i.Err != nil || time.Since(i.Changed) < age || !i.State.Done && !all {
			continue // a damaged file may still tell something: it stays
		}
		if _, _, err := s.Trace(i.ID); err != nil {
			fmt.Fprintf(a.err, "mcptree: %s stays: %s\n", i.ID, printable(err.Error()))
			a.code = codeFindings
			continue
		}
		if err := s.Delete(i.ID); err != nil {
			return err
		}
		n++
	}
	fmt.Fprintf(a.out, "%d sessions deleted\n", n)
	return nil
}

func (a *app) replayCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "replay SESSION",
		Short: "Check a stored trace against the tree that it is pinned to",
		Long: `Walk the pinned tree again with the inputs of a stored trace: the engine is deterministic,
so every entry must come out the same. Exits with 1 where they part.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := store(dir)
			if err != nil {
				return err
			}
			ses, trace, err := s.Trace(args[0])
			if err != nil {
				return known(err)
			}
			if err := walk.Replay(ses.Machine, trace, &ses.State); err != nil {
				fmt.Fprintf(a.out, "FAIL %s: %s\n", ses.ID, printable(err.Error()))
				a.code = codeFindings
				return nil
			}
			fmt.Fprintf(a.out, "OK   %s: %d entries come out the same\n", ses.ID, len(trace))
			return nil
		},
	}
	c.Flags().StringVar(&dir, "sessions", "", "folder of the sessions (default ~/.mcptree/sessions)")
	return c
}
