package learn

import "mcpg/behavior"

// spread counts a state's values: paths with too many are no part of any guard.
func (t *toolEvidence) spread(s behavior.State) {
	if t.values.Add(s) {
		t.stale = true
	}
}

func (t *toolEvidence) widen(p behavior.Path) {
	t.values.Widen(p)
	t.stale = true
}

// dropNext projects a state that followed; its facts have no role.
func (t *toolEvidence) dropNext(role string, s behavior.State) behavior.State {
	return s.Drop(func(p behavior.Path) bool { return t.values.IsWide(behavior.Path{Role: role, Field: p.Field}) })
}

func (t *toolEvidence) mergeSpread(o *toolEvidence) {
	if t.values.Merge(&o.values) {
		t.stale = true
	}
}

// project takes wide paths out of cells that were begun before they were wide.
func (t *toolEvidence) project() {
	if !t.stale {
		return
	}
	t.stale = false
	*t.states = nil // most of them are no cell's any more
	old := t.cells
	t.cells = map[string]*behavior.Cell{}
	for _, c := range old {
		t.mergeCell(c)
	}
	for s := range t.times.slots(t) {
		s.move()
	}
}
