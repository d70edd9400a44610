package learn

import (
	"fmt"
	"time"

	"mcpg/behavior"
	"mcpg/internal/hypothesis"
)

func (a *attribution) places() [][]int { return each(a, func(r *row) int { return r.place }) }

// drift tests whether the outcomes change at some time.
func (a *attribution) drift() *finding {
	f := &finding{name: behavior.CauseDrift, p: hypothesis.Permute(a.seed+3, a.y, hypothesis.Change(a.places())), limit: chance, again: (*attribution).drift}
	at := hypothesis.ChangeAt(a.places(), a.y)
	f.symbol = func(r *row) string { return fmt.Sprint(r.place >= at) }
	// Outcomes that come in clumps on either side too went there and back: that is a
	// state that somebody switches, and no change for good.
	if sides := a.given(f.symbol); f.p <= chance && hypothesis.Permute(a.seed+8, sides.y, hypothesis.Runs) <= chance/4 {
		f.p = 1
	}
	return f
}

// when says between which calls the change was.
func (a *attribution) when(why *behavior.Cause) {
	at := hypothesis.ChangeAt(a.places(), a.y)
	var n [2][2]int // before and since, worked and refused
	for _, gr := range a.groups {
		for _, r := range gr.rows {
			since := 0
			if r.place >= at {
				since = 1
				if why.To == 0 || r.time < why.To {
					why.To = r.time
				}
			} else {
				why.From = max(why.From, r.time)
			}
			n[since][sideOf(r.failed)]++
		}
	}
	why.Detail = fmt.Sprintf("until %s %d of %d such calls were refused, since %s %d of %d", stamp(why.From), n[0][1], n[0][0]+n[0][1],
		stamp(why.To), n[1][1], n[1][0]+n[1][1])
}

func stamp(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.RFC3339) }
