package learn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
)

// TestConditions: what refusals with one text have in common and no success has.
func TestConditions(t *testing.T) {
	t.Parallel()
	type calls struct {
		n     int
		state string // with %d for a number of the call
		text  string // "" worked
	}
	kinds := func(rest ...calls) []calls {
		return append(rest, calls{30, `{"kind":"card","paid":true,"n":%d}`, ""}, calls{30, `{"kind":"cash","paid":false,"n":%d}`, ""})
	}
	for name, tt := range map[string]struct {
		calls []calls
		want  string // the reading
	}{
		"not both":           {kinds(calls{20, `{"kind":"card","paid":false,"n":%d}`, "no"}), "kind=card and paid=false"},
		"too few":            {kinds(calls{19, `{"kind":"card","paid":false,"n":%d}`, "no"}), ""},
		"a success like it":  {kinds(calls{40, `{"kind":"card","paid":false,"n":%d}`, "no"}, calls{1, `{"kind":"card","paid":false,"n":%d}`, ""}), ""},
		"a stray failure":    {kinds(calls{98, `{"kind":"card","paid":false,"n":%d}`, "no"}, calls{2, `{"kind":"cash","paid":false,"n":%d}`, "no"}), "kind=card and paid=false"},
		"too many strays":    {kinds(calls{90, `{"kind":"card","paid":false,"n":%d}`, "no"}, calls{10, `{"kind":"cash","paid":false,"n":%d}`, "no"}), ""},
		"other texts apart":  {kinds(calls{20, `{"kind":"card","paid":false,"n":%d}`, "no"}, calls{20, `{"kind":"cash","paid":true,"n":%d}`, "never"}), "kind=cash and paid=true; kind=card and paid=false"},
		"beyond all numbers": {kinds(calls{20, `{"kind":"card","paid":true,"n":1%03d}`, "no"}), "n >= 1000"},
		"too few successes":  {[]calls{{19, `{"kind":"card","n":%d}`, ""}, {20, `{"kind":"cash","n":%d}`, "no"}}, ""},
		"rests on one success": {[]calls{{60, `{"kind":"card","paid":true,"n":%d}`, ""}, {1, `{"kind":"cash","paid":false,"n":%d}`, ""},
			{20, `{"kind":"card","paid":false,"n":%d}`, "no"}}, "paid=false and kind=card"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e Evidence
			id := 0
			for _, cs := range tt.calls {
				for i := range cs.n {
					id++
					c := &calllog.Call{ID: fmt.Sprint("c", id), Session: fmt.Sprint("s", id), Tool: "pay",
						Before: jsontext.Value(fmt.Sprintf(cs.state, i))}
					if cs.text != "" {
						c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, cs.text
					}
					e.Add(c, adapter.Set(nil).View(c))
				}
			}
			g := e.Induce().Tools[0].Guard
			var got []string
			for i := range g.Conditions {
				got = append(got, g.Conditions[i].String())
			}
			if s := strings.Join(got, "; "); s != tt.want {
				t.Errorf("%s, want %s", s, tt.want)
			}
			if _, isThere := tt.calls[0], tt.want != ""; isThere && name == "not both" {
				judged(t, g)
			}
		})
	}
}

// judged: the condition fails what it describes, and nothing else.
func judged(t *testing.T, g *behavior.Guard) {
	for state, want := range map[string]behavior.Prediction{
		`{"kind":"card","paid":false,"n":3}`: behavior.Fails,
		`{"kind":"card","paid":true,"n":3}`:  behavior.Works,
		`{"kind":"card","n":3}`:              behavior.Undetermined,
	} {
		c := &calllog.Call{Tool: "pay", Before: jsontext.Value(state)}
		if got := g.Judge(adapter.Set(nil).View(c).Features()); got.Outcome != want {
			t.Errorf("%s: %s, want %s", state, got.Outcome, want)
		} else if want == behavior.Fails && got.By[0].Needs() != "was never seen working where kind=card and paid=false" {
			t.Errorf("%s", got.By[0].Needs())
		}
		if got := g.Classify(adapter.Set(nil).View(c).Features()); got.Outcome == behavior.Fails {
			t.Errorf("%s: proven by a conjunction", state)
		}
	}
}
