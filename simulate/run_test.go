package simulate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/policy"
)

// door is a server with one door: open_door fails where it is open already.
type door struct {
	open  bool
	more  []Tool
	steps []int
	calls []string
	reads int
}

func (d *door) Name() string { return "door" }
func (d *door) Tools() []Tool {
	return append(d.more, Tool{"get_door", jsontext.Value(`{"name":"get_door"}`)}, Tool{"open_door", jsontext.Value(`{"name":"open_door","inputSchema":{}}`)})
}
func (d *door) At(step int) { d.steps = append(d.steps, step) }
func (d *door) Call(tool string, _ jsontext.Value, coin float64) Answer {
	d.calls = append(d.calls, fmt.Sprint(tool, " ", coin))
	switch {
	case tool == "get_door":
		return Answer{Text: string(d.Snapshot())}
	case tool != "open_door":
		return Answer{Text: "MCP error -32602: Tool " + tool + " not found", IsError: true}
	case d.open:
		return Answer{Text: "the door is open", IsError: true}
	}
	d.open = true
	return Answer{Text: "opened"}
}
func (d *door) Read(string, jsontext.Value) Answer {
	d.reads++
	return Answer{Text: string(d.Snapshot())}
}
func (d *door) Check(tool string, _ jsontext.Value, _ float64) Truth {
	if tool == "open_door" && d.open {
		return Truth{Check: "open", Kind: Visible}
	}
	return Truth{Valid: true}
}
func (d *door) Snapshot() jsontext.Value { return jsontext.Value(fmt.Sprintf(`{"open":%v}`, d.open)) }

// script makes its calls, "tool arguments", and keeps what it read.
type script struct {
	calls []string
	read  []string
}

func (s *script) Next(text string, isError bool) (string, jsontext.Value, bool) {
	s.read = append(s.read, fmt.Sprint(isError, " ", text))
	if len(s.calls) == 0 {
		return "", nil, true
	}
	tool, args, _ := strings.Cut(s.calls[0], " ")
	s.calls = s.calls[1:]
	return tool, jsontext.Value(args), false
}

func doorAdapter(t *testing.T) adapter.Set {
	t.Helper()
	a, err := adapter.Parse([]byte(`{"server_id":"door","resource_class":"door","observation_tool":"get_door","id_param":"id"}`))
	if err != nil {
		t.Fatal(err)
	}
	return adapter.Set{a}
}

func play(t *testing.T, p *policy.Policy, budget int, calls ...string) (*Trace, *door, *script) {
	t.Helper()
	d, s := &door{}, &script{calls: calls}
	trace, err := Run(t.Context(), &Episode{ID: "e", Server: d, Agent: s, Gate: Under(p), Adapters: doorAdapter(t), Budget: budget, Coin: func(step int) float64 { return float64(step) / 4 }})
	if err != nil {
		t.Fatal(err)
	}
	return trace, d, s
}

const (
	look   = `get_door {"id":1}`
	unlock = `open_door {"id":1}`
)

func TestRun(t *testing.T) {
	t.Parallel()
	trace, d, s := play(t, nil, 9, look, look, unlock, look, unlock, `open_door {"id":2}`, "fly")
	if got := fmt.Sprint(s.read); got != `[false  false {"open":false} false {"open":false} false opened false {"open":true} true the door is open true the door is open true MCP error -32602: Tool fly not found]` {
		t.Error(got)
	}
	if got := fmt.Sprint(d.steps, d.calls); got != "[0 1 2 3 4 5 6] [get_door 0 get_door 0.25 open_door 0.5 get_door 0.75 open_door 1 open_door 1.25 fly 1.5]" {
		t.Error(got)
	}
	var got []string
	for _, a := range trace.Attempts {
		got = append(got, fmt.Sprint(a.Call.ID, " ", a.Call.Outcome, " ", a.Call.Cause, " valid=", a.Truth.Valid, " repeated=", a.Repeated, " reached=", a.Reached, a.Blocked(), a.Warned()))
	}
	want := []string{
		"e/0 ok  valid=true repeated=false reached=true false false",
		"e/1 ok  valid=true repeated=true reached=true false false",
		"e/2 ok  valid=true repeated=false reached=true false false",
		"e/3 ok  valid=true repeated=false reached=true false false", // the door has changed
		"e/4 rejected unclear valid=false repeated=false reached=true false false",
		"e/5 rejected unclear valid=false repeated=false reached=true false false", // other arguments
		"e/6 rejected unknown_tool valid=true repeated=false reached=true false false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if string(trace.Before) != `{"open":false}` || string(trace.After) != `{"open":true}` || trace.Reads != 0 {
		t.Errorf("%s -> %s, %d reads", trace.Before, trace.After, trace.Reads)
	}
	c := &trace.Attempts[4].Call
	if c.Session != "e" || c.Server != "door" || c.ErrorText != "the door is open" || c.ResultText != c.ErrorText || string(c.Args) != `{"id":1}` {
		t.Errorf("%+v", c)
	}
}

func TestRunKeepsToItsBudget(t *testing.T) {
	t.Parallel()
	trace, d, s := play(t, nil, 2, look, look, look)
	if len(trace.Attempts) != 2 || len(d.calls) != 2 || len(s.calls) != 1 {
		t.Errorf("%d attempts, %d calls", len(trace.Attempts), len(d.calls))
	}
	trace, d, _ = play(t, nil, 0, look)
	if len(trace.Attempts) != 0 || len(d.calls) != 0 || trace.Answers == "" {
		t.Errorf("%+v", trace)
	}
}

func TestRunIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := &door{}
	_, err := Run(ctx, &Episode{Server: d, Agent: &script{calls: []string{look}}, Budget: 5})
	if !errors.Is(err, context.Canceled) || len(d.calls) > 0 {
		t.Errorf("%v after %v", err, d.calls)
	}
}

// TestObservingChangesNothing: the hash of all that the agent saw is the same
// without a policy and with one that observes or that knows nothing.
func TestObservingChangesNothing(t *testing.T) {
	t.Parallel()
	calls := []string{look, unlock, unlock, unlock, `open_door {"id":2}`, unlock, look, "fly"}
	none, _, _ := play(t, nil, 20, calls...)
	for name, opts := range map[string]policy.Options{
		"observe": {Mode: policy.Observe}, "warn, off": {Off: true}, "block, off": {Mode: policy.Block, Off: true},
	} {
		p := policy.New(doorAdapter(t), opts)
		for range 3 {
			trace, d, _ := play(t, p, 20, calls...)
			if trace.Answers != none.Answers || trace.Reads == 0 || trace.Reads != d.reads {
				t.Errorf("%s: %s, alone %s; %d reads, %d made", name, trace.Answers, none.Answers, trace.Reads, d.reads)
			}
		}
	}
	warned, _, _ := play(t, policy.New(doorAdapter(t), policy.Options{}), 20, calls...)
	if warned.Answers == none.Answers {
		t.Error("notes are part of what the agent sees")
	}
	other, _, _ := play(t, nil, 20, calls[:7]...)
	if other.Answers == none.Answers {
		t.Error("fewer answers, the same hash")
	}
	d := &door{more: []Tool{{"ring", jsontext.Value(`{"name":"ring"}`)}}}
	listed, err := Run(t.Context(), &Episode{ID: "e", Server: d, Agent: &script{calls: calls}, Adapters: doorAdapter(t), Budget: 20, Coin: func(int) float64 { return 0 }})
	if err != nil || listed.Answers == none.Answers {
		t.Errorf("the list of tools is part of what the agent sees: %v", err)
	}
}

func TestRunUnderAPolicy(t *testing.T) {
	t.Parallel()
	p := policy.New(doorAdapter(t), policy.Options{Mode: policy.Block})
	for range 2 {
		play(t, p, 9, unlock, look, `open_door {"id":2}`, `open_door {"id":3}`)
	}
	trace, d, s := play(t, p, 9, unlock, unlock)
	a := trace.Attempts[1]
	if !a.Blocked() || a.Reached || a.Warned() || !a.Decision.Predicted || a.Truth.Valid || len(d.calls) != 1 {
		t.Errorf("%+v", a)
	}
	if last := s.read[len(s.read)-1]; !strings.HasPrefix(last, "true mcpg refused open_door; ") {
		t.Error(last)
	}
	if a.Call.Outcome != calllog.OK || a.Call.ResultText != "" {
		t.Errorf("a refused call has no outcome: %+v", a.Call)
	}
	p = policy.New(doorAdapter(t), policy.Options{})
	play(t, p, 9, unlock, unlock)
	trace, _, s = play(t, p, 9, unlock, unlock)
	if a := trace.Attempts[1]; !a.Warned() || a.Blocked() || !strings.Contains(s.read[2], "the door is open\nmcpg: open_door was refused once") {
		t.Errorf("%+v %q", a.Decision, s.read)
	}
}
