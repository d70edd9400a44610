package lint

import (
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// fact is a value that a condition may meet, or that it is missing.
type fact struct {
	value   value.Value
	present bool
}

// eachCondition visits conditions whose predicates could all be read, with facts
// that stand for all others: every constant that the branches name, what lies
// just beside and between them, and one of each other kind. A predicate can't
// tell two facts apart that fall between the same constants.
func eachCondition(d *mcptree.Document, visit func(n *mcptree.Node, facts []fact)) {
	for _, n := range d.Draft.Nodes {
		if n.Type != mcptree.Condition || !readable(n) {
			continue
		}
		var consts []value.Value
		for _, b := range n.Branches {
			consts = constants(consts, b.When)
		}
		if len(consts) > 500 {
			continue // its facts would be too many to try
		}
		visit(n, samples(consts))
	}
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

func constants(out []value.Value, p *mcptree.Predicate) []value.Value {
	for _, of := range p.Of {
		out = constants(out, of)
	}
	if len(p.Of) > 0 || p.Op == "exists" {
		return out
	}
	out = append(out, p.Operand)
	if p.Op != "in" {
		return out
	}
	out = append(out, p.Operand.List...)
	for _, m := range p.Operand.Members {
		out = append(out, value.OfString(m.Name))
	}
	return out
}

func samples(consts []value.Value) []fact {
	out := []fact{{}} // missing
	add := func(vs ...value.Value) {
		for _, v := range vs {
			out = append(out, fact{v, true})
		}
	}
	add(value.Value{}, value.OfBool(true), value.OfBool(false), value.OfList(), value.OfMap(), value.OfString(""), value.OfString("\U0010FFFF~"),
		value.OfFloat(-1e300), value.OfFloat(1e300), value.OfFloat(0.123456789))
	var numbers []float64
	for _, c := range consts {
		add(c)
		switch c.Kind {
		case value.String:
			add(value.OfString(c.Str + "\x00"))
			for i, r := range c.Str {
				add(value.OfString(string(r)), value.OfString(c.Str[:i]))
			}
		case value.Int:
			numbers = append(numbers, float64(c.Int))
			if c.Big == nil {
				add(value.OfInt(c.Int-1), value.OfInt(c.Int+1))
			}
		case value.Float:
			numbers = append(numbers, c.Float)
		case value.List:
			add(value.OfList(append(append([]value.Value{}, c.List...), value.OfInt(0))...))
		}
	}
	for _, x := range numbers {
		add(value.OfFloat(x-0.5), value.OfFloat(x+0.5))
		for _, y := range numbers {
			if x < y {
				add(value.OfFloat(x + (y-x)/2))
			}
		}
	}
	return out
}

// eachLeaf visits the leaves of all predicates with their place.
func eachLeaf(d *mcptree.Document, visit func(n *mcptree.Node, p *mcptree.Predicate, at place)) {
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
