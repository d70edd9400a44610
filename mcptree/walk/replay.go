package walk

import (
	"bytes"
	"errors"
	"fmt"

	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// Replay walks a tree with the inputs of a trace and compares what comes of
// them, entry by entry, times aside. The error says where they part.
// state is what the trace is said to have led to.
func Replay(m *engine.Machine, trace []engine.Entry, state *engine.State) error {
	s, got := m.Start("", nil)
	for len(got) < len(trace) {
		want := &trace[len(got)]
		if err := same(got, trace); err != nil {
			return err
		}
		if s.Done {
			return fmt.Errorf("entry %d: the walk has ended, the trace goes on at %s", want.Seq, want.Node)
		}
		a := &engine.Answer{Step: s.Step, Value: want.Input, Rationale: want.Rationale, Source: want.Source}
		if failed, is := want.Input.Get("error"); is && want.Branch != nil && *want.Branch == m.Node(&s).OnError && len(want.Input.Members) == 1 {
			a.Value, a.IsError = failed, true
		}
		var reject string
		if got, reject = m.Submit(&s, a, "", got); reject != "" {
			return fmt.Errorf("entry %d: %s rejects the input: %s", want.Seq, m.Node(&s).ID, reject)
		}
	}
	if len(got) > len(trace) {
		return fmt.Errorf("the trace ends after entry %d, the walk goes on by itself to %s", len(trace), got[len(trace)].Node)
	}
	if err := same(got, trace); err != nil {
		return err
	}
	switch {
	case m.Node(&s) != m.Node(state) || s.Done != state.Done || s.Outcome != state.Outcome || s.Step != state.Step || s.Seq != state.Seq:
		return fmt.Errorf("the trace leads to %s, step %d, the session is at %s, step %d", m.Node(&s).ID, s.Step, m.Node(state).ID, state.Step)
	case !identical(s.Facts, state.Facts):
		return errors.New("the trace leads to other facts than the session has")
	}
	return nil
}

// same compares the entries that both have.
func same(got, want []engine.Entry) error {
	for i := range got {
		if i >= len(want) {
			return fmt.Errorf("the trace ends after entry %d, the walk goes on by itself to %s", len(want), got[i].Node)
		}
		g, w := &got[i], &want[i]
		switch {
		case g.Seq != w.Seq:
			return fmt.Errorf("entry %d has seq %d", i+1, w.Seq)
		case g.Node != w.Node:
			return fmt.Errorf("entry %d: the walk comes to %s, the trace has %s", w.Seq, g.Node, w.Node)
		case deref(g.Branch) != deref(w.Branch):
			return fmt.Errorf("entry %d: %s leads to %s, the trace has %s", w.Seq, g.Node, deref(g.Branch), deref(w.Branch))
		case !identical(g.Input, w.Input):
			return fmt.Errorf("entry %d: the input of %s is another", w.Seq, g.Node)
		}
	}
	return nil
}

// identical compares as they are written: 1 is not 1.0, and NaN is itself.
func identical(a, b value.Value) bool {
	return bytes.Equal(value.AppendDumps(nil, a), value.AppendDumps(nil, b))
}

func deref(s *string) string {
	if s == nil {
		return "its end"
	}
	return *s
}
