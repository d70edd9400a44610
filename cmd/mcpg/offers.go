package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn/batch"
	"mcpg/report"
)

func (a *app) offersCommand() *cobra.Command {
	var s source
	var l live
	var resource, model, goal, format string
	c := &cobra.Command{
		Use:   "offers CALLS…|--db FILE --resource R",
		Short: "Say what works on a resource as it was left",
		Long: `Say what works on a resource as the calls left it: which tools work in its state, which
fail and why, which were never tried there, and which need a person's approval. With
--goal also the fewest calls that were seen to lead to a state with that value.`,
		Example: `  mcpg offers calls.parquet --resource order:W1234567
  mcpg offers monday.parquet --resource ticket:17 --goal status=closed --model model.json
  mcpg offers --db mcpg.sqlite --server release --resource release:demo-0-5`,
		Args: l.inputs(inputs),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			if resource == "" {
				return usage("--resource is missing: class:id, or the id alone")
			}
			var want analyze.Goal
			if goal != "" {
				var err error
				if want, err = analyze.ParseGoal(goal); err != nil {
					return usage("--goal: %w", err)
				}
			}
			if l.db != "" {
				if model != "" {
					return usage("--model %s and --db %s: a model or the calls of a store, not both", model, l.db)
				}
				var err error
				if args, err = l.choose(c.Context(), &s); err != nil {
					return err
				}
			}
			h, err := a.history(c.Context(), &s, args, model)
			if err != nil {
				return err
			}
			r, err := h.resources.Find(resource)
			if err != nil {
				return err
			}
			if !r.Known {
				return errors.New("the state of " + r.Name + " was never observed: see docs/adapters.md for what an adapter can read of a log")
			}
			fingerprint := func(tool string) string { return h.resources.Fingerprint(r.Server, tool) }
			o := analyze.Offers(h.model, r, fingerprint, h.adapters.For(r.Server))
			if goal != "" {
				o.RouteTo(want, h.model, r, fingerprint, h.adapters.For(r.Server))
			}
			if format == "json" {
				return a.json(o)
			}
			return report.OffersTable(a.out, o)
		},
	}
	s.flags(c)
	l.flags(c)
	c.Flags().StringVar(&resource, "resource", "", "the resource: class:id, or the id alone")
	c.Flags().StringVar(&model, "model", "", "judge by this model.json instead of by the calls")
	c.Flags().StringVar(&goal, "goal", "", "FIELD=VALUE that is wanted")
	c.Flags().StringVar(&format, "format", "table", "table or json")
	return c
}

// history is what calls taught, and how they left what they were about.
type history struct {
	model     *behavior.Graph
	resources analyze.Resources
	adapters  adapter.Set
}

// history reads calls; the model is theirs, or the one of a file.
func (a *app) history(ctx context.Context, s *source, names []string, model string) (*history, error) {
	h := &history{}
	if model != "" {
		var err error
		if h.model, err = readModel(model); err != nil {
			return nil, err
		}
		if h.model == nil {
			return nil, usage("--model %s: not a model.json, which mcpg learn -o writes", model)
		}
	}
	l := batch.New()
	err := a.each(ctx, s, names, func(c *calllog.Call, set adapter.Set) error {
		h.adapters = set
		h.resources.Add(c, set.View(c))
		if h.model == nil {
			l.Add(c, set)
		}
		return nil
	})
	e, lost := l.Evidence()
	err = cmp.Or(err, lost, ctx.Err())
	if err != nil {
		return nil, err
	}
	if h.model == nil {
		h.model = e.Induce()
	}
	return h, nil
}
