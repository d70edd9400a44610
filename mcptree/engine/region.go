package engine

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// maxText is up to how long a text all of its parts are tried.
const maxText = 64

// Regions gives values that stand for all that predicates can tell apart: each
// constant, what lies between and beside those, and one of each other kind. If
// complete, any value but a mapping makes the same predicates true as one of
// these does; a mapping that isn't among them makes none true but neq and
// exists. Values that JSON can't hold are left out.
func Regions(ps []*mcptree.Predicate) (vs []value.Value, complete bool) {
	r := &regions{complete: true}
	for _, p := range ps {
		r.constants(p)
	}
	r.addNumbers()
	r.addTexts()
	r.addLists()
	r.out = append(r.out, value.OfBool(true), value.OfBool(false), value.Value{})
	return append(r.out, r.maps...), r.complete
}

type regions struct {
	numbers  []value.Value
	texts    []string
	parts    []string // texts that others are looked for in
	lists    []value.Value
	maps     []value.Value
	out      []value.Value
	complete bool
}

func (r *regions) constants(p *mcptree.Predicate) {
	for _, of := range p.Of {
		r.constants(of)
	}
	if len(p.Of) > 0 || p.Op == "exists" {
		return
	}
	switch {
	case p.Op != "in":
		r.constant(p.Operand)
		if p.Operand.Kind == value.List && p.Op != "eq" && p.Op != "neq" {
			r.complete = false // the order of lists is that of all their items
		}
	case p.Operand.Kind == value.String:
		r.parts = append(r.parts, p.Operand.Str)
	default:
		for _, v := range p.Operand.List {
			r.constant(v)
		}
		for _, m := range p.Operand.Members {
			r.texts = append(r.texts, m.Name)
		}
	}
}

func (r *regions) constant(v value.Value) {
	switch v.Kind {
	case value.Int:
		r.numbers = append(r.numbers, v)
	case value.Bool:
		r.numbers = append(r.numbers, value.OfInt(0), value.OfInt(1)) // true counts as 1
	case value.Float:
		if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
			r.complete = false // JSON has neither, but answers may come from elsewhere
			break
		}
		r.numbers = append(r.numbers, v)
	case value.String:
		r.texts = append(r.texts, v.Str)
	case value.List:
		r.lists = append(r.lists, v)
	case value.Map:
		r.maps = append(r.maps, v)
	}
}

func (r *regions) addNumbers() {
	compare := func(a, b value.Value) int { c, _ := value.Compare(a, b); return c }
	slices.SortFunc(r.numbers, compare)
	r.numbers = slices.CompactFunc(r.numbers, value.Equal)
	if len(r.numbers) == 0 {
		r.out = append(r.out, value.OfInt(0), value.OfFloat(0.5))
		return
	}
	for i, n := range r.numbers {
		if whole := next(n, 1); n.Kind == value.Float && value.Equal(next(whole, -1), n) {
			n = next(whole, -1) // it may have to be an integer
		}
		r.out = append(r.out, n)
		if i+1 < len(r.numbers) {
			r.between(n, r.numbers[i+1])
		}
	}
	r.out = append(r.out, next(r.numbers[0], -1), next(r.numbers[len(r.numbers)-1], 1))
}

// between adds an integer between two numbers, if there is none another number.
func (r *regions) between(a, b value.Value) {
	n := next(a, 1)
	if value.Less(n, b) {
		r.out = append(r.out, n)
		return
	}
	middle := new(big.Rat).Add(rational(a), rational(b))
	f, _ := middle.Quo(middle, big.NewRat(2, 1)).Float64()
	if x := value.OfFloat(f); !math.IsInf(f, 0) && value.Less(a, x) && value.Less(x, b) {
		r.out = append(r.out, x)
	}
}

// next gives the nearest integer above a number, or with way -1 one below it.
func next(n value.Value, way int64) value.Value {
	if n.Kind == value.Int && n.Big == nil && n.Int > math.MinInt64 && n.Int < math.MaxInt64 {
		return value.OfInt(n.Int + way)
	}
	x := rational(n)
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, so down: the denominator is above 0
	return value.OfBig(floor.Add(floor, big.NewInt(way)))
}

func rational(n value.Value) *big.Rat {
	switch {
	case n.Kind == value.Float:
		return new(big.Rat).SetFloat64(n.Float)
	case n.Big != nil:
		return new(big.Rat).SetInt(n.Big)
	}
	return new(big.Rat).SetInt64(n.Int)
}

func (r *regions) addTexts() {
	for _, p := range r.parts {
		if len(p) > maxText {
			r.complete = false
			r.texts = append(r.texts, p)
			continue
		}
		for i := range p {
			for j := range p[i:] {
				r.texts = append(r.texts, p[i:i+j])
			}
			r.texts = append(r.texts, p[i:])
		}
	}
	given := len(r.texts)+len(r.parts) > 0
	r.texts = append(r.texts, "")
	slices.Sort(r.texts)
	r.texts = slices.Compact(r.texts)
	for i, s := range r.texts {
		if s != "" {
			r.out = append(r.out, value.OfString(s))
		}
		next := s + "\x00" // the least text after s
		for _, nicer := range []string{"text", s + "!"} {
			if nicer > s && (i+1 == len(r.texts) || nicer < r.texts[i+1]) && !r.isPart(nicer) {
				next = nicer
				break
			}
		}
		if i+1 == len(r.texts) || next < r.texts[i+1] {
			r.out = append(r.out, value.OfString(next))
		}
	}
	if given {
		r.out = append(r.out, value.OfString(""))
	}
}

func (r *regions) isPart(s string) bool {
	return slices.ContainsFunc(r.parts, func(p string) bool { return strings.Contains(p, s) })
}

func (r *regions) addLists() {
	r.out = append(r.out, r.lists...)
	other := value.OfList()
	for slices.ContainsFunc(r.lists, func(l value.Value) bool { return value.Equal(l, other) }) {
		other = value.OfList(append(other.List, value.Value{})...)
	}
	r.out = append(r.out, other)
}
