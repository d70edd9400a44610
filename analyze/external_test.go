package analyze_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/internal/docpage"
	"mcpg/learn"
	"mcpg/policy"
)

// goals are shares of invalid calls that must be blocked, in per cent: of models
// learnt from the first 80 % of sessions, judged on the others; with all argument
// values, and without those of arguments that name something in the state.
var goals = []struct {
	server         string
	blocked, blind float64
}{
	{"bfcl_ticket", 99, 99}, {"bfcl_vehicle", 97, 96}, {"bfcl_trading", 90, 90}, {"tau_retail", 95, 94},
}

type seen struct {
	call *calllog.Call
	view *behavior.View
}

// TestExternal: other people's simulators, whose states and outcomes were recorded.
// Neither the relations that the recorder computed nor what it hid are read.
func TestExternal(t *testing.T) {
	const dir = "../../shared/data/external/"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no recorded simulators here:", err)
	}
	if testing.Short() {
		t.Skip("learns from 66,000 calls several times")
	}
	checks := trueChecks(t, dir+"true_guards.jsonl")
	found := make([]external, len(goals))
	t.Run("servers", func(t *testing.T) { judgeAll(t, dir, checks, found) })
	if t.Failed() {
		return
	}
	docpage.Check(t, "../docs/learning.md", "", nil, map[string]string{"external": figures(found), "checks": checkTable(checks)})
}

// external is what was measured of one server.
type external struct{ frozen, blind, poisoned, online, thinned *analyze.ReplayResult }

func judgeAll(t *testing.T, dir string, checks []*trueCheck, found []external) {
	for i, g := range goals {
		t.Run(g.server, func(t *testing.T) {
			t.Parallel()
			calls := load(t, dir+g.server+".jsonl.gz")
			train, test := split(calls)
			model := learnt(train)

			for _, tool := range model.Tools {
				if tool.Guard.Disputed > 0 {
					t.Errorf("%s: %d successes are disputed, and all are real", tool.Name, tool.Guard.Disputed)
				}
			}
			frozen := replay(model, test)
			hold(checks, g.server, model, train, test)
			t.Log("frozen: ", line(frozen))
			kept(t, "frozen", frozen, g.blocked, 0.1, 1)

			blind := blindTo(references(train))
			r := replay(learnt(blind(train)), blind(test))
			found[i].frozen, found[i].blind = frozen, r
			t.Log("reference-blind: ", line(r))
			kept(t, "reference-blind", r, g.blind, 0.1, 1)

			r = replay(learnt(poisoned(train)), test)
			t.Log("with 0.5 % of failures taken for successes: ", line(r))
			kept(t, "poisoned", r, 75, 0.1, 1)
			found[i].poisoned = r

			r = replay(nil, calls)
			t.Log("online: ", line(r))
			kept(t, "online", r, 0, 0.05, 1)
			found[i].online = r
			r = replay(nil, thinned(calls, 0.10))
			t.Log("online, a tenth invalid: ", line(r))
			kept(t, "online, a tenth invalid", r, 0, 0.05, 1)
			found[i].thinned = r
		})
	}
}

// figures is the table of what was measured.
func figures(found []external) string {
	var b strings.Builder
	b.WriteString("| server | judged | invalid calls blocked | valid calls blocked | valid calls warned of |\n|---|---|---|---|---|\n")
	for i, g := range goals {
		for _, row := range []struct {
			name string
			r    *analyze.ReplayResult
		}{{"frozen", found[i].frozen}, {"reference-blind", found[i].blind}, {"poisoned", found[i].poisoned}, {"online", found[i].online}, {"online, a tenth invalid", found[i].thinned}} {
			fmt.Fprintf(&b, "| %s | %s | %.1f %% of %d | %d of %d | %d |\n", g.server, row.name, percent(row.r.Invalid.Blocked, row.r.Invalid.Attempts), row.r.Invalid.Attempts,
				row.r.Valid.Blocked, row.r.Valid.Attempts, row.r.Valid.Warned)
		}
	}
	return b.String()
}

// trueCheck is a check of a simulator's source.
type trueCheck struct {
	server, tool, words, observable string
	text                            *regexp.Regexp
	trained, judged, blocked        int // refused calls
}

func trueChecks(t *testing.T, file string) []*trueCheck {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []*trueCheck
	for line := range strings.Lines(string(text)) {
		var tool struct {
			Server string `json:"server"`
			Tool   string `json:"tool"`
			Checks []struct {
				Words      string `json:"words"`
				ErrorRE    string `json:"error_re"`
				Observable string `json:"observable"`
			} `json:"checks"`
		}
		if err := json.Unmarshal([]byte(line), &tool); err != nil {
			t.Fatal(err)
		}
		for _, c := range tool.Checks {
			re, err := regexp.Compile(c.ErrorRE)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, &trueCheck{server: tool.Server, tool: tool.Tool, words: c.Words, observable: c.Observable, text: re})
		}
	}
	return out
}

// hold counts the calls that each check refused: the one whose longest text fits.
func hold(checks []*trueCheck, server string, model *behavior.Graph, train, test []seen) {
	of := func(c *calllog.Call) *trueCheck {
		var found *trueCheck
		for _, check := range checks {
			if c.Outcome == calllog.Rejected && check.server == server && check.tool == c.Tool && check.text.MatchString(c.ErrorText+"\n"+c.ResultText) {
				if found == nil || len(check.text.String()) > len(found.text.String()) {
					found = check
				}
			}
		}
		return found
	}
	for _, s := range train {
		if check := of(s.call); check != nil {
			check.trained++
		}
	}
	r := policy.NewReplay(model, policy.Options{Mode: policy.Block}, false)
	for _, s := range test {
		if check := of(s.call); check != nil {
			check.judged++
			if r.Call(s.call, s.view).Action == policy.Refuse {
				check.blocked++
			}
		}
	}
}

// checkTable says of each check whether it is learnt, and why not.
func checkTable(checks []*trueCheck) string {
	var b strings.Builder
	b.WriteString("| server | tool | check | refused in training | blocked of those judged | learnt |\n|---|---|---|---|---|---|\n")
	for _, c := range checks {
		verdict := ""
		switch {
		case c.judged == 0:
			verdict = "it refused no call that was judged"
		case c.blocked == c.judged:
			verdict = "yes"
		case c.observable == "hidden":
			verdict = "no: nothing that was recorded tells"
		case c.blocked == 0 && c.trained < 20:
			verdict = "no: too few refusals"
		case c.blocked == 0:
			verdict = "no: not of a form that is looked for"
		case c.trained < 20:
			verdict = "in part: too few refusals to be general"
		default:
			verdict = "in part: what the others have wasn't seen refused, or not twice, or lies between values that were"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d of %d | %s |\n", c.server, c.tool, strings.ReplaceAll(c.words, "|", "\\|"), c.trained, c.blocked, c.judged, verdict)
	}
	return b.String()
}

func load(t *testing.T, file string) []seen {
	t.Helper()
	var out []seen
	_, err := ingest.Run(context.Background(), []string{file}, ingest.Options{}, func(c *calllog.Call) error {
		out = append(out, seen{c, adapter.Set(nil).View(c)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// split parts calls after the first 80 % of sessions.
func split(calls []seen) (train, test []seen) {
	order := map[string]int{}
	for _, c := range calls {
		if _, ok := order[c.call.Session]; !ok {
			order[c.call.Session] = len(order)
		}
	}
	for _, c := range calls {
		if order[c.call.Session] < len(order)*8/10 {
			train = append(train, c)
		} else {
			test = append(test, c)
		}
	}
	return train, test
}

func learnt(calls []seen) *behavior.Graph {
	var e learn.Evidence
	for _, c := range calls {
		e.Add(c.call, c.view)
	}
	return e.Induce()
}

func replay(model *behavior.Graph, calls []seen) *analyze.ReplayResult {
	r := analyze.NewReplayer(policy.NewReplay(model, policy.Options{Mode: policy.Block}, false))
	for _, c := range calls {
		r.Add(c.call, c.view)
	}
	return r.Result()
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

func line(r *analyze.ReplayResult) string {
	return fmt.Sprintf("of %d invalid %.1f %% blocked, of %d valid %.3f %% blocked, %.3f %% warned of",
		r.Invalid.Attempts, percent(r.Invalid.Blocked, r.Invalid.Attempts), r.Valid.Attempts, percent(r.Valid.Blocked, r.Valid.Attempts), percent(r.Valid.Warned, r.Valid.Attempts))
}

func kept(t *testing.T, what string, r *analyze.ReplayResult, blocked, wronged, warned float64) {
	t.Helper()
	if got := percent(r.Invalid.Blocked, r.Invalid.Attempts); got < blocked {
		t.Errorf("%s: %.2f %% of invalid calls blocked, want %g: %+v", what, got, blocked, r.Passed[:min(5, len(r.Passed))])
	}
	if got := percent(r.Valid.Blocked, r.Valid.Attempts); got > wronged {
		t.Errorf("%s: %.3f %% of valid calls blocked, want at most %g: %+v", what, got, wronged, r.Wronged[:min(5, len(r.Wronged))])
	}
	if got := percent(r.Valid.Warned, r.Valid.Attempts); got > warned {
		t.Errorf("%s: %.3f %% of valid calls warned of, want at most %g", what, got, warned)
	}
}

// references are the arguments that named something in the state at least once.
func references(calls []seen) map[string]bool {
	out := map[string]bool{}
	for _, c := range calls {
		for _, f := range c.view.Args.Features {
			if f.Role != behavior.RelationRole || f.Token != behavior.True {
				continue
			}
			name := strings.TrimPrefix(f.Field, "all of ")
			for _, relation := range []string{" equals ", " is one of ", " is a key of ", " are in "} {
				if arg, _, ok := strings.Cut(name, relation); ok && strings.HasPrefix(arg, "args ") {
					out[c.call.Tool+" "+strings.TrimPrefix(arg, "args ")] = true
				}
			}
		}
	}
	return out
}

// blindTo takes the values of references out.
func blindTo(refs map[string]bool) func([]seen) []seen {
	return func(calls []seen) []seen {
		out := make([]seen, len(calls))
		for i, c := range calls {
			v := *c.view
			v.Args = v.Args.Drop(func(p behavior.Path) bool {
				if p.Role != behavior.ArgsRole {
					return false
				}
				for arg := p.Field; arg != ""; {
					if refs[c.call.Tool+" "+strings.TrimSuffix(arg, "[]")] {
						return true
					}
					i := strings.LastIndexByte(arg, '.')
					arg = arg[:max(i, 0)]
				}
				return false
			})
			out[i] = seen{c.call, &v}
		}
		return out
	}
}

// poisoned takes some failures for successes.
func poisoned(calls []seen) []seen {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]seen, len(calls))
	for i, c := range calls {
		if c.call.Outcome == calllog.Rejected && r.IntN(200) == 0 {
			clean := *c.call
			clean.Outcome, clean.Cause, clean.ErrorText = calllog.OK, calllog.NoCause, ""
			c.call = &clean
		}
		out[i] = c
	}
	return out
}

// thinned leaves out invalid calls until they are such a share.
func thinned(calls []seen, share float64) []seen {
	r := rand.New(rand.NewPCG(3, 4))
	invalid := 0
	for _, c := range calls {
		if c.call.Outcome == calllog.Rejected {
			invalid++
		}
	}
	keep := share / (1 - share) * float64(len(calls)-invalid) / float64(invalid)
	var out []seen
	for _, c := range calls {
		if c.call.Outcome != calllog.Rejected || r.Float64() < keep {
			out = append(out, c)
		}
	}
	return out
}
