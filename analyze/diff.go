package analyze

import (
	"cmp"
	"maps"
	"slices"

	"mcpg/behavior"
)

// ChangeKind is what became of an edge or a guard.
type ChangeKind string

const (
	Added     ChangeKind = "added"     // it is in the new model only
	Removed   ChangeKind = "removed"   // it is in the old model only
	Tightened ChangeKind = "tightened" // what worked fails now
	Relaxed   ChangeKind = "relaxed"   // what failed works now
)

// ChangeKinds lists them all.
func ChangeKinds() []ChangeKind { return []ChangeKind{Added, Removed, Tightened, Relaxed} }

// Change is one difference between two models.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	What   string     `json:"what"` // tool, guard or edge
	Server string     `json:"server"`
	Tool   string     `json:"tool"`
	State  string     `json:"state,omitempty"` // of an edge, or an example for a guard
	Before string     `json:"before,omitempty"`
	After  string     `json:"after,omitempty"`
	Calls  int        `json:"calls"` // that it rests on
}

// Comparison is what changed between two models, and where.
type Comparison struct {
	Changes []Change

	told  map[toolKey]map[behavior.Path]bool
	edges map[edgeKey]Change
}

// Compare compares two models: tools, guards by what they make of the calls that were
// seen, edges by their outcome. Guards that are worded in another way and judge all
// calls alike are the same.
func Compare(old, now *behavior.Graph) *Comparison {
	out := []Change{}
	before, after := tools(old), tools(now)
	for k, t := range before {
		if after[k] == nil {
			out = append(out, Change{Kind: Removed, What: "tool", Server: k.server, Tool: k.tool, Calls: calls(t)})
		} else {
			out = append(out, guards(k, t, after[k])...)
		}
	}
	for k, t := range after {
		if before[k] == nil {
			out = append(out, Change{Kind: Added, What: "tool", Server: k.server, Tool: k.tool, Calls: calls(t)})
		}
	}
	told := toldApart(before, after)
	c := &Comparison{told: told, edges: edges(old, now, before, after, told)}
	out = slices.AppendSeq(out, maps.Values(c.edges))
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(order[a.What], order[b.What]),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.State, b.State), cmp.Compare(a.After, b.After), cmp.Compare(a.Before, b.Before))
	})
	c.Changes = out
	return c
}

// Edge gives the change of the edge that a cell of the tool is part of.
func (c *Comparison) Edge(t *behavior.Tool, cell *behavior.Cell) (Change, bool) {
	k := toolKey{t.Server, t.Name}
	ch, ok := c.edges[edgeKey{k, cell.Class, categories(cell.All(), c.told[k]).String()}]
	return ch, ok
}

// Minds tells whether a guard of some tool of the server speaks of a field of a state.
func (c *Comparison) Minds(server, field string) bool {
	for k, paths := range c.told {
		if k.server != server {
			continue
		}
		for p := range paths {
			if p.Field == field && !p.NamesArgument() {
				return true
			}
		}
	}
	return false
}

var order = map[string]int{"tool": 0, "guard": 1, "edge": 2}

// tools are all tools under their names; a tool with several fingerprints is all
// of them.
func tools(g *behavior.Graph) map[toolKey][]*behavior.Tool {
	out := map[toolKey][]*behavior.Tool{}
	for _, t := range g.Tools {
		k := toolKey{t.Server, t.Name}
		out[k] = append(out[k], t)
	}
	return out
}

func calls(ts []*behavior.Tool) int {
	n := 0
	for _, t := range ts {
		for _, c := range t.Counts {
			n += c
		}
	}
	return n
}

// judges tells what all of a tool's guards make of a call; they must agree.
func judges(ts []*behavior.Tool, x behavior.State) (behavior.Prediction, string) {
	v := ts[0].Guard.Judge(x)
	for _, t := range ts[1:] {
		if t.Guard.Judge(x).Outcome != v.Outcome {
			return behavior.Undetermined, ""
		}
	}
	if v.Outcome == behavior.Fails {
		return v.Outcome, v.By[0].Needs()
	}
	return v.Outcome, ""
}

func guarded(ts []*behavior.Tool) bool {
	return slices.ContainsFunc(ts, func(t *behavior.Tool) bool {
		return len(t.Guard.Conditions) > 0 || t.OK() > 0 && len(t.Guard.Minimal) > 0
	})
}

// guards compares what two models make of each other's calls.
func guards(k toolKey, before, after []*behavior.Tool) []Change {
	found := map[[2]string]*Change{} // by kind and text
	note := func(kind ChangeKind, old, now string, c *behavior.Cell, n int) {
		key := [2]string{string(kind), old + "\x00" + now}
		if found[key] == nil {
			found[key] = &Change{Kind: kind, What: "guard", Server: k.server, Tool: k.tool, State: c.All().Short(), Before: old, After: now}
		}
		ch := found[key]
		ch.Calls += n
		ch.State = min(ch.State, c.All().Short())
	}
	tight, loose := Tightened, Relaxed
	if !guarded(before) {
		tight = Added
	}
	if !guarded(after) {
		loose = Removed
	}
	for _, t := range before {
		for _, c := range t.Cells {
			if c.OK > 0 {
				if p, needs := judges(after, c.All()); p == behavior.Fails {
					note(tight, "", needs, c, c.OK)
				}
			}
		}
	}
	for _, t := range after {
		for _, c := range t.Cells {
			was, old := judges(before, c.All())
			is, now := judges(after, c.All())
			switch {
			case c.OK > 0 && was == behavior.Fails:
				note(loose, old, "", c, c.OK)
			case c.Rejected() > 0 && c.OK == 0 && was == behavior.Works && is == behavior.Fails:
				note(tight, "", now, c, c.Rejected())
			}
		}
	}
	var out []Change
	for _, c := range found {
		out = append(out, *c)
	}
	return out
}

type edgeKey struct {
	toolKey
	class, state string
}

// toldApart gives, for each tool, the paths that its guards in either model mind.
func toldApart(sides ...map[toolKey][]*behavior.Tool) map[toolKey]map[behavior.Path]bool {
	told := map[toolKey]map[behavior.Path]bool{}
	for _, side := range sides {
		for k, ts := range side {
			if told[k] == nil {
				told[k] = map[behavior.Path]bool{}
			}
			minded(ts, told[k])
		}
	}
	return told
}

// edges compares the outcomes of the same tool in the same state, as far as its
// guards tell states apart, for tools that both models have.
func edges(old, now *behavior.Graph, before, after map[toolKey][]*behavior.Tool, told map[toolKey]map[behavior.Path]bool) map[edgeKey]Change {
	was := edgesOf(old, told)
	is := edgesOf(now, told)
	out := map[edgeKey]Change{}
	change := func(kind ChangeKind, k edgeKey, a, b string, calls int) {
		out[k] = Change{Kind: kind, What: "edge", Server: k.server, Tool: k.tool, State: k.state, Before: a, After: b, Calls: calls}
	}
	for k, e := range was {
		f, ok := is[k]
		switch a, b := e.rank(), f.rank(); {
		case after[k.toolKey] == nil:
		case !ok:
			change(Removed, k, string(e.outcome()), "", e.ok+e.rejected)
		case b > a:
			change(Tightened, k, string(e.outcome()), string(f.outcome()), f.ok+f.rejected)
		case b < a:
			change(Relaxed, k, string(e.outcome()), string(f.outcome()), f.ok+f.rejected)
		}
	}
	for k, f := range is {
		if _, ok := was[k]; !ok && before[k.toolKey] != nil {
			change(Added, k, "", string(f.outcome()), f.ok+f.rejected)
		}
	}
	return out
}

// categories are a state's values at the paths, but for numbers.
func categories(s behavior.State, at map[behavior.Path]bool) behavior.State {
	var out behavior.State
	for _, f := range s.Features {
		if at[f.Path] && !f.IsNumber() {
			out.Features = append(out.Features, f)
		}
	}
	for _, u := range s.Unknown {
		if at[u] || u.Field == "" {
			out.Unknown = append(out.Unknown, u)
		}
	}
	return out
}

type edge struct{ ok, rejected int }

// rank orders outcomes: works, mixed, fails.
func (e edge) rank() int {
	switch e.outcome() {
	case behavior.EdgeWorks:
		return 0
	case behavior.EdgeMixed:
		return 1
	}
	return 2
}

func (e edge) outcome() behavior.EdgeOutcome {
	switch {
	case e.rejected == 0:
		return behavior.EdgeWorks
	case e.ok == 0:
		return behavior.EdgeFails
	}
	return behavior.EdgeMixed
}

// minded adds the paths that a tool's guards speak of. Calls are told apart by
// these alone: two of a thousand states that differ in a title are one edge.
func minded(ts []*behavior.Tool, into map[behavior.Path]bool) {
	for _, t := range ts {
		if len(t.Guard.Minimal) > 0 {
			for _, a := range t.Guard.Minimal[0] {
				into[a.Path] = true
			}
		}
		for _, c := range t.Guard.Conditions {
			for _, l := range c.Reading {
				into[l.Path] = true
				for _, p := range l.With[:l.Form.Operands()-1] {
					into[p] = true
				}
			}
		}
	}
}

func edgesOf(g *behavior.Graph, told map[toolKey]map[behavior.Path]bool) map[edgeKey]edge {
	out := map[edgeKey]edge{}
	for _, t := range g.Tools {
		for _, c := range t.Cells {
			k := edgeKey{toolKey: toolKey{t.Server, t.Name}, class: c.Class}
			k.state = categories(c.All(), told[k.toolKey]).String()
			e := out[k]
			e.ok += c.OK
			e.rejected += c.Rejected()
			out[k] = e
		}
	}
	return out
}
