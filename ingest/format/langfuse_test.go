package format

import (
	"fmt"
	"strings"
	"testing"
)

// observation writes an observation; more are further members.
func observation(kind, name, id, parent, start, end string, more string) string {
	s := fmt.Sprintf(`{"id":%q,"traceId":"t1","type":%q,"name":%q,"parentObservationId":%q,"startTime":%q`, id, kind, name, parent, start)
	if end != "" {
		s += fmt.Sprintf(`,"endTime":%q`, end)
	}
	return s + more + "}"
}

func langfuseDoc(trace string, obs ...string) string {
	return `{"trace":{"id":"t1",` + trace + `"observations":[` + strings.Join(obs, ",") + `]},"observations":[` + strings.Join(obs, ",\n") + `]}`
}

// otelMeta writes attributes as the export does: JSON, most often in a string.
func otelMeta(attrs string) string {
	return `,"metadata":` + string(quote(`{"attributes":{`+attrs+`},"scope":{}}`))
}

const (
	sec1 = "2026-01-01T00:00:01.000Z"
	sec2 = "2026-01-01T00:00:02.000Z"
	sec3 = "2026-01-01T00:00:03.000Z"
	sec9 = "2026-01-01T00:00:09.000Z"
)

var langfuseTests = []struct {
	name, in string
	want     []string
	uses     string
}{
	{"tools, the newest first, and the trace's own copy", langfuseDoc(`"sessionId":"s1",`,
		observation("TOOL", "mcp__weather__get", "o2", "", sec2, sec3, `,"input":"{\"input\":{\"city\":\"B\"}}","output":"{\"content\":[{\"type\":\"text\",\"text\":\"sun\"}]}"`),
		observation("TOOL", "get", "o1", "", sec1, sec2, `,"input":{"id":1},"output":"gone","level":"ERROR","statusMessage":"no such id"`),
		observation("GENERATION", "chat", "o0", "", sec1, sec2, ``)),
		[]string{`2 s1 get id=o1 args={"id":1} result=gone error=no such id took=1s rejected`,
			`1 s1 get server=weather id=o2 args={"city":"B"} extra={"tool_name":"mcp__weather__get"} result=sun took=1s ok`},
		"calls=2 other observations=1"},
	{"attributes", langfuseDoc(``,
		observation("TOOL", "running tool: get", "o1", "", sec1, sec2, `,"metadata":{"attributes":{"gen_ai.tool.name":"get","gen_ai.tool.call.id":"c1","tool_arguments":{"a":1},"tool_response":"r"}},"input":{},"output":null`),
		observation("SPAN", "execute_tool put", "o2", "", sec2, sec3, otelMeta(`"gen_ai.operation.name":"execute_tool","gcp.vertex.agent.tool_call_args":"{\"b\":2}","gcp.vertex.agent.tool_response":"{\"ok\":true}"`)+`,"output":""`),
		observation("SPAN", "t", "o3", "", sec3, "", otelMeta(`"openinference.span.kind":"TOOL","tool.name":"wait"`)),
		observation("SPAN", "running 3 tools", "o4", "", sec3, sec9, otelMeta(`"tools":["get"]`)),
		observation("TOOL", "execute_tool (merged)", "o5", "", sec3, sec9, otelMeta(`"gen_ai.tool.name":"(merged tools)"`))),
		[]string{`1 t1 get id=c1 args={"a":1} result=r took=1s ok`, `2 t1 put id=o2 args={"b":2} result={"ok":true} took=1s ok`, "3 t1 wait id=o3 unanswered"},
		"calls=3 other observations=2"},
	{"a call in steps, in any order", langfuseDoc(``,
		observation("SPAN", "tool.search.wiki.finish-12", "f", "p", sec2, sec9, otelMeta(`"openinference.span.kind":"TOOL"`)),
		observation("SPAN", "tool.search.wiki.start-12", "b", "p", sec1, sec9, otelMeta(`"openinference.span.kind":"TOOL","tool.parameters":"{\"q\":1}"`)),
		observation("SPAN", "tool.search.wiki.success-12", "s", "p", sec2, sec9, otelMeta(`"openinference.span.kind":"TOOL","tool.parameters":"{\"q\":1}","output.value":"[{\"title\":\"x\"}]"`)+`,"output":"[{\"title\":\"x\"}]"`),
		observation("SPAN", "tool.put.start-13", "b2", "p", sec2, sec9, otelMeta(`"openinference.span.kind":"TOOL"`)),
		observation("SPAN", "tool.put.error-13", "e2", "p", sec3, sec9, otelMeta(`"openinference.span.kind":"TOOL"`)+`,"statusMessage":"full"`),
		observation("SPAN", "tool.put.error-14", "e3", "p", sec3, sec9, otelMeta(`"openinference.span.kind":"TOOL"`)+`,"statusMessage":"full"`),
		observation("SPAN", "tool.put.success-14", "s3", "p", sec9, sec9, otelMeta(`"openinference.span.kind":"TOOL"`)+`,"output":"fine"`),
		observation("SPAN", "tool.put.start-15", "b4", "p", sec9, sec9, otelMeta(`"openinference.span.kind":"TOOL"`))),
		[]string{`2 t1 search.wiki id=b args={"q":1} result=[{"title":"x"}] took=1s ok`, "4 t1 put id=b2 result=full error=full took=1s rejected",
			"6 t1 put id=e3 result=fine took=6s ok", "8 t1 put id=b4 unanswered"},
		"calls=8"},
	{"a tool that hands on to a server", langfuseDoc(``,
		observation("TOOL", "get", "o2", "o1", sec2, sec3, `,"output":"x","level":"ERROR"`),
		observation("TOOL", "get", "o1", "", sec1, sec9, `,"input":{"a":1}`)),
		[]string{`2 t1 get id=o1 args={"a":1} result=x error=x took=8s rejected`}, "calls=2"},
	{"lines, and what is broken", observation("TOOL", "a", "1", "", sec1, sec2, `,"input":"x"`) + "\n" + observation("TOOL", "a", "1", "", sec1, sec2, "") +
		"\n" + `{"x":1} 7 [null] {"trace":{"id":"t"},"observations":[]} {"trace":{}}` + "\n" + observation("TOOL", "", "2", "", sec1, sec2, ""),
		[]string{`1 t1 a id=1 args="x" took=1s ok`}, "calls=1 findings=4 repeated observations=1 traces without observations=2"},
	{"a trace as the API gives it", `{"id":"t1","projectId":"p","sessionId":"s","observations":[` + observation("TOOL", "a", "1", "", sec1, sec2, `,"output":"{}"`) + `]}`,
		[]string{"1 s a id=1 took=1s ok"}, "calls=1"},
}

func TestLangfuse(t *testing.T) {
	for _, c := range langfuseTests {
		got, recs, in := spanRead(t, &langfuseFormat, c.in)
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if uses := spanUses(in); uses != c.uses {
			t.Errorf("%s: uses %s, want %s", c.name, uses, c.uses)
		}
		for _, r := range recs {
			if !strings.HasPrefix(r.Key, "langfuse\x00") {
				t.Errorf("%s: key %q", c.name, r.Key)
			}
		}
		if ok, why := langfuseFormat.detect(newHead([]byte(c.in))); !ok {
			t.Errorf("%s: %s", c.name, why)
		}
	}
}

func TestLangfuseReal(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls string
		uses  string
	}{
		// Three observations are steps of one call.
		{"beeai-2025-08-01", "search.wikipedia", "calls=3 other observations=26"},
		{"claude-agent-2025-12-22", "get_weather get_weather", "calls=2 other observations=5"},
		{"openai-agents-2025-09-30", "get_weather", "calls=1 other observations=4"},
		{"pydantic-ai-tools-2025-12-04", "get_pun_suggestion get_dad_joke_suggestion get_one_liner_suggestion", "calls=3 other observations=9"},
	} {
		text := spanReal(t, "langfuse/langfuse_"+c.name+".trace.json")
		_, recs, in := spanRead(t, &langfuseFormat, text)
		var tools []string
		for _, r := range recs {
			tools = append(tools, r.Call.Tool)
			if r.Call.Args.Kind() != '{' || r.Call.ResultText == "" || r.Call.Outcome != 0 || r.Call.Pos.Line == 0 {
				t.Errorf("%s: %s", c.name, spanLine(r))
			}
		}
		if got := strings.Join(tools, " "); got != c.calls || spanUses(in) != c.uses || len(in.Findings) != 0 {
			t.Errorf("%s: %s; %s; %v", c.name, got, spanUses(in), in.Findings)
		}
		for _, n := range []int{len(text), 64 << 10, 4 << 10} {
			if f, err := Detect([]byte(text[:min(n, len(text))]), "f"); err != nil || f != &langfuseFormat {
				t.Errorf("%s, %d bytes: %v", c.name, n, err)
			}
		}
	}
}

func FuzzLangfuse(f *testing.F) {
	for _, c := range langfuseTests {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, text string) { spanCheck(t, &langfuseFormat, text) })
}
