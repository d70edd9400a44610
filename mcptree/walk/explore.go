package walk

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpg/internal/diag"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// maxStates bounds an exploration.
const maxStates = 200_000

// Exploration is what walks of a tree can reach.
type Exploration struct {
	Walks     []Walk // together they take every way that can be taken
	Reached   int
	Ways      int
	Unreached []Unreached
	Complete  bool // what is unreached is proven to be so
}

// Unreached is a way that no tried input takes.
type Unreached struct {
	Pos    diag.Pos
	Text   string
	Budget bool // it would be taken if max_steps allowed for it

	exit exit
}

// Explore finds inputs that take every way of a tree. Facts that no condition
// can tell apart count as the same, and so do those that no later condition
// looks at, so the states are finite: what no state leads to is unreachable,
// provided that all of them were tried. Of two walks to a state the shorter in
// trace entries is kept: it can do all that the longer can within max_steps.
func Explore(ctx context.Context, m *engine.Machine) (*Exploration, error) {
	x := newExplorer(m)
	if err := x.run(ctx); err != nil {
		return nil, err
	}
	e := &Exploration{Complete: x.complete, Walks: x.walks()}
	var beyond *explorer
	for _, n := range m.Tree().Nodes {
		for _, w := range exits(n) {
			e.Ways++
			if x.found[exit{n.ID, w.at}] != nil {
				e.Reached++
				continue
			}
			if beyond == nil {
				var err error
				if beyond, err = extended(ctx, m.Tree()); err != nil {
					return nil, err
				}
			}
			e.Unreached = append(e.Unreached, Unreached{w.pos, w.text, beyond.found[exit{n.ID, w.at}] != nil, exit{n.ID, w.at}})
		}
	}
	return e, nil
}

// beyondSteps is how much more than max_steps tells that only that is in the way.
const beyondSteps = 1000

func extended(ctx context.Context, t *mcptree.Tree) (*explorer, error) {
	free := *t
	free.MaxSteps = min(free.MaxSteps, math.MaxInt-beyondSteps) + beyondSteps
	m, err := engine.New(&free)
	if err != nil {
		return nil, err
	}
	x := newExplorer(m)
	return x, x.run(ctx)
}

type explorer struct {
	m        *engine.Machine
	spots    map[string]*spot
	live     map[string]map[string]bool // by node: facts that conditions after it may look at
	inputs   map[string][]value.Value   // by node that captures
	best     map[string]int             // trace entries to a state, by its key
	queue    stops
	found    map[exit]*stop
	order    []exit // as they were found
	complete bool
}

// stop is a state where the walk waits or has ended, and how it came there.
type stop struct {
	state engine.State
	from  *stop
	step  Step
	taken []exit // since from
}

// stops is a heap: those with fewer trace entries first.
type stops []*stop

func (q stops) Len() int           { return len(q) }
func (q stops) Less(i, j int) bool { return q[i].state.Seq < q[j].state.Seq }
func (q stops) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *stops) Push(v any)        { *q = append(*q, v.(*stop)) }
func (q *stops) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func newExplorer(m *engine.Machine) *explorer {
	return &explorer{m: m, spots: spotsOf(m.Tree()), live: liveness(m.Tree()), inputs: map[string][]value.Value{},
		best: map[string]int{}, found: map[exit]*stop{}, complete: true}
}

func (x *explorer) run(ctx context.Context) error {
	s, trace := x.m.Start("", nil)
	x.reach(&stop{state: s}, trace)
	for len(x.queue) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := heap.Pop(&x.queue).(*stop)
		if x.best[x.key(&at.state)] < at.state.Seq {
			continue // a shorter walk came here since
		}
		if len(x.best) > maxStates {
			x.complete = false
			return nil
		}
		x.expand(at)
	}
	return nil
}

func (x *explorer) expand(from *stop) {
	n := x.m.Node(&from.state)
	try := func(s Step) {
		next := &stop{state: from.state, from: from, step: s}
		next.step.At = n.ID
		a := engine.Answer{Step: from.state.Step, Value: s.Value, Rationale: s.Rationale, IsError: s.IsError, Source: engine.SourceAnswer}
		if trace, reject := x.m.Submit(&next.state, &a, "", nil); reject == "" {
			x.reach(next, trace)
		}
	}
	var why *string
	if n.RequireRationale && n.Type == mcptree.Judgment {
		text := "explored"
		why = &text
	}
	for _, o := range n.Options {
		try(Step{Value: value.OfString(o.ID), Rationale: why})
	}
	if len(n.Options) > 0 {
		return
	}
	for _, v := range x.answers(n) {
		try(Step{Value: v})
	}
	if n.OnError != "" {
		try(Step{Value: value.OfString("failed"), IsError: true})
	}
}

// answers gives values that a node accepts, one for each difference that they
// can make.
func (x *explorer) answers(n *mcptree.Node) []value.Value {
	if vs, ok := x.inputs[n.ID]; ok {
		return vs
	}
	s := x.spots[n.Capture]
	if n.Capture == "" || s == nil || !x.live[n.Next][n.Capture] {
		s = &spot{}
	}
	vs, complete := s.inputs(func(v value.Value) bool { return x.m.Accepts(n.ID, v) }, requiredOf(n))
	x.complete = x.complete && complete
	x.inputs[n.ID] = vs
	return vs
}

// reach notes the ways to a stop, and queues it unless its state is known.
func (x *explorer) reach(at *stop, trace []engine.Entry) {
	at.taken = leaving(nil, x.m.Tree(), trace, at.state.Facts, &at.step)
	for _, e := range at.taken {
		if x.found[e] == nil {
			x.found[e] = at
			x.order = append(x.order, e)
		}
	}
	if at.state.Done {
		return
	}
	key := x.key(&at.state)
	if old, known := x.best[key]; !known || at.state.Seq < old {
		x.best[key] = at.state.Seq
		heap.Push(&x.queue, at)
	}
}

// key tells states apart that can go on differently.
func (x *explorer) key(s *engine.State) string {
	n := x.m.Node(s)
	var b strings.Builder
	b.WriteString(n.ID)
	for _, f := range s.Facts.Members {
		if x.live[n.ID][f.Name] {
			b.WriteString("\x00" + f.Name + "\x00" + x.spots[f.Name].truth(f.Value, true))
		}
	}
	return b.String()
}

// liveness gives, for each node, the captured names that a condition may look
// at from there on before they are captured anew.
func liveness(t *mcptree.Tree) map[string]map[string]bool {
	live := map[string]map[string]bool{}
	for _, n := range t.Nodes {
		live[n.ID] = map[string]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(t.Nodes) - 1; i >= 0; i-- {
			n := t.Nodes[i]
			add := func(name string) {
				if !live[n.ID][name] {
					live[n.ID][name] = true
					changed = true
				}
			}
			if n.Type == mcptree.Condition {
				add(n.OnPath[0])
			}
			for _, e := range n.Edges() {
				for name := range live[e.To] {
					if name != n.Capture || e.Label == "on_error" && n.Type == mcptree.Action {
						add(name)
					}
				}
			}
		}
	}
	return live
}

// walks chooses walks that take all ways found: the longest first, each that
// takes one more.
func (x *explorer) walks() []Walk {
	order := slices.Clone(x.order)
	slices.SortStableFunc(order, func(a, b exit) int { return x.found[b].state.Seq - x.found[a].state.Seq })
	var out []Walk
	taken := map[exit]bool{}
	for _, e := range order {
		if taken[e] {
			continue
		}
		w := Walk{Name: fmt.Sprintf("explored %d", len(out)+1)}
		for at := x.found[e]; at != nil; at = at.from {
			for _, t := range at.taken {
				taken[t] = true
			}
			if at.from != nil {
				w.Steps = append(w.Steps, at.step)
			}
		}
		slices.Reverse(w.Steps)
		out = append(out, w)
	}
	return out
}
