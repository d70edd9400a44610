// Package engine walks decision trees: answers in, the next step and trace
// entries out. It does no input or output and has no clock; the same answers
// always give the same walk.
package engine

import (
	"fmt"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// MaxFact is how many bytes a captured answer's JSON may have.
const MaxFact = 65_536

// maxSpin is how many conditions, beyond one for each node, are passed at once.
const maxSpin = 100_000

// Aborted is the outcome of a walk that used up its budget of steps.
const Aborted = "aborted:max_steps"

// Sources of answers.
const (
	SourceAnswer      = "tree_answer"
	SourceElicitation = "elicitation"
)

// Machine walks one tree. It isn't changed by that: any number of walks may
// share it.
type Machine struct {
	tree  *mcptree.Tree
	nodes []node
	ids   map[string]int
	entry int
}

// node is a node with its references resolved to places in Machine.nodes.
type node struct {
	*mcptree.Node
	text    template // prompt or summary
	args    argument
	then    []int // of options or branches
	next    int   // or default
	onError int
	options value.Value // their ids
}

const none = -1

// New makes a machine of a tree. The error is a reference to a node that isn't
// there, which no tree read from a document has.
func New(t *mcptree.Tree) (*Machine, error) {
	m := &Machine{tree: t, nodes: make([]node, len(t.Nodes)), ids: make(map[string]int, len(t.Nodes))}
	for i, n := range t.Nodes {
		m.ids[n.ID] = i
	}
	var missing error
	find := func(from, id string) int {
		i, ok := m.ids[id]
		if !ok && missing == nil {
			missing = fmt.Errorf("tree %q: node %q leads to %q, which is no node", t.ID, from, id)
		}
		return i
	}
	m.entry = find("entry", t.Entry)
	for i, n := range t.Nodes {
		c := node{Node: n, next: none, onError: none}
		switch n.Type {
		case mcptree.Condition:
			for _, b := range n.Branches {
				c.then = append(c.then, find(n.ID, b.Then))
			}
			c.next = find(n.ID, n.Default)
		case mcptree.Ask, mcptree.Judgment:
			c.text = m.compile(n.Prompt)
			c.options = value.OfList(make([]value.Value, 0, len(n.Options))...)
			for _, o := range n.Options {
				c.then = append(c.then, find(n.ID, o.Then))
				c.options.List = append(c.options.List, value.OfString(o.ID))
			}
			if len(n.Options) == 0 {
				c.next = find(n.ID, n.Next)
			}
		case mcptree.Action:
			c.args = m.compileArgs(n.Args)
			c.next = find(n.ID, n.Next)
			if n.OnError != "" {
				c.onError = find(n.ID, n.OnError)
			}
		case mcptree.Terminal:
			c.text = m.compile(n.Summary)
		default:
			return nil, fmt.Errorf("tree %q: node %q is of unknown type %q", t.ID, n.ID, n.Type)
		}
		m.nodes[i] = c
	}
	return m, missing
}

// Tree is the tree that is walked.
func (m *Machine) Tree() *mcptree.Tree { return m.tree }

// State is how far a walk has come. A copy is a snapshot: walking on from one
// doesn't touch the other.
type State struct {
	at      int
	Step    int         // accepted answers + 1
	Seq     int         // entries in the trace
	Facts   value.Value // a mapping, in the order of first capture
	Outcome string      // when Done
	Done    bool
}

// Node is where the walk stands.
func (m *Machine) Node(s *State) *mcptree.Node { return m.nodes[s.at].Node }

// Entry is one line of a trace: a node that was passed.
type Entry struct {
	Seq       int
	Node      string
	Input     value.Value
	Branch    *string // the node after it; nil after a terminal
	Rationale *string // of a judgment
	Timestamp string
	Source    string // "" for nodes that nobody answers
}

// Answer is one submission.
type Answer struct {
	Step      int
	Value     value.Value
	Rationale *string
	IsError   bool
	Source    string
}

// Start begins a walk and appends the entries of the nodes that it passes by
// itself.
func (m *Machine) Start(now string, trace []Entry) (State, []Entry) {
	s := State{at: m.entry, Step: 1, Facts: value.OfMap()}
	return s, m.advance(&s, now, trace)
}

// Submit puts an answer to the walk. A rejected one changes nothing, and reject
// says why in the protocol's words; else the entries of the nodes passed are
// appended.
func (m *Machine) Submit(s *State, a *Answer, now string, trace []Entry) (entries []Entry, reject string) {
	if s.Done {
		return trace, "finished_session: this session has ended"
	}
	if a.Step != s.Step {
		return trace, fmt.Sprintf("step_mismatch: expected step %d, got %d", s.Step, a.Step)
	}
	n := &m.nodes[s.at]
	to, input, reject := n.resolve(a)
	if reject != "" {
		return trace, reject
	}
	if n.Capture != "" && !(n.Type == mcptree.Action && a.IsError) {
		s.capture(n.Capture, a.Value)
	}
	e := Entry{Node: n.ID, Input: input, Branch: &m.nodes[to].ID, Timestamp: now, Source: a.Source}
	if n.Type == mcptree.Judgment {
		e.Rationale = a.Rationale
	}
	s.Step++
	trace = m.pass(s, to, e, trace)
	return m.advance(s, now, trace), ""
}

// resolve finds where an answer leads, checking it in the protocol's order.
func (n *node) resolve(a *Answer) (to int, input value.Value, reject string) {
	switch {
	case n.Type == mcptree.Action && a.IsError:
		if n.onError == none {
			return 0, input, fmt.Sprintf("tool_error_unhandled: node %s has no on_error; retry the tool and report its result", quote(n.ID))
		}
		return n.onError, value.OfMap(value.Member{Name: "error", Value: a.Value}), ""
	case n.Type == mcptree.Action:
		if value.DumpsLen(a.Value, MaxFact) > MaxFact {
			return 0, input, fmt.Sprintf("fact_too_large: result exceeds %d bytes; trim or summarize before reporting", MaxFact)
		}
		if fault := checkSchema(n.Schema, a.Value); fault != "" {
			return 0, input, "schema_mismatch: " + fault
		}
		return n.next, a.Value, ""
	case len(n.Options) == 0:
		if value.DumpsLen(a.Value, MaxFact) > MaxFact {
			return 0, input, fmt.Sprintf("fact_too_large: answer exceeds %d bytes; trim or summarize before answering", MaxFact)
		}
		return n.next, a.Value, ""
	}
	to = none
	if a.Value.Kind == value.String {
		for i := range n.Options {
			if n.Options[i].ID == a.Value.Str {
				to = n.then[i]
				break
			}
		}
	}
	if to == none {
		return 0, input, "invalid_option: expected one of " + quoteList(n.Options)
	}
	if n.RequireRationale && n.Type == mcptree.Judgment && (a.Rationale == nil || *a.Rationale == "") {
		return 0, input, "rationale_required: include a rationale for this judgment"
	}
	return to, a.Value, ""
}

// Accepts tells whether a node that isn't one of options takes a value.
func (m *Machine) Accepts(id string, v value.Value) bool {
	i, ok := m.ids[id]
	if !ok {
		return false
	}
	_, _, reject := m.nodes[i].resolve(&Answer{Value: v})
	return reject == ""
}

// capture sets a fact. Facts are copied: snapshots share them.
func (s *State) capture(name string, v value.Value) {
	old := s.Facts.Members
	for i := range old {
		if old[i].Name == name {
			ms := make([]value.Member, len(old))
			copy(ms, old)
			ms[i].Value = v
			s.Facts.Members = ms
			return
		}
	}
	ms := make([]value.Member, len(old)+1)
	copy(ms, old)
	ms[len(old)] = value.Member{Name: name, Value: v}
	s.Facts.Members = ms
}

// pass writes an entry down and goes on to the node after it.
func (m *Machine) pass(s *State, to int, e Entry, trace []Entry) []Entry {
	s.Seq++
	e.Seq = s.Seq
	if to != none {
		s.at = to
	}
	return append(trace, e)
}

// advance goes through conditions and into a terminal, as far as the budget
// lasts: it ends the walk before a node once the trace holds more entries.
//
// Conditions that lead back to each other would go on until then, and fill the
// memory where max_steps is huge: after maxSpin of them the walk ends as it
// would.
func (m *Machine) advance(s *State, now string, trace []Entry) []Entry {
	for passed := 0; ; passed++ {
		if s.Seq > m.tree.MaxSteps || passed > maxSpin+len(m.nodes) {
			s.Done, s.Outcome = true, Aborted
			return trace
		}
		n := &m.nodes[s.at]
		switch n.Type {
		case mcptree.Condition:
			to := n.branch(s.Facts)
			trace = m.pass(s, to, Entry{Node: n.ID, Branch: &m.nodes[to].ID, Timestamp: now}, trace)
		case mcptree.Terminal:
			s.Done, s.Outcome = true, n.Outcome
			return m.pass(s, none, Entry{Node: n.ID, Timestamp: now}, trace)
		default:
			return trace
		}
	}
}

func (n *node) branch(facts value.Value) int {
	fact, found := value.Lookup(facts, n.OnPath...)
	for i := range n.Branches {
		if Matches(n.Branches[i].When, fact, found) {
			return n.then[i]
		}
	}
	return n.next
}

// Matches evaluates a predicate against a fact, which may be missing.
func Matches(p *mcptree.Predicate, fact value.Value, found bool) bool {
	switch p.Op {
	case "all":
		for _, q := range p.Of {
			if !Matches(q, fact, found) {
				return false
			}
		}
		return true
	case "any":
		for _, q := range p.Of {
			if Matches(q, fact, found) {
				return true
			}
		}
		return false
	case "not":
		return len(p.Of) == 1 && !Matches(p.Of[0], fact, found)
	}
	if !found {
		return false
	}
	switch p.Op {
	case "exists":
		return true
	case "eq":
		return value.Equal(fact, p.Operand)
	case "neq":
		return !value.Equal(fact, p.Operand)
	case "in":
		return value.Contains(p.Operand, fact)
	}
	c, ok := value.Compare(fact, p.Operand)
	switch p.Op {
	case "gt":
		return ok && c > 0
	case "gte":
		return ok && c >= 0
	case "lt":
		return ok && c < 0
	case "lte":
		return ok && c <= 0
	}
	return false
}

// checkSchema knows type, and required of a mapping; other keywords say
// nothing.
func checkSchema(schema *value.Value, v value.Value) string {
	if schema == nil {
		return ""
	}
	want, _ := schema.Get("type")
	if want.Kind == value.String && !isType(v, want.Str) {
		got := typeName(v)
		if v.Kind == value.Bool && (want.Str == "integer" || want.Str == "number") {
			got = "boolean"
		}
		return "expected " + want.Str + ", got " + got
	}
	required, _ := schema.Get("required")
	if required.Kind != value.List || v.Kind != value.Map {
		return ""
	}
	for _, name := range required.List {
		if _, ok := v.Get(name.Str); name.Kind == value.String && !ok {
			return "missing required key " + quote(name.Str)
		}
	}
	return ""
}

func isType(v value.Value, name string) bool {
	switch name {
	case "object":
		return v.Kind == value.Map
	case "array":
		return v.Kind == value.List
	case "string":
		return v.Kind == value.String
	case "integer":
		return v.Kind == value.Int
	case "number":
		return v.Kind == value.Int || v.Kind == value.Float
	case "boolean":
		return v.Kind == value.Bool
	}
	return true
}

// typeName is a value's type as the reference names it.
func typeName(v value.Value) string {
	return [...]string{"NoneType", "bool", "int", "float", "str", "list", "dict"}[v.Kind]
}
