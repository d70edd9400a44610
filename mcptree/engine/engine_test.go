package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

const now = "2026-01-02T03:04:05.000006+00:00"

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// machine makes one of nodes, written as members of a JSON mapping.
func machine(t testing.TB, maxSteps int, nodes string) *Machine {
	t.Helper()
	return versioned(t, "0.2", maxSteps, nodes)
}

func versioned(t testing.TB, version string, maxSteps int, nodes string) *Machine {
	t.Helper()
	tree, err := mcptree.FromValue(parse(t, fmt.Sprintf(`{"mcptree":%q,"id":"t","title":"T","entry":"a","max_steps":%d,"nodes":{%s,
		"z":{"type":"terminal","outcome":"ok","summary":"end"}}}`, version, maxSteps, nodes)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(tree)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// walk submits answers, one JSON text each, and gives the envelopes' texts.
func walk(t testing.TB, m *Machine, answers ...string) (envelopes []string, s State, trace []Entry) {
	t.Helper()
	s, trace = m.Start(now, nil)
	show := func(reject string) {
		e := m.Envelope("ses_000000000000", &s, reject)
		envelopes = append(envelopes, string(value.AppendJSON(nil, e.Value())))
	}
	show("")
	for _, text := range answers {
		a := Answer{Step: s.Step, Source: SourceAnswer}
		a.Value = parse(t, strings.TrimPrefix(text, "!"))
		a.IsError = strings.HasPrefix(text, "!")
		var reject string
		trace, reject = m.Submit(&s, &a, now, trace)
		show(reject)
	}
	return envelopes, s, trace
}

func field(t testing.TB, envelope, name string) string {
	t.Helper()
	v, ok := parse(t, envelope).Get(name)
	if !ok {
		t.Fatalf("%s has no %s", envelope, name)
	}
	return string(value.AppendJSON(nil, v))
}

func TestEnvelopes(t *testing.T) {
	m := machine(t, 50, `"a":{"type":"action","tool":"logs","args":{"url":"u","n":1.0},"result":{"capture":"logs","schema":{"type":"object","required":["k"]}},"next":"c","on_error":"z"},
		"c":{"type":"condition","on":"logs.k","branches":[{"when":{"gte":500},"then":"j"}],"default":"q"},
		"j":{"type":"judgment","prompt":"Which {{ logs.k }}?","evidence":["logs","never","logs"],"options":[{"id":"x","then":"q"}],"require_rationale":true,"capture":"kind"},
		"q":{"type":"ask","prompt":"Now {{ kind }}","capture":"said","next":"p"},
		"p":{"type":"ask","prompt":"Sure?","options":[{"id":"yes","then":"z"},{"id":"it's","then":"a"}]}`)
	got, s, trace := walk(t, m, `{"k":503}`)
	reason := "because"
	for _, a := range []Answer{
		{Step: 2, Value: value.OfString("x")}, {Step: 2, Value: value.OfString("x"), Rationale: &reason},
		{Step: 3, Value: parse(t, `{"b":1,"a":[1.0]}`), Rationale: &reason, Source: SourceElicitation}, {Step: 4, Value: value.OfString("no")}, {Step: 4, Value: value.OfString("yes")},
		{Step: 5}, {Step: 1},
	} {
		var reject string
		trace, reject = m.Submit(&s, &a, now, trace)
		e := m.Envelope("ses_000000000000", &s, reject)
		got = append(got, string(value.AppendJSON(nil, e.Value())))
	}
	head := func(node string, step int, fault, outcome string) string {
		return fmt.Sprintf(`{"session_id":"ses_000000000000","tree_id":"t","node":%q,"step":%d,"error":%s,"outcome":%s,"evidence":`, node, step, fault, outcome)
	}
	judge := `{"logs":{"k":503},"never":null},"state":"awaiting_judgment","instruction":"Which 503?","expects":{"kind":"enum","options":["x"],"require_rationale":true}}`
	sure := `{},"state":"awaiting_answer","instruction":"Sure?","expects":{"kind":"enum","options":["yes","it's"]}}`
	done := `{},"state":"done","instruction":"end","expects":null}`
	for i, want := range []string{
		head("a", 1, "null", "null") + `{},"state":"awaiting_tool_result","instruction":"Call tool ` + "`logs` with the args in `expects.args`" + `, then report its result via tree_answer (set is_error=true if the call failed).","expects":{"kind":"tool_result","tool":"logs","args":{"url":"u","n":1.0},"schema":{"type":"object","required":["k"]}}}`,
		head("j", 2, "null", "null") + judge,
		head("j", 2, `"rationale_required: include a rationale for this judgment"`, "null") + judge,
		head("q", 3, "null", "null") + `{},"state":"awaiting_answer","instruction":"Now x","expects":{"kind":"text"}}`,
		head("p", 4, "null", "null") + sure,
		head("p", 4, `"invalid_option: expected one of ['yes', \"it's\"]"`, "null") + sure,
		head("z", 5, "null", `"ok"`) + done,
		head("z", 5, `"finished_session: this session has ended"`, `"ok"`) + done,
		head("z", 5, `"finished_session: this session has ended"`, `"ok"`) + done,
	} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("envelope %d:\n%s\nwant\n%s", i, got[i], want)
		}
	}
	var lines []string
	for i := range trace {
		lines = append(lines, strings.ReplaceAll(string(value.AppendJSON(nil, trace[i].Value())), `,"timestamp":"`+now+`"`, ""))
		if again, err := ReadEntry(trace[i].Value()); err != nil || !value.Equal(again.Value(), trace[i].Value()) {
			t.Errorf("entry %d read again: %v", i, err)
		}
	}
	want := `{"seq":1,"node":"a","input":{"k":503},"resolved_branch":"c","rationale":null,"source":"tree_answer"}
{"seq":2,"node":"c","input":null,"resolved_branch":"j","rationale":null,"source":null}
{"seq":3,"node":"j","input":"x","resolved_branch":"q","rationale":"because","source":null}
{"seq":4,"node":"q","input":{"b":1,"a":[1.0]},"resolved_branch":"p","rationale":null,"source":"elicitation"}
{"seq":5,"node":"p","input":"yes","resolved_branch":"z","rationale":null,"source":null}
{"seq":6,"node":"z","input":null,"resolved_branch":null,"rationale":null,"source":null}`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("trace:\n%s\nwant\n%s", got, want)
	}
}

func TestRejections(t *testing.T) {
	const action = `"a":{"type":"action","tool":"p","result":{"capture":"r","schema":%s},"next":"z"}`
	big := func(unit string, n int) string { return `"` + strings.Repeat(unit, n) + `"` }
	for _, test := range []struct{ schema, answer, want string }{
		{`{"type":"string"}`, `1`, "schema_mismatch: expected string, got int"},
		{`{"type":"string"}`, `null`, "schema_mismatch: expected string, got NoneType"},
		{`{"type":"object"}`, `true`, "schema_mismatch: expected object, got bool"},
		{`{"type":"integer"}`, `true`, "schema_mismatch: expected integer, got boolean"},
		{`{"type":"number"}`, `false`, "schema_mismatch: expected number, got boolean"},
		{`{"type":"integer"}`, `1.0`, "schema_mismatch: expected integer, got float"},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ""},
		{`{"type":"number"}`, `1`, ""},
		{`{"type":"array"}`, `{}`, "schema_mismatch: expected array, got dict"},
		{`{"type":"boolean"}`, `[]`, "schema_mismatch: expected boolean, got list"},
		{`{"type":"object","required":["k","l"]}`, `{"k":null}`, "schema_mismatch: missing required key 'l'"},
		{`{"type":"object","required":"k"}`, `{}`, ""}, {`{"type":"strange"}`, `{}`, ""}, {`{"type":["string"]}`, `1`, ""}, {`{}`, `1`, ""},
		{`{"type":"object"}`, big("x", 65534), "schema_mismatch: expected object, got str"},
		{`{"type":"object"}`, big("x", 65535), "fact_too_large: result exceeds 65536 bytes; trim or summarize before reporting"},
		{`{}`, big("é", 10922), ""}, {`{}`, big("é", 10923), "fact_too_large: result exceeds 65536 bytes; trim or summarize before reporting"},
		{`{}`, "!1", "tool_error_unhandled: node 'a' has no on_error; retry the tool and report its result"},
	} {
		m := machine(t, 50, fmt.Sprintf(action, test.schema))
		got, s, trace := walk(t, m, test.answer)
		want := "null"
		if test.want != "" {
			want = string(value.AppendJSON(nil, value.OfString(test.want)))
		}
		if f := field(t, got[1], "error"); f != want || (f == "null") != s.Done || s.Done != (len(trace) > 0) {
			t.Errorf("%s on %s: %s, want %s", test.schema, test.answer[:min(30, len(test.answer))], f, want)
		}
	}
}

// TestBudget: the walk ends once the trace holds more than max_steps entries,
// tested before each node.
func TestBudget(t *testing.T) {
	loop := `"a":{"type":"action","tool":"p","result":{"capture":"r"},"next":"c"},"c":{"type":"condition","on":"r","branches":[{"when":{"eq":"stop"},"then":"z"}],"default":"a"}`
	ask := `"a":{"type":"ask","prompt":"p","options":[{"id":"again","then":"a"},{"id":"stop","then":"z"}]}`
	for _, test := range []struct {
		max      int
		nodes    string
		answers  []string
		node     string
		outcome  string
		text     string
		entries  int
		walksOut bool
	}{
		{1, loop, []string{`"go"`}, "a", Aborted, "", 2, true},
		{3, loop, []string{`"go"`, `"go"`}, "a", Aborted, "", 4, true},
		{3, loop, []string{`"go"`, `"stop"`}, "z", Aborted, "end", 4, true},
		{4, loop, []string{`"go"`, `"stop"`}, "z", "ok", "end", 5, true},
		{1, ask, []string{`"stop"`}, "z", "ok", "end", 2, true},
		{1, ask, []string{`"again"`}, "a", "", "p", 1, false},
		{1, ask, []string{`"again"`, `"stop"`}, "z", Aborted, "end", 2, true},
	} {
		m := machine(t, test.max, test.nodes)
		got, s, trace := walk(t, m, test.answers...)
		last := got[len(got)-1]
		if s.Done != test.walksOut || s.Outcome != test.outcome || len(trace) != test.entries || m.Node(&s).ID != test.node || field(t, last, "instruction") != fmt.Sprintf("%q", test.text) {
			t.Errorf("max_steps %d, %v: %s, %d entries", test.max, test.answers, last, len(trace))
		}
	}
	spin := machine(t, 1000, `"a":{"type":"condition","on":"x","branches":[{"when":{"exists":true},"then":"z"}],"default":"a"}`)
	if s, trace := spin.Start(now, nil); !s.Done || len(trace) != 1001 {
		t.Errorf("%v, %d entries", s, len(trace))
	}
}

func TestPredicates(t *testing.T) {
	for _, test := range []struct {
		when, fact string // no fact: missing
		want       bool
	}{
		{`{"eq":1}`, "1.0", true}, {`{"eq":1}`, "true", true}, {`{"neq":1}`, `"1"`, true}, {`{"neq":null}`, "null", false}, {`{"neq":1}`, "", false},
		{`{"gt":1}`, "1", false}, {`{"gte":1}`, "1", true}, {`{"lt":"b"}`, `"a"`, true}, {`{"lte":1}`, `"a"`, false}, {`{"gt":null}`, "1", false},
		{`{"in":[1,2]}`, "2.0", true}, {`{"in":"text"}`, `"ex"`, true}, {`{"in":5}`, "5", false}, {`{"exists":false}`, "null", true}, {`{"exists":true}`, "", false},
		{`{"not":{"eq":1}}`, "", true}, {`{"not":{"not":{"eq":1}}}`, "", false}, {`{"all":[{"gte":1},{"lte":2}]}`, "2", true}, {`{"all":[{"gte":1},{"lte":2}]}`, "3", false},
		{`{"any":[{"eq":1},{"eq":2}]}`, "2", true}, {`{"any":[{"eq":1},{"eq":2}]}`, "3", false}, {`{"gt":[1,"a"]}`, `[2,3]`, true}, {`{"gt":[1,"a"]}`, `[1,3]`, false},
	} {
		m := machine(t, 50, `"a":{"type":"condition","on":"r.k","branches":[{"when":`+test.when+`,"then":"z"}],"default":"y"},"y":{"type":"terminal","outcome":"no","summary":""}`)
		fact, found := value.Value{}, test.fact != ""
		if found {
			fact = parse(t, test.fact)
		}
		if got := Matches(m.nodes[0].Branches[0].When, fact, found); got != test.want {
			t.Errorf("%s on %q: %v", test.when, test.fact, got)
		}
	}
}

func TestInterpolation(t *testing.T) {
	const fact = `{"n":1,"f":1.0,"s":"text","u":null,"l":[1,"é"],"o":{"b":1,"a":1e22},"größe":3,"x":{"y":{"z":"deep"}},"d":"$1 \\1 {{ r.n }}"}`
	for _, test := range []struct{ arg, want, text string }{
		{"{{ r.n }}", "1", "1"}, {" {{r.n}}\n", "1", "1"}, {"\u00a0{{ r.n }}\u3000", "1", "1"}, {"{{ r.f }}", "1.0", "1.0"}, {"{{ r.s }}", `"text"`, "text"}, {"{{ r.u }}", "null", "null"},
		{"{{ r.o }}", `{"b":1,"a":1e+22}`, `{"b":1,"a":1e+22}`}, {"<{{ r.l }}>", `"<[1,\"\\u00e9\"]>"`, `<[1,"\u00e9"]>`}, {"{{r.n}}{{r.f}}", `"11.0"`, "11.0"},
		{" {{ r.gone }} ", `" {{ r.gone }} "`, " {{ r.gone }} "}, {"a {{ r.gone }}", `"a {{ r.gone }}"`, "a {{ r.gone }}"}, {"x{{ r.größe }}", `"x3"`, "x3"}, {"{{ r.x.y.z }}!", `"deep!"`, "deep!"},
		{"{{ r-n }} {{ 1r }} {{ }} {{ r. }} {{ r .n }} { { r.n } }", `"{{ r-n }} {{ 1r }} {{ }} {{ r. }} {{ r .n }} { { r.n } }"`, "{{ r-n }} {{ 1r }} {{ }} {{ r. }} {{ r .n }} { { r.n } }"},
		{"{{{ r.n }}}", `"{1}"`, "{1}"}, {"{{ {{ r.n }} }}", `"{{ 1 }}"`, "{{ 1 }}"}, {"{{ r.d }}.", `"$1 \\1 {{ r.n }}."`, "$1 \\1 {{ r.n }}."}, {"{{ r.l.0 }}", `"{{ r.l.0 }}"`, "{{ r.l.0 }}"}, {"{{", `"{{"`, "{{"}, {"{{ r", `"{{ r"`, "{{ r"}, {"", `""`, ""},
		{"{{\x1cr.n\u2028}}", "1", "1"},
	} {
		arg := string(value.AppendJSON(nil, value.OfString(test.arg)))
		nodes := `"a":{"type":"action","tool":"p","args":{"k{{ r.n }}":[` + arg + `,7]},"result":{"capture":"r"},"next":"b"},
			"b":{"type":"ask","prompt":` + arg + `,"options":[{"id":"again","then":"a"},{"id":"stop","then":"z"}]}`
		got, _, _ := walk(t, machine(t, 50, nodes), fact, `"again"`)
		if text := field(t, got[1], "instruction"); text != string(value.AppendJSON(nil, value.OfString(test.text))) {
			t.Errorf("%q as text: %s, want %q", test.arg, text, test.text)
		}
		expects, _ := parse(t, got[2]).Get("expects")
		args, _ := expects.Get("args")
		if got, want := string(value.AppendJSON(nil, args)), `{"k{{ r.n }}":[`+test.want+`,7]}`; got != want {
			t.Errorf("%q as argument: %s, want %s", test.arg, got, want)
		}
	}
	old := versioned(t, "0.1", 50, `"a":{"type":"action","tool":"p","args":{"v":"{{ r }}"},"result":{"capture":"r"},"next":"b"},"b":{"type":"ask","prompt":"{{ r }}","capture":"q","next":"z"}`)
	if got, _, _ := walk(t, old, "1"); field(t, got[1], "instruction") != `"{{ r }}"` {
		t.Error("0.1 text isn't verbatim:", got[1])
	}
}

// TestSnapshot: a copy of a state isn't touched by walking on.
func TestSnapshot(t *testing.T) {
	m := machine(t, 50, `"a":{"type":"action","tool":"p","result":{"capture":"r"},"next":"b"},"b":{"type":"ask","prompt":"{{ r }}","options":[{"id":"again","then":"a"},{"id":"stop","then":"z"}]}`)
	_, s, _ := walk(t, m, "1")
	before := s
	m.Submit(&s, &Answer{Step: 2, Value: value.OfString("again")}, now, nil)
	m.Submit(&s, &Answer{Step: 3, Value: value.OfInt(2)}, now, nil)
	if e, f := m.Envelope("", &before, ""), m.Envelope("", &s, ""); e.Instruction != "1" || f.Instruction != "2" || e.Step != 2 {
		t.Errorf("%q, %q", e.Instruction, f.Instruction)
	}
	again, err := m.ReadState(m.StateValue(&s))
	if err != nil || !value.Equal(m.StateValue(&again), m.StateValue(&s)) || again.at != s.at || again.Step != s.Step || again.Done {
		t.Errorf("read again: %v %v", again, err)
	}
	for _, bad := range []string{`{}`, `1`, `{"node":"nope","step":1,"seq":0,"outcome":null,"facts":{}}`, `{"node":"a","step":0,"seq":0,"outcome":null,"facts":{}}`,
		`{"node":"a","step":1,"seq":0,"outcome":null,"facts":[]}`, `{"node":"z","step":1,"seq":0,"outcome":null,"facts":{}}`, `{"node":"a","step":1.0,"seq":0,"outcome":null,"facts":{}}`} {
		if _, err := m.ReadState(parse(t, bad)); err == nil {
			t.Errorf("%s was read as a state", bad)
		}
	}
}

const maze = `"a":{"type":"action","tool":"p","args":{"x":"{{ r }} {{ s.k }}"},"result":{"capture":"r","schema":{"type":"object","required":["k"]}},"next":"c","on_error":"q"},
	"c":{"type":"condition","on":"r.k","branches":[{"when":{"gte":5},"then":"j"},{"when":{"any":[{"eq":"x"},{"in":[1,true]}]},"then":"a"}],"default":"q"},
	"j":{"type":"judgment","prompt":"{{ r }}","evidence":["r","s"],"options":[{"id":"x","then":"a"},{"id":"y","then":"z"}],"require_rationale":true,"capture":"s"},
	"q":{"type":"ask","prompt":"{{ s }}","capture":"s","next":"p"},
	"p":{"type":"ask","prompt":"p","options":[{"id":"x","then":"a"},{"id":"y","then":"c"}]}`

// FuzzWalk submits whatever the input says. Nothing panics, a rejected answer
// changes nothing, and the accepted ones replayed give the same trace.
func FuzzWalk(f *testing.F) {
	f.Add(uint64(1), `{"k":5}`)
	f.Add(uint64(7), `"x"`)
	m := machine(f, 20, maze)
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Skip("not JSON: nothing to submit")
		}
		random := rand.New(rand.NewPCG(seed, 0))
		values := []value.Value{v, value.OfString("x"), value.OfString("y"), value.OfInt(1), value.OfMap(value.Member{Name: "k", Value: v}), value.OfMap(value.Member{Name: "k", Value: value.OfInt(9)})}
		s, trace := m.Start(now, nil)
		var accepted []Answer
		for range 60 {
			a := Answer{Step: s.Step - random.IntN(10)/9, Value: values[random.IntN(len(values))], IsError: random.IntN(5) == 0, Source: SourceAnswer}
			if random.IntN(2) == 0 {
				a.Rationale = &text
			}
			before, entries := s, len(trace)
			var reject string
			trace, reject = m.Submit(&s, &a, now, trace)
			e := m.Envelope("", &s, reject)
			value.AppendJSON(nil, e.Value())
			if reject != "" {
				if !value.Equal(m.StateValue(&before), m.StateValue(&s)) && !strings.Contains(text, "NaN") || len(trace) != entries {
					t.Fatalf("%s changed the state", reject)
				}
				continue
			}
			accepted = append(accepted, a)
		}
		if s.Step != len(accepted)+1 || s.Seq != len(trace) || len(trace) > 21 {
			t.Fatalf("step %d after %d answers, seq %d with %d entries", s.Step, len(accepted), s.Seq, len(trace))
		}
		again, replayed := m.Start(now, nil)
		for i := range accepted {
			replayed, _ = m.Submit(&again, &accepted[i], now, replayed)
		}
		for i := range trace {
			if string(value.AppendDumps(nil, trace[i].Value())) != string(value.AppendDumps(nil, replayed[i].Value())) {
				t.Fatalf("entry %d differs", i)
			}
		}
	})
}

// BenchmarkSubmit: an action and a condition a submission.
func BenchmarkSubmit(b *testing.B) {
	m := machine(b, 1<<40, `"a":{"type":"action","tool":"p","args":{"x":1},"result":{"capture":"r"},"next":"c"},"c":{"type":"condition","on":"r.status","branches":[{"when":{"eq":200},"then":"z"},{"when":{"gte":500},"then":"a"}],"default":"z"}`)
	v := parse(b, `{"status":503}`)
	s, trace := m.Start(now, nil)
	b.ReportAllocs()
	for b.Loop() {
		var reject string
		trace, reject = m.Submit(&s, &Answer{Step: s.Step, Value: v, Source: SourceAnswer}, now, trace[:0])
		if reject != "" {
			b.Fatal(reject)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "submissions/s")
}

// BenchmarkEnvelope is BenchmarkSubmit with the envelope's JSON.
func BenchmarkEnvelope(b *testing.B) {
	m := machine(b, 1<<40, `"a":{"type":"action","tool":"p","args":{"x":1},"result":{"capture":"r"},"next":"c"},"c":{"type":"condition","on":"r.status","branches":[{"when":{"eq":200},"then":"z"}],"default":"a"}`)
	v := parse(b, `{"status":503}`)
	s, trace := m.Start(now, nil)
	var out []byte
	for b.Loop() {
		trace, _ = m.Submit(&s, &Answer{Step: s.Step, Value: v, Source: SourceAnswer}, now, trace[:0])
		e := m.Envelope("ses_000000000000", &s, "")
		out = value.AppendJSON(out[:0], e.Value())
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "submissions/s")
}
