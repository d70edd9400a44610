package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mcpg/bench"
	"mcpg/internal/atomicfile"
	"mcpg/policy"
	"mcpg/report"
)

// benchFlags are the flags of bench run.
type benchFlags struct {
	suite, learner, evidence, json string
	calls                          string
	agents, arms                   []string
	seed                           uint64
	classes                        bool
}

func (a *app) benchRun() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "run",
		Short: "Play a suite with scripted agents under policies",
		Long: `Play a suite with scripted agents under policies. Every attempted call is labelled by
the simulator's own check. Exits with 3 if the result can't be trusted: a policy that
decided nothing, an oracle that fails, observing that changed what an agent saw.`,
		Example: "  mcpg bench run --suite stateful-v1\n  mcpg bench run --suite stateful-v1 --agent error-reader --arm none,block --json bench.json",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.runBench(c, &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.suite, "suite", "stateful-v1", "the suite")
	fl.StringSliceVar(&f.agents, "agent", nil, "agents, by commas (default: all that aren't for calibration)")
	fl.StringSliceVar(&f.arms, "arm", nil, "arms, by commas: none, observe, warn, block (default: all)")
	fl.StringVar(&f.learner, "learner", bench.Cold, "cold learns as it goes, off never learns")
	fl.StringVar(&f.evidence, "evidence", string(policy.Twice), "what a refusal rests on: twice (two distinct failures) or first")
	fl.Uint64Var(&f.seed, "seed", 1, "order of the tasks, chance, and agents' decisions")
	fl.StringVar(&f.json, "json", "", "write the result here")
	fl.StringVar(&f.calls, "calls", "", "write the calls of all agents and arms that reached a server here, as a table to learn from")
	fl.BoolVar(&f.classes, "classes", false, "print each class too")
	return c
}

// distinct keeps the first of equal names; nil stays nil.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func (a *app) runBench(cmd *cobra.Command, f *benchFlags) error {
	evidence, err := policy.ParseEvidence(f.evidence)
	if err != nil {
		return &usageError{err}
	}
	s, err := bench.LoadSuite(f.suite)
	if err != nil {
		return err
	}
	for name, list := range map[string]*[]string{"agent": &f.agents, "arm": &f.arms} {
		if cmd.Flags().Changed(name) && len(*list) == 0 {
			return usage("--%s names nothing", name)
		}
		*list = distinct(*list)
	}
	opts := bench.Options{Agents: f.agents, Arms: f.arms, Learner: f.learner, Evidence: evidence, Seed: f.seed}
	total, err := opts.Episodes(s)
	if err != nil {
		return err
	}
	p := a.progress("playing", int64(total), false)
	opts.Progress = func() { p.add(1) }
	rec := &recorder{}
	if f.calls != "" {
		if err := checkOutput(f.calls); err != nil {
			return err
		}
		opts.Calls = rec.add
	}
	r, err := bench.Run(cmd.Context(), s, opts)
	p.end()
	if err != nil {
		return err
	}
	if f.calls != "" {
		if err := rec.write(f.calls); err != nil {
			return plainPath(err)
		}
	}
	if f.json != "" {
		if err := a.writeResult(f.json, r); err != nil {
			return err
		}
	}
	if f.json != "-" {
		if err := report.BenchTable(a.out, r, f.classes); err != nil {
			return err
		}
	}
	if r.Verdict != bench.Trustworthy {
		fmt.Fprintln(a.err, "mcpg: the result can't be trusted; the reasons stand below the table")
		a.code = codeFailed
	}
	return nil
}

func (a *app) writeResult(name string, r *bench.Result) error {
	if name == "-" {
		return r.Write(a.out)
	}
	return plainPath(atomicfile.Write(name, func(w io.Writer) error { return r.Write(w) }))
}
