package walk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

func machine(t testing.TB, nodes string, maxSteps int) *engine.Machine {
	t.Helper()
	v, err := value.ParseJSON(fmt.Appendf(nil, `{"mcptree":"0.2","id":"t","title":"T","entry":"a","max_steps":%d,"nodes":{%s,
		"z":{"type":"terminal","outcome":"ok","summary":"end"}}}`, maxSteps, nodes))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := mcptree.FromValue(v)
	if err != nil {
		t.Fatal(err)
	}
	m, err := engine.New(tree)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const action = `"type":"action","tool":"t","args":{},"result":{"capture":"x"},`

func TestExplore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, nodes string
		maxSteps    int
		want        string // ways that can't be taken
	}{
		{"shadowed", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x.n","branches":[{"when":{"gt":3},"then":"z"},{"when":{"gt":5},"then":"z"}],"default":"z"}`, 9,
			"c -> z (when gt 5)"},
		{"asked twice", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x.n","branches":[{"when":{"gte":3},"then":"d"}],"default":"z"},
			"d":{"type":"condition","on":"x.n","branches":[{"when":{"lt":3},"then":"z"}],"default":"z"}`, 9,
			"d -> z (when lt 3)"},
		{"asked again after a new result", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x.n","branches":[{"when":{"gte":3},"then":"b"}],"default":"z"},
			"b":{` + action + `"next":"d"},
			"d":{"type":"condition","on":"x.n","branches":[{"when":{"lt":3},"then":"z"}],"default":"z"}`, 9, ""},
		{"schema", `"a":{"type":"action","tool":"t","args":{},"result":{"capture":"x","schema":{"type":"integer"}},"next":"c"},
			"c":{"type":"condition","on":"x","branches":[{"when":{"all":[{"gt":3},{"lt":4}]},"then":"z"},{"when":{"in":["b",7]},"then":"z"},{"when":{"eq":"b"},"then":"z"}],"default":"z"}`, 9,
			"c -> z (when all(gt 3, lt 4)); c -> z (when eq b)"},
		{"between", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x","branches":[{"when":{"all":[{"gt":3},{"lt":4}]},"then":"z"},{"when":{"all":[{"gt":"a"},{"lt":"a!"}]},"then":"z"}],"default":"z"}`, 9, ""},
		{"budget", `"a":{` + action + `"next":"b"},"b":{"type":"action","tool":"t","args":{},"next":"c"},
			"c":{"type":"condition","on":"x","branches":[{"when":{"eq":1},"then":"z"}],"default":"z"}`, 1,
			"c -> z (when eq 1) !; c -> z (default) !"},
		{"required", `"a":{"type":"action","tool":"t","args":{},"result":{"capture":"x","schema":{"type":"object","required":["id"]}},"next":"c"},
			"c":{"type":"condition","on":"x.id","branches":[{"when":{"exists":true},"then":"z"}],"default":"z"}`, 9, "c -> z (default)"},
		{"not captured", `"a":{"type":"condition","on":"x","branches":[{"when":{"exists":true},"then":"z"},{"when":{"not":{"exists":true}},"then":"z"}],"default":"z"}`, 9,
			"a -> z (when exists true); a -> z (default)"},
		{"whole and part", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x","branches":[{"when":{"eq":{"n":1}},"then":"d"}],"default":"e"},
			"d":{"type":"condition","on":"x.n","branches":[{"when":{"eq":1},"then":"z"}],"default":"z"},
			"e":{"type":"condition","on":"x.n","branches":[{"when":{"eq":1},"then":"z"}],"default":"z"}`, 9, "d -> z (default)"},
		{"a member of the name of our own", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x","branches":[{"when":{"eq":{"other":5}},"then":"z"}],"default":"d"},
			"d":{"type":"condition","on":"x.other","branches":[{"when":{"eq":5},"then":"z"}],"default":"z"}`, 9, ""},
		{"a spin", `"a":{` + action + `"next":"c"},
			"c":{"type":"condition","on":"x","branches":[{"when":{"eq":"q"},"then":"z"}],"default":"c"}`, 1 << 60, ""},
		{"words of YAML", `"a":{"type":"ask","prompt":"?","options":[{"id":"yes","then":"no"},{"id":"1:30","then":"null"},{"id":"\u007f","then":"z"}]},
			"no":{"type":"terminal","outcome":"y","summary":"s"},"null":{"type":"terminal","outcome":"2026-01-02","summary":"s"}`, 9, ""},
		{"options", `"a":{"type":"ask","prompt":"?","capture":"o","options":[{"id":"yes","then":"c"},{"id":"no","then":"c"}]},
			"c":{"type":"condition","on":"o","branches":[{"when":{"eq":"yes"},"then":"z"},{"when":{"eq":"maybe"},"then":"z"}],"default":"z"}`, 9,
			"c -> z (when eq maybe)"},
	} {
		m := machine(t, c.nodes, c.maxSteps)
		e, err := Explore(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range e.Unreached {
			if u.Budget {
				u.Text += " !"
			}
			got = append(got, u.Text)
		}
		if s := strings.Join(got, "; "); s != c.want || !e.Complete {
			t.Errorf("%s: got %q, want %q, complete %v", c.name, s, c.want, e.Complete)
		}
		script, err := Write("t.yaml", m, e.Walks)
		if err != nil {
			t.Fatal(err)
		}
		s, findings := Parse("s.yaml", script)
		if s == nil {
			t.Fatalf("%s: %v\n%s", c.name, findings, script)
		}
		for i := range s.Walks {
			if r := Run(m, &s.Walks[i]); len(r.Failures) > 0 {
				t.Errorf("%s: %v\n%s", c.name, r.Failures, script)
			}
		}
	}
}

// Random walks of random trees never take a way that exploring calls
// unreachable.
func TestExploreAgainstWalks(t *testing.T) {
	t.Parallel()
	answers := []string{`0`, `1`, `2`, `1.5`, `-1`, `3`, `true`, `false`, `null`, `"a"`, `"b"`, `"ab"`, `""`, `[]`, `[1]`, `{}`, `{"p":1}`, `{"p":2,"q":"a"}`,
		`{"p":"b"}`, `{"p":null}`, `{"q":"ab"}`, `{"p":{"r":1}}`, `{"p":{"r":2},"q":1.5}`, `{"p":true}`}
	unreached := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := machine(t, randomNodes(r), 1+r.IntN(12))
		e, err := Explore(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Complete {
			continue
		}
		dead := map[exit]bool{}
		for _, u := range e.Unreached {
			dead[u.exit] = true
			unreached++
		}
		for range 300 {
			s, trace := m.Start("", nil)
			at := &stop{state: s}
			for tries := 0; ; tries++ {
				for _, w := range leaving(nil, m.Tree(), trace, at.state.Facts, &at.step) {
					if dead[w] {
						t.Fatalf("seed %d: a walk takes way %d of %s", seed, w.at, w.node)
					}
				}
				if at.state.Done || tries > 40 {
					break
				}
				n := m.Node(&at.state)
				a := engine.Answer{Step: at.state.Step, IsError: n.Type == mcptree.Action && r.IntN(4) == 0}
				if len(n.Options) > 0 {
					a.Value = value.OfString(n.Options[r.IntN(len(n.Options))].ID)
				} else if a.Value, err = value.ParseJSON([]byte(answers[r.IntN(len(answers))])); err != nil {
					t.Fatal(err)
				}
				at.step = Step{Value: a.Value, IsError: a.IsError}
				trace, _ = m.Submit(&at.state, &a, "", nil)
			}
		}
	}
	if unreached < 100 {
		t.Errorf("only %d ways to refute: the trees are too easy", unreached)
	}
}

func randomNodes(r *rand.Rand) string {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	to := func() string { return pick(append(names, "z")...) }
	operand := func() string { return pick("0", "1", "2", "1.5", "true", `"a"`, `"ab"`, "null", "[1]", `{"p":1}`) }
	leaf := func() string {
		switch op := pick("eq", "neq", "gt", "gte", "lt", "lte", "in", "exists"); op {
		case "in":
			return fmt.Sprintf(`{"in":[%s,%s]}`, operand(), operand())
		case "exists":
			return `{"exists":true}`
		case "eq", "neq":
			return fmt.Sprintf(`{%q:%s}`, op, operand())
		default:
			return fmt.Sprintf(`{%q:%s}`, op, pick("0", "1", "2", `"a"`))
		}
	}
	var out []string
	for i, n := range names {
		first := append(names, "z")[i+1] // so that every node can be reached
		var body string
		switch r.IntN(4) {
		case 0, 1:
			var bs []string
			for range 1 + r.IntN(3) {
				when := leaf()
				switch r.IntN(4) {
				case 0:
					when = fmt.Sprintf(`{"all":[%s,%s]}`, when, leaf())
				case 1:
					when = fmt.Sprintf(`{"not":%s}`, when)
				}
				bs = append(bs, fmt.Sprintf(`{"when":%s,"then":%q}`, when, to()))
			}
			body = fmt.Sprintf(`"type":"condition","on":%q,"branches":[%s],"default":%q`, pick("x", "x.p", "x.q", "y", "x.p.r"), strings.Join(bs, ","), first)
		case 2:
			body = fmt.Sprintf(`"type":"action","tool":"t","args":{},"result":{"capture":%q},"next":%q,"on_error":%q`, pick("x", "x", "y"), first, to())
		default:
			body = fmt.Sprintf(`"type":"ask","prompt":"?","capture":%q,"options":[{"id":"a","then":%q},{"id":"b","then":%q}]`, pick("x", "y"), first, to())
		}
		out = append(out, fmt.Sprintf("%q:{%s}", n, body))
	}
	return strings.Join(out, ",")
}

// A number that JSON can't hold keeps nothing from being proven wrong.
func TestExploreInfinite(t *testing.T) {
	t.Parallel()
	m := machine(t, `"a":{`+action+`"next":"c"},"c":{"type":"condition","on":"x","branches":[{"when":{"all":[{"gt":1.0},{"eq":Infinity}]},"then":"z"}],"default":"z"}`, 9)
	if e, err := Explore(context.Background(), m); err != nil || e.Complete {
		t.Error("complete", err)
	}
}

func TestScriptFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ walk, want string }{
		{`{name: n, path: text}`, "'path' must be a list"},
		{`{name: n, path: [1]}`, "'path' must be a list"},
		{`{name: n, steps: [{at: a, result: 2026-01-02}]}`, "no JSON value"},
		{`{name: n, steps: [{at: a, result: {d: [2026-01-02]}}]}`, "no JSON value"},
		{`{name: n, steps: [{at: a}]}`, "one of answer, result and error"},
		{`{name: n, stps: []}`, "unknown field"},
		{`{steps: []}`, "'name' is missing"},
	} {
		s, findings := Parse("s.yaml", []byte("tree: t.yaml\nwalks:\n  - "+c.walk+"\n"))
		if s != nil || len(findings) == 0 || !strings.Contains(findings[0].Message, c.want) {
			t.Errorf("%s: %v", c.walk, findings)
		}
	}
}

func TestWalkFaults(t *testing.T) {
	t.Parallel()
	m := machine(t, `"a":{`+action+`"next":"b"},"b":{"type":"ask","prompt":"?","options":[{"id":"x","then":"z"}]}`, 9)
	for _, c := range []struct{ walk, want string }{
		{`{name: n, steps: [{at: a, answer: 1}]}`, "takes result or error"},
		{`{name: n, steps: [{at: a, result: 1}, {at: b, result: x}]}`, "takes answer"},
		{`{name: n, steps: [{at: a, result: 1}, {at: b, error: x}]}`, "takes answer"},
		{`{name: n, path: []}`, "the path is a, not "},
		{`{name: n, steps: [{at: b, answer: x}]}`, "the walk is at a, not at b"},
		{`{name: n, steps: [{at: a, result: 1}, {at: b, answer: x}], outcome: "no"}`, "the outcome is"},
	} {
		s, findings := Parse("s.yaml", []byte("tree: t.yaml\nwalks:\n  - "+c.walk+"\n"))
		if s == nil {
			t.Fatal(c.walk, findings)
		}
		r := Run(m, &s.Walks[0])
		if len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Message, c.want) {
			t.Errorf("%s: %v", c.walk, r.Failures)
		}
	}
}
