package behavior

import (
	"maps"
	"strings"
)

// MaxValues is how many distinct tokens a path may have before it is wide: an
// id, a text or a time, and no category.
const MaxValues = 64

// MaxRowValues is how many distinct values a field of a list's rows may have: rows
// have many, and a status few.
const MaxRowValues = 8

func (p Path) maxValues() int {
	if list, ok := strings.CutSuffix(p.Field, "[]"+WideMark); ok && strings.Contains(list, "[].") {
		return MaxRowValues
	}
	return MaxValues
}

// Spread counts the distinct values of paths and the distinct members of objects
// and lists. One with more than MaxValues is wide and no part of states. The
// counts are unions, so any order and any split of the states finds the same
// paths wide. The zero value is ready.
type Spread struct {
	Numbers bool // numbers count as values too

	values map[Path]map[string]bool // of those that aren't wide
	wide   map[Path]bool
}

// Add counts a state's values and tells whether a path has become wide.
func (s *Spread) Add(z State) (widened bool) {
	for _, f := range z.Features {
		if !f.IsNumber() {
			widened = s.count(f.Path, f.Token) || widened
		} else if s.Numbers {
			widened = s.count(f.Path, f.Value.String()) || widened
		}
		if i := strings.LastIndexByte(f.Field, '.'); i >= 0 {
			widened = s.count(Path{Role: f.Role, Field: f.Field[:i] + WideMark}, f.Field[i+1:]) || widened
		}
	}
	return widened
}

func (s *Spread) count(p Path, value string) (widened bool) {
	if len(s.wide) > 0 && (s.wide[p] || s.IsWide(p)) {
		return false
	}
	if s.values == nil {
		s.values = map[Path]map[string]bool{}
	}
	vs := s.values[p]
	if vs == nil {
		vs = map[string]bool{}
		s.values[p] = vs
	}
	vs[value] = true
	if len(vs) > p.maxValues() {
		s.Widen(p)
		return true
	}
	return false
}

// Widen says that a path is wide.
func (s *Spread) Widen(p Path) {
	if s.wide == nil {
		s.wide = map[Path]bool{}
	}
	delete(s.values, p)
	s.wide[p] = true
	// What lies below is wide with it, and no more counted: it is no part of states.
	below, ok := strings.CutSuffix(p.Field, WideMark[1:])
	if !ok {
		return
	}
	under := func(q Path) bool { return q != p && q.Role == p.Role && strings.HasPrefix(q.Field, below) }
	maps.DeleteFunc(s.values, func(q Path, _ map[string]bool) bool { return under(q) })
	maps.DeleteFunc(s.wide, func(q Path, _ bool) bool { return under(q) })
}

// Wide lists the wide paths, in no order.
func (s *Spread) Wide() map[Path]bool { return s.wide }

// IsWide tells whether a path, or an object around it, is wide.
func (s *Spread) IsWide(p Path) bool {
	return len(s.wide) > 0 && IsWide(p, func(p Path) bool { return s.wide[p] })
}

// Narrow takes wide paths out of a state.
func (s *Spread) Narrow(z State) State { return z.Drop(s.IsWide) }

// Merge adds the counts of another and tells whether a path has become wide.
func (s *Spread) Merge(o *Spread) (widened bool) {
	for p := range o.wide {
		if !s.wide[p] && !s.IsWide(p) {
			s.Widen(p)
			widened = true
		}
	}
	for p, vs := range o.values {
		for v := range vs {
			widened = s.count(p, v) || widened
		}
	}
	return widened
}
