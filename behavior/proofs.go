package behavior

import "slices"

// proofs find the failures whose atoms are all among some.
type proofs struct {
	places map[string][]kind // by a path's field
	by     [][]proof         // each failure is under its rarest kind of atom
}

// kind is an atom without its numbers, and its place in by.
type kind struct {
	role  string
	op    Op
	token string
	place int
}

// proof is a failure, and which kinds of atoms it has: a bit for each, of which
// several may share one.
type proof struct {
	kinds   mask
	failure int32
	exact   bool // no bit is shared, and no atom has numbers
}

type mask [4]uint64

func (m *mask) set(place int) { m[place/64%len(m)] |= 1 << (place % 64) }

// within tells whether all of m is in o.
func (m *mask) within(o *mask) bool {
	return m[0]&^o[0]|m[1]&^o[1]|m[2]&^o[2]|m[3]&^o[3] == 0
}

// place of an atom's kind, -1 for one that no failure has.
func (p *proofs) place(a *Atom) int {
	ks := p.places[a.Path.Field]
	for i := range ks {
		if k := &ks[i]; k.op == a.Op && k.token == a.Token && k.role == a.Path.Role {
			return k.place
		}
	}
	return -1
}

func newProofs(fs []Failure) *proofs {
	p := &proofs{places: map[string][]kind{}}
	var calls []int // failures by kind
	for i := range fs {
		for j := range fs[i].Violates {
			a := &fs[i].Violates[j]
			place := p.place(a)
			if place < 0 {
				place = len(calls)
				p.places[a.Path.Field] = append(p.places[a.Path.Field], kind{a.Path.Role, a.Op, a.Token, place})
				calls = append(calls, 0)
			}
			calls[place]++
		}
	}
	p.by = make([][]proof, len(calls))
	for i := range fs {
		one := proof{failure: int32(i), exact: len(calls) <= 64*len(mask{})}
		rarest := -1
		for j := range fs[i].Violates {
			place := p.place(&fs[i].Violates[j])
			one.kinds.set(place)
			one.exact = one.exact && fs[i].Violates[j].Op == Not
			if rarest < 0 || calls[place] < calls[rarest] {
				rarest = place
			}
		}
		if rarest >= 0 {
			p.by[rarest] = append(p.by[rarest], one)
		}
	}
	return p
}

// within appends, in order, the failures all of whose atoms are in v.
func (p *proofs) within(out []int, fs []Failure, v Violation) []int {
	var room [32]int
	places := room[:0]
	var all mask
	for i := range v {
		if place := p.place(&v[i]); place >= 0 {
			places = append(places, place)
			all.set(place)
		}
	}
	for _, place := range places {
		for i := range p.by[place] {
			one := &p.by[place][i]
			if one.kinds.within(&all) && (one.exact || fs[one.failure].Violates.Covers(v)) {
				out = append(out, int(one.failure))
			}
		}
	}
	slices.Sort(out)
	return out
}
