package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// fact is a value that a condition may meet, or that it is missing.
type fact struct {
	value   value.Value
	present bool
}

// maxLeaves is up to how many leaves a condition's facts are tried.
const maxLeaves = 500

// condition is a condition whose predicates could all be read, with facts that
// stand for all others.
type condition struct {
	node  *mcptree.Node
	facts []fact
}

// eachCondition visits the conditions whose facts could be gathered.
func eachCondition(d *subject, visit func(n *mcptree.Node, facts []fact)) {
	if !d.gathered {
		d.conditions, d.gathered = conditions(d.Draft), true
	}
	for _, c := range d.conditions {
		visit(c.node, c.facts)
	}
}

func conditions(t *mcptree.Tree) (out []condition) {
	for _, n := range t.Nodes {
		if n.Type != mcptree.Condition || !readable(n) {
			continue
		}
		var ps []*mcptree.Predicate
		leaves := 0
		for _, b := range n.Branches {
			ps = append(ps, b.When)
			leavesOf(b.When, func(p *mcptree.Predicate) { leaves += 1 + len(p.Operand.List) })
		}
		if leaves > maxLeaves {
			continue
		}
		if fs, complete := facts(ps); complete {
			out = append(out, condition{n, fs})
		}
	}
	return out
}

func readable(n *mcptree.Node) bool {
	for _, b := range n.Branches {
		if !complete(b.When) {
			return false
		}
	}
	return true
}

func complete(p *mcptree.Predicate) bool {
	if p == nil || p.Op == "" {
		return false
	}
	switch p.Op {
	case "all", "any", "not":
		if len(p.Of) == 0 {
			return false
		}
	}
	for _, of := range p.Of {
		if !complete(of) {
			return false
		}
	}
	return true
}

// facts are the regions, a mapping that no constant names, and none at all.
func facts(ps []*mcptree.Predicate) (out []fact, complete bool) {
	vs, complete := engine.Regions(ps)
	vs = append(vs, value.OfMap(), value.OfMap(value.Member{Name: "\x00"}))
	for _, v := range vs {
		out = append(out, fact{v, true})
	}
	return append(out, fact{}), complete
}

// eachLeaf visits the leaves of all predicates with their place.
func eachLeaf(d *subject, visit func(n *mcptree.Node, p *mcptree.Predicate, at place)) {
	for _, n := range d.Draft.Nodes {
		for i, b := range n.Branches {
			leavesOf(b.When, func(p *mcptree.Predicate) {
				at := item(d, n, "branches", i)
				spot := *at
				if p.Pos.Line > 0 {
					spot.Line, spot.Col = p.Pos.Line, p.Pos.Col
				}
				visit(n, p, &spot)
			})
		}
	}
}

func leavesOf(p *mcptree.Predicate, visit func(*mcptree.Predicate)) {
	if p == nil {
		return
	}
	if len(p.Of) == 0 && p.Op != "" {
		visit(p)
	}
	for _, of := range p.Of {
		leavesOf(of, visit)
	}
}
