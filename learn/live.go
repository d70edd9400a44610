package learn

import (
	"maps"
	"slices"
	"strings"

	"mcpg/behavior"
)

// live is a guard that is kept up call by call: a success that changes no atom
// costs its features, a refusal its violations. Only when an atom goes are all
// refused calls looked at again.
type live struct {
	guard  *behavior.Guard
	tally  tally
	blames blames
	moved  bool // atoms have changed since the failures were blamed

	calls      int // successes and refusals
	summedUp   int // how many of them the disputes and conditions are of
	conditions []behavior.Condition
}

// growth is by how much a tool's calls must have grown for disputes and failing
// conditions to be looked for again; until then a new success is taken at its
// word, and ends a condition that describes it.
const growth = 1.1

// Guard is what Tool derives too, but for Minimal, kept up from call to call, and
// with disputes and failing conditions that may be some calls old. It is nil if no call of the
// tool was seen, and good until the next call is added.
func (e *Evidence) Guard(server, name, fingerprint string) *behavior.Guard {
	e.settle()
	t := e.tools[toolKey{server, name, fingerprint}]
	if t == nil {
		return nil
	}
	t.project()
	if l := t.live; l == nil || l.calls > l.summedUp && float64(l.calls) >= growth*float64(l.summedUp) {
		t.live = newLive(t, e.Strict)
	}
	if t.live.moved {
		t.live.blame(t.cells)
	}
	t.live.guard.Conditions = t.live.conditions
	return t.live.guard
}

func newLive(t *toolEvidence, strict bool) *live {
	l := &live{guard: &behavior.Guard{Wide: slices.SortedFunc(maps.Keys(t.values.Wide()), behavior.Path.Compare)}}
	cells := join(t.sorted())
	for _, c := range cells {
		l.calls += c.OK + c.Rejected()
	}
	l.summedUp = l.calls
	if !strict {
		cells, l.guard.Disputed = undisputed(cells)
	}
	for _, c := range cells {
		l.tally.add(c.all, c.OK)
	}
	l.tally.settle()
	l.blame(t.cells)
	if !strict && slices.ContainsFunc(l.guard.Clusters, func(c behavior.Cluster) bool { return c.Calls >= minDescribed }) {
		l.conditions = conditions(l.guard, cells)
	}
	return l
}

// Former finds another fingerprint under which a tool was called, the one that was
// called last; "" if there is none.
func (e *Evidence) Former(server, name, fingerprint string) string {
	e.settle()
	best, found := toolKey{}, false
	for k, t := range e.tools {
		if k.server != server || k.name != name || k.fingerprint == fingerprint || len(t.cells) == 0 {
			continue
		}
		if !found || t.called.Last > e.tools[best].called.Last || t.called.Last == e.tools[best].called.Last && k.fingerprint < best.fingerprint {
			best, found = k, true
		}
	}
	return best.fingerprint
}

// Cells are those of a tool, sorted by key; they must not be changed.
func (e *Evidence) Cells(server, name, fingerprint string) []*behavior.Cell {
	e.settle()
	t := e.tools[toolKey{server, name, fingerprint}]
	if t == nil {
		return nil
	}
	t.project()
	return t.sorted()
}

// Cell finds what was seen of calls just like one, nil for nothing.
func (e *Evidence) Cell(server, name, fingerprint string, like *behavior.Cell) *behavior.Cell {
	e.settle()
	t := e.tools[toolKey{server, name, fingerprint}]
	if t == nil {
		return nil
	}
	t.project()
	narrow := *like
	narrow.State, narrow.Args = like.State.Drop(t.values.IsWide), like.Args.Drop(t.values.IsWide)
	return t.cells[narrow.Key()]
}

func (l *live) blame(cells map[string]*behavior.Cell) {
	l.moved = false
	l.blames = blames{}
	l.guard.Allowed = l.tally.list()
	l.guard.Build()
	for _, c := range cells {
		for _, r := range c.Refused {
			l.blames.add(l.guard, c.All(), r)
		}
	}
	l.blames.fill(l.guard)
}

func (l *live) worked(c *behavior.Cell) {
	l.calls++
	all := c.All()
	l.moved = l.tally.add(all, 1) || l.moved
	l.moved = l.tally.settle() || l.moved
	holds := func(c behavior.Condition) bool { return c.Holds(all) }
	if slices.ContainsFunc(l.conditions, holds) {
		l.conditions = slices.DeleteFunc(slices.Clone(l.conditions), holds) // decisions hold on to them
	}
}

func (l *live) refused(c *behavior.Cell, r behavior.Refusals) {
	l.calls++
	all := c.All()
	if l.moved = l.tally.add(all, 0) || l.moved; l.tally.settle() || l.moved {
		l.moved = true
		return
	}
	f, cl := l.blames.add(l.guard, all, r)
	g := l.guard
	if i, ok := slices.BinarySearchFunc(g.Clusters, cl.Text, func(c behavior.Cluster, text string) int { return strings.Compare(c.Text, text) }); ok {
		g.Clusters[i] = *cl
	} else {
		g.Clusters = slices.Insert(g.Clusters, i, *cl)
	}
	if f == nil {
		return
	}
	if i, ok := slices.BinarySearchFunc(g.Failures, *f, behavior.Failure.Compare); ok {
		g.Failures[i] = *f
	} else {
		g.Failures = slices.Insert(g.Failures, i, *f)
		g.Changed()
	}
}
