package format

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// spanRead reads a text; each record becomes a line.
func spanRead(t testing.TB, f *Format, text string) (got []string, recs []*Record, in *Input) {
	t.Helper()
	in = &Input{Ctx: context.Background(), File: "f", Scope: "scope", R: strings.NewReader(text), Emit: func(r *Record) error {
		got = append(got, spanLine(r))
		recs = append(recs, r)
		return nil
	}}
	if err := f.Read(in); err != nil {
		t.Fatal(err)
	}
	return got, recs, in
}

// spanLine writes what a record says, without what it leaves open.
func spanLine(r *Record) string {
	c := r.Call
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s", c.Pos.Line, c.Session, c.Tool)
	for _, p := range []struct{ name, value string }{
		{"server", c.Server}, {"id", c.ID}, {"args", string(c.Args)}, {"extra", string(c.Extra)}, {"kind", r.Evidence.Kind},
		{"result", c.ResultText}, {"error", c.ErrorText},
	} {
		if p.value != "" {
			fmt.Fprintf(&b, " %s=%s", p.name, p.value)
		}
	}
	if r.Evidence.Code != 0 {
		fmt.Fprintf(&b, " code=%d", r.Evidence.Code)
	}
	if c.Latency != 0 {
		fmt.Fprintf(&b, " took=%s", c.Latency)
	}
	return b.String() + " " + c.Outcome.String()
}

func spanUses(in *Input) string {
	var list []string
	for use, n := range in.Uses {
		list = append(list, fmt.Sprintf("%s=%d", use, n))
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}

// spanCheck fuzzes a format: nothing panics, and each record is accounted for.
func spanCheck(t *testing.T, f *Format, text string) {
	in := &Input{Ctx: context.Background(), File: "f", Scope: "s", R: strings.NewReader(text)}
	calls := 0
	in.Emit = func(r *Record) error {
		calls++
		for _, v := range []jsontext.Value{r.Call.Args, r.Call.Result, r.Call.Extra} {
			if v != nil && !v.IsValid(lenient...) {
				t.Fatalf("no JSON: %q", v)
			}
		}
		if r.Call.Tool == "" || r.Call.Pos.Line < 1 || r.Call.Pos.Line > max(1, in.Lines+1) {
			t.Fatalf("record %+v", r.Call)
		}
		return nil
	}
	if err := f.Read(in); err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, n := range in.Uses {
		used += n
	}
	records := 0
	other := &Input{Ctx: context.Background(), R: strings.NewReader(text), Report: Report{Uses: map[string]int{}}}
	_ = other.document().each(nil, nil, func(int, jsontext.Value) error { records++; return nil })
	if used < records+other.Uses[Faulty] || calls > in.Uses[Used] || in.NoArgs > calls || in.NoResult > calls {
		t.Fatalf("%d records, %d calls, uses %v", records, calls, in.Uses)
	}
	_, _ = Detect([]byte(text), "f")
}

// otlpSpan writes a span; attrs are name, value pairs, of which values are OTLP
// values.
func otlpSpan(trace, id, parent, name string, kind, start, end any, more string, attrs ...string) string {
	var list []string
	for i := 0; i+1 < len(attrs); i += 2 {
		v := attrs[i+1]
		if !strings.HasPrefix(v, `{"`) || !strings.Contains(v, "Value") {
			v = `{"stringValue":` + string(quote(v)) + `}`
		}
		list = append(list, `{"key":"`+attrs[i]+`","value":`+v+`}`)
	}
	return fmt.Sprintf(`{"traceId":%q,"spanId":%q,"parentSpanId":%q,"name":%q,"kind":%v,"startTimeUnixNano":%v,"endTimeUnixNano":%v,"attributes":[%s]%s}`,
		trace, id, parent, name, kind, start, end, strings.Join(list, ","), more)
}

func otlpDoc(service string, spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"` + service + `"}}]},"scopeSpans":[{"scope":{},"spans":[` + strings.Join(spans, ",\n") + `]}]}]}`
}

const otlpError = `,"status":{"code":"STATUS_CODE_ERROR","message":"not open"}`

var otlpTests = []struct {
	name, in string
	want     []string
	uses     string
}{
	{"current conventions", otlpDoc("agent",
		otlpSpan("AA", "01", "", "tools/call close", 3, `"1700000002000000000"`, `"1700000002500000000"`, "",
			"mcp.method.name", "tools/call", "gen_ai.tool.name", "close", "mcp.session.id", "m1", "server.address", "h", "server.port", `{"intValue":"80"}`,
			"gen_ai.tool.call.arguments", `{"kvlistValue":{"values":[{"key":"id","value":{"intValue":"7"}},{"key":"l","value":{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":1.5},{}]}}}]}}`,
			"gen_ai.tool.call.result", `{"content":[{"type":"text","text":"done"}]}`),
		otlpSpan("aa", "02", "", "execute_tool open", 1, 1700000001000000000, 1700000001000000000, "", "gen_ai.operation.name", "execute_tool", "gen_ai.conversation.id", "c1", "gen_ai.tool.call.id", "call1"),
		otlpSpan("aa", "03", "", "tools/list", 3, 1, 2, "", "mcp.method.name", "tools/list"),
		`7`),
		[]string{"2 c1 open id=call1 ok", `1 m1 close server=h:80 id=01 args={"id":7,"l":[true,1.5,null]} result=done took=500ms ok`},
		"calls=2 findings=1 other spans=1"},
	{"failures", otlpDoc("s",
		otlpSpan("a", "1", "", "tools/call a", 3, 1, 2, otlpError, "mcp.method.name", "tools/call", "error.type", "-32602"),
		otlpSpan("a", "2", "", "tools/call b", 3, 2, 3, `,"status":{"code":2}`, "mcp.method.name", "tools/call", "error.type", "tool_error", "gen_ai.tool.call.result", `{"content":[{"type":"text","text":"no such id"}],"isError":true}`),
		otlpSpan("a", "3", "", "tools/call c", 3, 3, 4, `,"events":[{"name":"exception","attributes":[{"key":"exception.message","value":{"stringValue":"late"}}]}]`, "mcp.method.name", "tools/call", "error.type", "TimeoutError", "rpc.response.status_code", "-32001"),
		otlpSpan("a", "4", "", "tools/call d", 3, 4, 5, "", "mcp.method.name", "tools/call", "gen_ai.tool.call.result", `{"isError":true,"content":[{"type":"text","text":"bad"}]}`),
		otlpSpan("a", "5", "", "tools/call e", 3, 5, 0, "", "mcp.method.name", "tools/call")),
		[]string{"1 a a id=1 result=not open error=not open code=-32602 took=1ns rejected", "2 a b id=2 result=no such id error=no such id took=1ns rejected",
			"3 a c id=3 kind=TimeoutError result=late error=late code=-32001 took=1ns rejected", "4 a d id=4 result=bad error=bad took=1ns rejected", "5 a e id=5 unanswered"},
		"calls=5"},
	{"one call in three spans, over lines, inner ones first",
		otlpDoc("tickets", otlpSpan("AB", "3", "2", "tools/call close", `"SPAN_KIND_SERVER"`, 3, 4, otlpError, "mcp.method.name", "tools/call", "error.type", "tool_error", "gen_ai.tool.call.arguments", `{"id":2}`)) + "\n" +
			otlpDoc("agent", otlpSpan("ab", "2", "1", "tools/call close", 3, 2, 5, "", "mcp.method.name", "tools/call", "mcp.session.id", "m")) + "\n" +
			otlpDoc("agent", otlpSpan("ab", "1", "", "execute_tool close", 1, 1, 6, "", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.arguments", `{"id":1}`, "gen_ai.tool.call.id", "k")),
		[]string{`3 m close server=tickets id=k args={"id":1} result=not open error=not open took=5ns rejected`}, "calls=3"},
	{"calls that aren't one: a gateway's, another attempt, loops", otlpDoc("s",
		otlpSpan("a", "1", "", "tools/call x", 2, 1, 9, "", "mcp.method.name", "tools/call", "gen_ai.tool.call.arguments", `{"a":1}`),
		otlpSpan("a", "2", "1", "tools/call x", 3, 2, 3, "", "mcp.method.name", "tools/call", "gen_ai.tool.call.arguments", `{"a":2}`),
		otlpSpan("a", "3", "1", "tools/call y", 3, 3, 4, "", "mcp.method.name", "tools/call"),
		otlpSpan("b", "1", "", "execute_tool s_x", 1, 4, 9, "", "gen_ai.operation.name", "execute_tool"),
		otlpSpan("b", "2", "1", "tools/call x", 3, 5, 6, otlpError, "mcp.method.name", "tools/call"),
		otlpSpan("b", "3", "1", "tools/call x", 3, 7, 8, "", "mcp.method.name", "tools/call"),
		otlpSpan("c", "1", "2", "execute_tool z", 1, 20, 21, "", "gen_ai.operation.name", "execute_tool"),
		otlpSpan("c", "2", "1", "execute_tool z", 1, 22, 23, "", "gen_ai.operation.name", "execute_tool"),
		otlpSpan("d", "1", "1", "execute_tool w", 1, 24, 25, "", "gen_ai.operation.name", "execute_tool"),
		otlpSpan("D", "1", "1", "execute_tool w", 1, 24, 25, "", "gen_ai.operation.name", "execute_tool")),
		[]string{`1 a x server=s id=1 args={"a":1} took=8ns ok`, `2 a x id=2 args={"a":2} took=1ns ok`, "3 a y id=3 took=1ns ok",
			"4 b s_x id=1 result=not open error=not open took=5ns rejected", "6 b x id=3 took=1ns ok", "7 c z id=1 took=1ns ok", "9 d w id=1 took=1ns ok"},
		"calls=9 repeated spans=1"},
	{"OpenInference", otlpDoc("s", otlpSpan("a", "1", "", "Tool", 1, 1, 2, "", "openinference.span.kind", "TOOL", "tool.name", "get", "input.value", `{"id":"1"}`, "output.value", `[{"id":1},{"id":2}]`, "session.id", "u")),
		[]string{`1 u get id=1 args={"id":"1"} result=[{"id":1},{"id":2}] took=1ns ok`}, "calls=1"},
	{"ADK", otlpDoc("s",
		otlpSpan("a", "1", "", "execute_tool get", 1, 1, 2, "", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "get", "gen_ai.tool.call.id", "<not specified>", "gcp.vertex.agent.tool_call_args", `{"id": 1}`, "gcp.vertex.agent.tool_response", `{"result": "x"}`),
		otlpSpan("a", "2", "", "execute_tool get", 1, 2, 3, "", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "get", "gcp.vertex.agent.tool_call_args", `{}`, "gcp.vertex.agent.tool_response", `{}`),
		otlpSpan("a", "3", "", "execute_tool (merged)", 1, 3, 4, "", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "(merged tools)", "gcp.vertex.agent.tool_call_args", "N/A")),
		[]string{`1 a get id=1 args={"id": 1} result={"result": "x"} took=1ns ok`, "2 a get id=2 took=1ns ok"}, "calls=2 other spans=1"},
	{"pydantic-ai", otlpDoc("s",
		otlpSpan("a", "1", "", "running tool", 1, 1, 2, "", "gen_ai.tool.name", "get", "gen_ai.tool.call.id", "c", "tool_arguments", `{"id":1}`, "tool_response", "text"),
		otlpSpan("a", "2", "", "running 3 tools", 1, 1, 2, "", "tools", `{"arrayValue":{"values":[]}}`),
		otlpSpan("a", "3", "1", "running tool", 1, 1, 1, "", "gen_ai.tool.name", "get", "logfire.span_type", "pending_span")),
		[]string{`1 a get id=c args={"id":1} result=text took=1ns ok`}, "calls=1 other spans=1 pending spans=1"},
	{"logfire's MCP", otlpDoc("s",
		otlpSpan("a", "1", "", "MCP request: tools/call add", 1, 1, 4, "", "rpc.method", "tools/call", "request", `{"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`, "response", `{"content":[{"type":"text","text":"2"}],"isError":false}`),
		otlpSpan("a", "2", "1", "MCP server handle request: tools/call", 1, 2, 3, "", "request", `{"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`, "response", `{"code":-32602,"message":"unfit"}`),
		otlpSpan("a", "3", "", "MCP request: tools/list", 1, 1, 4, "", "rpc.method", "tools/list", "request", `{"method":"tools/list"}`)),
		[]string{`1 a add server=s id=1 args={"a":1} result=2 error=unfit code=-32602 took=3ns rejected`}, "calls=2 other spans=1"},
	{"OpenLLMetry", otlpDoc("s",
		otlpSpan("a", "1", "", "add.tool", 1, 1, 2, otlpError, "traceloop.span.kind", "tool", "traceloop.entity.name", "add", "traceloop.entity.input", `{"tool_name":"add","arguments":{"a":1}}`, "traceloop.entity.output", `{"result":"no","is_error":true}`, "error.type", "NOT_FOUND"),
		otlpSpan("a", "2", "", "f.tool", 1, 2, 3, "", "traceloop.span.kind", "tool", "traceloop.entity.name", "f", "traceloop.entity.input", `{"args":[],"kwargs":{"b":2}}`, "traceloop.entity.output", `"said"`),
		otlpSpan("a", "3", "", "ResponseStreamWriter", 1, 3, 4, "", "mcp.request.id", "1", "mcp.response.value", "{}")),
		[]string{`1 a add id=1 args={"a":1} kind=NOT_FOUND result=no error=not open took=1ns rejected`, `2 a f id=2 args={"b":2} result=said took=1ns ok`}, "calls=2 other spans=1"},
	{"mcp-trace", otlpDoc("s",
		otlpSpan("a", "1", "", "mcp tools/call read", 3, 1, 2, "", "mcp.method", "tools/call", "mcp.tool.name", "read", "mcp.server.target", "http://h/sse", "mcp.tool.arguments", `{"p":1}`, "mcp.tool.status", "timeout", "error.message", "no answer"),
		otlpSpan("a", "2", "", "mcp tools/call read", 3, 2, 3, "", "mcp.method", "tools/call", "mcp.tool.name", "read", "mcp.tool.status", "error", "mcp.rpc.error_code", `{"intValue":-32602}`, "error.message", "bad"),
		otlpSpan("a", "3", "", "mcp tools/list", 3, 2, 3, "", "mcp.method", "tools/list", "mcp.status", "ok")),
		[]string{`1 a read server=http://h/sse id=1 args={"p":1} kind=timeout result=no answer error=no answer took=1ns rejected`, "2 a read id=2 result=bad error=bad code=-32602 took=1ns rejected"}, "calls=2 other spans=1"},
	{"LangSmith", otlpDoc("s", otlpSpan("a", "1", "", "mcp__weather__get__now", 1, 1, 2, "", "langsmith.span.kind", "tool", "gen_ai.prompt", `{"input":{"city":"B"}}`, "gen_ai.completion", `{"output":{"content":"sun","type":"tool","status":"success"}}`)),
		[]string{`1 a get__now server=weather id=1 args={"city":"B"} extra={"tool_name":"mcp__weather__get__now"} result=sun took=1ns ok`}, "calls=1"},
	{"what isn't spans", `{"resourceLogs":[]} {"resourceMetrics":[{}]} {"resourceSpans":[]} {"a":1} [3] {"resourceSpans":{}} {"resourceSpans":[1,{"scopeSpans":[2,{"spans":["x",{"name":"execute_tool","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}}]}]}]}]}`,
		nil, "findings=7 logs, not spans=1 metrics, not spans=1 no spans=1"},
}

func TestOTLP(t *testing.T) {
	for _, c := range otlpTests {
		got, recs, in := spanRead(t, &otlpFormat, c.in)
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if uses := spanUses(in); uses != c.uses {
			t.Errorf("%s: uses %s, want %s", c.name, uses, c.uses)
		}
		for _, r := range recs {
			if !strings.HasPrefix(r.Key, "otlp\x00") {
				t.Errorf("%s: key %q", c.name, r.Key)
			}
		}
		if h := newHead([]byte(c.in)); strings.HasPrefix(c.in, `{"resourceSpans`) {
			if ok, _ := otlpFormat.detect(h); !ok {
				t.Errorf("%s: not detected", c.name)
			}
		}
	}
}

// Spans that too many wait behind are handed on, their calls whole.
func TestOTLPBound(t *testing.T) {
	defer func(n int) { maxSpans = n }(maxSpans)
	maxSpans = 10
	var lines []string
	for i := range 50 {
		id := fmt.Sprintf("%02x", i+1)
		lines = append(lines, otlpDoc("s", otlpSpan("a", "c"+id, "e"+id, "tools/call x", 3, i*10+2, i*10+3, "", "mcp.method.name", "tools/call")),
			otlpDoc("s", otlpSpan("a", "e"+id, "", "execute_tool x", 1, i*10+1, i*10+4, "", "gen_ai.operation.name", "execute_tool")))
	}
	got, _, in := spanRead(t, &otlpFormat, strings.Join(lines, "\n"))
	if len(got) != 50 || in.Uses[Used] != 100 || in.NoArgs != 50 || in.NoResult != 50 || in.Lines != 100 {
		t.Errorf("%d calls, %+v", len(got), in.Report)
	}
	for i, line := range got {
		if want := fmt.Sprintf("%d a x id=e%02x", 2*i+2, i+1); !strings.HasPrefix(line, want) {
			t.Errorf("%s, want %s", line, want)
		}
	}
}

func TestHexID(t *testing.T) {
	for in, want := range map[string]string{"ABcd": "abcd", "AAECAwQFBgc=": "0001020304050607", "": "", "0000": ""} {
		if got := hexID(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// spanReal reads a real file that lies beside the project.
func spanReal(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../../shared/data/logs", name))
	if err != nil {
		t.Skip("the recorded logs are not here")
	}
	return string(b)
}

func TestOTLPReal(t *testing.T) {
	text := spanReal(t, "otlp/dazzaji_test-traces.json")
	got, _, in := spanRead(t, &otlpFormat, text)
	if len(got) != 0 || spanUses(in) != "other spans=2" {
		t.Errorf("%v %s", got, spanUses(in))
	}
	if f, err := Detect([]byte(text[:4000]), "f"); err != nil || f != &otlpFormat {
		t.Errorf("%v %v", f, err)
	}
}

func FuzzOTLP(f *testing.F) {
	for _, c := range otlpTests {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, text string) { spanCheck(t, &otlpFormat, text) })
}
