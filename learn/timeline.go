package learn

import (
	"cmp"
	"maps"
	"slices"

	"mcpg/behavior"
	"mcpg/calllog"
)

const (
	// maxTimeline is of how many calls the order is kept.
	maxTimeline = 16384
	// maxSession is how many of them a session may have, its earliest.
	maxSession = 2048
)

// happening is one call of a session.
type happening struct {
	time, age int64 // microseconds
	args      uint64
	state     uint64
	slot      *Slot
}

func (h *happening) compare(o *happening) int {
	a, b := h.slot, o.slot
	return cmp.Or(cmp.Compare(h.time, o.time), a.t.key.compare(b.t.key), cmp.Compare(a.outcome, b.outcome), cmp.Compare(h.args, o.args), cmp.Compare(h.state, o.state),
		cmp.Compare(a.refused.Cluster, b.refused.Cluster), cmp.Compare(h.age, o.age), cmp.Compare(a.refused.Cause, b.refused.Cause),
		cmp.Compare(a.resource, b.resource), sideOf(a.wrote)-sideOf(b.wrote), compareCells(a.cell, b.cell))
}

func compareCells(a, b *behavior.Cell) int {
	switch {
	case a == b || a == nil && b == nil:
		return 0
	case a == nil || b == nil:
		return sideOf(a != nil) - sideOf(b != nil)
	}
	return cmp.Compare(a.Key(), b.Key())
}

// timelines keep the sessions of lowest hash, as many as have maxTimeline calls
// together, of each the earliest maxSession. What is
// kept of parts that are merged is what is kept of the whole: a session that is
// left out once has too many calls before it for good.
type timelines struct {
	sessions map[uint64][]happening
	calls    int
	from     uint64 // the least hash left out, 0 for none
}

func (l *timelines) wants(session uint64) bool { return l.from == 0 || session < l.from }

// add takes a call whose time is known.
func (l *timelines) add(session uint64, h happening) {
	if !l.wants(session) {
		return
	}
	if l.sessions == nil {
		l.sessions = map[uint64][]happening{}
	}
	l.sessions[session] = append(l.sessions[session], h)
	l.calls++
	if l.calls > 2*maxTimeline {
		l.settle()
	}
}

// settle leaves out what is too much.
func (l *timelines) settle() {
	kept := 0
	for _, session := range slices.Sorted(maps.Keys(l.sessions)) {
		calls := l.sessions[session]
		if !l.wants(session) {
			delete(l.sessions, session)
			continue
		}
		if len(calls) > maxSession {
			slices.SortFunc(calls, func(a, b happening) int { return a.compare(&b) })
			calls = slices.Clip(calls[:maxSession])
			l.sessions[session] = calls
		}
		if kept+len(calls) > maxTimeline {
			l.from = session
			delete(l.sessions, session)
			continue
		}
		kept += len(calls)
	}
	l.calls = kept
}

// merge takes another's calls; there gives each of its slots its place here.
func (l *timelines) merge(o *timelines, there func(*Slot) *Slot) {
	if o.from != 0 && l.wants(o.from) {
		l.from = o.from
	}
	for session, calls := range o.sessions {
		for _, h := range calls {
			h.slot = there(h.slot)
			l.add(session, h)
		}
	}
}

// slots are the slots in use of one tool.
func (l *timelines) slots(t *toolEvidence) map[*Slot]bool {
	out := map[*Slot]bool{}
	for _, calls := range l.sessions {
		for i := range calls {
			if calls[i].slot.t == t {
				out[calls[i].slot] = true
			}
		}
	}
	return out
}

// graph gives the timelines in terms of a graph's tools.
func (l *timelines) graph(tool func(*toolEvidence) *behavior.Tool) behavior.Timelines {
	l.settle()
	out := behavior.Timelines{From: l.from}
	for _, session := range slices.Sorted(maps.Keys(l.sessions)) {
		t := behavior.Timeline{Session: session}
		for _, h := range l.sessions[session] {
			s := h.slot
			t.Calls = append(t.Calls, behavior.Occurrence{
				Time: h.time, Age: h.age, Tool: tool(s.t), Outcome: s.outcome, Cell: s.cell, Cluster: s.refused.Cluster, Cause: s.refused.Cause,
				Resource: s.resource, Wrote: s.wrote, Args: h.args, State: h.state, Left: s.left,
			})
		}
		slices.SortFunc(t.Calls, func(a, b behavior.Occurrence) int { return a.Compare(&b) })
		out.Sessions = append(out.Sessions, t)
	}
	return out
}

// leave keeps the first of the features that a cell leaves out.
func leave(have []behavior.Feature, more ...behavior.Feature) []behavior.Feature {
	if len(more) == 0 {
		return have
	}
	out := append(slices.Clone(have), more...)
	slices.SortFunc(out, behavior.Feature.Compare)
	out = slices.Compact(out)
	return out[:min(len(out), behavior.MaxLeft)]
}

// dropped are the features of all that kept doesn't have.
func dropped(all, kept behavior.State) []behavior.Feature {
	if len(all.Features) == len(kept.Features) {
		return nil
	}
	var out []behavior.Feature
	for _, f := range all.Features {
		if _, ok := slices.BinarySearchFunc(kept.Features, f, behavior.Feature.Compare); !ok {
			out = append(out, f)
		}
	}
	return out
}

// wrote tells whether a success has left its resource in another state, as far as
// that was read, or may have.
func wrote(v *behavior.View, o calllog.Outcome) bool {
	if o != calllog.OK {
		return false
	}
	before := v.State.Of(v.Primary)
	if !v.HasAfter || len(before.Features) == 0 {
		return v.Writes
	}
	return before.Key() != v.After.Key()
}
