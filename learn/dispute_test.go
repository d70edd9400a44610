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

// TestDisputed: a success or two among many refusals alike count for nothing; a
// rare value that works does.
func TestDisputed(t *testing.T) {
	t.Parallel()
	type calls struct {
		n     int
		state string
		args  string
		text  string // "" worked
	}
	open, closed := `{"t":{"status":"open","n":%d}}`, `{"t":{"status":"closed","n":%d}}`
	for name, tt := range map[string]struct {
		calls    []calls
		disputed int
		fails    string // a state in which a call is judged to fail
		works    string // and one in which it isn't
	}{
		"one in fifty":            {[]calls{{60, open, `{}`, ""}, {49, closed, `{}`, "no"}, {1, closed, `{}`, ""}}, 1, `{"t":{"status":"closed","n":1}}`, `{"t":{"status":"open","n":1}}`},
		"one in forty-nine":       {[]calls{{60, open, `{}`, ""}, {48, closed, `{}`, "no"}, {1, closed, `{}`, ""}}, 0, "", `{"t":{"status":"closed","n":1}}`},
		"few successes":           {[]calls{{40, open, `{}`, ""}, {90, closed, `{}`, "no"}, {1, closed, `{}`, ""}}, 0, "", `{"t":{"status":"closed","n":1}}`},
		"a rare one that works":   {[]calls{{60, open, `{}`, ""}, {40, open, `{}`, "no"}, {1, closed, `{}`, ""}}, 0, "", `{"t":{"status":"closed","n":1}}`},
		"numbers":                 {[]calls{{60, open, `{"k":%d}`, ""}, {80, open, `{"k":-%d}`, "no"}, {1, open, `{"k":-50}`, ""}}, 1, "", `{"t":{"status":"open","n":1}}`},
		"rare for another reason": {[]calls{{60, open, `{"k":%d}`, ""}, {120, open, `{"k":30}`, "full"}, {60, open, `{"k":9%d}`, "full"}, {1, open, `{"k":95}`, ""}}, 0, "", ""},
		"one text, two reasons":   {[]calls{{60, open, `{}`, ""}, {40, open, `{}`, "no"}, {80, closed, `{}`, "no"}, {1, closed, `{}`, ""}}, 0, "", `{"t":{"status":"closed","n":1}}`},
		"absent":                  {[]calls{{60, open, `{"k":"a"}`, ""}, {80, open, `{}`, "no"}, {1, open, `{}`, ""}}, 1, `{"t":{"status":"open","n":1}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e, strict Evidence
			strict.Strict = true
			id := 0
			for _, cs := range tt.calls {
				for i := range cs.n {
					id++
					args := cs.args
					if strings.Contains(args, "%") {
						args = fmt.Sprintf(args, i+1)
					}
					c := &calllog.Call{ID: fmt.Sprint("c", id), Session: fmt.Sprint("s", id), Tool: "t", Args: jsontext.Value(args), Before: jsontext.Value(fmt.Sprintf(cs.state, i%5))}
					if cs.text != "" {
						c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, cs.text
					}
					e.Add(c, adapter.Set(nil).View(c))
					strict.Add(c, adapter.Set(nil).View(c))
				}
			}
			if g := strict.Tool("", "t", "").Guard; g.Disputed != 0 || len(g.Conditions) > 0 {
				t.Errorf("strict: %d disputed, conditions %v", g.Disputed, g.Conditions)
			}
			for what, g := range map[string]*behavior.Guard{"derived": e.Tool("", "t", "").Guard, "live": e.Guard("", "t", "")} {
				if g.Disputed != tt.disputed {
					t.Errorf("%s: %d disputed, want %d", what, g.Disputed, tt.disputed)
				}
				for state, fails := range map[string]bool{tt.fails: true, tt.works: false} {
					if state == "" {
						continue
					}
					c := &calllog.Call{Tool: "t", Args: jsontext.Value(`{}`), Before: jsontext.Value(state)}
					if got := g.Judge(adapter.Set(nil).View(c).Features()); (got.Outcome == behavior.Fails) != fails {
						t.Errorf("%s: %s %s", what, state, got.Outcome)
					}
				}
			}
		})
	}
}
