package learn

import (
	"strings"

	"mcpg/behavior"
)

// spread counts the distinct values of paths and the distinct members of
// objects. One with more than maxValues is wide: no category but an id, a text
// or a map, and no part of any guard. The counts are unions, so any order and
// any split of the evidence finds the same paths wide.
func (t *toolEvidence) spread(s behavior.State) {
	for _, f := range s.Features {
		if !f.IsNumber() {
			t.count(f.Path, f.Token)
		}
		if i := strings.LastIndexByte(f.Field, '.'); i >= 0 {
			t.count(behavior.Path{Role: f.Role, Field: f.Field[:i] + behavior.WideMark}, f.Field[i+1:])
		}
	}
}

func (t *toolEvidence) count(p behavior.Path, value string) {
	if t.wide[p] {
		return
	}
	vs := t.values[p]
	if vs == nil {
		vs = map[string]bool{}
		t.values[p] = vs
	}
	vs[value] = true
	if len(vs) > maxValues {
		t.widen(p)
	}
}

func (t *toolEvidence) widen(p behavior.Path) {
	delete(t.values, p)
	t.wide[p], t.stale = true, true
}

func (t *toolEvidence) isWide(p behavior.Path) bool {
	return len(t.wide) > 0 && behavior.IsWide(p, func(p behavior.Path) bool { return t.wide[p] })
}

// dropNext projects a state that followed; its facts have no role.
func (t *toolEvidence) dropNext(role string, s behavior.State) behavior.State {
	return s.Drop(func(p behavior.Path) bool { return t.isWide(behavior.Path{Role: role, Field: p.Field}) })
}

func (t *toolEvidence) mergeSpread(o *toolEvidence) {
	for p := range o.wide {
		t.widen(p)
	}
	for p, vs := range o.values {
		for v := range vs {
			t.count(p, v)
		}
	}
}

// project takes wide paths out of cells that were begun before they were wide.
func (t *toolEvidence) project() {
	if !t.stale {
		return
	}
	t.stale = false
	old := t.cells
	t.cells = map[string]*behavior.Cell{}
	for _, c := range old {
		t.mergeCell(c)
	}
}
