package synth

import (
	"bytes"
	"testing"

	"mcpg/calllog"
	"mcpg/ingest/table"
)

// TestCalls: the same shape gives the same calls, and all that a shape asks for.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := Shape{Tools: 7, States: 50, Features: 9}
	tools, states, outcomes := map[string]bool{}, map[string]bool{}, map[calllog.Outcome]int{}
	var first []string
	for c := range s.Calls(5000) {
		tools[c.Tool], states[string(c.Before)] = true, true
		outcomes[c.Outcome]++
		first = append(first, c.ID+c.Tool+string(c.Args)+string(c.Before)+c.Outcome.String())
	}
	if len(tools) != 7 || len(states) != 50 || outcomes[calllog.Rejected] < 500 || outcomes[calllog.OK] < 2000 || outcomes[calllog.Transport] == 0 {
		t.Errorf("%d tools, %d states, %v", len(tools), len(states), outcomes)
	}
	i := 0
	for c := range s.Calls(5000) {
		if got := c.ID + c.Tool + string(c.Args) + string(c.Before) + c.Outcome.String(); got != first[i] {
			t.Fatal(got, first[i])
		}
		i++
	}
}

// TestWrite: a table has the calls.
func TestWrite(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := (Shape{}).Write(&b, 1000); err != nil {
		t.Fatal(err)
	}
	r, err := table.ReadAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	for c := range (Shape{}).Calls(1000) {
		if !r.Next() || r.Call().ID != c.ID || string(r.Call().Before) != string(c.Before) || !r.Call().Time.Equal(c.Time) {
			t.Fatalf("%+v, want %+v: %v", r.Call(), c, r.Err())
		}
	}
	if r.Next() || r.Err() != nil {
		t.Error("too many calls", r.Err())
	}
}
