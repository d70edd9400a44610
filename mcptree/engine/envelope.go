package engine

import (
	"fmt"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// States of a walk.
const (
	AwaitingAnswer   = "awaiting_answer"
	AwaitingResult   = "awaiting_tool_result"
	AwaitingJudgment = "awaiting_judgment"
	StateDone        = "done"
)

// Envelope says where a walk stands and what it wants next.
type Envelope struct {
	SessionID   string
	TreeID      string
	Node        string
	Step        int
	Error       string // "" for none
	Outcome     string // when State is done
	Evidence    value.Value
	State       string
	Instruction string
	Expects     value.Value // null when done
}

// Envelope gives the walk's envelope, with the rejection of an answer or "".
func (m *Machine) Envelope(session string, s *State, reject string) Envelope {
	n := &m.nodes[s.at]
	e := Envelope{SessionID: session, TreeID: m.tree.ID, Node: n.ID, Step: s.Step, Error: reject, Evidence: value.OfMap()}
	if s.Done {
		e.State, e.Outcome = StateDone, s.Outcome
		if n.Type == mcptree.Terminal {
			e.Instruction = n.text.fill(s.Facts)
		}
		return e
	}
	switch n.Type {
	case mcptree.Ask:
		e.State, e.Instruction = AwaitingAnswer, n.text.fill(s.Facts)
		e.Expects = expects("text")
		if len(n.Options) > 0 {
			e.Expects = expects("enum", value.Member{Name: "options", Value: n.options})
		}
	case mcptree.Judgment:
		e.State, e.Instruction = AwaitingJudgment, n.text.fill(s.Facts)
		e.Evidence = n.evidence(s.Facts)
		e.Expects = expects("enum", value.Member{Name: "options", Value: n.options},
			value.Member{Name: "require_rationale", Value: value.OfBool(n.RequireRationale)})
	case mcptree.Action:
		e.State = AwaitingResult
		e.Instruction = fmt.Sprintf("Call tool `%s` with the args in `expects.args`, then report its result via tree_answer (set is_error=true if the call failed).", n.Tool)
		args, schema := n.args.fill(s.Facts), value.Value{}
		if n.Args.Kind == value.Null {
			args = value.OfMap()
		}
		if n.Schema != nil {
			schema = *n.Schema
		}
		e.Expects = expects("tool_result", value.Member{Name: "tool", Value: value.OfString(n.Tool)},
			value.Member{Name: "args", Value: args}, value.Member{Name: "schema", Value: schema})
	}
	return e
}

func expects(kind string, more ...value.Member) value.Value {
	return value.OfMap(append([]value.Member{{Name: "kind", Value: value.OfString(kind)}}, more...)...)
}

// evidence looks facts up by their whole names; one that is missing is null.
func (n *node) evidence(facts value.Value) value.Value {
	ms := make([]value.Member, 0, len(n.Evidence))
	for i, name := range n.Evidence {
		if !contains(n.Evidence[:i], name) {
			v, _ := facts.Get(name)
			ms = append(ms, value.Member{Name: name, Value: v})
		}
	}
	return value.OfMap(ms...)
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

func orNull(s string, is bool) value.Value {
	if !is {
		return value.Value{}
	}
	return value.OfString(s)
}

// Value is the envelope as JSON has it: all members, in the protocol's order.
func (e *Envelope) Value() value.Value {
	return value.OfMap(
		value.Member{Name: "session_id", Value: value.OfString(e.SessionID)},
		value.Member{Name: "tree_id", Value: value.OfString(e.TreeID)},
		value.Member{Name: "node", Value: value.OfString(e.Node)},
		value.Member{Name: "step", Value: value.OfInt(int64(e.Step))},
		value.Member{Name: "error", Value: orNull(e.Error, e.Error != "")},
		value.Member{Name: "outcome", Value: orNull(e.Outcome, e.State == StateDone)},
		value.Member{Name: "evidence", Value: e.Evidence},
		value.Member{Name: "state", Value: value.OfString(e.State)},
		value.Member{Name: "instruction", Value: value.OfString(e.Instruction)},
		value.Member{Name: "expects", Value: e.Expects},
	)
}

// Value is the entry as JSON has it.
func (e *Entry) Value() value.Value {
	pointed := func(s *string) value.Value {
		if s == nil {
			return value.Value{}
		}
		return value.OfString(*s)
	}
	return value.OfMap(
		value.Member{Name: "seq", Value: value.OfInt(int64(e.Seq))},
		value.Member{Name: "node", Value: value.OfString(e.Node)},
		value.Member{Name: "input", Value: e.Input},
		value.Member{Name: "resolved_branch", Value: pointed(e.Branch)},
		value.Member{Name: "rationale", Value: pointed(e.Rationale)},
		value.Member{Name: "timestamp", Value: value.OfString(e.Timestamp)},
		value.Member{Name: "source", Value: orNull(e.Source, e.Source != "")},
	)
}

// ReadEntry reads what Entry.Value wrote.
func ReadEntry(v value.Value) (Entry, error) {
	r := reader{v: v}
	e := Entry{Seq: r.int("seq"), Node: r.str("node"), Input: r.get("input"), Branch: r.optional("resolved_branch"),
		Rationale: r.optional("rationale"), Timestamp: r.str("timestamp")}
	if s := r.optional("source"); s != nil {
		e.Source = *s
	}
	return e, r.err
}

// StateValue is a state as JSON, to be read again by ReadState.
func (m *Machine) StateValue(s *State) value.Value {
	return value.OfMap(
		value.Member{Name: "node", Value: value.OfString(m.nodes[s.at].ID)},
		value.Member{Name: "step", Value: value.OfInt(int64(s.Step))},
		value.Member{Name: "seq", Value: value.OfInt(int64(s.Seq))},
		value.Member{Name: "outcome", Value: orNull(s.Outcome, s.Done)},
		value.Member{Name: "facts", Value: s.Facts},
	)
}

// ReadState reads what StateValue wrote; other members are passed over.
func (m *Machine) ReadState(v value.Value) (State, error) {
	r := reader{v: v}
	s := State{Step: r.int("step"), Seq: r.int("seq"), Facts: r.get("facts")}
	if o := r.optional("outcome"); o != nil {
		s.Done, s.Outcome = true, *o
	}
	id := r.str("node")
	at, ok := m.ids[id]
	switch {
	case r.err != nil:
		return State{}, r.err
	case !ok:
		return State{}, fmt.Errorf("node %q isn't in tree %q", id, m.tree.ID)
	case s.Facts.Kind != value.Map || s.Step < 1 || s.Seq < 0:
		return State{}, fmt.Errorf("facts, step or seq aren't those of a walk")
	case !s.Done && (m.nodes[at].Type == mcptree.Condition || m.nodes[at].Type == mcptree.Terminal):
		return State{}, fmt.Errorf("no walk waits at node %q", id)
	}
	s.at = at
	return s, nil
}

// reader takes a mapping apart and remembers the first fault.
type reader struct {
	v   value.Value
	err error
}

func (r *reader) get(name string) value.Value {
	v, ok := r.v.Get(name)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("%q is missing", name)
	}
	return v
}

func (r *reader) int(name string) int {
	v := r.get(name)
	if r.err == nil && (v.Kind != value.Int || v.Big != nil) {
		r.err = fmt.Errorf("%q is no integer", name)
	}
	return int(v.Int)
}

func (r *reader) str(name string) string {
	v := r.get(name)
	if r.err == nil && v.Kind != value.String {
		r.err = fmt.Errorf("%q is no string", name)
	}
	return v.Str
}

func (r *reader) optional(name string) *string {
	if v := r.get(name); v.Kind == value.Null {
		return nil
	}
	s := r.str(name)
	return &s
}
