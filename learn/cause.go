package learn

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"mcpg/behavior"
	"mcpg/internal/hypothesis"
)

const (
	// chance is the highest chance of a cause where there is none, over the tests of
	// one contradiction.
	chance = 0.02
	// chanceMissing is that of a missing feature, which is tried before them.
	chanceMissing = 0.005
	// maxRows is how many calls of each outcome of a cell are looked at.
	maxRows = 128
	// maxAttributed is how many contradictions of a model are looked into, those of
	// most calls.
	maxAttributed = 256
	// maxEarlier is how many tools an earlier success of which may decide are tried,
	// the commonest.
	maxEarlier = 16
	// suggestive is up to which chance a cause that isn't proven forbids to say that
	// there is none, until there are plenty of ways in which the outcomes could stand.
	suggestive = 0.2
	plenty     = 1e6
	// apart is up to which chance a cause holds among calls that are alike in another.
	apart = 0.05
	// minGroup is in how many calls a value must stand to be tried.
	minGroup = 3
)

// causes says of every cell with both outcomes why.
func causes(g *behavior.Graph) map[*behavior.Cell]*behavior.Cause {
	type place struct {
		tool *behavior.Tool
		cell *behavior.Cell
	}
	var cells []place
	for _, t := range g.Tools {
		for _, c := range t.Cells {
			if c.Contradicts() {
				cells = append(cells, place{t, c})
			}
		}
	}
	if len(cells) == 0 {
		return nil
	}
	slices.SortStableFunc(cells, func(a, b place) int { return (b.cell.OK + b.cell.Rejected()) - (a.cell.OK + a.cell.Rejected()) })
	cells = cells[:min(len(cells), maxAttributed)]
	groups := map[*behavior.Cell]*group{}
	for _, c := range cells {
		groups[c.cell] = &group{cell: c.cell}
	}
	gather(&g.Timelines, groups)
	out := map[*behavior.Cell]*behavior.Cause{}
	alike := map[*behavior.Tool][]*group{} // without the power to tell alone
	for _, c := range cells {
		gr := groups[c.cell]
		why := attribute([]*group{gr})
		out[c.cell] = why
		if why.Name == behavior.CauseUnattributed && len(gr.rows) > 1 {
			alike[c.tool] = append(alike[c.tool], gr)
		}
	}
	for _, t := range g.Tools {
		together := alike[t]
		if len(together) < 2 {
			continue
		}
		if why := attribute(together); why.Name != behavior.CauseUnattributed {
			why.Pooled = true
			for _, gr := range together {
				out[gr.cell] = why
			}
		}
	}
	return out
}

// attribute tries the causes in their order over cells together.
func attribute(groups []*group) *behavior.Cause {
	groups = slices.DeleteFunc(slices.Clone(groups), func(gr *group) bool { return len(gr.rows) == 0 })
	why := &behavior.Cause{Name: behavior.CauseUnattributed}
	a := newAttribution(groups, seedOf(groups))
	for _, y := range a.y {
		why.Calls += len(y)
	}
	if hypothesis.Arrangements(a.y) < 3/chance {
		why.Detail = "too few calls whose place in time is known: no test could tell"
		return why
	}
	found := []*finding{a.missing(), a.stale(), a.drift(), a.hidden()}
	ps := []float64{found[1].p, found[2].p, found[3].p}
	for i, adjusted := range hypothesis.Holm(ps) {
		found[i+1].adjusted = adjusted
	}
	likeliest := 1.0
	for _, f := range found {
		why.Tests = append(why.Tests, behavior.Test{Name: f.name, P: f.p, Adjusted: f.adjusted})
		likeliest = min(likeliest, f.adjusted)
	}
	switch f := a.first(found); {
	case f != nil:
		why.Name, why.Detail = f.name, f.detail
		if f.name == behavior.CauseDrift {
			a.when(why)
		}
	case likeliest <= suggestive && hypothesis.Arrangements(a.y) < plenty:
		why.Detail = "too few calls: " + strings.ReplaceAll(likely(found).name, "_", " ") + " is likelier than chance, and not proven"
	default:
		a.nothing(why)
	}
	return why
}

// first is the first cause that holds. One that holds only for what goes with a
// later one, which holds within it, is passed over.
func (a *attribution) first(found []*finding) *finding {
	var hold []*finding
	for _, f := range found {
		if f.adjusted <= f.limit {
			hold = append(hold, f)
		}
	}
	for i, f := range hold {
		echo := func(later *finding) bool {
			return f.again(a.given(later.symbol)).p > apart && later.again(a.given(f.symbol)).p <= apart
		}
		if !slices.ContainsFunc(hold[i+1:], echo) {
			return f
		}
	}
	return nil
}

func likely(found []*finding) *finding {
	return slices.MinFunc(found, func(a, b *finding) int { return cmp.Compare(a.adjusted, b.adjusted) })
}

// nothing says that no cause was found, where one would have been.
func (a *attribution) nothing(why *behavior.Cause) {
	tied := 0
	for _, gr := range a.groups {
		for _, r := range gr.rows {
			tied += sideOf(r.tied)
		}
	}
	if tied*5 > why.Calls {
		why.Detail = "the log's times are too coarse to tell which call of a session came first"
		return
	}
	runs := hypothesis.Permute(a.seed+9, a.y, hypothesis.Runs)
	why.Tests = append(why.Tests, behavior.Test{Name: "runs", P: runs, Adjusted: runs})
	if runs <= chance/4 {
		why.Detail = "equal outcomes come in clumps, and nothing in the log says why"
		return
	}
	failed := 0
	for _, y := range a.y {
		for _, f := range y {
			failed += sideOf(f)
		}
	}
	why.Name = behavior.CauseNondeterminism
	why.Detail = fmt.Sprintf("neither the values that were recorded, the age of the state, the time nor the session's last calls go with the %d refusals of %d calls", failed, why.Calls)
}

func seedOf(groups []*group) uint64 {
	h := fnv.New64a()
	for _, gr := range groups {
		h.Write([]byte(gr.cell.Key()))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
