package learn_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// TestRows: conditions over the rows of a list are learnt: no row may be so, some row
// must be so, all rows must be so.
func TestRows(t *testing.T) {
	t.Parallel()
	type task struct {
		status string
		urgent bool
	}
	for name, works := range map[string]func([]task) bool{
		"no task is blocked": func(ts []task) bool {
			for _, x := range ts {
				if x.status == "blocked" {
					return false
				}
			}
			return true
		},
		"all tasks are done": func(ts []task) bool {
			for _, x := range ts {
				if x.status != "done" {
					return false
				}
			}
			return true
		},
		"some task is urgent": func(ts []task) bool {
			for _, x := range ts {
				if x.urgent {
					return true
				}
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, 8))
			draw := func(i int) (*calllog.Call, bool) {
				var tasks []task
				var rows []string
				for n := range 1 + r.IntN(4) {
					x := task{[]string{"done", "done", "done", "open", "blocked"}[r.IntN(5)], r.IntN(3) == 0}
					tasks = append(tasks, x)
					rows = append(rows, fmt.Sprintf(`{"id":"t-%d","status":%q,"urgent":%t,"hours":%d}`, n, x.status, x.urgent, r.IntN(90)))
				}
				ok := works(tasks)
				c := &calllog.Call{ID: fmt.Sprint(i), Session: fmt.Sprint("s", i), Server: "srv", Tool: "close_project", Args: jsontext.Value(`{}`), StateSource: calllog.Snapshot,
					Before: jsontext.Value(`{"project":{"tasks":[` + strings.Join(rows, ",") + `]}}`)}
				if !ok {
					c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "project can't be closed"
				}
				return c, ok
			}
			var e learn.Evidence
			for i := range 600 {
				c, _ := draw(i)
				e.Add(c, adapter.Set(nil).View(c))
			}
			g := e.Tool("srv", "close_project", "").Guard
			invalid, caught := 0, 0
			for i := range 400 {
				c, ok := draw(1000 + i)
				verdict := g.Judge(adapter.Set(nil).View(c).Features()).Outcome
				switch {
				case ok && verdict == behavior.Fails:
					t.Errorf("%s would be blocked", c.Before)
				case !ok:
					invalid++
					if verdict == behavior.Fails {
						caught++
					}
				}
			}
			t.Logf("%d of %d caught; %s", caught, invalid, g.Minimal)
			if invalid < 50 || 10*caught < 9*invalid {
				t.Errorf("%d of %d invalid calls are caught", caught, invalid)
			}
		})
	}
}
