package learn

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"mcpg/behavior"
	"mcpg/calllog"
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

// row is a call of a contradicted cell and what was before it.
type row struct {
	place  int // among all calls, in the order of time
	time   int64
	failed bool
	age    int64
	write  bool // another session wrote to the resource since the state was read

	args    uint64 // hashes of all that the arguments and the state are
	state   uint64
	before  [2]string // the session's calls before: the last one, and the one before that
	exactly string    // the last one, with its arguments
	gap     float64   // microseconds since it
	tied    bool      // the call before or after has the same time: which was first isn't known
	lastErr string    // the last failure of the tool in the session
	earlier []string  // tools that had worked in the session, sorted
	left    []behavior.Feature
}

// group is the rows of one cell, in the order of time.
type group struct {
	cell *behavior.Cell
	rows []row
}

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

// gather fills groups with their calls and the history of each.
func gather(lines *behavior.Timelines, groups map[*behavior.Cell]*group) {
	type at struct {
		session int
		call    *behavior.Occurrence
		tied    bool // with the session's call before or after
	}
	var order []at
	for i := range lines.Sessions {
		calls := lines.Sessions[i].Calls
		for j := range calls {
			tied := j > 0 && calls[j-1].Time == calls[j].Time || j+1 < len(calls) && calls[j+1].Time == calls[j].Time
			order = append(order, at{i, &calls[j], tied})
		}
	}
	slices.SortStableFunc(order, func(a, b at) int { return cmp.Compare(a.call.Time, b.call.Time) })
	histories := make([]history, len(lines.Sessions))
	writes := map[uint64][]write{}
	for place, o := range order {
		h := &histories[o.session]
		c := o.call
		if gr := groups[c.Cell]; gr != nil && (c.Outcome == calllog.OK || c.Cause != calllog.ArgumentCause) {
			gr.rows = append(gr.rows, row{place: place, time: c.Time, failed: c.Outcome != calllog.OK, age: c.Age,
				write: writtenSince(writes[c.Resource], o.session, c.Time-c.Age), before: h.before, exactly: h.exactly, gap: float64(c.Time - h.time),
				tied: o.tied, lastErr: h.lastErr[c.Tool], earlier: h.earlier, left: c.Left, args: c.Args, state: c.State})
		}
		h.add(c)
		if c.Wrote && c.Resource != 0 {
			writes[c.Resource] = append(writes[c.Resource], write{c.Time, o.session})
		}
	}
	for _, gr := range groups {
		gr.thin()
	}
}

type write struct {
	time    int64
	session int
}

func writtenSince(ws []write, session int, since int64) bool {
	for i := len(ws) - 1; i >= 0 && ws[i].time > since; i-- {
		if ws[i].session != session {
			return true
		}
	}
	return false
}

// history is what a session did so far.
type history struct {
	before  [2]string
	exactly string
	time    int64
	lastErr map[*behavior.Tool]string
	earlier []string // not changed in place
}

func (h *history) add(c *behavior.Occurrence) {
	h.before = [2]string{c.Tool.Name + " " + c.Outcome.String(), h.before[0]}
	h.exactly, h.time = fmt.Sprint(h.before[0], " ", c.Args), c.Time
	if h.lastErr == nil {
		h.lastErr = map[*behavior.Tool]string{}
	}
	switch c.Outcome {
	case calllog.OK:
		delete(h.lastErr, c.Tool)
		if i, ok := slices.BinarySearch(h.earlier, c.Tool.Name); !ok {
			h.earlier = slices.Insert(slices.Clone(h.earlier), i, c.Tool.Name)
		}
	case calllog.Rejected:
		h.lastErr[c.Tool] = c.Cluster
	default:
		h.lastErr[c.Tool] = c.Outcome.String()
	}
}

// thin takes evenly spaced calls of each outcome where there are many.
func (gr *group) thin() {
	var n [2]int
	for _, r := range gr.rows {
		n[sideOf(r.failed)]++
	}
	var seen [2]int
	gr.rows = slices.DeleteFunc(gr.rows, func(r row) bool {
		k := sideOf(r.failed)
		i := seen[k]
		seen[k]++
		return n[k] > maxRows && i*maxRows/n[k] == (i+1)*maxRows/n[k]
	})
}

func sideOf(failed bool) int {
	if failed {
		return 1
	}
	return 0
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

// attribution is the contradictions that are tried together.
type attribution struct {
	groups []*group
	y      hypothesis.Strata
	seed   uint64
}

func newAttribution(groups []*group, seed uint64) *attribution {
	a := &attribution{groups: groups, seed: seed}
	for _, gr := range groups {
		y := make([]bool, len(gr.rows))
		for i, r := range gr.rows {
			y[i] = r.failed
		}
		a.y = append(a.y, y)
	}
	return a
}

// given is the same calls, compared only where a symbol is the same.
func (a *attribution) given(symbol func(*row) string) *attribution {
	var parts []*group
	for _, gr := range a.groups {
		at := map[string]*group{}
		for i := range gr.rows {
			name := symbol(&gr.rows[i])
			if at[name] == nil {
				at[name] = &group{cell: gr.cell}
				parts = append(parts, at[name])
			}
			at[name].rows = append(at[name].rows, gr.rows[i])
		}
	}
	return newAttribution(parts, a.seed+50)
}

// finding is a cause that was tried.
type finding struct {
	name, detail string
	p, adjusted  float64
	limit        float64                     // up to which adjusted p it holds
	symbol       func(*row) string           // what it parts the calls by
	again        func(*attribution) *finding // tries it on other calls
}

// each makes a value of every row.
func each[T any](a *attribution, f func(*row) T) [][]T {
	out := make([][]T, len(a.groups))
	for i, gr := range a.groups {
		for j := range gr.rows {
			out[i] = append(out[i], f(&gr.rows[j]))
		}
	}
	return out
}

// varies tells whether there is a group in which not all are the same.
func varies[T comparable](xs [][]T) bool {
	return slices.ContainsFunc(xs, func(x []T) bool { return len(x) > 0 && slices.ContainsFunc(x, func(v T) bool { return v != x[0] }) })
}

// information tests whether a symbol of the rows goes with their outcomes.
func (a *attribution) information(seed uint64, symbol func(*row) string) float64 {
	names := each(a, symbol)
	if !varies(names) {
		return 1
	}
	symbols := make([][]int, len(names))
	for i, of := range names {
		ids := map[string]int{}
		for _, n := range of {
			if _, ok := ids[n]; !ok {
				ids[n] = len(ids)
			}
			symbols[i] = append(symbols[i], ids[n])
		}
	}
	return hypothesis.Permute(a.seed+seed, a.y, hypothesis.Information(symbols))
}

// rank tests whether failures have the larger numbers.
func (a *attribution) rank(seed uint64, x [][]float64) float64 {
	if !varies(x) {
		return 1
	}
	return hypothesis.Permute(a.seed+seed, a.y, hypothesis.Rank(x))
}

// missing looks for a path that cells leave out whose values go with the outcomes.
func (a *attribution) missing() *finding {
	type candidate struct {
		path   behavior.Path
		number bool
	}
	count := map[candidate]int{}
	for _, gr := range a.groups {
		for _, r := range gr.rows {
			for i, f := range r.left {
				if i == 0 || r.left[i-1].Path != f.Path {
					count[candidate{f.Path, f.IsNumber()}]++
				}
			}
		}
	}
	var candidates []candidate
	for c := range count {
		candidates = append(candidates, c)
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Or(a.path.Compare(b.path), compareBool(a.number, b.number)) })
	ps := make([]float64, len(candidates))
	for i, c := range candidates {
		if c.number {
			ps[i] = a.number(uint64(100+i), c.path)
			continue
		}
		ps[i] = a.information(uint64(100+i), a.token(c.path))
	}
	exactly := map[int]string{len(ps): "what exactly the arguments are", len(ps) + 1: "what exactly the state is"}
	symbols := map[int]func(*row) string{
		len(ps):     a.common(func(r *row) string { return fmt.Sprint(r.args) }),
		len(ps) + 1: a.common(func(r *row) string { return fmt.Sprint(r.state) }),
	}
	for i := range 2 {
		ps = append(ps, a.information(uint64(90+i), symbols[len(ps)]))
	}
	f := &finding{name: behavior.CauseMissing, p: 1, adjusted: 1, limit: chanceMissing, again: (*attribution).missing}
	for i, adjusted := range hypothesis.Holm(ps) {
		if adjusted < f.adjusted {
			f.p, f.adjusted = ps[i], adjusted
			if what := exactly[i]; what != "" {
				f.symbol, f.detail = symbols[i], "the outcomes go with "+what+": an id, a text or a number that is no part of what was compared"
				continue
			}
			f.symbol = a.token(candidates[i].path)
			f.detail = "the outcomes go with " + candidates[i].path.String() + ", which takes too many values to be part of the state"
		}
	}
	return f
}

func compareBool(a, b bool) int { return sideOf(a) - sideOf(b) }

func valueAt(r *row, p behavior.Path) (behavior.Value, bool) {
	for _, f := range r.left {
		if f.Path == p {
			return f.Value, true
		}
	}
	return behavior.Value{}, false
}

func (a *attribution) number(seed uint64, p behavior.Path) float64 {
	x := each(a, func(r *row) float64 { v, _ := valueAt(r, p); return v.Lo })
	up := a.rank(seed, x)
	for _, of := range x {
		for i := range of {
			of[i] = -of[i]
		}
	}
	return min(1, 2*min(up, a.rank(seed, x)))
}

// token is a path's values that stand in a few calls at least; the others are one.
func (a *attribution) token(p behavior.Path) func(*row) string {
	return a.common(func(r *row) string {
		if v, ok := valueAt(r, p); ok {
			return v.String()
		}
		return ""
	})
}

// common are texts that several calls have; the others are one.
func (a *attribution) common(text func(*row) string) func(*row) string {
	n := map[string]int{}
	for _, of := range each(a, text) {
		for _, t := range of {
			n[t]++
		}
	}
	return func(r *row) string {
		if t := text(r); n[t] >= minGroup {
			return t
		}
		return "\x00"
	}
}

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

func median(xs [][]float64) float64 {
	var all []float64
	for _, x := range xs {
		all = append(all, x...)
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[(len(all)-1)/2]
}

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

// hidden tests whether what the session did before goes with the outcomes: its last
// calls; or what failed last, or a tool that had worked by then.
func (a *attribution) hidden() *finding {
	f := &finding{name: behavior.CauseHidden, p: 1, limit: chance, again: (*attribution).hidden, symbol: func(*row) string { return "" }}
	try := func(seed uint64, m int, detail string, symbol func(*row) string) {
		if p := float64(m) * a.information(seed, symbol); p < f.p {
			f.p, f.detail, f.symbol = p, "the outcomes go with "+detail, symbol
		}
	}
	try(4, 4, "the session's call before", func(r *row) string { return r.before[0] })
	try(7, 6, "the session's call before and its arguments", a.common(func(r *row) string { return r.exactly }))
	try(5, 4, "the session's two calls before", func(r *row) string { return strings.Join(r.before[:], "\x00") })
	if gap := each(a, func(r *row) float64 { return r.gap }); f.p > 0 {
		for _, of := range gap {
			for i := range of {
				of[i] = -of[i]
			}
		}
		if p := 6 * a.rank(8, gap); p < f.p {
			middle := median(gap)
			f.p, f.detail, f.symbol = p, "refusals come sooner after the session's call before", func(r *row) string { return fmt.Sprint(-r.gap > middle) }
		}
	}
	tools := a.earlier()
	m := 2 * (1 + len(tools))
	try(6, m, "how the tool failed last in the session", func(r *row) string { return r.lastErr })
	for i, tool := range tools {
		try(uint64(20+i), m, "whether "+tool+" had worked in the session before", func(r *row) string {
			_, had := slices.BinarySearch(r.earlier, tool)
			return fmt.Sprint(had)
		})
	}
	return f
}

// earlier lists the tools that had worked before some of the calls.
func (a *attribution) earlier() []string {
	n, all := map[string]int{}, 0
	for _, gr := range a.groups {
		for _, r := range gr.rows {
			all++
			for _, t := range r.earlier {
				n[t]++
			}
		}
	}
	var out []string
	for t, k := range n {
		if k >= minGroup && k <= all-minGroup {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	return out[:min(len(out), maxEarlier)]
}
