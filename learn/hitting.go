package learn

import (
	"math/bits"
	"slices"

	"mcpg/behavior"
)

// Bounds of the search for guards to show.
const (
	maxGuards = 10         // listed
	maxWork   = 20_000_000 // sets looked at
)

// minimalGuards lists the smallest conjunctions that refuse every violation:
// the minimum hitting sets, in order of their atoms, the first maxGuards.
// bounded tells that the search was cut short: smaller ones may exist.
//
// Branch and bound: take an unhit set with the fewest atoms, branch on them;
// disjoint unhit sets need an atom each, which bounds what is still to come.
func minimalGuards(all []behavior.Violation) (guards []behavior.Violation, bounded bool) {
	s := newSearch(all)
	if len(s.sets) == 0 {
		return nil, false
	}
	s.branch(nil)
	for _, found := range s.found {
		g := make(behavior.Violation, 0, len(found))
		for _, a := range found {
			g = append(g, s.atoms[a])
		}
		slices.SortFunc(g, behavior.Atom.Compare)
		guards = append(guards, widen(g, all))
	}
	slices.SortFunc(guards, behavior.Violation.Compare)
	guards = slices.CompactFunc(guards, func(a, b behavior.Violation) bool { return a.Compare(b) == 0 })
	return guards[:min(len(guards), maxGuards)], s.work > maxWork
}

// bitset is a set of atoms by number.
type bitset []uint64

func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 == 1 }
func (b bitset) set(i int)      { b[i>>6] |= 1 << (i & 63) }

func (b bitset) meets(c bitset) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b bitset) within(c bitset) bool {
	for i := range b {
		if b[i]&^c[i] != 0 {
			return false
		}
	}
	return true
}

func (b bitset) size() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

type search struct {
	atoms []behavior.Atom // one for all that the same test hits: a threshold hits every number beyond it
	sets  []bitset        // minimal ones, fewest atoms first
	best  int
	found [][]int
	work  int
}

func newSearch(all []behavior.Violation) *search {
	s := &search{}
	type test struct {
		path  behavior.Path
		op    behavior.Op
		token string
	}
	var atoms []behavior.Atom
	for _, v := range all {
		atoms = append(atoms, v...)
	}
	slices.SortFunc(atoms, behavior.Atom.Compare)
	number := map[test]int{}
	for _, a := range atoms {
		k := test{a.Path, a.Op, a.Token}
		if _, ok := number[k]; !ok {
			number[k] = len(s.atoms)
			s.atoms = append(s.atoms, a)
		}
	}
	words := (len(s.atoms) + 63) / 64
	var sets []bitset
	for _, v := range all {
		if len(v) == 0 {
			continue
		}
		b := make(bitset, words)
		for _, a := range v {
			b.set(number[test{a.Path, a.Op, a.Token}])
		}
		sets = append(sets, b)
	}
	slices.SortFunc(sets, func(a, b bitset) int {
		if n := a.size() - b.size(); n != 0 {
			return n
		}
		return slices.Compare(a, b)
	})
	for _, b := range sets { // a guard that hits the part hits the whole
		if !slices.ContainsFunc(s.sets, func(c bitset) bool { return c.within(b) }) {
			s.sets = append(s.sets, b)
		}
	}
	s.best = len(s.sets) + 1
	return s
}

func (s *search) branch(chosen []int) {
	if s.work > maxWork {
		return
	}
	next, need := s.unhit(chosen)
	if next == nil {
		if len(chosen) < s.best {
			s.best, s.found = len(chosen), nil
		}
		s.found = append(s.found, slices.Clone(chosen))
		return
	}
	if len(chosen)+need > s.best || len(chosen)+need == s.best && len(s.found) > 20*maxGuards {
		return
	}
	for a := range s.atoms {
		if next.has(a) {
			s.branch(append(slices.Clip(chosen), a))
		}
	}
}

// unhit gives the smallest set that no chosen atom hits, and how many disjoint
// unhit sets there are at least.
func (s *search) unhit(chosen []int) (smallest bitset, disjoint int) {
	words := len(s.sets[0])
	hit, used := make(bitset, words), make(bitset, words)
	for _, a := range chosen {
		hit.set(a)
	}
	for _, v := range s.sets {
		s.work++
		if v.meets(hit) {
			continue
		}
		if smallest == nil {
			smallest = v
		}
		if !v.meets(used) {
			disjoint++
			for i := range used {
				used[i] |= v[i]
			}
		}
	}
	return smallest, disjoint
}

// widen gives each threshold of a guard the end that hits every set which only
// this atom hits: the strictest that the evidence asks for.
func widen(g behavior.Violation, sets []behavior.Violation) behavior.Violation {
	out := slices.Clone(g)
	for i, a := range out {
		if a.Op == behavior.Not {
			continue
		}
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
