package batch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/internal/diag"
	"mcpg/learn"
)

// someCalls draws calls of a few tools whose outcomes partly depend on state.
func someCalls(r *rand.Rand, n int) []*calllog.Call {
	var out []*calllog.Call
	for i := range n {
		status := []string{"open", "closed", "held", "odd one"}[r.IntN(4)]
		c := &calllog.Call{
			ID: fmt.Sprint("c", i), Session: fmt.Sprint("s", r.IntN(9)), Server: "srv", Tool: []string{"close", "edit"}[r.IntN(2)],
			Args:   jsontext.Value(fmt.Sprintf(`{"n":%d,"force":%t,"id":"x%d"}`, r.IntN(5), r.IntN(2) == 0, r.IntN(200))),
			Before: jsontext.Value(fmt.Sprintf(`{"ticket":{"status":%q,"level":%d}}`, status, r.IntN(4))),
			Pos:    diag.Pos{File: "log", Line: i + 1},
		}
		if r.IntN(5) > 0 { // the clock is coarse, and sometimes there is none
			c.Time = time.Unix(1_700_000_000+int64(r.IntN(300)), 0)
			c.StateAge = time.Duration(r.IntN(3)) * time.Second
		}
		if c.Tool == "edit" && r.IntN(2) == 0 {
			c.Fingerprint = "f1"
		}
		if r.IntN(3) > 0 {
			c.After = jsontext.Value(`{"ticket":{"status":"closed","level":1}}`)
		}
		if status == "closed" || r.IntN(20) == 0 {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, fmt.Sprintf("ticket x%d is already closed", r.IntN(200))
		}
		if c.Outcome == calllog.OK && strings.Contains(string(c.Args), `"force":true`) && status == "held" {
			c.Outcome, c.Cause, c.ErrorText, c.After = calllog.Rejected, calllog.Unclear, "held tickets can't be forced", nil
		}
		out = append(out, c)
	}
	return out
}

func model(t *testing.T, e *learn.Evidence) string {
	t.Helper()
	var b bytes.Buffer
	if err := e.Induce().Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOrderAndSplit: any order, any split, any merge order, and one call at a
// time or in parallel give the same bytes.
func TestOrderAndSplit(t *testing.T) {
	t.Parallel()
	conditions := 0
	for seed := range rounds() {
		r := rand.New(rand.NewPCG(seed, 3))
		calls := someCalls(r, 400)
		var one learn.Evidence
		for i, c := range calls {
			one.Add(c, nilView(c))
			if i%50 == 0 {
				one.Induce() // looking must not change what is learnt
			}
		}
		want := model(t, &one)
		for _, tool := range reread(t, want).Tools {
			conditions += len(tool.Guard.Conditions)
		}
		for round := range 5 {
			r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
			parts := make([]learn.Evidence, 1+r.IntN(6))
			for _, c := range calls {
				parts[r.IntN(len(parts))].Add(c, nilView(c))
			}
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			var merged learn.Evidence
			for i := range parts {
				merged.Merge(&parts[i])
			}
			if got := model(t, &merged); got != want {
				t.Fatalf("seed %d, round %d: %d parts gave another model", seed, round, len(parts))
			}
		}
		l := New()
		for _, c := range calls {
			l.Add(c, nil)
		}
		fromCalls, err := l.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		if got := model(t, fromCalls); got != want {
			t.Fatalf("seed %d: the parallel learner gave another model", seed)
		}
		again := learn.FromGraph(reread(t, want))
		if got := model(t, again); got != want {
			t.Fatalf("seed %d: reading model.json back gave another model", seed)
		}
	}
	if conditions == 0 {
		t.Error("no model has a failing condition")
	}
}

func nilView(c *calllog.Call) *behavior.View { return adapter.Set(nil).View(c) }

func reread(t *testing.T, doc string) *behavior.Graph {
	t.Helper()
	g, err := behavior.Read(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func rounds() uint64 {
	if testing.Short() {
		return 2
	}
	return 20
}
