package report

import (
	"fmt"
	"io"
	"strings"

	"mcpg/analyze"
)

// OffersTable writes what can be done with a resource.
func OffersTable(w io.Writer, o *analyze.Offered) error {
	p := &printer{w: w}
	p.printf("%s %s, as of %s", Clean(o.Resource), clip(Clean(o.State), 500), Clean(o.At))
	if o.Since > 0 {
		p.printf("; %s that worked since may have changed it", calls(o.Since))
	}
	p.printf("\n")
	if len(o.Tools) == 0 {
		p.printf("no tool was seen with such a resource\n")
	}
	for _, t := range o.Tools {
		p.printf("  %-13s %s", t.Outcome, Clean(t.Tool))
		if t.NeedsApproval {
			p.printf(" (needs approval)")
		}
		if len(t.Effects) > 0 {
			p.printf(" -> %s", clip(Clean(strings.Join(t.Effects, ", ")), 200))
		}
		if t.Reason != "" {
			p.printf(": it %s", clip(Clean(t.Reason), 300))
		}
		p.printf("; %s\n", seenHere(t.Worked, t.Refused)+", offer "+t.ID)
	}
	return p.route(o)
}

func seenHere(worked, refused int) string {
	if worked+refused == 0 {
		return "not seen in this state"
	}
	return fmt.Sprintf("%d worked and %d refused in this state", worked, refused)
}

func (p *printer) route(o *analyze.Offered) error {
	switch {
	case o.Goal == "":
	case o.NoRoute:
		p.printf("no calls were seen that lead from here to %s\n", Clean(o.Goal))
	case len(o.Route) == 0:
		p.printf("%s is so already\n", Clean(o.Goal))
	default:
		p.printf("to %s, as was seen", Clean(o.Goal))
		if o.Roughly {
			p.printf(" (numbers left out of account)")
		}
		p.printf(":\n")
		for i, s := range o.Route {
			p.printf("  %d. %s", i+1, Clean(s.Tool))
			if s.NeedsApproval {
				p.printf(" (needs approval)")
			}
			p.printf(" -> %s (%s)\n", clip(Clean(s.State), 300), calls(s.Calls))
		}
	}
	return p.err
}
