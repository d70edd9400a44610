package format

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	dirtUse    = `{"type":"assistant","uuid":"00000000-0000-4000-8000-00000000000%[1]d","sessionId":"%[2]s","message":{"content":[{"type":"tool_use","id":"toolu_01AAAAAAAAAAAAAAAAA%[1]d","name":"Bash","input":%[3]s}]}}`
	dirtResult = `{"type":"user","uuid":"10000000-0000-4000-8000-00000000000%[1]d","sessionId":"%[2]s","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_01AAAAAAAAAAAAAAAAA%[1]d","content":"x"}]}}`
	dirtMeta   = `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"%s"}}`
	dirtCall   = `{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","call_id":"call_%d","name":"f","arguments":"{}"}}`
	dirtOutput = `{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_%d","output":"x"}}`
	dirtRPC    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	dirtAnswer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}`
	dirtEntry  = `2026-01-01T00:00:00.000Z [s] [info] Message from `
)

func chatRecord(id string, calls int) string {
	var list []string
	for i := range calls {
		list = append(list, fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%d","content":"%s%d"}`, i, i, id, i))
	}
	return fmt.Sprintf(`{"session_id":%q,"messages":[{"role":"user","content":"%s"},%s]}`, id, long, strings.Join(list, ",")) + "\n"
}

// TestDirt: logs that crashes, restarts, Python and several writers at once have
// been at. What can be read is, and what can't has its place.
func TestDirt(t *testing.T) {
	t.Parallel()
	f := fmt.Sprintf
	for name, tt := range map[string]struct {
		format    *Format
		log, want string
	}{
		"processes that share a file, and a mark amid it": {&claudeCodeFormat,
			f(dirtUse, 1, "s", `{}`) + f(dirtUse, 2, "t", `{}`) + "\n" + "\ufeff" + f(dirtResult, 1, "s") + "\n" + f(dirtResult, 2, "t") + f(dirtResult, 2, "t")[:40] + "\n", `
1 s|claude-code|Bash toolu_01AAAAAAAAAAAAAAAAA1 {} ok "x"
1 t|claude-code|Bash toolu_01AAAAAAAAAAAAAAAAA2 {} ok "x"
log:3: not JSON: it ends too early [bad-line]
2 calls, 1 findings`},
		"a call that was written before its arguments had come": {&claudeCodeFormat,
			f(dirtUse, 1, "s", `{}`) + "\n" + f(dirtUse, 1, "s", `{"command":"ls"}`) + "\n" + f(dirtResult, 1, "s") + "\n", `
1 s|claude-code|Bash toolu_01AAAAAAAAAAAAAAAAA1 {"command":"ls"} ok "x"
2 calls, 1 copied calls`},
		"lines of other formats": {&claudeCodeFormat,
			f(dirtUse, 1, "s", `{}`) + "\n" + f(dirtMeta, "r") + "\n" + `{"type":"custom-title","sessionId":"s"}` + "\n" + `{"role":"tool","tool_call_id":"c","content":"x"}` + "\n", `
1 s|claude-code|Bash toolu_01AAAAAAAAAAAAAAAAA1 {} unanswered ""
log:2: a line of another format (codex): keep the two in files of their own [other-format]
log:4: a line of another format (chat): keep the two in files of their own [other-format]
1 calls, 2 findings, 1 other lines`},
		"rollouts that were put together, with other line ends": {&codexFormat,
			f(dirtMeta, "r1") + "\r\n" + f(dirtCall, 0) + "\r\n" + f(dirtOutput, 0) + "\r\n" + f(dirtCall, 1) + "\r\n\ufeff" + f(dirtMeta, "r2") + "\r" + f(dirtCall, 0) + "\r" + f(dirtCall, 1) + "\r" + f(dirtOutput, 1) + "\r", `
2 r1|codex|f call_0 {} words "x" @00:00:01 took=1s
4 r1|codex|f call_1 {} unanswered "" @00:00:01
5 r2|codex|f call_0 {} unanswered "" @00:00:01
5 r2|codex|f call_1 {} words "x" @00:00:01 took=1s
4 calls, 1 session marks`},
		"messages on one line, with NUL bytes": {&jsonrpcFormat, "\x00\x00\x00" + dirtRPC + dirtAnswer + "\n" + dirtRPC + "}\n", `
1 log||a 1 null ok "x"
2 log||a 1 null unanswered ""
log:1: NUL bytes between the JSON, as a crash leaves them: what was to stand there is lost [nul-bytes]
log:2: not JSON: invalid character '}' at start of value after offset 68 [bad-line]
1 calls, 1 findings`},
		"a line of another format among messages": {&jsonrpcFormat, dirtRPC + "\n" + f(dirtUse, 1, "s", `{}`) + "\n", `
1 log||a 1 null unanswered ""
log:2: a line of another format (claude-code): keep the two in files of their own [other-format]
1 calls, 1 findings`},
		"agents that share a log of requests": {&chatFormat, chatRecord("A", 1) + chatRecord("B", 1) + chatRecord("A", 2) + chatRecord("B", 3) + chatRecord("A", 3), `
1 log/A||f c0 {} words "A0"
2 log/B||f c0 {} words "B0"
3 log/A||f c1 {} words "A1"
4 log/B||f c1 {} words "B1"
4 log/B||f c2 {} words "B2"
5 log/A||f c2 {} words "A2"
12 calls, 11 messages told again, 2 other messages`},
		"an entry behind a line that has no end": {&desktopFormat, dirtEntry + "client: " + dirtRPC + "\nProcessing..." + dirtEntry + "server: " + dirtAnswer +
			"\nsaid \"" + dirtEntry + "server: " + dirtAnswer + "\"\nsaid " + dirtEntry + "server: " + dirtAnswer + "\n", `
1 s@2026-01-01T00:00:00.000Z|s|a 1 null ok "x" @00:00:00
2 calls, 2 other output`},
		"a document that Python wrote": {&tauBenchFormat, `[{"task_id":1,"trial":0,"reward":NaN,"traj":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{\"x\":-Infinity,\"y\":\"\\ud83d\"}"}}]}]},
{"task_id":2,"trial":0,"reward":Infinity,"traj":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{\"y\":\"\\ud83d\"}"}},{"id":"d","function":{"name":"a","arguments":"\"\\\"{\\\\\\\"x\\\\\\\":1}\\\"\""}}]}]}]`, `
1 log/1.0||a c {"x":null,"y":"\ud83d"} unanswered ""
2 log/2.0||a c {"y":"\ud83d"} unanswered ""
2 log/2.0||a d {"x":1} unanswered ""
log:1: the arguments hold NaN or Infinity, which JSON doesn't have; read as null [arguments]
log:1: NaN and Infinity, which JSON doesn't have, were read as null, here and in all that follows in this file [numbers]
2 calls`},
		"documents that were put together": {&tauBenchFormat, "[{\"task_id\":1,\"trial\":0,\n\"traj\":[]}]\n\ufeff[{\"task_id\":2,\"trial\":0,\n\"traj\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"a\"}}]}]}]", `
4 log/2.0||a c null unanswered ""
1 calls; 1 silent`},
		"a first line that is cut off": {&langsmithFormat, `{"run_type":"tool","trace_id":"t","name":"a` + "\n" + `{"run_type":"tool","trace_id":"t","name":"a","id":"r"}` + "\n" + `{"run_type":"too`, `
2 t||a r null unanswered ""
log:1: not JSON: it ends too early [bad-line]
log:3: not JSON: it ends too early [bad-line]
1 calls, 2 findings`},
		"a run that was written as it went": {&langsmithFormat, lsRun("tool", "a", "r1", "", ls1, "", "pending", `,"inputs":{"x":1}`) + "\n" + lsRun("tool", "a", "r2", "", "", "", "pending", `,"inputs":{"x":2}`) + "\n" +
			lsRun("tool", "a", "r1", "", ls1, ls2, "success", `,"outputs":{"output":"o"}`) + "\n" + lsRun("tool", "a", "r2", "", "", ls2, "error", `,"inputs":{},"error":"no"`) + "\n", `
1 t1||a r1 {"x":1} ok "o" @00:00:01 took=1s
2 t1||a r2 {"x":2} failed "no"
2 calls, 2 repeated runs`},
		"an observation that was written as it went": {&langfuseFormat, `{"trace":{"id":"t","latency":NaN},"observations":[
{"id":"o","type":"TOOL","name":"a","traceId":"t","projectId":"p","startTime":"2026-01-01T00:00:00Z","input":{"x":1}},
{"id":"o","type":"TOOL","name":"a","traceId":"t","projectId":"p","startTime":"2026-01-01T00:00:00Z","endTime":"2026-01-01T00:00:01Z","output":"done"}]}`, `
2 t||a o {"x":1} ok "done" @00:00:00 took=1s
log:1: NaN and Infinity, which JSON doesn't have, were read as null, here and in all that follows in this file [numbers]
1 calls, 1 repeated observations`},
		"a long first line, a broken one, and units of time": {&otlpFormat, otlpDoc("s", otlpSpan("aa", "01", "", "execute_tool a", 1, `"1767225600000000000"`, `"1767225601000000000"`, "", "gen_ai.tool.name", "a", "gen_ai.tool.call.arguments", `{"x":"`+strings.Repeat("x", 300<<10)+`"}`)) + "\n" +
			`{"resourceSpans":[{"resource":{"attri` + "\n" +
			strings.ReplaceAll(otlpDoc("s", otlpSpan("aa", "02", "", "execute_tool b", 1, `"1767225602000"`, `1767225602500`, "", "gen_ai.tool.name", "b"),
				otlpSpan("aa", "03", "", "execute_tool c", 1, `0`, `0`, "", "gen_ai.tool.name", "c"),
				otlpSpan("aa", "04", "", "execute_tool d", 1, `1767225600500000`, `1767225602500000`, "", "gen_ai.tool.name", "d"),
				otlpSpan("aa", "05", "", "execute_tool e", 1, `"2026-01-01T00:00:03Z"`, `1767225604`, "", "gen_ai.tool.name", "e")), "\n", "") + "\n", `
1 aa||a 01 - ok "" @00:00:00 took=1s
3 aa||d 04 null ok "" @00:00:00.5 took=2s
3 aa||b 02 null ok "" @00:00:02 took=500ms
3 aa||c 03 null unanswered ""
3 aa||e 05 null ok "" @00:00:03 took=1s
log:2: not JSON: it ends too early [bad-line]
5 calls, 1 findings`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := show(t, tt.format, tt.log)
			got = strings.ReplaceAll(got, `{"x":"`+strings.Repeat("x", 300<<10)+`"}`, "-")
			compare(t, got, tt.want)
		})
	}
}

// TestArguments: what is written as a string is taken for what it holds, if that
// is an object.
func TestArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"{\"a\":1}"`:             `{"a":1}`,
		`"\"{\\\"a\\\":1}\""`:     `{"a":1}`,
		`"\"said\""`:              `"said"`,
		`"\"\\\"said\\\"\""`:      `"\"said\""`,
		`"{\"a\":\"\\ud83d\"}"`:   `{"a":"\ud83d"}`,
		`"{\"a\":NaN}"`:           `{"a":null}`,
		`"*** Begin {\"a\":NaN}"`: `"*** Begin {\"a\":NaN}"`,
	} {
		if got, _ := arguments([]byte(in)); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestInspectNumbers: a score that is NaN, as Inspect writes it.
func TestInspectNumbers(t *testing.T) {
	t.Parallel()
	sample := `{"id":1,"epoch":1,"scores":{"s":{"value":NaN}},"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":"open","arguments":{"w":NaN}}]},{"role":"tool","tool_call_id":"c1","content":"x"}]}`
	_, whole := inspectRead(t, &inspectFormat, strings.NewReader(`{"version":2,"eval":{"run_id":"R","task":"t"},"results":{"mean":NaN},"samples":[`+sample+`]}`))
	in, parts := inspectRead(t, &evalFormat, bytes.NewReader(evalZip(t, zip.Store, evalFile{"header.json", `{"x":NaN,"eval":{"run_id":"R"}}`}, evalFile{"samples/1.json", sample})))
	for _, recs := range [][]*Record{whole, parts} {
		if len(recs) != 1 || string(recs[0].Call.Args) != `{"w":null}` || !json.Valid(recs[0].Call.Args) || recs[0].Call.Session != "R/1/1" {
			t.Errorf("%q", inspectShort(recs))
		}
	}
	if got := inspectRules(in); len(got) != 1 || got[0] != "log/samples/1.json:1 numbers true" {
		t.Errorf("findings %q", got)
	}
}

// TestLongDocuments: documents that are one line, or begin with a long one.
func TestLongDocuments(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, linesHead, 300 << 10, longLinesHead + 10} {
		for _, end := range []string{"", "\n", "\n\n"} {
			for _, glue := range []string{",", ",\n"} {
				run := func(n int) string {
					return fmt.Sprintf(`{"task_id":%d,"trial":0,"traj":[{"role":"assistant","content":"%s","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{}"}}]}]}`, n, strings.Repeat("x", size))
				}
				if in, recs := reading(t, &tauBenchFormat, "["+run(1)+glue+run(2)+"]"+end); len(recs) != 2 || len(in.Findings) > 0 {
					t.Errorf("%d bytes, %q: %d calls, %v", size, glue+end, len(recs), in.Findings)
				}
				if in, recs := reading(t, &tauBenchFormat, run(1)+"\n"+run(2)+end); len(recs) != 2 || len(in.Findings) > 0 {
					t.Errorf("%d bytes, lines: %d calls, %v", size, len(recs), in.Findings)
				}
			}
		}
	}
}

// TestManyAgents: a log of requests that many agents share is read in time that
// grows with its length, and each call counts once.
func TestManyAgents(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	const agents, turns = 100, 10
	for n := range turns {
		for a := range agents {
			log.WriteString(chatRecord(fmt.Sprint("a", a), n+1))
		}
	}
	begin := time.Now()
	if _, recs := reading(t, &chatFormat, log.String()); len(recs) != agents*turns {
		t.Errorf("%d calls", len(recs))
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}
