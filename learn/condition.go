package learn

import (
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"mcpg/behavior"
)

// What a failing condition must rest on: it has no proof as a guard has, and so
// wants many failures and many successes that it doesn't describe.
const (
	minDescribed = 20
	minContrast  = 20
	// shared is the share of a cluster's failures that a literal must be true
	// in: a few may be there for another reason.
	shared = 0.98
)

// folds is into how many parts successes are split: what failures have in common
// must tell them from the successes of each part, with nothing known of these.
const folds = 5

// conditions finds for each text of failures what they have in common, if no
// success has all of it, nor any that was held back. The conjunction is the most
// specific one, so it rests on no choice among literals.
func conditions(g *behavior.Guard, cells []*behavior.Cell) []behavior.Condition {
	successes := 0
	failed := map[string][]*behavior.Cell{}
	described := map[string]int{}
	for _, c := range cells {
		successes += c.OK
		for _, r := range c.Refused {
			failed[r.Cluster] = append(failed[r.Cluster], c)
			described[r.Cluster] += r.Calls
		}
	}
	maps.DeleteFunc(described, func(_ string, n int) bool { return n < minDescribed })
	if successes < minContrast || len(described) == 0 {
		return nil
	}
	clusters := slices.Sorted(maps.Keys(described))
	found := map[string]*behavior.Condition{}
	all := allowedBy(g.Allowed)
	for _, cluster := range clusters {
		if c := condition(all, cluster, failed[cluster]); c != nil && !describesAny(c, cells, func(*behavior.Cell) bool { return true }) {
			found[cluster] = c
		}
	}
	for fold := range folds {
		if len(found) == 0 {
			break
		}
		heldBack := func(c *behavior.Cell) bool { return foldOf(c) == fold }
		known := allowedBy(successesOf(cells, heldBack))
		for cluster := range found {
			if c := condition(known, cluster, failed[cluster]); c == nil || describesAny(c, cells, heldBack) {
				delete(found, cluster)
			}
		}
	}
	var out []behavior.Condition
	for _, cluster := range clusters {
		if c := found[cluster]; c != nil {
			c.Reading = reading(c, cells)
			out = append(out, *c)
		}
	}
	return out
}

// reading takes from a condition's literals as few as tell it from all successes,
// the most telling first.
func reading(c *behavior.Condition, cells []*behavior.Cell) []behavior.Literal {
	open := slices.Clone(cells)
	open = slices.DeleteFunc(open, func(cell *behavior.Cell) bool { return cell.OK == 0 })
	var out []behavior.Literal
	for len(open) > 0 {
		best, most := behavior.Literal{}, 0
		for _, l := range c.Literals {
			n := 0
			for _, cell := range open {
				if !l.Holds(cell.All()) {
					n++
				}
			}
			if n > most || n == most && n > 0 && l.Op < best.Op {
				best, most = l, n
			}
		}
		if most == 0 {
			break
		}
		out = append(out, best)
		open = slices.DeleteFunc(open, func(cell *behavior.Cell) bool { return !best.Holds(cell.All()) })
	}
	return out
}

func allowedBy(list []*behavior.Allowed) map[behavior.Path]*behavior.Allowed {
	out := make(map[behavior.Path]*behavior.Allowed, len(list))
	for _, a := range list {
		out[a.Path] = a
	}
	return out
}

// foldOf is the part that a cell's successes belong to, told by what they are.
func foldOf(c *behavior.Cell) int {
	h := fnv.New32a()
	h.Write([]byte(c.Key()))
	return int(h.Sum32() % folds)
}

// successesOf collects what successes had, but for those held back.
func successesOf(cells []*behavior.Cell, heldBack func(*behavior.Cell) bool) []*behavior.Allowed {
	kept := make([]*behavior.Cell, len(cells))
	for i, c := range cells {
		kept[i] = c
		if c.OK > 0 && heldBack(c) {
			bare := *c
			bare.OK = 0
			kept[i] = &bare
		}
	}
	return successes(kept)
}

func describesAny(c *behavior.Condition, cells []*behavior.Cell, which func(*behavior.Cell) bool) bool {
	return slices.ContainsFunc(cells, func(cell *behavior.Cell) bool { return cell.OK > 0 && which(cell) && c.Holds(cell.All()) })
}

// condition is what the failures with one text have in common; nil if they are
// too few, or nothing of it tells them from successes.
func condition(allowed map[behavior.Path]*behavior.Allowed, cluster string, cells []*behavior.Cell) *behavior.Condition {
	c := &behavior.Condition{Cluster: cluster}
	weights := make([]int, len(cells))
	for i, cell := range cells {
		for _, r := range cell.Refused {
			if r.Cluster != cluster {
				continue
			}
			weights[i] += r.Calls
			c.Distinct = c.Distinct.Merge(r.Sample)
			if c.Example == "" || r.Example < c.Example {
				c.Example = r.Example
			}
			if cause := r.Cause.String(); !slices.Contains(c.Causes, cause) {
				c.Causes = append(c.Causes, cause)
			}
		}
		c.Calls += weights[i]
	}
	slices.Sort(c.Causes)
	if c.Calls < minDescribed {
		return nil
	}
	count := map[behavior.Literal]int{}
	for i, cell := range cells {
		for _, l := range literals(allowed, cell.All()) {
			count[l] += weights[i]
		}
	}
	enough := int(math.Ceil(shared * float64(c.Calls)))
	for l, n := range count {
		if n >= enough {
			c.Literals = append(c.Literals, l)
		}
	}
	if len(c.Literals) == 0 {
		return nil
	}
	slices.SortFunc(c.Literals, behavior.Literal.Compare)
	return c
}

// literals are the tests that are true in a state: the value of each path, and
// that it is none of those that successes had, or beyond their numbers.
func literals(allowed map[behavior.Path]*behavior.Allowed, s behavior.State) []behavior.Literal {
	var out []behavior.Literal
	for i, f := range s.Features {
		if i > 0 && s.Features[i-1].Path == f.Path || i+1 < len(s.Features) && s.Features[i+1].Path == f.Path {
			continue // of several things at once no one value is certain
		}
		a := allowed[f.Path]
		if f.IsNumber() {
			if a != nil && a.Lo <= a.Hi {
				if f.Lo > a.Hi {
					out = append(out, behavior.Literal{Path: f.Path, Op: behavior.Above, Bound: a.Hi})
				}
				if f.Hi < a.Lo {
					out = append(out, behavior.Literal{Path: f.Path, Op: behavior.Below, Bound: a.Lo})
				}
			}
		} else {
			out = append(out, behavior.Literal{Path: f.Path, Op: behavior.Is, Token: f.Token})
		}
		if a == nil {
			continue
		}
		for t := range a.Tokens {
			if f.IsNumber() || t != f.Token {
				out = append(out, behavior.Literal{Path: f.Path, Op: behavior.IsNot, Token: t})
			}
		}
	}
	return out
}
