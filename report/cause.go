package report

import (
	"fmt"
	"time"

	"mcpg/behavior"
)

// drifts writes which tools changed.
func (p *printer) drifts(ds []behavior.Drift) {
	if len(ds) == 0 {
		return
	}
	p.printf("\nChanges of the server, %d in all\n", len(ds))
	for i, d := range ds {
		if i == maxShown {
			p.printf("  … and %d more; model.json has them all\n", len(ds)-i)
			return
		}
		what := "other outcomes of calls that are alike"
		if d.Before != "" {
			what = fmt.Sprintf("fingerprint %s became %s", Clean(d.Before), Clean(d.Fingerprint))
		}
		p.printf("  %s: %s%s; %s to test anew\n", name(d.Server, d.Tool), what, between(d.From, d.To), states(len(d.Retest)))
	}
}

func states(n int) string {
	if n == 1 {
		return "1 state"
	}
	return fmt.Sprintf("%d states", n)
}

func between(from, to int64) string {
	if to == 0 {
		return ""
	}
	at := func(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339) }
	return fmt.Sprintf(", between %s and %s", at(from), at(to))
}
