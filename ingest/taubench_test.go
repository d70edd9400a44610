package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpg/adapter"
	"mcpg/calllog"
)

// tauLog has a plain run, and one in the manner of forks: answers without ids,
// arguments that aren't JSON, content as blocks or null, a call that was never
// answered, and an answer to nothing.
const tauLog = `[
 {"task_id": 0, "reward": 1, "info": {}, "trial": 0, "traj": [
  {"role": "user", "content": "hello"},
  {"role": "assistant", "content": null, "tool_calls": [
   {"id": "c1", "type": "function", "function": {"name": "get_order_details", "arguments": "{\"order_id\": \"#W1\"}"}},
   {"id": "c2", "type": "function", "function": {"name": "get_order_details", "arguments": "{\"order_id\": \"#W2\"}"}}]},
  {"role": "tool", "tool_call_id": "c2", "name": "get_order_details", "content": "Error: order not found"},
  {"role": "tool", "tool_call_id": "c1", "name": "get_order_details", "content": "{\"order_id\": \"#W1\", \"status\": \"pending\"}"},
  {"role": "assistant", "tool_calls": [{"id": "c3", "function": {"name": "cancel_pending_order", "arguments": "{\"order_id\": \"#W1\"}"}}]},
  {"role": "tool", "tool_call_id": "c3", "content": "{\"order_id\": \"#W1\", \"status\": \"cancelled\"}"},
  {"role": "assistant", "tool_calls": [{"id": "c4", "function": {"name": "cancel_pending_order", "arguments": "{\"order_id\": \"#W1\"}"}}]},
  {"role": "tool", "tool_call_id": "c4", "content": "Error: non-pending order cannot be cancelled"}
 ]},
 {"task_id": 0, "trial": 0, "traj": [
  {"role": "assistant", "tool_calls": [{"function": {"name": "think", "arguments": "{'thought': 'x'}"}}, {"function": {"name": "calculate", "arguments": {"a": 1}}}]},
  {"role": "tool", "content": [{"type": "text", "text": "Error: no"}]},
  {"role": "tool", "content": null},
  {"role": "tool", "content": "to nobody"},
  {"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "late", "arguments": ""}}]},
  7
 ]},
 {"task_id": 1, "trial": 0, "traj": []},
 {"task_id": 2}
]`

func TestTauBench(t *testing.T) {
	set, err := adapter.LoadSet([]string{"tau-retail"})
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "runs.json", tauLog)
	var got []string
	rep, err := Run(context.Background(), []string{path}, Options{Adapters: set}, func(c *calllog.Call) error {
		got = append(got, fmt.Sprintf("%d %s %s %s %s before=%s %s/%d after=%s", c.Pos.Line, c.Session, c.Tool, c.Outcome, c.Cause, c.Before, c.StateSource, c.StateCalls, c.After))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`4 runs/0.0 get_order_details ok  before=null /0 after={"order":{"order_id": "#W1", "status": "pending"}}`,
		`4 runs/0.0 get_order_details rejected argument before=null /0 after={"order":{"exists":false}}`,
		`9 runs/0.0 cancel_pending_order ok  before={"order":{"order_id": "#W1", "status": "pending"}} reconstructed/1 after={"order":{"order_id": "#W1", "status": "cancelled"}}`,
		`11 runs/0.0 cancel_pending_order rejected state before={"order":{"order_id": "#W1", "status": "cancelled"}} reconstructed/0 after=null`,
		`15 runs/0.0#2 think rejected unclear before=null /0 after=null`,
		`15 runs/0.0#2 calculate ok  before=null /0 after=null`,
		`19 runs/0.0#2 late unanswered  before=null /0 after=null`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var rules []string
	for _, f := range rep.Findings {
		rules = append(rules, fmt.Sprintf("%d %s %v", f.Pos.Line, f.Rule, f.Note))
	}
	wantRules := "15 arguments true, 18 unpaired false, 20 bad-record false, 23 bad-record false"
	if r := strings.Join(rules, ", "); r != wantRules {
		t.Errorf("findings %s, want %s", r, wantRules)
	}
	if rep.Files[0].Silent != 1 || rep.Files[0].Format != "tau-bench" {
		t.Errorf("%+v", rep.Files[0])
	}
}

func TestTauBenchCutOff(t *testing.T) {
	path := write(t, "cut.json", tauLog[:strings.Index(tauLog, `{"task_id": 1`)])
	rep, err := Run(context.Background(), []string{path}, Options{}, func(*calllog.Call) error { return nil })
	if err != nil || rep.Calls != 7 || rep.Bad() == 0 {
		t.Errorf("%d calls, %v, %v", rep.Calls, rep.Findings, err)
	}
}
