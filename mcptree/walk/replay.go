package walk

import (
	"fmt"

	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// Replay walks a tree with the inputs of a trace and compares what comes of
// them, entry by entry, times aside. The error says where they part.
func Replay(m *engine.Machine, trace []engine.Entry) error {
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
	return same(got, trace)
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
		case !value.Equal(g.Input, w.Input):
			return fmt.Errorf("entry %d: the input of %s is another", w.Seq, g.Node)
		}
	}
	return nil
}

func deref(s *string) string {
	if s == nil {
		return "its end"
	}
	return *s
}
