package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/ingest/table"
	"mcpg/internal/atomicfile"
	"mcpg/learn"
	"mcpg/learn/batch"
	"mcpg/report"
)

func (a *app) learnCommand() *cobra.Command {
	var s source
	var out, update, format string
	c := &cobra.Command{
		Use:   "learn CALLS…",
		Short: "Learn when each tool works",
		Long: `Learn when each tool works, from tables (mcpg ingest) or logs: what successes had, what
refused calls had and successes never, the smallest conditions that agree with both, and
the calls that contradict each other. The same calls give the same model.json, byte for
byte, in any order. A table knows the adapters that it was read with.

--update adds calls to a model that is there: it becomes the model of all calls together. It
doesn't know calls again: those that it has learnt already would count twice.`,
		Example: "  mcpg learn calls.parquet -o model.json\n  mcpg learn --update model.json today.parquet\n  mcpg learn --format json calls.parquet | jq .tools",
		Args:    inputs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			var known *learn.Evidence
			if update != "" {
				if out != "" {
					return usage("--update writes the model that it reads: leave -o out")
				}
				old, err := readModel(update)
				if err != nil {
					return err
				}
				if old == nil {
					return usage("--update %s: not a model.json, which mcpg learn -o writes", update)
				}
				known, out = learn.FromGraph(old), update
			}
			g, err := a.learn(c.Context(), &s, args, known)
			if err != nil {
				return err
			}
			if out == "-" {
				return g.Write(a.out)
			}
			if out != "" {
				if err := atomicfile.Write(out, g.Write); err != nil {
					return plainPath(err)
				}
			}
			if format == "json" {
				return g.Write(a.out)
			}
			if err := report.Guards(a.out, g); err != nil {
				return err
			}
			return a.explainSilence(g)
		},
	}
	s.flags(c)
	c.Flags().StringVarP(&out, "output", "o", "", "write model.json here too; - is stdout, and nothing else")
	c.Flags().StringVar(&update, "update", "", "add the calls to this model.json")
	c.Flags().StringVar(&format, "format", "table", "what stdout gets: table or json")
	return c
}

// learn reads calls into a model, with what is known already if anything is.
func (a *app) learn(ctx context.Context, s *source, names []string, known *learn.Evidence) (*behavior.Graph, error) {
	more := func() {}
	if os.Getenv("GOGC") == "" {
		// Batches are most of what is thrown away: less often is faster, for some memory.
		was := debug.SetGCPercent(200)
		more = func() { debug.SetGCPercent(was) }
	}
	l := batch.New()
	whole, err := a.learnTables(ctx, s, names, l)
	if !whole && err == nil {
		err = a.each(ctx, s, names, func(c *calllog.Call, set adapter.Set) error {
			l.Add(c, set)
			return nil
		})
	}
	e, lost := l.Evidence()
	more()
	err = cmp.Or(err, lost, ctx.Err())
	if err != nil {
		return nil, err
	}
	if known != nil {
		e.Merge(known)
	}
	return e.Induce(), ctx.Err()
}

// learnTables learns from tables by their columns, if they are all there is to read,
// and nothing in them is to be judged anew: no call of them can be a copy of another.
func (a *app) learnTables(ctx context.Context, s *source, names []string, l *batch.Learner) (bool, error) {
	if apart, err := a.areTables(s, names); !apart || err != nil {
		return false, err
	}
	return true, ingest.Tables(names, func(name string, t *table.Reader) error {
		set, err := adaptersOf(t)
		if err != nil {
			return err
		}
		if err := l.AddTable(ctx, t, set); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// areTables tells whether learnTables would learn all of it.
func (a *app) areTables(s *source, names []string) (bool, error) {
	if len(s.adapters) > 0 || s.from != "" {
		return false, nil
	}
	for _, name := range names {
		if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() || name == "-" {
			return false, nil // a pipe is read once
		}
	}
	return ingest.Apart(names)
}

// explainSilence says why there are no guards where no state was known.
func (a *app) explainSilence(g *behavior.Graph) error {
	for _, t := range g.Tools {
		for _, c := range t.Cells {
			if len(c.State.Features) > 0 {
				return nil
			}
		}
	}
	_, err := fmt.Fprintln(a.err, "mcpg: no state is known before any call, so nothing can be said of when tools work: "+
		"ingest the log with --adapter (see docs/adapters.md)")
	return err
}

// openModel reads a model.json, or learns from calls.
func (a *app) openModel(ctx context.Context, s *source, names []string) (*behavior.Graph, error) {
	if len(names) == 1 && names[0] != "-" {
		if g, err := readModel(names[0]); err != nil || g != nil {
			return g, err
		}
	}
	return a.learn(ctx, s, names, nil)
}
