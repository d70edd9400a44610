package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/internal/letters"
	"mcpg/report"
)

// offerID is what an offer's id looks like.
var offerID = regexp.MustCompile(`^[0-9a-f]{12}$`)

func (a *app) explainCommand() *cobra.Command {
	var s source
	var l live
	var resource, model, format string
	c := &cobra.Command{
		Use:   "explain OFFER|TOOL CALLS…|--db FILE",
		Short: "Show the calls that a guard or an offer rests on",
		Long: `Show what a tool's guard rests on: calls that worked and calls that were refused, each with
its place in the log, what the calls don't tell yet, and what to read or try to find out.
Of an offer (an id that mcpg offers printed), or of a TOOL with --resource, it also says what
holds for the resource's state, and which success is most like it.`,
		Example: `  mcpg explain cancel_order calls.parquet
  mcpg explain 3f0c5a9be412 calls.parquet
  mcpg explain shop/cancel_order calls.parquet --resource order:W1234567
  mcpg explain publish_release --db mcpg.sqlite --server release`,
		Args: l.inputs(cobra.MinimumNArgs(2), "OFFER or TOOL"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("format", format, "table", "json"); err != nil {
				return err
			}
			what, calls := args[0], args[1:]
			if l.db != "" {
				if model != "" {
					return usage("--model %s and --db %s: a model or the calls of a store, not both", model, l.db)
				}
				var err error
				if calls, err = l.choose(c.Context(), &s); err != nil {
					return err
				}
			}
			h, err := a.history(c.Context(), &s, calls, model)
			if err != nil {
				return err
			}
			e, err := h.explain(what, resource)
			if err != nil {
				return err
			}
			if format == "json" {
				return a.json(e)
			}
			return report.Explain(a.out, e)
		},
	}
	s.flags(c)
	l.flags(c)
	c.Flags().StringVar(&resource, "resource", "", "the resource that is asked about: class:id, or the id alone")
	c.Flags().StringVar(&model, "model", "", "explain this model.json instead of what the calls teach; it knows calls by their ids alone")
	c.Flags().StringVar(&format, "format", "table", "table or json")
	return c
}

func (h *history) explain(what, resource string) (*analyze.Explanation, error) {
	var r *analyze.Resource
	if resource != "" {
		var err error
		if r, err = h.resources.Find(resource); err != nil {
			return nil, err
		}
	}
	tools := h.named(what)
	if len(tools) == 0 && offerID.MatchString(what) {
		t, of := h.resources.Offer(h.model, what)
		if t == nil {
			return nil, fmt.Errorf("no offer %s: an id holds for one model and one state of a resource; mcpg offers prints those of now", what)
		}
		tools, r = []*behavior.Tool{t}, of
	}
	switch {
	case len(tools) == 0:
		names, some := h.toolNames()
		return nil, fmt.Errorf("no tool %q; there are %s%s", what, some, letters.DidYouMean(what, names))
	case len(tools) > 1 && slices.ContainsFunc(tools, func(t *behavior.Tool) bool { return t.Server != tools[0].Server }):
		return nil, fmt.Errorf("tool %q is on several servers: name it SERVER/TOOL", what)
	}
	t := tools[len(tools)-1]
	for _, u := range tools {
		if h.resources.Fingerprint(u.Server, u.Name) == u.Fingerprint {
			t = u
		}
	}
	if r == nil {
		return analyze.Explain(h.model, t, "", nil), nil
	}
	if !r.Known {
		return nil, fmt.Errorf("the state of %s was never observed", r.Name)
	}
	return analyze.Explain(h.model, t, r.Class, &r.State), nil
}

func (h *history) named(what string) []*behavior.Tool {
	var out []*behavior.Tool
	for _, t := range h.model.Tools {
		if t.Name == what || t.Server+"/"+t.Name == what {
			out = append(out, t)
		}
	}
	return out
}

func (h *history) toolNames() (out []string, some string) {
	const most = 20
	for _, t := range h.model.Tools {
		if !slices.Contains(out, t.Name) {
			out = append(out, t.Name)
		}
	}
	shown := slices.Clone(out)
	if len(shown) > most {
		shown = append(shown[:most], "…")
	}
	return out, strings.Join(shown, ", ")
}
