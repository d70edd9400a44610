package walk

import (
	"slices"
	"strings"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// maxInputs bounds how many answers to one node are tried.
const maxInputs = 4096

// spot is a place in a captured fact that conditions look at: the fact itself,
// or a member of a mapping in it.
type spot struct {
	when []*mcptree.Predicate // what is asked of this place
	kids []kid
}

type kid struct {
	name string
	*spot
}

// spotsOf gathers what the tree's conditions ask of each captured name.
func spotsOf(t *mcptree.Tree) map[string]*spot {
	out := map[string]*spot{}
	for _, n := range t.Nodes {
		if n.Type != mcptree.Condition {
			continue
		}
		at := out[n.OnPath[0]]
		if at == nil {
			at = &spot{}
			out[n.OnPath[0]] = at
		}
		for _, name := range n.OnPath[1:] {
			at = at.kid(name)
		}
		for _, b := range n.Branches {
			at.when = append(at.when, b.When)
		}
	}
	return out
}

func (s *spot) kid(name string) *spot {
	for _, k := range s.kids {
		if k.name == name {
			return k.spot
		}
	}
	k := kid{name, &spot{}}
	s.kids = append(s.kids, k)
	return k.spot
}

// has tells whether conditions look at a member.
func (s *spot) has(name string) bool {
	return slices.ContainsFunc(s.kids, func(k kid) bool { return k.name == name })
}

// truth tells, a character each, which predicates a value makes true here and
// below.
func (s *spot) truth(v value.Value, found bool) string {
	var b strings.Builder
	s.writeTruth(&b, v, found)
	return b.String()
}

func (s *spot) writeTruth(b *strings.Builder, v value.Value, found bool) {
	for _, p := range s.when {
		if engine.Matches(p, v, found) {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	for _, k := range s.kids {
		below, ok := value.Lookup(v, k.name)
		k.writeTruth(b, below, found && ok)
	}
}

// inputs gives values for this place, one for each truth that there can be;
// complete is false if there may be more. The member that required demand are
// in every mapping.
func (s *spot) inputs(accept func(value.Value) bool, required []string) (vs []value.Value, complete bool) {
	all, complete := engine.Regions(s.when)
	maps, whole := s.mappings(required, all)
	complete = complete && whole
	if len(s.kids) > 0 {
		all = append(maps, all...) // a mapping is what is likely meant
	} else {
		all = append(all, maps...)
	}
	seen := map[string]bool{}
	for _, v := range all {
		if t := s.truth(v, true); !seen[t] && accept(v) {
			seen[t] = true
			vs = append(vs, v)
		}
	}
	return vs, complete
}

// mappings gives mappings with each mix of members that conditions look at.
func (s *spot) mappings(required []string, other []value.Value) (out []value.Value, complete bool) {
	out, complete = []value.Value{value.OfMap()}, true
	for _, k := range s.kids {
		vs, whole := k.inputs(func(value.Value) bool { return true }, nil)
		complete = complete && whole
		if len(out)*(len(vs)+1) > maxInputs {
			complete = false
			vs = vs[:max(0, min(len(vs), maxInputs/len(out)-1))]
		}
		var next []value.Value
		for _, m := range out {
			for _, v := range vs {
				next = append(next, with(m, k.name, v))
			}
		}
		out = append(next, out...) // those without the member come last
	}
	for i := range out {
		for _, name := range required {
			if _, ok := out[i].Get(name); !ok {
				out[i] = with(out[i], name, value.Value{})
			}
		}
		for name := "other"; slices.ContainsFunc(other, func(v value.Value) bool { return value.Equal(v, out[i]) }); name += "_" {
			if _, taken := out[i].Get(name); !taken && !s.has(name) {
				out[i] = with(out[i], name, value.Value{})
			}
		}
	}
	return out, complete
}

func with(m value.Value, name string, v value.Value) value.Value {
	ms := append(slices.Clone(m.Members), value.Member{Name: name, Value: v})
	for i := range m.Members {
		if m.Members[i].Name == name {
			ms = slices.Clone(m.Members)
			ms[i].Value = v
		}
	}
	return value.OfMap(ms...)
}

// requiredOf lists the members that a result's schema demands.
func requiredOf(n *mcptree.Node) []string {
	if n.Schema == nil {
		return nil
	}
	list, _ := n.Schema.Get("required")
	var out []string
	for _, v := range list.List {
		if v.Kind == value.String {
			out = append(out, v.Str)
		}
	}
	return out
}
