package learn

import (
	"slices"

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
}

// Slot finds where a call is counted, and counts nothing.
func (e *Evidence) Slot(c *calllog.Call, v *behavior.View) *Slot {
	t := e.tool(toolKey{c.Server, c.Tool, c.Fingerprint})
	s := &Slot{t: t, outcome: c.Outcome}
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

// Count counts one call of a session in a slot of the evidence. ref says which
// call it is; it is only asked where the call may be kept as an example.
func (e *Evidence) Count(s *Slot, session uint64, ref func() behavior.CallRef) {
	e.calls++
	s.t.derived = nil
	s.t.counts[s.outcome]++
	if s.cell == nil {
		return
	}
	if s.unobserved {
		s.t.unobserved++
	}
	hash := mix(session, s.content)
	if s.outcome == calllog.OK {
		s.cell.OK++
		if s.cell.OKSample.Wants(hash) {
			s.cell.OKSample = s.cell.OKSample.Add(named(ref, hash))
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
		r.Sample = behavior.Sample{named(ref, hash)}
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

// Session is what tells a session apart in Count.
func Session(name string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * prime
	}
	return h
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
