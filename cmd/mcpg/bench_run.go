package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/bench"
	"mcpg/bench/llm"
	"mcpg/internal/atomicfile"
	"mcpg/policy"
	"mcpg/report"
)

// benchFlags are the flags of bench run.
type benchFlags struct {
	suite, learner, evidence, json string
	calls, tasks, junit, md        string
	agents, arms                   []string
	seed                           uint64
	orders                         int
	known, model, baseURL          string
	server, reset                  string
	adapters                       []string
	classes, full                  bool
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
	fl.StringVar(&f.suite, "suite", "stateful-v1", "the suite: a name, or the folder of one of your own")
	fl.StringSliceVar(&f.agents, "agent", nil, "agents, by commas, or all; see mcpg bench list (default: naive-retrier, error-reader, hint-follower)")
	fl.StringSliceVar(&f.arms, "arm", nil, "arms, by commas, or all; see mcpg bench list (default: "+strings.Join(bench.Arms(), ", ")+")")
	fl.StringVar(&f.learner, "learner", bench.Cold, "cold learns as it goes, warm has learnt from the training templates and plays the others, warm-external knows --known, off never learns")
	fl.StringVar(&f.known, "known", "", "a model.json from elsewhere, which the learner knows: it is warm-external then")
	fl.StringVar(&f.server, "server", "", "a server of your own, \"CMD ARG…\", for the tasks of your suite whose server is own: started over stdio for each task")
	fl.StringVar(&f.reset, "reset", "", "a command that brings its state back, run before each start; tasks are then played one at a time")
	fl.StringArrayVar(&f.adapters, "adapter", nil, "adapter of that server, by name or file; may be given several times")
	fl.StringVar(&f.baseURL, "base-url", "", "of the agent llm: an OpenAI-compatible endpoint, without /chat/completions; its key is taken from OPENAI_API_KEY")
	fl.StringVar(&f.model, "model", "", "of the agent llm: the language model's name")
	fl.IntVar(&f.orders, "orders", 1, "in how many orders the tasks are played; counts are of all of them")
	fl.BoolVar(&f.full, "full", false, fmt.Sprintf("the full protocol: all agents, all arms, %d orders", bench.FullOrders))
	fl.StringVar(&f.evidence, "evidence", string(policy.Twice), "what a refusal rests on: twice (two distinct failures) or first")
	fl.Uint64Var(&f.seed, "seed", 1, "order of the tasks, chance, and agents' decisions")
	fl.StringVar(&f.json, "json", "", "write the result here")
	fl.StringVar(&f.calls, "calls", "", "write the calls of all agents and arms that reached a server here, as a table to learn from")
	fl.StringVar(&f.tasks, "tasks", "", "write a row a task, agent and arm here, as Parquet")
	fl.StringVar(&f.junit, "junit", "", "write a JUnit test case a class, arm and agent here")
	fl.StringVar(&f.md, "md", "", "write a Markdown summary here; in a GitHub workflow it goes to the step's summary too")
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
	s, err := bench.OpenSuite(f.suite)
	if err != nil {
		return err
	}
	defer s.Close()
	if f.full {
		for name, into := range map[string]*[]string{"agent": &f.agents, "arm": &f.arms} {
			if !cmd.Flags().Changed(name) {
				*into = []string{"all"}
			}
		}
		if !cmd.Flags().Changed("orders") {
			f.orders = bench.FullOrders
		}
	}
	if f.orders < 1 {
		return usage("--orders %d: want at least 1", f.orders)
	}
	if slices.Equal(f.agents, []string{"all"}) {
		f.agents = bench.EveryAgent()
	}
	if slices.Equal(f.arms, []string{"all"}) {
		f.arms = bench.EveryArm()
	}
	for name, list := range map[string]*[]string{"agent": &f.agents, "arm": &f.arms} {
		if cmd.Flags().Changed(name) && len(*list) == 0 {
			return usage("--%s names nothing", name)
		}
		*list = distinct(*list)
	}
	opts := bench.Options{Agents: f.agents, Arms: f.arms, Learner: f.learner, Evidence: evidence, Seed: f.seed, Orders: f.orders}
	if f.server != "" {
		command, reset := strings.Fields(f.server), strings.Fields(f.reset)
		opts.Serial = len(reset) > 0
		opts.Own = func(ctx context.Context, t *bench.Task) (bench.Closer, error) {
			return startOwn(ctx, command, reset, io.Discard, t)
		}
	} else if f.reset != "" {
		return usage("--reset is of a --server")
	}
	if opts.Adapters, err = adapter.LoadSet(f.adapters); err != nil {
		return err
	}
	if f.known != "" {
		if cmd.Flags().Changed("learner") && f.learner != bench.WarmExternal {
			return usage("--known is what the learner warm-external knows, and --learner says %s", f.learner)
		}
		opts.Learner = bench.WarmExternal
		if opts.Model, err = readModel(f.known); err != nil {
			return err
		}
		if opts.Model == nil {
			return usage("--known %s: not a model.json, which mcpg learn -o writes", f.known)
		}
	}
	if slices.Contains(f.agents, llm.Name) || f.baseURL != "" || f.model != "" {
		if !slices.Contains(f.agents, llm.Name) || f.baseURL == "" || f.model == "" {
			return usage("--agent llm, --base-url and --model go together")
		}
		opts.LLM = &llm.Config{BaseURL: f.baseURL, Model: f.model, Key: os.Getenv("OPENAI_API_KEY")}
	}
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
	if f.junit != "" && f.junit == f.md {
		return usage("--junit and --md name one file")
	}
	if f.tasks != "" && !strings.HasSuffix(f.tasks, ".parquet") {
		return usage("--tasks %s: want a name that ends in .parquet", f.tasks)
	}
	r, err := bench.Run(cmd.Context(), s, opts)
	p.end()
	if err != nil {
		return err
	}
	defer r.Close()
	if f.calls != "" {
		if err := rec.write(f.calls); err != nil {
			return plainPath(err)
		}
	}
	if f.tasks != "" {
		if err := atomicfile.Write(f.tasks, r.WriteTasks); err != nil {
			return plainPath(err)
		}
	}
	for name, write := range map[string]func(io.Writer) error{
		f.junit: func(w io.Writer) error { return report.BenchJUnit(w, r) },
		f.md:    func(w io.Writer) error { return report.BenchMarkdown(w, r) },
	} {
		if name == "" {
			continue
		}
		if err := atomicfile.Write(name, write); err != nil {
			return plainPath(err)
		}
	}
	if err := stepSummary(func(w io.Writer) error { return report.BenchMarkdown(w, r) }); err != nil {
		return err
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
