package learn

import (
	"slices"

	"mcpg/behavior"
)

// Bounds of the search for guards to show.
const (
	maxGuards = 10      // listed
	maxNodes  = 200_000 // of the search tree
)

// minimalGuards lists the smallest conjunctions that refuse every violation:
// the minimum hitting sets, in order of their atoms, the first maxGuards.
// bounded tells that the search was cut short.
//
// Branch and bound: take an unhit set with the fewest atoms, branch on them;
// disjoint unhit sets need an atom each, which bounds what is still to come.
func minimalGuards(all []behavior.Violation) (guards []behavior.Violation, bounded bool) {
	sets := minimalSets(all)
	if len(sets) == 0 {
		return nil, false
	}
	s := &search{sets: sets, best: len(sets) + 1}
	s.branch(nil)
	slices.SortFunc(s.found, behavior.Violation.Compare)
	s.found = slices.CompactFunc(s.found, func(a, b behavior.Violation) bool { return a.Compare(b) == 0 })
	if len(s.found) > maxGuards {
		s.found = s.found[:maxGuards]
	}
	for i := range s.found {
		s.found[i] = widen(s.found[i], all)
	}
	return s.found, s.nodes > maxNodes
}

// minimalSets keeps the violations that no other one is part of: a guard that
// hits the part hits the whole.
func minimalSets(sets []behavior.Violation) []behavior.Violation {
	sorted := slices.Clone(sets)
	slices.SortFunc(sorted, behavior.Violation.Compare)
	var out []behavior.Violation
	for _, v := range sorted {
		if len(v) > 0 && !slices.ContainsFunc(out, func(w behavior.Violation) bool { return partOf(w, v) }) {
			out = append(out, v)
		}
	}
	return out
}

// partOf compares by hitting: a threshold hits every number beyond it.
func partOf(w, v behavior.Violation) bool {
	for _, a := range w {
		if !slices.ContainsFunc(v, a.Same) {
			return false
		}
	}
	return true
}

type search struct {
	sets  []behavior.Violation
	best  int
	found []behavior.Violation
	nodes int
}

func (s *search) branch(chosen behavior.Violation) {
	if s.nodes++; s.nodes > maxNodes {
		return
	}
	next, need := s.unhit(chosen)
	if next == nil {
		g := slices.Clone(chosen)
		slices.SortFunc(g, behavior.Atom.Compare)
		if len(g) < s.best {
			s.best, s.found = len(g), nil
		}
		s.found = append(s.found, g)
		return
	}
	if len(chosen)+need > s.best {
		return
	}
	for _, a := range next {
		s.branch(append(slices.Clip(chosen), a))
	}
}

// unhit gives the smallest set that no chosen atom hits, and how many disjoint
// unhit sets there are at least.
func (s *search) unhit(chosen behavior.Violation) (smallest behavior.Violation, disjoint int) {
	var used behavior.Violation
	for _, v := range s.sets {
		if slices.ContainsFunc(chosen, func(a behavior.Atom) bool { return slices.ContainsFunc(v, a.Same) }) {
			continue
		}
		if smallest == nil {
			smallest = v
		}
		if !slices.ContainsFunc(v, func(a behavior.Atom) bool { return slices.ContainsFunc(used, a.Same) }) {
			disjoint++
			used = append(used, v...)
		}
	}
	return smallest, disjoint
}

// widen gives each threshold of a guard the end that hits every set which only
// this atom hits: the strictest that the evidence asks for.
func widen(g behavior.Violation, sets []behavior.Violation) behavior.Violation {
	out := slices.Clone(g)
	for i, a := range out {
		for _, v := range sets {
			j := slices.IndexFunc(v, a.Same)
			if j < 0 || slices.ContainsFunc(g, func(b behavior.Atom) bool { return !b.Same(a) && slices.ContainsFunc(v, b.Same) }) {
				continue
			}
			out[i].Lo, out[i].Hi = max(out[i].Lo, v[j].Lo), min(out[i].Hi, v[j].Hi)
		}
	}
	return out
}
