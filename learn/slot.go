package learn

import (
	"mcpg/behavior"
	"mcpg/calllog"
	"slices"
)

// Slot is where calls are counted that are alike in all that learning looks at:
// tool, state before and after, arguments, outcome and text. Finding it costs far
// more than counting. It belongs to its Evidence, and is good for as long as that
// is only added to.
type Slot struct {
	t       *toolEvidence
	cell    *behavior.Cell // nil for calls that only count by outcome
	outcome calllog.Outcome

	unobserved bool
	after      *behavior.State // of a success, nil if it wasn't read
	refused    behavior.Refusals

	resource uint64 // hash of the first one
	wrote    bool
	left     []behavior.Feature // that the cell leaves out

	calls  int // that the tool doesn't know of yet
	sample behavior.Sample
	called behavior.Span
}

// Event is one call among those that are alike.
type Event struct {
	Session uint64 // what Session gives
	Args    uint64 // of its arguments and of its state, what Content gives
	State   uint64
	Time    int64     // microseconds since 1970
	Age     int64     // of the state, in microseconds
	Timed   bool      // Time is known
	Names   CallNames // asked where the call may be kept as an example
	Row     int
}

// CallNames say which call is in a row.
type CallNames interface {
	Ref(row int) behavior.CallRef
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
	s.cell = t.narrow(&behavior.Cell{Class: v.Class, Primary: v.Primary, State: state, Args: v.Args})
	s.left = leave(nil, append(dropped(state, s.cell.State), dropped(v.Args, s.cell.Args)...)...)
	if c.Outcome == calllog.OK {
		if v.HasAfter {
			after := t.dropNext(v.Primary, v.After)
			s.after = &after
		}
		return s
	}
	text, example := Cluster(c)
	s.refused = behavior.Refusals{Cluster: text, Cause: c.Cause, Example: example}
	return s
}

// Count counts one call in a slot of the evidence.
func (e *Evidence) Count(s *Slot, ev *Event) {
	if s.calls == 0 {
		e.pending = append(e.pending, s)
	}
	s.calls++
	if ev.Timed {
		s.called.Add(ev.Time)
		if times := e.timelines(); times.wants(ev.Session) {
			times.add(ev.Session, happening{ev.Time, ev.Age, ev.Args, ev.State, s})
		}
	}
	if s.cell == nil {
		return
	}
	if hash := mix(ev.Session, mix(ev.Args, ev.State)); s.sample.Wants(hash, ev.Time) {
		r := ev.Names.Ref(ev.Row)
		r.Hash, r.Time = hash, ev.Time
		s.sample = s.sample.Add(r)
	}
}

// settle tells tools what was counted in slots.
func (e *Evidence) settle() {
	for _, s := range e.pending {
		e.tell(s)
	}
	clear(e.pending)
	e.pending = e.pending[:0]
}

func (e *Evidence) tell(s *Slot) {
	n := s.calls
	e.calls += n
	t := s.t
	t.derived = nil
	t.counts[s.outcome] += n
	t.called.Merge(s.called)
	if s.unobserved {
		t.unobserved += n
	}
	switch {
	case s.cell == nil:
	case s.outcome == calllog.OK:
		s.cell.OK += n
		s.cell.OKSample = s.cell.OKSample.Merge(s.sample)
		if s.after != nil {
			s.cell.AddNext(*s.after, n)
		}
	default:
		r := s.refused
		r.Calls, r.Sample = n, s.sample
		s.cell.Refused = addRefusals(s.cell.Refused, r)
	}
	s.calls, s.sample, s.called = 0, nil, behavior.Span{}
}

// Forget lets go of slots that nothing will be counted in any more.
func (e *Evidence) Forget() {
	for _, s := range e.pending {
		e.tell(s)
		s.after = nil
	}
	e.pending = nil
}

// Add learns from one call.
func (e *Evidence) Add(c *calllog.Call, v *behavior.View) {
	s := e.Slot(c, v)
	ev := Event{Session: Session(c.Session), Args: Content(c.Args), State: Content(c.Before), Age: c.StateAge.Microseconds(), Names: (*named)(c)}
	if ev.Timed = !c.Time.IsZero(); ev.Timed {
		ev.Time = c.Time.UnixMicro()
	}
	e.Count(s, &ev)
	sample := s.sample
	e.Forget()
	l := s.t.live
	switch {
	case l == nil || s.cell == nil:
	case s.outcome == calllog.OK:
		l.worked(s.cell)
	default:
		r := s.refused
		r.Calls, r.Sample = 1, sample
		l.refused(s.cell, r)
	}
}

// Withdraw takes a success back that Add has learnt of: its outcome counts, what it
// says of the tool's guard doesn't any more.
func (e *Evidence) Withdraw(c *calllog.Call, v *behavior.View) {
	e.settle()
	t := e.tool(toolKey{c.Server, c.Tool, c.Fingerprint})
	cell := t.narrow(&behavior.Cell{Class: v.Class, Primary: v.Primary, State: v.State, Args: v.Args})
	if cell.OK > 0 {
		cell.OK--
		hash := Example(c)
		cell.OKSample = slices.DeleteFunc(cell.OKSample, func(r behavior.CallRef) bool { return r.Hash == hash })
		t.derived, t.live = nil, nil
	}
}

// Example is the hash by which a call is known among examples: calls of one session
// that say the same have one.
func Example(c *calllog.Call) uint64 {
	return mix(Session(c.Session), mix(Content(c.Args), Content(c.Before)))
}

// named names a call for itself.
type named calllog.Call

func (c *named) Ref(int) behavior.CallRef { return behavior.CallRef{ID: c.ID, Pos: c.Pos} }

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
