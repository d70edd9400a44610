package learn

import (
	"fmt"
	"math"

	"mcpg/behavior"
)

// stale tests whether refusals go with another session's writes since the state was
// read, or else with older readings.
func (a *attribution) stale() *finding {
	writes := false
	age := each(a, func(r *row) float64 {
		if r.write {
			writes = true
			return math.Inf(1)
		}
		return float64(r.age)
	})
	f := &finding{name: behavior.CauseStale, p: a.rank(1, age), limit: chance, again: (*attribution).stale,
		detail: "refusals come with older readings of the state"}
	if writes {
		f.detail = "refusals come where another session has changed the resource since its state was read, or with older readings of it"
	}
	middle := median(age)
	f.symbol = func(r *row) string { return fmt.Sprint(r.write || float64(r.age) > middle) }
	return f
}
