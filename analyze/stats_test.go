package analyze

import (
	"testing"

	"mcpg/calllog"
)

func TestStats(t *testing.T) {
	t.Parallel()
	var n Counter
	add := func(server, session, tool string, o calllog.Outcome, c calllog.Cause, times int) {
		for range times {
			n.Add(&calllog.Call{Server: server, Session: session, Tool: tool, Outcome: o, Cause: c, Before: []byte(`{}`)})
		}
	}
	add("b", "s", "edit", calllog.OK, 0, 6)
	add("b", "s", "edit", calllog.Rejected, calllog.StateCause, 2)
	add("b", "t", "edit", calllog.Rejected, calllog.Unclear, 1)
	add("b", "t", "edit", calllog.Error, 0, 1)
	add("b", "t", "edit", calllog.Transport, 0, 5)
	add("b", "t", "edit", calllog.Unanswered, 0, 3)
	add("a", "s", "read", calllog.Denied, 0, 2)
	s := n.Stats()
	if s.Calls != 20 || s.Sessions != 3 || s.WithState != 20 {
		t.Errorf("%+v", s)
	}
	if s.InvalidRate != 0.3 || s.InvalidRateProven != 0.2 {
		t.Errorf("rates %v %v, want 3 and 2 of the 10 that ran or were refused", s.InvalidRate, s.InvalidRateProven)
	}
	if s.Outcomes["transport"] != 5 || s.Outcomes["unanswered"] != 3 || s.RejectedByCause["unclear"] != 1 || s.RejectedByCause["argument"] != 0 {
		t.Errorf("%v %v", s.Outcomes, s.RejectedByCause)
	}
	if len(s.ByTool) != 2 || s.ByTool[0].Server != "a" || s.ByTool[1].Rejected != 3 || s.ByTool[0].InvalidRate != 0 {
		t.Errorf("%+v", s.ByTool)
	}
	if empty := (&Counter{}).Stats(); empty.InvalidRate != 0 || len(empty.ByTool) != 0 {
		t.Errorf("%+v", empty)
	}
}
