package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpg/calllog"
)

// Occurrence is one call in the order of its session.
type Occurrence struct {
	Time     int64 // microseconds since 1970
	Age      int64 // microseconds from the reading of the state to the call
	Tool     *Tool
	Outcome  calllog.Outcome
	Cell     *Cell  // nil for calls that only count by outcome
	Cluster  string // of a refusal
	Cause    calllog.Cause
	Resource uint64 // hash of the first resource, 0 without one
	Wrote    bool   // it is known to have left the resource in another state
	Args     uint64 // hash of the arguments, and of the state
	State    uint64
	// Left are features that are no part of the cell, for their paths are wide; at most
	// MaxLeft.
	Left []Feature
}

// MaxLeft is how many features an Occurrence keeps that its cell leaves out, the
// first ones.
const MaxLeft = 16

// Timeline is a session's calls, in the order of time.
type Timeline struct {
	Session uint64 // hash of its name
	Calls   []Occurrence
}

// Timelines are what is known of the order of calls: the sessions of lowest hash,
// each whole. From is the least hash that is left out, 0 for none.
type Timelines struct {
	Sessions []Timeline // sorted by session
	From     uint64
}

// Compare orders occurrences by time; those of one time by what they are.
func (o *Occurrence) Compare(p *Occurrence) int {
	return cmp.Or(cmp.Compare(o.Time, p.Time), o.Tool.Compare(p.Tool), cmp.Compare(o.Outcome, p.Outcome), cmp.Compare(o.Args, p.Args), cmp.Compare(o.State, p.State),
		strings.Compare(o.Cluster, p.Cluster), cmp.Compare(o.Age, p.Age), cmp.Compare(o.Cause, p.Cause), cmp.Compare(o.Resource, p.Resource),
		compareWrote(o.Wrote, p.Wrote), compareCells(o.Cell, p.Cell))
}

func compareWrote(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func compareCells(a, b *Cell) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return strings.Compare(a.Key(), b.Key())
}

// Why a cell has both outcomes.
const (
	CauseMissing        = "missing_feature" // a value that is no part of the cell parts them
	CauseStale          = "stale_snapshot"  // the state was read too early
	CauseDrift          = "drift"           // the server changed
	CauseHidden         = "hidden_state"    // what the session did before decides
	CauseNondeterminism = "nondeterminism"  // nothing of it, and enough calls to have seen it
	CauseUnattributed   = "unattributed"    // the calls can't tell
)

// Cause says why calls that are alike had both outcomes.
type Cause struct {
	Name   string
	Detail string // for people: the feature, the call before, the time
	Calls  int    // that were looked at: those whose place in time is known
	Pooled bool   // together with other cells of the tool
	From   int64  // of a drift, the last call before and the first after it, in
	To     int64  // microseconds since 1970
	Tests  []Test // in the order in which they count
}

// Test is one statistical test on the way to a Cause.
type Test struct {
	Name string
	// P is the chance of such outcomes, or more telling ones, if nothing is behind
	// them. It is 1 where the calls hold nothing to test.
	P float64
	// Adjusted is P for all tests of the contradiction together (Holm).
	Adjusted float64
}

var causeWords = map[string]string{
	CauseMissing:        "a missing feature",
	CauseStale:          "a stale state",
	CauseDrift:          "the server has changed",
	CauseHidden:         "hidden state",
	CauseNondeterminism: "no rule: nondeterminism",
	CauseUnattributed:   "unattributed",
}

// String tells the cause, and how likely chance alone would look so.
func (c *Cause) String() string {
	text := "cause: " + causeWords[c.Name]
	if c.Detail != "" {
		text += "; " + c.Detail
	}
	var notes []string
	for _, t := range c.Tests {
		if t.Name == c.Name {
			notes = append(notes, fmt.Sprintf("p=%.2g over %d calls", t.Adjusted, c.Calls))
		}
	}
	if c.Pooled {
		notes = append(notes, "together with the tool's other contradictions")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// CauseOf is why a cell contradicts itself.
func (g *Graph) CauseOf(c *Cell) *Cause {
	if why := g.Causes[c]; why != nil {
		return why
	}
	return &Cause{Name: CauseUnattributed}
}

// Drift says that a tool works in another way from some time on.
type Drift struct {
	Server, Tool, Fingerprint string
	// Before is the fingerprint that the tool had earlier, "" if its schemas are
	// the same and calls alike had other outcomes.
	Before   string
	From, To int64  // last call before and first after, in microseconds since 1970; 0 if it isn't known
	Retest   []Edge // what was seen before the change and not since
}

// Drifts lists the tools that changed, sorted: by their schemas, or without.
func (g *Graph) Drifts() []Drift {
	var out []Drift
	for _, t := range g.Tools {
		if d, ok := g.outcomeDrift(t); ok {
			out = append(out, d)
		}
		if d, ok := g.schemaDrift(t); ok {
			out = append(out, d)
		}
	}
	return out
}

// outcomeDrift gathers a tool's cells whose outcomes changed with time.
func (g *Graph) outcomeDrift(t *Tool) (Drift, bool) {
	d := Drift{Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint}
	changed := map[string]bool{}
	for _, c := range t.Cells {
		why := g.Causes[c]
		if why == nil || why.Name != CauseDrift {
			continue
		}
		changed[c.Node().Key()] = true
		if d.To == 0 || why.To-why.From < d.To-d.From {
			d.From, d.To = why.From, why.To
		}
	}
	if len(changed) == 0 {
		return d, false
	}
	since := g.cellsSince(t, d.To)
	for _, e := range t.edges() {
		if changed[e.State.Key()] || !since[e.State.Key()] {
			d.Retest = append(d.Retest, e)
		}
	}
	return d, true
}

// cellsSince are the states that calls of a tool were made in from a time on.
func (g *Graph) cellsSince(t *Tool, from int64) map[string]bool {
	out := map[string]bool{}
	for _, s := range g.Timelines.Sessions {
		for i := range s.Calls {
			if o := &s.Calls[i]; o.Tool == t && o.Cell != nil && o.Time >= from {
				out[o.Cell.Node().Key()] = true
			}
		}
	}
	return out
}

// schemaDrift compares a tool with the one of that name that was called before it, and
// never since, under another fingerprint. Where both are in use there is no change.
func (g *Graph) schemaDrift(t *Tool) (Drift, bool) {
	var before *Tool
	for _, u := range g.Tools {
		named := u.Server == t.Server && u.Name == t.Name && u.Fingerprint != "" && u.Fingerprint != t.Fingerprint
		if named && u.Called.Known && u.Called.Last < t.Called.First && (before == nil || u.Called.Last > before.Called.Last) {
			before = u
		}
	}
	if before == nil || !t.Called.Known || t.Fingerprint == "" {
		return Drift{}, false
	}
	d := Drift{Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint, Before: before.Fingerprint, From: before.Called.Last, To: t.Called.First}
	seen := map[string]bool{}
	for _, e := range t.edges() {
		seen[e.State.Key()] = true
	}
	for _, e := range before.edges() {
		if !seen[e.State.Key()] {
			d.Retest = append(d.Retest, e)
		}
	}
	return d, true
}

// Drifted tells whether a tool's calls had other outcomes from some time on: what
// is known of it is to be tested anew.
func (g *Graph) Drifted(t *Tool) bool {
	return slices.ContainsFunc(t.Cells, func(c *Cell) bool { why := g.Causes[c]; return why != nil && why.Name == CauseDrift })
}
