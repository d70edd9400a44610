package format

import (
	"fmt"
	"strings"
	"testing"
)

func lsRun(kind, name, id, parent, start, end, status, more string) string {
	s := fmt.Sprintf(`{"id":%q,"trace_id":"t1","parent_run_id":%q,"run_type":%q,"name":%q,"start_time":%q,"status":%q,"session_id":"project"`, id, parent, kind, name, start, status)
	if end != "" {
		s += fmt.Sprintf(`,"end_time":%q`, end)
	}
	return s + more + "}"
}

const (
	ls1 = "2026-01-01T00:00:01.000000"
	ls2 = "2026-01-01T00:00:02.000000"
)

var langsmithTests = []struct {
	name, in string
	want     []string
	uses     string
	python   bool // needs the translation of Python literals
}{
	{name: "a list, the newest first", in: "[" + strings.Join([]string{
		lsRun("tool", "mcp__weather__get", "r3", "r0", ls2, ls2, "success", `,"inputs":{"city":"B"},"outputs":{"output":{"content":[{"type":"text","text":"sun"}],"type":"tool","tool_call_id":"c3","status":"success"}},"extra":{"metadata":{"thread_id":"th"}}`),
		lsRun("tool", "get", "r2", "r0", ls1, ls2, "error", `,"inputs":{"input":"{\"id\": 1}"},"outputs":null,"error":"ValueError('no')"`),
		lsRun("llm", "chat", "r1", "r0", ls1, ls2, "success", ``)}, ",\n") + "]",
		want: []string{`2 t1 get id=r2 args={"id": 1} result=ValueError('no') error=ValueError('no') took=1s rejected`,
			`1 th get server=weather id=c3 args={"city":"B"} extra={"tool_name":"mcp__weather__get"} result=sun ok`},
		uses: "calls=2 other runs=1"},
	{name: "lines", in: strings.Join([]string{
		lsRun("tool", "a", "r1", "", ls1, ls2, "success", `,"inputs":{"input":"plain words"},"outputs":{"output":"said"}`),
		lsRun("tool", "a", "r2", "", ls1, "", "pending", `,"inputs":{"input":{"x":1}},"outputs":{}`),
		lsRun("tool", "a", "r3", "", ls1, ls2, "success", `,"inputs":{"name":"a","args":{"y":2},"id":"c9","type":"tool_call"},"outputs":{"output":{"lc":1,"type":"constructor","kwargs":{"content":"bad","type":"tool","status":"error","tool_call_id":"c9"}}}`),
		lsRun("tool", "a", "r4", "", ls1, ls2, "success", `,"inputs":null,"outputs":{"output":{"content":"words"}},"extra":{"metadata":{"session_id":"s"}}`),
		lsRun("tool", "a", "r5", "", ls1, ls2, "success", `,"inputs":{},"outputs":{"count":3}`)}, "\n"),
		want: []string{`1 t1 a id=r1 args={"input":"plain words"} result=said took=1s ok`, `2 t1 a id=r2 args={"x":1} unanswered`,
			`3 t1 a id=c9 args={"y":2} result=bad error=bad took=1s rejected`, "4 s a id=r4 result=words took=1s ok", `5 t1 a id=r5 args={} result={"count":3} took=1s ok`},
		uses: "calls=5"},
	{name: "runs, runs in runs, and what is broken", in: `{"runs":[` + lsRun("chain", "c", "r0", "", ls1, ls2, "success", `,"child_runs":[`+"\n"+
		lsRun("tool", "a", "r1", "r0", ls1, ls2, "success", "")+`,3]`) + `,{"x":1},` + lsRun("tool", "", "r2", "", ls1, ls2, "", "") + `]} {"runs":[]} 7`,
		want: []string{"2 t1 a id=r1 took=1s ok"}, uses: "calls=1 findings=4 no runs=1 other runs=1"},
	{name: "a tool in a tool, and a run twice", in: lsRun("tool", "a", "r1", "", ls1, ls2, "success", `,"inputs":{"x":1}`) + "\n" + lsRun("tool", "a", "r2", "r1", ls1, ls2, "success", `,"inputs":{"x":1},"outputs":{"output":"o"}`) + "\n" +
		lsRun("tool", "a", "r3", "r1", ls1, ls2, "success", `,"inputs":{"x":2}`) + "\n" + lsRun("tool", "a", "r3", "r1", ls1, ls2, "success", ``),
		want: []string{`1 t1 a id=r1 args={"x":1} result=o took=1s ok`, `3 t1 a id=r3 args={"x":2} took=1s ok`}, uses: "calls=3 repeated runs=1"},
	{name: "Python", python: true, in: lsRun("tool", "a", "r1", "", ls1, ls2, "success", `,"inputs":{"input":"{'id': 1}"},"outputs":{"output":"o"}`),
		want: []string{`1 t1 a id=r1 args={"id":1} result=o took=1s ok`}, uses: "calls=1"},
}

func TestLangSmith(t *testing.T) {
	_, python := pythonValue("{'a': 1}")
	for _, c := range langsmithTests {
		if c.python && !python {
			continue
		}
		got, recs, in := spanRead(t, &langsmithFormat, c.in)
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if uses := spanUses(in); uses != c.uses {
			t.Errorf("%s: uses %s, want %s", c.name, uses, c.uses)
		}
		for _, r := range recs {
			if !strings.HasPrefix(r.Key, "langsmith\x00") {
				t.Errorf("%s: key %q", c.name, r.Key)
			}
		}
		for _, n := range []int{len(c.in), 120} {
			if f, err := Detect([]byte(c.in[:min(n, len(c.in))]), "f"); err != nil || f != &langsmithFormat {
				t.Errorf("%s, %d bytes: %v", c.name, n, err)
			}
		}
	}
}

func FuzzLangSmith(f *testing.F) {
	for _, c := range langsmithTests {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, text string) { spanCheck(t, &langsmithFormat, text) })
}
