package mcptree

import "mcpg/mcptree/value"

// Holds evaluates a predicate on a fact; present is false where the fact is
// missing. Unlike types are not equal and not ordered: false, never an error.
func (p *Predicate) Holds(fact value.Value, present bool) bool {
	switch p.Op {
	case "all":
		for _, of := range p.Of {
			if !of.Holds(fact, present) {
				return false
			}
		}
		return true
	case "any":
		for _, of := range p.Of {
			if of.Holds(fact, present) {
				return true
			}
		}
		return false
	case "not":
		return !p.Of[0].Holds(fact, present)
	case "exists":
		return present
	}
	return present && p.leaf(fact)
}

func (p *Predicate) leaf(fact value.Value) bool {
	switch p.Op {
	case "eq":
		return value.Equal(fact, p.Operand)
	case "neq":
		return !value.Equal(fact, p.Operand)
	case "in":
		return value.Contains(p.Operand, fact)
	}
	c, ok := value.Compare(fact, p.Operand)
	if !ok {
		return false
	}
	switch p.Op {
	case "gt":
		return c > 0
	case "gte":
		return c >= 0
	case "lt":
		return c < 0
	case "lte":
		return c <= 0
	}
	return false
}
