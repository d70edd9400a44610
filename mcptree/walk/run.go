package walk

import (
	"fmt"
	"slices"
	"strings"

	"mcpg/internal/diag"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// Result is how one walk went.
type Result struct {
	Walk     *Walk
	Failures []diag.Finding
	Trace    []engine.Entry
	Outcome  string // "" if the walk didn't end
	EndsAt   string
	taken    []exit
}

// Path lists the nodes that the walk passed, and the one it waits at.
func (r *Result) Path() []string {
	var out []string
	for _, e := range r.Trace {
		out = append(out, e.Node)
	}
	if r.Outcome == "" {
		out = append(out, r.EndsAt)
	}
	return out
}

// Run plays a walk on a tree.
func Run(m *engine.Machine, w *Walk) *Result {
	r := &Result{Walk: w}
	s, trace := m.Start("", nil)
	r.taken = leaving(nil, m.Tree(), trace, s.Facts, nil)
	for i := range w.Steps {
		step := &w.Steps[i]
		at := m.Node(&s).ID
		if s.Done || at != step.At {
			r.fail(step.Pos, "the walk is at %s%s, not at %s", at, map[bool]string{true: ", at its end"}[s.Done], step.At)
			break
		}
		if action := m.Node(&s).Type == mcptree.Action; step.Key != "" && action != (step.Key != "answer") {
			r.fail(step.Pos, "%s is a node of type %s: it takes %s", at, m.Node(&s).Type, map[bool]string{true: "result or error", false: "answer"}[action])
			break
		}
		r.look(m, &s, step)
		var reject string
		known := len(trace)
		trace, reject = m.Submit(&s, &engine.Answer{Step: s.Step, Value: step.Value, Rationale: step.Rationale, IsError: step.IsError, Source: engine.SourceAnswer}, "", trace)
		r.taken = leaving(r.taken, m.Tree(), trace[known:], s.Facts, step)
		switch {
		case reject != "" && (step.Rejected == "" || !strings.HasPrefix(reject, step.Rejected)):
			r.fail(step.Pos, "%s rejects the answer: %s", step.At, reject)
		case reject == "" && step.Rejected != "":
			r.fail(step.Pos, "%s takes the answer; it should say %s", step.At, step.Rejected)
		}
	}
	r.Trace, r.EndsAt, r.Outcome = trace, m.Node(&s).ID, s.Outcome
	r.compare(w)
	return r
}

func (r *Result) fail(pos diag.Pos, format string, a ...any) {
	r.Failures = append(r.Failures, diag.Finding{Pos: pos, Rule: "walk", Message: fmt.Sprintf("%s: ", r.Walk.Name) + fmt.Sprintf(format, a...)})
}

// look compares what the envelope says.
func (r *Result) look(m *engine.Machine, s *engine.State, step *Step) {
	if step.Instruction == nil && step.Args == nil {
		return
	}
	e := m.Envelope("", s, "")
	if step.Instruction != nil && e.Instruction != *step.Instruction {
		r.fail(step.Pos, "%s says %q, not %q", step.At, e.Instruction, *step.Instruction)
	}
	if step.Args != nil {
		if args, _ := e.Expects.Get("args"); !value.Equal(args, *step.Args) {
			r.fail(step.Pos, "%s is to be called with %s, not %s", step.At, value.AppendJSON(nil, args), value.AppendJSON(nil, *step.Args))
		}
	}
}

func (r *Result) compare(w *Walk) {
	if w.Outcome != nil && *w.Outcome != r.Outcome {
		r.fail(w.Pos, "the outcome is %q, not %q", r.Outcome, *w.Outcome)
	}
	if w.EndsAt != nil && *w.EndsAt != r.EndsAt {
		r.fail(w.Pos, "it ends at %s, not at %s", r.EndsAt, *w.EndsAt)
	}
	if w.Path != nil && !slices.Equal(w.Path, r.Path()) {
		r.fail(w.Pos, "the path is %s, not %s", strings.Join(r.Path(), " "), strings.Join(w.Path, " "))
	}
}

// Coverage is which nodes and ways walks have taken.
type Coverage struct {
	tree  *mcptree.Tree
	nodes map[string]bool
	ways  map[exit]bool
}

// NewCoverage covers nothing yet.
func NewCoverage(t *mcptree.Tree) *Coverage {
	return &Coverage{t, map[string]bool{}, map[exit]bool{}}
}

// Add counts a walk.
func (c *Coverage) Add(r *Result) {
	for i := range r.Trace {
		c.nodes[r.Trace[i].Node] = true
	}
	for _, e := range r.taken {
		c.ways[e] = true
	}
}

// Counts gives covered and all nodes, and covered and all ways.
func (c *Coverage) Counts() (nodes, allNodes, ways, allWays int) {
	for _, n := range c.tree.Nodes {
		allWays += len(exits(n))
	}
	return len(c.nodes), len(c.tree.Nodes), len(c.ways), allWays
}

// Missing lists what no walk took, in the order of the document.
func (c *Coverage) Missing() []string {
	var nodes, ways []string
	for _, n := range c.tree.Nodes {
		if !c.nodes[n.ID] {
			nodes = append(nodes, "node "+n.ID)
		}
		for _, w := range exits(n) {
			if !c.ways[exit{n.ID, w.at}] {
				ways = append(ways, "way "+w.text)
			}
		}
	}
	return append(nodes, ways...)
}
