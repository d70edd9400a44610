package learn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// world writes a log in which calls of one cell have both outcomes.
type world struct {
	rng   *rand.Rand
	calls []*calllog.Call
	start time.Time
}

func newWorld(seed uint64) *world {
	return &world{rng: rand.New(rand.NewPCG(seed, 5)), start: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
}

func (w *world) call(session, tool string, at time.Time, failed bool) *calllog.Call {
	c := &calllog.Call{ID: fmt.Sprint("c", len(w.calls)), Session: session, Server: "srv", Tool: tool, Time: at,
		Args: jsontext.Value(`{"force":false}`), Before: jsontext.Value(`{"order":{"status":"open"}}`), StateSource: calllog.Snapshot}
	if failed {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "not now"
	}
	w.calls = append(w.calls, c)
	return c
}

// Each of n calls stands in a session of its own, with a call of another tool
// before it and some minutes in between.
func (w *world) each(n int, f func(i int, before int, session string, at time.Time) (failed bool)) {
	at := w.start
	for i := range n {
		at = at.Add(time.Duration(1+w.rng.IntN(60)) * time.Minute)
		session, before := fmt.Sprint("s", w.rng.Uint64()), w.rng.IntN(6)
		w.call(session, fmt.Sprint("tool", before), at.Add(-time.Second), false)
		w.call(session, "ship", at, f(i, before, session, at))
	}
}

var worlds = map[string]func(w *world, n int){
	// The tool works or not by which of six tools the session called before.
	behavior.CauseHidden: func(w *world, n int) {
		w.each(n, func(_, before int, _ string, _ time.Time) bool { return before < 2 })
	},
	// It refuses what another session has changed since the state was read. A part of
	// these writes is in the log.
	behavior.CauseStale: func(w *world, n int) {
		first := w.calls
		w.each(n, func(_, _ int, _ string, _ time.Time) bool { return false })
		for i, c := range w.calls[len(first):] {
			if c.Tool != "ship" {
				continue
			}
			c.StateAge = time.Duration(w.rng.ExpFloat64() * float64(time.Minute))
			c.Resource = "order:1"
			if w.rng.Float64() > 0.4 {
				continue
			}
			c.StateAge += time.Minute
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "not now"
			if w.rng.Float64() < 0.7 {
				wr := w.call(fmt.Sprint("other", i, w.rng.Uint64()), "change", c.Time.Add(-c.StateAge/2), false)
				wr.After = jsontext.Value(`{"order":{"status":"held"}}`)
			}
		}
	},
	// From some time on it is refused.
	behavior.CauseDrift: func(w *world, n int) {
		flip := n/4 + w.rng.IntN(n/2+1)
		w.each(n, func(i, _ int, _ string, _ time.Time) bool { return i >= flip })
	},
	behavior.CauseNondeterminism: func(w *world, n int) {
		w.each(n, func(_, _ int, _ string, _ time.Time) bool { return w.rng.Float64() < 0.3 })
	},
}

// attributed learns a world's calls and says why they contradict each other, ""
// where they happen not to.
func attributed(t *testing.T, w *world) string {
	t.Helper()
	var e learn.Evidence
	for _, c := range w.calls {
		v := adapter.Set(nil).View(c)
		if c.Resource != "" || c.After != nil { // as an adapter would see it
			v.Resource = "order:1"
		}
		if c.After != nil {
			v.HasAfter, v.After = true, behavior.NewState([]behavior.Feature{{Path: behavior.Path{Field: "status"}, Value: behavior.StringToken("held")}}, nil)
		}
		e.Add(c, v)
	}
	for _, c := range e.Induce().Contradictions() {
		if c.Tool == "ship" {
			return c.Why.Name
		}
	}
	return ""
}

// TestAttribution holds the causes of simulated contradictions against what is
// behind them, at 20 and at 40 calls a cell.
func TestAttribution(t *testing.T) {
	t.Parallel()
	trials := 200
	if testing.Short() {
		trials = 40
	}
	least := map[int]map[string]float64{
		20: {behavior.CauseHidden: .95, behavior.CauseDrift: .95, behavior.CauseStale: .85, behavior.CauseNondeterminism: .85},
		40: {behavior.CauseHidden: .99, behavior.CauseDrift: .99, behavior.CauseStale: .99, behavior.CauseNondeterminism: .99},
	}
	for cause, make := range worlds {
		for n, want := range least {
			t.Run(fmt.Sprint(cause, " ", n), func(t *testing.T) {
				t.Parallel()
				got, all := map[string]int{}, 0
				for seed := range trials {
					w := newWorld(uint64(seed)*7919 + uint64(n))
					make(w, n)
					if name := attributed(t, w); name != "" {
						got[name]++
						all++
					}
				}
				share := float64(got[cause]) / float64(all)
				wrong := 0
				for name, k := range got {
					if name != cause && name != behavior.CauseUnattributed {
						wrong = max(wrong, k)
					}
				}
				t.Logf("%d calls a cell: %.1f %% right of %d, %v", n, 100*share, all, got)
				least := want[cause]
				if testing.Short() { // so few say it with an error of their own
					least -= 2 * math.Sqrt(least*(1-least)/float64(all))
				}
				if share < least {
					t.Errorf("%.3f right, want %.2f", share, least)
				}
				if float64(wrong) > 0.02*float64(all)+1 {
					t.Errorf("%d of %d have the same wrong cause", wrong, all)
				}
			})
		}
	}
}
