package learn

import (
	"iter"
	"maps"
	"slices"

	"mcpg/behavior"
	"mcpg/calllog"
)

// Bare is the evidence as a graph of which nothing is derived: all that FromGraph
// takes, at a fraction of what Induce costs. It shares cells with the evidence.
func (e *Evidence) Bare() *behavior.Graph {
	e.settle()
	g := &behavior.Graph{Calls: e.calls}
	tools := map[*toolEvidence]*behavior.Tool{}
	for k, t := range e.tools {
		t.project()
		wide := slices.SortedFunc(maps.Keys(t.values.Wide()), behavior.Path.Compare)
		tools[t] = &behavior.Tool{Server: k.server, Name: k.name, Fingerprint: k.fingerprint, Counts: t.counts, Unobserved: t.unobserved, Called: t.called,
			Guard: &behavior.Guard{Wide: wide}, Cells: t.sorted()}
		g.Tools = append(g.Tools, tools[t])
	}
	slices.SortFunc(g.Tools, (*behavior.Tool).Compare)
	g.Timelines = e.timelines().graph(func(t *toolEvidence) *behavior.Tool { return tools[t] })
	return g
}

// Parts takes evidence apart into pieces that may be merged in any order, each with
// what it is about: a tool's counts, a cell, or a session. Pieces of many parts with
// one key are of one thing; two things may share a key, which harms nothing.
func (e *Evidence) Parts() iter.Seq2[uint64, *behavior.Graph] {
	return func(yield func(uint64, *behavior.Graph) bool) {
		g := e.Bare()
		whole := behavior.Graph{Calls: g.Calls, Timelines: behavior.Timelines{From: g.Timelines.From}}
		for _, t := range g.Tools {
			counts := bare(t)
			counts.Counts, counts.Unobserved, counts.Called = t.Counts, t.Unobserved, t.Called
			whole.Tools = append(whole.Tools, counts)
		}
		if !yield(0, &whole) {
			return
		}
		for _, t := range g.Tools {
			tool := mix(Session(t.Server), mix(Session(t.Name), Session(t.Fingerprint)))
			for _, c := range t.Cells {
				one := bare(t)
				one.Cells = []*behavior.Cell{c}
				if !yield(mix(tool, Session(c.Key())), &behavior.Graph{Tools: []*behavior.Tool{one}}) {
					return
				}
			}
		}
		for i := range g.Timelines.Sessions {
			line := &g.Timelines.Sessions[i]
			if !yield(line.Session, session(line)) {
				return
			}
		}
	}
}

// bare is a tool without its counts: they are told once.
func bare(t *behavior.Tool) *behavior.Tool {
	return &behavior.Tool{Server: t.Server, Name: t.Name, Fingerprint: t.Fingerprint, Guard: &behavior.Guard{Wide: t.Guard.Wide}}
}

// session is a graph of one session alone: of the cells of its calls it has the names.
func session(line *behavior.Timeline) *behavior.Graph {
	g := &behavior.Graph{}
	tools := map[*behavior.Tool]*behavior.Tool{}
	cells := map[*behavior.Cell]*behavior.Cell{}
	alone := behavior.Timeline{Session: line.Session}
	for _, o := range line.Calls {
		t := tools[o.Tool]
		if t == nil {
			t = bare(o.Tool)
			tools[o.Tool] = t
			g.Tools = append(g.Tools, t)
		}
		o.Tool = t
		if was := o.Cell; was != nil {
			c := cells[was]
			if c == nil {
				c = &behavior.Cell{Class: was.Class, Primary: was.Primary, State: was.State, Args: was.Args}
				cells[was] = c
				t.Cells = append(t.Cells, c)
			}
			o.Cell = c
			if o.Outcome == calllog.Rejected {
				c.Refused = nameRefusals(c.Refused, was.Refused, o.Cluster, o.Cause)
			}
		}
		alone.Calls = append(alone.Calls, o)
	}
	g.Timelines.Sessions = []behavior.Timeline{alone}
	return g
}

// nameRefusals adds refusals that count no call: an occurrence says by them why it
// was refused.
func nameRefusals(have, all []behavior.Refusals, cluster string, cause calllog.Cause) []behavior.Refusals {
	for _, r := range all {
		if r.Cluster == cluster && r.Cause == cause {
			return addRefusals(have, behavior.Refusals{Cluster: cluster, Cause: cause, Example: r.Example})
		}
	}
	return have
}
