package behavior

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"mcpg/calllog"
)

// Refusals are the rejected calls of a cell that share error cluster and cause.
type Refusals struct {
	Cluster string
	Cause   calllog.Cause
	Example string // the least of the error texts, names of values in ‹›
	Calls   int
	Sample  Sample
}

// Next is a state that followed successes of a cell.
type Next struct {
	State State // of the first resource, without its role
	Calls int

	key string // of State; "" if it isn't known yet
}

// Cell is what was seen of one tool in one state with one set of argument
// features: where learning and contradiction are judged.
type Cell struct {
	Class    string // of the first resource, "" without one
	Primary  string // its role
	State    State  // of all resources
	Args     State  // arguments and relations
	OK       int
	OKSample Sample
	Refused  []Refusals // sorted by cluster, cause
	Next     []Next     // sorted by state
}

// Key is canonical within a tool.
func (c *Cell) Key() string { return string(c.AppendKey(nil)) }

// AppendKey appends what Key gives.
func (c *Cell) AppendKey(b []byte) []byte {
	b = append(append(append(append(b, c.Class...), '\x1d'), c.Primary...), '\x1d')
	return c.Args.AppendKey(append(c.State.AppendKey(b), '\x1d'))
}

// Node is the state of the first resource, without its role: what a graph of
// the class shows.
func (c *Cell) Node() State { return c.State.Of(c.Primary) }

// Rejected is the number of refused calls.
func (c *Cell) Rejected() int {
	n := 0
	for _, r := range c.Refused {
		n += r.Calls
	}
	return n
}

// RefusedSample is a sample of all refused calls of the cell.
func (c *Cell) RefusedSample() Sample {
	var s Sample
	for _, r := range c.Refused {
		s = s.Merge(r.Sample)
	}
	return s
}

// Contradicts tells whether calls that the cell can't part had both outcomes.
// What wasn't observed may part them, and so may arguments that a refusal was
// proven to be about.
func (c *Cell) Contradicts() bool {
	return c.OK > 0 && len(c.State.Unknown) == 0 && len(c.Args.Unknown) == 0 && c.disagreeing() != nil
}

// disagreeing is the first refusals that the arguments don't explain.
func (c *Cell) disagreeing() *Refusals {
	for i := range c.Refused {
		if c.Refused[i].Cause != calllog.ArgumentCause {
			return &c.Refused[i]
		}
	}
	return nil
}

// All is everything that the cell's calls have in common.
func (c *Cell) All() State { return c.State.Join(c.Args) }

// Of is the state of one role's resource, the role taken off.
func (s State) Of(role string) State {
	out := s.Only(role)
	if role == "" {
		return out
	}
	out = State{slices.Clone(out.Features), slices.Clone(out.Unknown)}
	for i := range out.Features {
		out.Features[i].Role = ""
	}
	for i := range out.Unknown {
		out.Unknown[i].Role = ""
	}
	return out
}

// Tool is one tool under one fingerprint.
type Tool struct {
	Server, Name, Fingerprint string

	Counts  [6]int // calls by calllog.Outcome
	Guard   *Guard
	Effects []Effect
	Cells   []*Cell // sorted by key
	// Unobserved counts ok and rejected calls that named a resource whose
	// state was not observed.
	Unobserved int
	Called     Span

	indexed atomic.Pointer[toolIndex]
}

// Compare orders tools by server, name and fingerprint.
func (t *Tool) Compare(u *Tool) int {
	return cmp.Or(strings.Compare(t.Server, u.Server), strings.Compare(t.Name, u.Name), strings.Compare(t.Fingerprint, u.Fingerprint))
}

// Rejected and OK are the counts that guards are learnt from.
func (t *Tool) OK() int       { return t.Counts[calllog.OK] }
func (t *Tool) Rejected() int { return t.Counts[calllog.Rejected] }

// Failed is the number of calls that ran and failed by themselves.
func (t *Tool) Failed() int { return t.Counts[calllog.Error] }

// Class is the resource class that most cells have, the first by name of equals.
func (t *Tool) Class() string {
	n := map[string]int{}
	for _, c := range t.Cells {
		n[c.Class] += c.OK + c.Rejected()
	}
	best := ""
	for class := range n {
		if best == "" && class != "" || class != "" && (n[class] > n[best] || n[class] == n[best] && class < best) {
			best = class
		}
	}
	return best
}

// Effect says what a feature of the first resource is after every success that
// changed or kept it so: all successes with a known next state agree.
type Effect struct {
	Field string
	To    Value
	Calls int // successes whose next state is known
}

// Domain is the values that a field of a class was seen to have anywhere.
type Domain struct {
	Server string   `json:"server"`
	Class  string   `json:"class"`
	Field  string   `json:"field"`
	Values []string `json:"values"` // sorted
}

// Graph is the model: tools with their cells and guards.
type Graph struct {
	Calls   int
	Tools   []*Tool  // sorted
	Domains []Domain // sorted

	Timelines Timelines
	Causes    map[*Cell]*Cause // of cells that contradict themselves
}

// Find gives the tool under its fingerprint, nil if the model has none.
func (g *Graph) Find(server, name, fingerprint string) *Tool {
	key := &Tool{Server: server, Name: name, Fingerprint: fingerprint}
	i, ok := slices.BinarySearchFunc(g.Tools, key, (*Tool).Compare)
	if !ok {
		return nil
	}
	return g.Tools[i]
}

// DomainOf gives the values of a field of a class.
func (g *Graph) DomainOf(server, class, field string) []string {
	for _, d := range g.Domains {
		if d.Server == server && d.Class == class && d.Field == field {
			return d.Values
		}
	}
	return nil
}

// Status says how well an edge is supported.
type Status string

const (
	// ObservedSupported: at least two distinct calls agree in this very state.
	ObservedSupported Status = "OBSERVED_SUPPORTED"
	// Conditional: seen once, or with outcomes that the arguments part, or
	// following from the guard.
	Conditional Status = "CONDITIONAL"
	// Contradicted: one cell has both outcomes.
	Contradicted Status = "CONTRADICTED"
	// Unknown: untried.
	Unknown Status = "UNKNOWN"
)

// EdgeOutcome is what was seen along an edge.
type EdgeOutcome string

const (
	EdgeWorks   EdgeOutcome = "works"
	EdgeFails   EdgeOutcome = "fails"
	EdgeMixed   EdgeOutcome = "mixed"
	EdgeUntried EdgeOutcome = "untried"
)

// Edge is the view of a tool's cells by state.
type Edge struct {
	Server, Tool, Fingerprint string
	Class                     string
	State                     State
	Outcome                   EdgeOutcome
	Status                    Status
	OK, Rejected              int
	Next                      []Next

	node string // key of State; "" if it isn't known yet
}

// Edges derives the observed edges, sorted by server, class, state and tool.
func (g *Graph) Edges() []Edge {
	var out []Edge
	for _, t := range g.Tools {
		out = append(out, t.edges()...)
	}
	return sortEdges(out)
}

// maxPairs bounds the pairs of state and tool of one class that AllEdges fills.
const maxPairs = 4096

// AllEdges adds what was not tried: for each observed state of a class and each
// tool of the class the edge that follows from the guard, or that nothing is
// known of. A class of more than maxPairs pairs keeps its observed edges only.
func (g *Graph) AllEdges() []Edge {
	observed := g.Edges()
	type class struct{ server, name string }
	states := map[class]map[string]State{}
	note := func(c class, s State) {
		if len(s.Features) == 0 || len(s.Unknown) > 0 {
			return
		}
		if states[c] == nil {
			states[c] = map[string]State{}
		}
		states[c][s.Key()] = s
	}
	seen := map[string]bool{}
	for _, e := range observed {
		c := class{e.Server, e.Class}
		note(c, e.State)
		for _, n := range e.Next {
			note(c, n.State)
		}
		seen[e.key()] = true
	}
	out := slices.Clone(observed)
	for c, ss := range states {
		var tools []*Tool
		for _, t := range g.Tools {
			if _, ok := t.roleOf(c.name); ok && t.Server == c.server {
				tools = append(tools, t)
			}
		}
		if len(ss)*len(tools) > maxPairs {
			continue
		}
		for _, s := range ss {
			for _, t := range tools {
				if e := t.untriedEdge(c.name, s); !seen[e.key()] {
					out = append(out, e)
				}
			}
		}
	}
	return sortEdges(out)
}

func (e *Edge) key() string {
	return strings.Join([]string{e.Server, e.Class, e.State.Key(), e.Tool, e.Fingerprint}, "\x00")
}

// untriedEdge is what the guard says of a state in which the tool wasn't seen.
func (t *Tool) untriedEdge(class string, s State) Edge {
	e := Edge{Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint, Class: class, State: s, Outcome: EdgeUntried, Status: Unknown}
	if o, ok := t.Offer(class, s); ok && o.Outcome != Undetermined {
		e.Status, e.Outcome = Conditional, EdgeFails
		if o.Outcome == Works {
			e.Outcome = EdgeWorks
		}
	}
	return e
}

func sortEdges(out []Edge) []Edge {
	for i := range out {
		if out[i].node == "" {
			out[i].node = out[i].State.Key()
		}
	}
	slices.SortStableFunc(out, func(a, b Edge) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Class, b.Class),
			strings.Compare(a.node, b.node), strings.Compare(a.Tool, b.Tool), strings.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out
}

func (t *Tool) edges() []Edge {
	groups := t.index().nodes
	out := make([]Edge, 0, len(groups))
	for k, cells := range groups {
		e := t.edge(cells)
		e.node = k.state
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Edge) int { return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.node, b.node)) })
	return out
}

func (t *Tool) edge(cells []*Cell) Edge {
	e := Edge{Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint, Class: cells[0].Class, State: cells[0].Node()}
	var seen Sample
	contradicted := false
	for _, c := range cells {
		rejected := c.Rejected()
		e.OK += c.OK
		e.Rejected += rejected
		contradicted = contradicted || c.Contradicts()
		seen = seen.Merge(c.OKSample).Merge(c.RefusedSample())
		for _, n := range c.Next {
			e.Next = addNext(e.Next, n.State, n.Calls)
		}
	}
	switch {
	case e.OK > 0 && e.Rejected > 0:
		e.Outcome = EdgeMixed
	case e.OK > 0:
		e.Outcome = EdgeWorks
	case e.Rejected > 0:
		e.Outcome = EdgeFails
	default:
		e.Outcome = EdgeUntried
	}
	switch {
	case contradicted:
		e.Status = Contradicted
	case e.Outcome == EdgeMixed || len(seen) == 1 || e.State.isUnknown(Path{}):
		e.Status = Conditional
	case e.Outcome == EdgeUntried:
		e.Status = Unknown
	default:
		e.Status = ObservedSupported
	}
	return e
}

// AddNext counts n successes into the states that followed, kept sorted.
func (c *Cell) AddNext(s State, n int) { c.Next = addNext(c.Next, s, n) }

func addNext(ns []Next, s State, calls int) []Next {
	key := s.Key()
	for i := range ns {
		if ns[i].key == "" {
			ns[i].key = ns[i].State.Key()
		}
	}
	i, ok := slices.BinarySearchFunc(ns, key, func(n Next, k string) int { return strings.Compare(n.key, k) })
	if ok {
		ns[i].Calls += calls
		return ns
	}
	return slices.Insert(ns, i, Next{State: s, Calls: calls, key: key})
}

// Contradiction is one cell with both outcomes, and an example of each.
type Contradiction struct {
	Server, Tool, Fingerprint string
	State, Args               State
	Cell                      *Cell
	OK, Rejected              int
	Works, Refused            CallRef
	ErrorText                 string // the cluster of the refused example
	Why                       *Cause
}

// Contradictions lists the cells with both outcomes.
func (g *Graph) Contradictions() []Contradiction {
	var out []Contradiction
	for _, t := range g.Tools {
		for _, c := range t.Cells {
			if !c.Contradicts() {
				continue
			}
			refused := c.disagreeing()
			out = append(out, Contradiction{
				Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint, State: c.State, Args: c.Args, Cell: c,
				OK: c.OK, Rejected: c.Rejected(), Works: c.OKSample[0], Refused: refused.Sample[0],
				ErrorText: refused.Cluster, Why: g.CauseOf(c),
			})
		}
	}
	return out
}

// ValueCount is how often calls worked and were refused at one value.
type ValueCount struct {
	Value        Value
	OK, Rejected int
}

// ByValue counts a path's values over the cells in which it was observed;
// a cell whose path has no value there is left out.
func (t *Tool) ByValue(p Path) []ValueCount {
	n := map[Value]*ValueCount{}
	for _, c := range t.Cells {
		side := c.State
		if p.NamesArgument() {
			side = c.Args
		}
		vs, known := side.at(p)
		if !known {
			continue
		}
		for _, v := range vs {
			if n[v] == nil {
				n[v] = &ValueCount{Value: v}
			}
			n[v].OK += c.OK
			n[v].Rejected += c.Rejected()
		}
	}
	out := make([]ValueCount, 0, len(n))
	for _, vc := range n {
		out = append(out, *vc)
	}
	slices.SortFunc(out, func(a, b ValueCount) int { return a.Value.Compare(b.Value) })
	return out
}

// Role is the role of the tool's first resource in its main class.
func (t *Tool) Role() string {
	role, _ := t.roleOf(t.Class())
	return role
}

// RefusedExample gives a refused call of a cluster.
func (t *Tool) RefusedExample(cluster string) (CallRef, bool) {
	var s Sample
	for _, c := range t.Cells {
		for _, r := range c.Refused {
			if r.Cluster == cluster {
				s = s.Merge(r.Sample)
			}
		}
	}
	if len(s) == 0 {
		return CallRef{}, false
	}
	return s[0], true
}
