package main

import (
	"errors"

	"github.com/spf13/cobra"

	"mcpg/report/draw"
)

// graphCut is how much of a graph is drawn.
type graphCut struct {
	focus    string
	support  int
	depth    int
	collapse bool
}

func (g *graphCut) flags(c *cobra.Command) {
	c.Flags().StringVar(&g.focus, "focus", "", "only what touches a tool (its name, or server/tool) or a state (field=value[,field=value])")
	c.Flags().IntVar(&g.depth, "depth", 1, "steps from the --focus")
	c.Flags().IntVar(&g.support, "min-support", 0, "leave out edges, a tool in a state, of fewer calls")
	c.Flags().BoolVar(&g.collapse, "collapse", false, "one node for states that behave alike")
}

func (g *graphCut) check(depth bool) error {
	switch {
	case g.support < 0:
		return usage("--min-support %d: want a number of calls", g.support)
	case depth && g.focus == "":
		return usage("--depth %d: steps from what? --focus is missing", g.depth)
	case g.depth < 1:
		return usage("--depth %d: want 1 or more", g.depth)
	}
	return nil
}

// apply cuts: alike states on all that is known of them, then what is thin, then
// what is far.
func (g *graphCut) apply(p draw.Graph) (draw.Graph, error) {
	if g.collapse {
		p = draw.Collapse(p)
	}
	if g.support > 0 {
		p = draw.Support(p, g.support)
	}
	if g.focus == "" {
		return p, nil
	}
	p, err := draw.Focus(p, g.focus, g.depth)
	var unknown *draw.UnknownFocus
	if errors.As(err, &unknown) {
		return p, usage("--focus: %w", err)
	}
	return p, err
}
