package behavior

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// LiteralOp says what kind of test a Literal is.
type LiteralOp uint8

const (
	// Is: the value is the token.
	Is LiteralOp = iota
	// IsNot: it is another, and known.
	IsNot
	// NoLess: the number is at least the bound.
	NoLess
	// NoMore: it is at most the bound.
	NoMore
	// Over: it is greater.
	Over
	// Under: it is less.
	Under
	// Equals: it is the bound.
	Equals
	// NoMultiple: it isn't a whole multiple of the bound.
	NoMultiple
)

// Form is what a literal computes of its numbers before it is compared.
type Form uint8

const (
	// Plain is the number at Path itself.
	Plain Form = iota
	// Sum is Path + With[0].
	Sum
	// Difference is Path - With[0].
	Difference
	// Product is Path * With[0].
	Product
	// SumTo is Path + With[0] - With[1]; the bound is 0.
	SumTo
	// ProductTo is Path * With[0] - With[1]; the bound is 0.
	ProductTo
)

// Literal is one test that failures have in common.
type Literal struct {
	Path  Path
	Op    LiteralOp
	Token string
	Bound float64

	Form Form
	With [2]Path // further operands, as many as the form takes
}

// Operands tells how many paths a form takes.
func (f Form) Operands() int { return [...]int{1, 2, 2, 2, 3, 3}[f] }

// Compare orders literals by path, form, kind, token and bound.
func (l Literal) Compare(m Literal) int {
	return cmp.Or(l.Path.Compare(m.Path), cmp.Compare(l.Form, m.Form), l.With[0].Compare(m.With[0]), l.With[1].Compare(m.With[1]),
		cmp.Compare(l.Op, m.Op), strings.Compare(l.Token, m.Token), cmp.Compare(l.Bound, m.Bound))
}

// Holds tells whether the literal is certainly true in a state.
func (l Literal) Holds(s State) bool {
	if l.Form == Plain && l.Op != NoMultiple {
		v, ok := s.Single(l.Path)
		return ok && l.plain(v)
	}
	x, slack, ok := l.Compute(s)
	if !ok {
		return false
	}
	switch l.Op {
	case NoLess:
		return x >= l.Bound-slack
	case NoMore:
		return x <= l.Bound+slack
	case Over:
		return x > l.Bound+slack
	case Under:
		return x < l.Bound-slack
	case NoMultiple:
		return !multiple(x, l.Bound)
	}
	return false
}

func (l Literal) plain(v Value) bool {
	switch l.Op {
	case Is:
		return !v.IsNumber() && v.Token == l.Token
	case IsNot:
		return v.IsNumber() || v.Token != l.Token
	case NoLess:
		return v.IsNumber() && v.Lo >= l.Bound
	case NoMore:
		return v.IsNumber() && v.Hi <= l.Bound
	case Over:
		return v.IsNumber() && v.Lo > l.Bound
	case Equals:
		return v.IsNumber() && v.Lo == l.Bound && v.Hi == l.Bound
	}
	return v.IsNumber() && v.Hi < l.Bound
}

func multiple(x, of float64) bool { return math.Mod(x, of) == 0 }

// Single is the one value at a path.
func (s State) Single(p Path) (Value, bool) {
	i, ok := slices.BinarySearchFunc(s.Features, p, func(f Feature, p Path) int { return f.Path.Compare(p) })
	if !ok || i+1 < len(s.Features) && s.Features[i+1].Path == p {
		return Value{}, false
	}
	return s.Features[i].Value, true
}

// Number is the exact number at a path.
func (s State) Number(p Path) (float64, bool) {
	v, ok := s.Single(p)
	return v.Lo, ok && v.IsNumber() && v.Lo == v.Hi
}

// rounding is the share of the greatest operand by which servers' arithmetic may
// differ from ours.
const rounding = 1e-9

// Compute is what the literal compares with its bound, and how much of it may be
// rounding.
func (l Literal) Compute(s State) (x, slack float64, ok bool) {
	var n [3]float64
	if n[0], ok = s.Number(l.Path); !ok {
		return 0, 0, false
	}
	for i := range l.Form.Operands() - 1 {
		if n[i+1], ok = s.Number(l.With[i]); !ok {
			return 0, 0, false
		}
	}
	x, slack = l.Form.Of(n)
	return x, slack, true
}

// Of computes a form.
func (f Form) Of(n [3]float64) (x, slack float64) {
	switch f {
	case Sum, SumTo:
		x = n[0] + n[1]
	case Difference:
		x = n[0] - n[1]
	case Product, ProductTo:
		x = n[0] * n[1]
	default:
		return n[0], 0
	}
	slack = rounding * max(math.Abs(n[0]), math.Abs(n[1]), math.Abs(x), math.Abs(n[2]))
	if f.Operands() == 3 {
		x -= n[2]
	}
	return x, slack
}

func (l Literal) String() string {
	left, right := l.Path.String(), FormatNumber(l.Bound)
	switch l.Form {
	case Sum, SumTo:
		left += " + " + l.With[0].String()
	case Difference:
		left += " - " + l.With[0].String()
	case Product, ProductTo:
		left += " * " + l.With[0].String()
	}
	if l.Form.Operands() == 3 {
		right = l.With[1].String()
	}
	switch l.Op {
	case Is:
		return left + "=" + l.Token
	case IsNot:
		return left + " is not " + l.Token
	case NoMultiple:
		return fmt.Sprintf("%s is no multiple of %s", left, right)
	}
	return left + map[LiteralOp]string{NoLess: " >= ", NoMore: " <= ", Over: " > ", Under: " < ", Equals: " = "}[l.Op] + right
}
