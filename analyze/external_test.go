package analyze_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/ingest"
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
	for _, g := range goals {
		t.Run(g.server, func(t *testing.T) {
			t.Parallel()
			calls := load(t, dir+g.server+".jsonl.gz")
			train, test := split(calls)
			model := learnt(train)

			frozen := replay(model, test)
			t.Log("frozen: ", line(frozen))
			kept(t, "frozen", frozen, g.blocked, 0.1, 1)

			blind := blindTo(references(train))
			r := replay(learnt(blind(train)), blind(test))
			t.Log("reference-blind: ", line(r))
			kept(t, "reference-blind", r, g.blind, 0.1, 1)

			r = replay(learnt(poisoned(train)), test)
			t.Log("with 0.5 % of failures taken for successes: ", line(r))
			kept(t, "poisoned", r, 75, 0.1, 1)

			r = replay(nil, calls)
			t.Log("online: ", line(r))
			kept(t, "online", r, 0, 0.05, 1)
			r = replay(nil, thinned(calls, 0.10))
			t.Log("online, a tenth invalid: ", line(r))
			kept(t, "online, a tenth invalid", r, 0, 0.05, 1)
		})
	}
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
