package behavior

import (
	"cmp"
	"fmt"
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
	// Above: the number is greater than the bound.
	Above
	// Below: it is less.
	Below
)

// Literal is one test that failures have in common.
type Literal struct {
	Path  Path
	Op    LiteralOp
	Token string
	Bound float64
}

// Compare orders literals by path, kind, token and bound.
func (l Literal) Compare(m Literal) int {
	return cmp.Or(l.Path.Compare(m.Path), cmp.Compare(l.Op, m.Op), strings.Compare(l.Token, m.Token), cmp.Compare(l.Bound, m.Bound))
}

// Holds tells whether the literal is certainly true in a state.
func (l Literal) Holds(s State) bool {
	vs, known := s.at(l.Path)
	if !known || len(vs) != 1 {
		return false
	}
	switch v := vs[0]; l.Op {
	case Is:
		return !v.IsNumber() && v.Token == l.Token
	case IsNot:
		return v.IsNumber() || v.Token != l.Token
	case Above:
		return v.IsNumber() && v.Lo > l.Bound
	default:
		return v.IsNumber() && v.Hi < l.Bound
	}
}

func (l Literal) String() string {
	p := l.Path.String()
	switch l.Op {
	case Is:
		return p + "=" + l.Token
	case IsNot:
		return p + " is not " + l.Token
	case Above:
		return fmt.Sprintf("%s > %s", p, FormatNumber(l.Bound))
	}
	return fmt.Sprintf("%s < %s", p, FormatNumber(l.Bound))
}

// Condition is the second dual of a guard: what the failures with one text have
// in common and no success had. It reaches what no conjunction of needs can say:
// not (a and b).
type Condition struct {
	Cluster  string
	Literals []Literal // sorted; all must hold
	Reading  []Literal // as few of them as tell all successes of the evidence apart, for people
	Calls    int       // failures that it describes
	Distinct Sample
	Causes   []string
	Example  string
}

// Holds tells whether a call is certainly like the failures.
func (c *Condition) Holds(s State) bool {
	return !slices.ContainsFunc(c.Literals, func(l Literal) bool { return !l.Holds(s) })
}

func (c *Condition) String() string {
	var parts []string
	for _, l := range c.Reading {
		parts = append(parts, l.String())
	}
	return strings.Join(parts, " and ")
}

// failure is the condition as a failure of the call that violates v: with those
// of the atoms that the condition speaks of.
func (c *Condition) failure(v Violation) Failure {
	var about Violation
	for _, a := range v {
		if _, ok := slices.BinarySearchFunc(c.Literals, a.Path, func(l Literal, p Path) int { return l.Path.Compare(p) }); ok {
			about = append(about, a)
		}
	}
	return Failure{Violates: about, Cluster: c.Cluster, Example: c.Example, Calls: c.Calls, Distinct: c.Distinct, Causes: c.Causes, Condition: c}
}
