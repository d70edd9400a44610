package learn

import (
	"slices"
	"time"

	"mcpg/behavior"
	"mcpg/calllog"
)

// Slot is where calls are counted that are alike in all that learning looks at:
// tool, state before and after, arguments, outcome and text. Finding it costs far
// more than counting. It belongs to its Evidence, and is good for as long as that
// is only added to.
type Slot struct {
	t       *toolEvidence
	cell    *behavior.Cell // nil for calls that only count by outcome
	outcome calllog.Outcome
	content uint64 // of arguments and state

	unobserved bool
	after      *behavior.State // of a success, nil if it wasn't read
	refused    behavior.Refusals

	resource uint64 // hash of the first one
	wrote    bool
	left     []behavior.Feature // that the cell leaves out
}

// Event is one call among those that are alike.
type Event struct {
	Session uint64    // what Session gives
	Time    time.Time // zero if the log has none
	Age     time.Duration
	// Ref says which call it is; it is only asked where the call may be kept as an
	// example.
	Ref func() behavior.CallRef
}

// Slot finds where a call is counted, and counts nothing.
func (e *Evidence) Slot(c *calllog.Call, v *behavior.View) *Slot {
	t := e.tool(toolKey{c.Server, c.Tool, c.Fingerprint})
	s := &Slot{t: t, outcome: c.Outcome, wrote: wrote(v, c.Outcome)}
	if v.Resource != "" {
		s.resource = Session(v.Resource)
	}
	if c.Outcome != calllog.OK && c.Outcome != calllog.Rejected || c.Cause == calllog.UnknownTool {
		return s
	}
	state := v.State
	if c.Outcome == calllog.Rejected && v.HasAfter {
		state = unsettled(state, v.Primary, v.After)
	}
	s.unobserved = v.Resource != "" && len(state.Of(v.Primary).Features) == 0
	t.spread(state)
	t.spread(v.Args)
	if t.stale {
		t.live = nil
	}
	s.cell = t.cell(&behavior.Cell{Class: v.Class, Primary: v.Primary, State: state.Drop(t.values.IsWide), Args: v.Args.Drop(t.values.IsWide)})
	s.left = leave(nil, append(dropped(state, s.cell.State), dropped(v.Args, s.cell.Args)...)...)
	s.content = contentHash(c)
	if c.Outcome == calllog.OK {
		if v.HasAfter {
			after := t.dropNext(v.Primary, v.After)
			s.after = &after
		}
		return s
	}
	text, example := Cluster(c)
	s.refused = behavior.Refusals{Cluster: text, Cause: c.Cause, Example: example, Calls: 1}
	return s
}

// Count counts one call in a slot of the evidence.
func (e *Evidence) Count(s *Slot, ev Event) {
	e.calls++
	s.t.derived = nil
	s.t.counts[s.outcome]++
	if !ev.Time.IsZero() {
		at := ev.Time.UnixMicro()
		s.t.first, s.t.last = span(s.t.first, s.t.last, at)
		if e.times.wants(ev.Session) {
			e.times.add(ev.Session, happening{at, ev.Age.Microseconds(), s})
		}
	}
	if s.cell == nil {
		return
	}
	if s.unobserved {
		s.t.unobserved++
	}
	hash := mix(ev.Session, s.content)
	if s.outcome == calllog.OK {
		s.cell.OK++
		if s.cell.OKSample.Wants(hash) {
			s.cell.OKSample = s.cell.OKSample.Add(named(ev.Ref, hash))
		}
		if s.after != nil {
			s.cell.AddNext(*s.after, 1)
		}
		if s.t.live != nil {
			s.t.live.worked(s.cell)
		}
		return
	}
	r := s.refused
	if have := refusalsOf(s.cell, &r); have == nil || have.Sample.Wants(hash) || s.t.live != nil {
		r.Sample = behavior.Sample{named(ev.Ref, hash)}
	}
	s.cell.Refused = addRefusals(s.cell.Refused, r)
	if s.t.live != nil {
		s.t.live.refused(s.cell, r)
	}
}

func named(ref func() behavior.CallRef, hash uint64) behavior.CallRef {
	r := ref()
	r.Hash = hash
	return r
}

func refusalsOf(c *behavior.Cell, r *behavior.Refusals) *behavior.Refusals {
	i := slices.IndexFunc(c.Refused, func(have behavior.Refusals) bool { return have.Cluster == r.Cluster && have.Cause == r.Cause })
	if i < 0 {
		return nil
	}
	return &c.Refused[i]
}

// Session is what tells a session apart in Count; it is spread evenly.
func Session(name string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return mix(h, 0)
}

// mix spreads two hashes over all bits (the finalizer of MurmurHash3).
func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 ^ b
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
