package explore_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/simulate"
	"mcpg/simulate/explore"
	"mcpg/simulators/release"
)

type subject struct {
	s    simulate.Server
	step int
}

func (p *subject) Name() string           { return p.s.Name() }
func (p *subject) Tools() []simulate.Tool { return p.s.Tools() }

func (p *subject) Call(_ context.Context, tool string, args jsontext.Value) (simulate.Answer, error) {
	p.s.At(p.step)
	p.step++
	return p.s.Call(tool, args, 1), nil
}

func (p *subject) Read(_ context.Context, tool string, args jsontext.Value) (simulate.Answer, error) {
	return p.s.Read(tool, args), nil
}

func world(t testing.TB, seed uint64) (*release.Server, map[string][]string) {
	t.Helper()
	w := release.Sample(seed)
	s, err := release.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return s, map[string][]string{"release_id": slices.Sorted(maps.Keys(w.Releases)), "channel": slices.Sorted(maps.Keys(w.Channels)),
		"owner": {"ops", "eve"}, "reviewer": {"ann", "bob", "eve"}}
}

func options(t testing.TB, calls int, random bool) explore.Options {
	t.Helper()
	set, err := adapter.LoadSet([]string{"release"})
	if err != nil {
		t.Fatal(err)
	}
	return explore.Options{Adapters: set, Allowed: func(simulate.Tool) bool { return true }, Calls: calls, Seed: 3, Random: random,
		Fresh: func(n int) (explore.Subject, map[string][]string, bool) {
			s, values := world(t, 3+uint64(n))
			return &subject{s: s}, values, n < 64
		}}
}

// judged holds a model against calls in other worlds.
type judged struct{ calls, undetermined, wrong int }

func judge(t *testing.T, g *behavior.Graph, set adapter.Set) judged {
	t.Helper()
	a := set.For("release")
	var n judged
	for seed := range uint64(12) {
		s, values := world(t, 1000+seed)
		for _, tool := range []string{"publish_release", "archive_release", "run_tests", "push_commit", "approve_release"} {
			for _, id := range values["release_id"] {
				args := jsontext.Value(fmt.Sprintf(`{"release_id":%q}`, id))
				if tool == "approve_release" {
					args = jsontext.Value(fmt.Sprintf(`{"release_id":%q,"reviewer":"bob"}`, id))
				}
				c := &calllog.Call{Server: "release", Tool: tool, Args: args, StateSource: calllog.Bracketed}
				c.Before = a.Observe(tool, args, func(name string, args jsontext.Value) adapter.Reading {
					r := s.Read(name, args)
					return adapter.Reading{Text: r.Text, Failed: r.IsError}
				})
				truth := s.Check(tool, args, 1)
				n.calls++
				i := slices.IndexFunc(g.Tools, func(t *behavior.Tool) bool { return t.Name == tool })
				if i < 0 {
					n.undetermined++
					continue
				}
				switch o := g.Tools[i].Guard.Judge(a.View(c).Features()).Outcome; {
				case o == behavior.Undetermined:
					n.undetermined++
				case (o == behavior.Works) != truth.Valid:
					n.wrong++
				}
			}
		}
	}
	return n
}

// TestChoosingPays: of as many calls, chosen ones leave less undetermined than those
// that come by chance, and nothing that they determine is wrong.
func TestChoosingPays(t *testing.T) {
	t.Parallel()
	left := map[bool]judged{}
	for _, random := range []bool{false, true} {
		o := options(t, 400, random)
		s, values := world(t, 3)
		o.Values = values
		r, err := explore.Explore(t.Context(), &subject{s: s}, o)
		if err != nil || len(r.Calls) != o.Calls {
			t.Fatalf("%d calls: %v", len(r.Calls), err)
		}
		left[random] = judge(t, r.Model, o.Adapters)
		t.Logf("random %t: %+v, %d worlds", random, left[random], r.Subjects)
	}
	if left[false].wrong > 0 {
		t.Errorf("%d verdicts are wrong", left[false].wrong)
	}
	if 2*left[false].undetermined > left[true].undetermined {
		t.Errorf("%d calls are undetermined, by chance %d", left[false].undetermined, left[true].undetermined)
	}
}

// TestSame: the same seed makes the same calls.
func TestSame(t *testing.T) {
	t.Parallel()
	var first []calllog.Call
	for range 2 {
		o := options(t, 60, false)
		s, values := world(t, 3)
		o.Values = values
		r, err := explore.Explore(t.Context(), &subject{s: s}, o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r.Calls
			continue
		}
		for i := range first {
			if a, b := first[i], r.Calls[i]; a.Tool != b.Tool || string(a.Args) != string(b.Args) {
				t.Fatalf("call %d: %s %s, then %s %s", i, a.Tool, a.Args, b.Tool, b.Args)
			}
		}
	}
}

// TestAllowed: a tool that isn't allowed is never called, and an end that a context
// brings keeps what was learnt.
func TestAllowed(t *testing.T) {
	t.Parallel()
	o := options(t, 100, false)
	o.Allowed = func(tool simulate.Tool) bool { return simulate.ReadOnly(tool) || tool.Name == "run_tests" }
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(n int) {
		if n == 40 {
			cancel()
		}
	}
	s, values := world(t, 3)
	o.Values = values
	r, err := explore.Explore(ctx, &subject{s: s}, o)
	if err == nil || len(r.Calls) != 40 || r.Model == nil {
		t.Fatalf("%d calls, %v", len(r.Calls), err)
	}
	called := map[string]int{}
	for i := range r.Calls {
		called[r.Calls[i].Tool]++
	}
	for name := range called {
		if !slices.Contains([]string{"run_tests", "get_release", "list_releases", "get_channel"}, name) {
			t.Errorf("%s was called", name)
		}
	}
	if called["run_tests"] < 20 {
		t.Errorf("run_tests only %d times: %v", called["run_tests"], called)
	}
}
