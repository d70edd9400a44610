package behavior

import (
	"slices"
	"strings"
)

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
