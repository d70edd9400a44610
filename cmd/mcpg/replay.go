package main

import (
	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/report"
)

func (a *app) replayCommand() *cobra.Command {
	var s source
	var format, model, mode, evidence string
	var probes bool
	c := &cobra.Command{
		Use:   "replay CALLS…",
		Short: "Say what a policy would have made of recorded calls",
		Long: `Say what a policy would have made of recorded calls: how many of those that were refused
it would have blocked or warned of, and how many of those that worked.

With --model the model stays as it is. Without, the calls are judged in their order by
what the earlier ones taught; of a call that is blocked nothing is learnt, as nobody would
have seen its outcome.`,
		Example: `  mcpg replay calls.parquet --policy block
  mcpg learn monday.parquet -o model.json && mcpg replay tuesday.parquet --model model.json`,
		Args: inputs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			opts := policy.Options{}
			var err error
			if opts.Mode, err = policy.ParseMode(mode); err != nil {
				return usage("--policy: %w", err)
			}
			if opts.Evidence, err = policy.ParseEvidence(evidence); err != nil {
				return usage("--evidence: %w", err)
			}
			var g *behavior.Graph
			if model != "" {
				if g, err = readModel(model); err != nil {
					return err
				}
				if g == nil {
					return usage("--model %s: not a model.json, which mcpg learn -o writes", model)
				}
			}
			r := analyze.NewReplayer(policy.NewReplay(g, opts, probes))
			err = a.each(c.Context(), &s, args, func(call *calllog.Call, set adapter.Set) error {
				r.Add(call, set.View(call))
				return nil
			})
			if err != nil {
				return err
			}
			if format == "json" {
				return a.json(r.Result())
			}
			return report.ReplayTable(a.out, r.Result())
		},
	}
	s.flags(c)
	c.Flags().StringVar(&format, "format", "table", "table or json")
	c.Flags().StringVar(&model, "model", "", "judge by this model.json, which stays as it is")
	c.Flags().StringVar(&mode, "policy", "block", "observe, warn or block")
	c.Flags().StringVar(&evidence, "evidence", "twice", "what a block must rest on: twice (two distinct failing calls) or first")
	c.Flags().BoolVar(&probes, "probes", false, "let refused calls through now and then, as a session does")
	return c
}
