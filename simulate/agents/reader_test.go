package agents

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func repairs(t *testing.T, rs ...*Repair) []*Repair {
	t.Helper()
	for _, r := range rs {
		if err := r.Compile(); err != nil {
			t.Fatal(err)
		}
	}
	return rs
}

func step(tool, args, capture string) Step {
	return Step{Tool: tool, Args: jsontext.Value(args), Capture: capture}
}

func TestErrorReaderRepairs(t *testing.T) {
	t.Parallel()
	b := &Brief{
		Plan:  steps(`publish {"id":"r"}`, `end {}`),
		Knows: map[string]string{"reviewer": `b"o`},
		Repairs: repairs(t,
			&Repair{On: "tests have not passed", Do: []Step{step("test", `{"id":"${arg.id}"}`, "")}, Then: "retry"},
			&Repair{On: `has \d of \d approvals`, Do: []Step{step("approve", `{"id":"${arg.id}","by":"${know.reviewer}"}`, "")}, Then: "retry"},
			&Repair{On: `dependency (\S+) is`, Do: []Step{step("publish", `{"id":"${1}"}`, "")}, Then: "retry"},
			&Repair{On: "is PUBLISHED", Then: "skip"},
		),
	}
	const again = `publish {"id":"r"}`
	for name, tt := range map[string]struct {
		random  Random
		answers []answer
		calls   []string
	}{
		"nothing to repair": {draws(0), []answer{ok(""), ok("")}, []string{again, "end {}", "done"}},
		"does, then retries": {draws(0), []answer{bad("tests have not passed"), ok(""), ok(""), ok("")},
			[]string{again, `test {"id":"r"}`, again, "end {}", "done"}},
		"one after the other": {draws(0), []answer{bad("tests have not passed"), ok(""), bad("it has 1 of 2 approvals"), ok(""), ok(""), ok("")},
			[]string{again, `test {"id":"r"}`, again, `approve {"id":"r","by":"b\"o"}`, again, "end {}", "done"}},
		"each once": {draws(0), []answer{bad("tests have not passed"), ok(""), bad("tests have not passed"), bad("tests have not passed"), ok("")},
			[]string{again, `test {"id":"r"}`, again, again, "end {}", "done"}},
		"a repair of a repair": {draws(0), []answer{bad("its dependency q is DRAFT"), bad("tests have not passed"), ok(""), ok(""), ok(""), ok("")},
			[]string{again, `publish {"id":"q"}`, `test {"id":"q"}`, `publish {"id":"q"}`, again, "end {}", "done"}},
		"gives up":            {draws(0), []answer{bad("it is PUBLISHED"), ok("")}, []string{again, "end {}", "done"}},
		"no words it knows":   {draws(0), []answer{bad("no"), bad("no"), bad("no"), ok("")}, []string{again, again, again, "end {}", "done"}},
		"a success says so":   {draws(0), []answer{ok("tests have not passed"), ok("")}, []string{again, "end {}", "done"}},
		"doesn't understand":  {draws(repairSkill), []answer{bad("tests have not passed"), bad("tests have not passed"), bad("tests have not passed"), ok("")}, []string{again, again, again, "end {}", "done"}},
		"understands closely": {draws(repairSkill - 0.001), []answer{bad("it is PUBLISHED"), ok("")}, []string{again, "end {}", "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, drive(t, "error-reader", b, tt.random, tt.answers...), tt.calls...)
		})
	}
}

// TestErrorReaderAsksItsSkillByName: its randomness is that of its decision.
func TestErrorReaderAsksItsSkillByName(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps("a {}"), Repairs: repairs(t, &Repair{On: "no", Then: "skip"})}
	var asked []string
	drive(t, "error-reader", b, func(name string) float64 { asked = append(asked, name); return 0 }, bad("no"))
	want(t, asked, "repair")
}

func TestErrorReaderSwapsAndCaptures(t *testing.T) {
	t.Parallel()
	b := &Brief{
		Plan:  steps(`edit {"path":"/w/a.txt","edits":[{"old":"x","new":"say \"hi\""}]}`),
		Knows: map[string]string{"root": "/w", "anchor": "a.b"},
		Repairs: repairs(t,
			&Repair{On: `ENOENT.*/([^/']*)'`, Tools: []string{"edit"},
				Do:   []Step{step("search", `{"in":"${know.root}","for":"**/${1}"}`, `(?m)^(?P<found>/.+)$`)},
				Swap: &Step{Tool: "edit", Args: jsontext.Value(`{"path":"${found}","edits":"${arg.edits}","log":"moved to ${found}: ${arg.edits.0.new}"}`)}},
			&Repair{On: "no match", Do: []Step{step("read", `{"path":"${arg.path}"}`, `(?m)^(?P<line>${know.anchor}.*)$`)},
				Swap: &Step{Tool: "edit", Args: jsontext.Value(`{"path":"${arg.path}","edits":[{"old":"${line}","new":"${arg.edits.0.new}"}]}`)}},
		),
	}
	const (
		first  = `edit {"path":"/w/a.txt","edits":[{"old":"x","new":"say \"hi\""}]}`
		search = `search {"in":"/w","for":"**/a.txt"}`
		moved  = `edit {"path":"/w/d/a.txt","edits":[{"old":"x","new":"say \"hi\""}],"log":"moved to /w/d/a.txt: say \"hi\""}`
		enoent = "ENOENT: no such file, open '/w/a.txt'"
	)
	want(t, drive(t, "error-reader", b, draws(0), bad(enoent), ok("found:\n/w/d/a.txt\n/w/e"), ok("")), first, search, moved, "done")
	want(t, drive(t, "error-reader", b, draws(0), bad(enoent), ok("nothing")), first, search, "done") // what it needs was not found
	want(t, drive(t, "error-reader", b, draws(0), bad(enoent), ok("/w/d/a.txt"), bad(enoent), bad("x"), bad("x"), bad("x")),
		first, search, moved, moved, moved, "done") // a repair isn't made again for what it brought
	want(t, drive(t, "error-reader", b, draws(0), bad("no match"), ok("axb\na.b \"c\""), ok("")),
		first, `read {"path":"/w/a.txt"}`, `edit {"path":"/w/a.txt","edits":[{"old":"a.b \"c\"","new":"say \"hi\""}]}`, "done")
}

func TestErrorReaderReadsSoftErrors(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps("read {}"), Repairs: repairs(t,
		&Repair{On: "Error - ENOENT", Soft: true, Do: steps("search {}"), Then: "skip"},
		&Repair{On: "Error - ENOENT", Then: "skip"})}
	want(t, drive(t, "error-reader", b, draws(0), ok("/a: Error - ENOENT"), ok("")), "read {}", "search {}", "done")
	want(t, drive(t, "error-reader", b, draws(0), bad("/a: Error - ENOENT")), "read {}", "done")
	want(t, drive(t, "error-reader", b, draws(0.9), ok("/a: Error - ENOENT")), "read {}", "done")
}

// TestPlansCapture: what an answer brings fills in later steps of the plan.
func TestPlansCapture(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: []Step{step("list", `{}`, `id (?P<id>\d+)`), step("show", `{"id":"${id}"}`, ""), step("bad", `{}`, "("), step("drop", `{"id":"${no}"}`, ""), step("end", `{}`, "")}}
	want(t, drive(t, "error-reader", b, draws(0), ok("id 12"), ok(""), ok(""), ok("")), "list {}", `show {"id":"12"}`, "bad {}", "end {}", "done")
	want(t, drive(t, "error-reader", b, draws(0), ok("none"), ok(""), ok("")), "list {}", "bad {}", "end {}", "done")
}

func TestMissingPlaceholders(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"x":"${arg.no}"}`, `{"x":"${know.no}"}`, `{"x":"a ${2} b"}`, `{"x":"${captured}"}`} {
		b := &Brief{Plan: steps("a {}", "end {}"), Repairs: repairs(t, &Repair{On: "no", Do: []Step{step("fix", args, "")}, Then: "skip"})}
		want(t, drive(t, "error-reader", b, draws(0), bad("no"), ok("")), "a {}", "end {}", "done")
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	values := map[string]jsontext.Value{"s": jsontext.Value(`"a\"b\\"`), "n": jsontext.Value(`5`), "o": jsontext.Value(`{"k":"v"}`), "q": jsontext.Value(`"\""`), "e": jsontext.Value(`""`)}
	get := func(n string) (jsontext.Value, bool) { v, ok := values[n]; return v, ok }
	for args, filled := range map[string]string{
		`{"x":"${s}"}`: `{"x":"a\"b\\"}`, `{"x":"<${s}>"}`: `{"x":"<a\"b\\>"}`, `{"x":"${n}","y":"n=${n}"}`: `{"x":5,"y":"n=5"}`,
		`{"x":"${o}","y":"o=${o}"}`: `{"x":{"k":"v"},"y":"o={\"k\":\"v\"}"}`, `{"x":"${q}${q}|${e}"}`: `{"x":"\"\"|"}`, `{"x":"$s {s}"}`: `{"x":"$s {s}"}`, `{}`: `{}`,
	} {
		got, ok := fill(jsontext.Value(args), get)
		if string(got) != filled || !ok || !got.IsValid() {
			t.Errorf("%s: %s, %v; want %s", args, got, ok, filled)
		}
	}
	if _, ok := fill(jsontext.Value(`{"x":"${s} ${no}"}`), get); ok {
		t.Error("a missing value was filled in")
	}
}

func TestArgument(t *testing.T) {
	t.Parallel()
	const args = `{"a":{"b":[{"c":1},"two"]},"d":null,"e.f":3}`
	for path, value := range map[string]string{"a.b.0.c": "1", "a.b.1": `"two"`, "d": "null", "a.b": `[{"c":1},"two"]`, "a.b.2": "", "a.x": "", "d.x": "", "e.f": "", "": "", "a.b.0.c.x": ""} {
		got, ok := argument(jsontext.Value(args), path)
		if string(got) != value || ok != (value != "") {
			t.Errorf("%s: %s, %v", path, got, ok)
		}
	}
	for _, broken := range []string{"", "[", `{"a"`, `{"a":`, `{"a":[1,`} {
		if got, ok := argument(jsontext.Value(broken), "a.1"); ok {
			t.Errorf("%q: %s", broken, got)
		}
	}
}

func TestRepairErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r    Repair
		want string
	}{
		{Repair{On: "("}, "error parsing regexp: missing closing ): `(`"},
		{Repair{On: "x"}, `repair "x": then "": want "retry", "skip" or a step`},
		{Repair{On: "x", Then: "again"}, `repair "x": then "again": want "retry", "skip" or a step`},
	} {
		if err := tt.r.Compile(); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}
