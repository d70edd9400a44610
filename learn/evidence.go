package learn

import (
	"cmp"
	"slices"
	"strings"

	"mcpg/behavior"
)

// toolKey names a tool under one fingerprint.
type toolKey struct{ server, name, fingerprint string }

func (k toolKey) compare(o toolKey) int {
	return cmp.Or(strings.Compare(k.server, o.server), strings.Compare(k.name, o.name), strings.Compare(k.fingerprint, o.fingerprint))
}

type toolEvidence struct {
	key        toolKey
	times      *timelines // of the evidence
	states     *states    // likewise
	called     behavior.Span
	counts     [6]int
	unobserved int
	cells      map[string]*behavior.Cell
	values     behavior.Spread
	stale      bool           // a path has become wide since the cells were projected
	derived    *behavior.Tool // nil after a change
	live       *live          // nil if nobody asked, or calls were merged
}

// Evidence is what calls have taught. The zero value is ready. It is not safe
// for concurrent use; give each goroutine its own and Merge them.
type Evidence struct {
	// Strict takes every success at its word, and looks for no failing conditions:
	// a guard is what the calls prove. It is set before anything is derived.
	Strict bool

	calls   int
	tools   map[toolKey]*toolEvidence
	times   *timelines
	states  *states
	pending []*Slot // in which calls were counted that their tools don't know of
}

func (e *Evidence) timelines() *timelines {
	if e.times == nil {
		e.times = &timelines{}
	}
	return e.times
}

func (e *Evidence) tool(k toolKey) *toolEvidence {
	if e.tools == nil {
		e.tools = map[toolKey]*toolEvidence{}
	}
	t := e.tools[k]
	if t == nil {
		if e.states == nil {
			e.states = &states{}
		}
		t = &toolEvidence{key: k, times: e.timelines(), states: e.states, cells: map[string]*behavior.Cell{}}
		e.tools[k] = t
	}
	return t
}

// unsettled takes out what another writer, or the failing tool itself, changed
// around a refused call: the server judged the one value or the other.
func unsettled(s behavior.State, role string, after behavior.State) behavior.State {
	before := s.Of(role)
	var changed []behavior.Path
	for _, f := range before.Features {
		if !slices.Contains(after.Features, f) {
			changed = append(changed, behavior.Path{Role: role, Field: f.Field})
		}
	}
	for _, f := range after.Features {
		if !slices.Contains(before.Features, f) {
			changed = append(changed, behavior.Path{Role: role, Field: f.Field})
		}
	}
	if len(changed) == 0 || len(after.Features) == 0 || len(before.Features) == 0 {
		return s
	}
	if slices.Contains(changed, behavior.Exists(role)) {
		changed = []behavior.Path{{Role: role}}
	}
	var kept []behavior.Feature
	for _, f := range s.Features {
		if !slices.ContainsFunc(changed, func(p behavior.Path) bool { return p == f.Path || p.Field == "" && p.Role == f.Role }) {
			kept = append(kept, f)
		}
	}
	return behavior.NewState(kept, append(slices.Clone(s.Unknown), changed...))
}

func (t *toolEvidence) cell(c *behavior.Cell) *behavior.Cell {
	var room [512]byte
	k := c.AppendKey(room[:0])
	if have := t.cells[string(k)]; have != nil {
		return have
	}
	c.State, c.Args = t.states.one(c.State), t.states.one(c.Args)
	t.cells[string(k)] = c
	return c
}

// states keep equal states once: cells of many tools and arguments have them.
type states map[string]behavior.State

// one is the state that stands for all equal ones.
func (s *states) one(z behavior.State) behavior.State {
	var room [512]byte
	k := z.AppendKey(room[:0])
	if have, ok := (*s)[string(k)]; ok {
		return have
	}
	if *s == nil {
		*s = states{}
	}
	z = behavior.State{Features: slices.Clip(slices.Clone(z.Features)), Unknown: slices.Clip(slices.Clone(z.Unknown))}
	(*s)[string(k)] = z
	return z
}

func addRefusals(rs []behavior.Refusals, r behavior.Refusals) []behavior.Refusals {
	i, ok := slices.BinarySearchFunc(rs, r, func(a, b behavior.Refusals) int {
		if c := strings.Compare(a.Cluster, b.Cluster); c != 0 {
			return c
		}
		return int(a.Cause) - int(b.Cause)
	})
	if !ok {
		r.Sample = slices.Clone(r.Sample)
		return slices.Insert(rs, i, r)
	}
	rs[i].Calls += r.Calls
	rs[i].Example = min(rs[i].Example, r.Example)
	rs[i].Sample = rs[i].Sample.Merge(r.Sample)
	return rs
}

// Merge adds all that o has learnt; what o knows stays as it is.
func (e *Evidence) Merge(o *Evidence) {
	e.settle()
	o.settle()
	e.calls += o.calls
	for k, ot := range o.tools {
		t := e.tool(k)
		t.derived, t.live = nil, nil
		t.unobserved += ot.unobserved
		for i, n := range ot.counts {
			t.counts[i] += n
		}
		t.called.Merge(ot.called)
		t.mergeSpread(ot)
		for _, oc := range ot.cells {
			t.mergeCell(oc)
		}
	}
	moved := map[*Slot]*Slot{}
	e.timelines().merge(o.timelines(), func(s *Slot) *Slot {
		here := moved[s]
		if here == nil {
			copied := *s
			here = &copied
			here.t = e.tool(s.t.key)
			here.move()
			moved[s] = here
		}
		return here
	})
}

// move puts a slot of a cell with wider paths where it belongs now.
func (s *Slot) move() {
	if s.cell == nil {
		return
	}
	was := s.cell
	s.cell = s.t.narrow(was)
	s.left = leave(s.left, append(dropped(was.State, s.cell.State), dropped(was.Args, s.cell.Args)...)...)
}

// narrow is the cell that another one's calls belong to.
func (t *toolEvidence) narrow(o *behavior.Cell) *behavior.Cell {
	return t.cell(&behavior.Cell{Class: o.Class, Primary: o.Primary, State: o.State.Drop(t.values.IsWide), Args: o.Args.Drop(t.values.IsWide)})
}

func (t *toolEvidence) mergeCell(o *behavior.Cell) {
	t.spread(o.State)
	t.spread(o.Args)
	c := t.narrow(o)
	c.OK += o.OK
	c.OKSample = c.OKSample.Merge(o.OKSample)
	for _, r := range o.Refused {
		c.Refused = addRefusals(c.Refused, r)
	}
	for _, n := range o.Next {
		c.AddNext(t.dropNext(o.Primary, n.State), n.Calls)
	}
}

// FromGraph is the evidence that a model was derived from.
func FromGraph(g *behavior.Graph) *Evidence {
	e := &Evidence{calls: g.Calls}
	for _, gt := range g.Tools {
		t := e.tool(toolKey{gt.Server, gt.Name, gt.Fingerprint})
		t.counts, t.unobserved, t.called = gt.Counts, gt.Unobserved, gt.Called
		for _, p := range gt.Guard.Wide {
			t.widen(p)
		}
		for _, c := range gt.Cells {
			t.mergeCell(c)
		}
	}
	e.timelines().from = g.Timelines.From
	for _, line := range g.Timelines.Sessions {
		for _, o := range line.Calls {
			s := &Slot{t: e.tool(toolKey{o.Tool.Server, o.Tool.Name, o.Tool.Fingerprint}), cell: o.Cell, outcome: o.Outcome,
				resource: o.Resource, wrote: o.Wrote, left: o.Left}
			s.refused.Cluster, s.refused.Cause = o.Cluster, o.Cause
			s.move()
			e.times.add(line.Session, happening{o.Time, o.Age, o.Args, o.State, s})
		}
	}
	return e
}
