package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mcpg/calllog"
	"mcpg/ingest/format"
)

// ingested runs over files and gives a line a call, in order.
func ingested(t *testing.T, opts Options, inputs ...string) (*Report, []string) {
	t.Helper()
	var got []string
	rep, err := Run(context.Background(), inputs, opts, func(c *calllog.Call) error {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s|%s %s %s/%s", c.Pos.Line, c.Session, c.Tool, c.ID, c.Outcome, c.Cause)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rep, got
}

const (
	nativeLine = `{"ts":"2026-01-01T00:00:00Z","session":"s","tool":"a","call_id":"1","args":{},"is_error":false,"result_text":"x"}`
	rpcCall    = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"a","arguments":{}}}`
	rpcAnswer  = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"x"}]}}`
)

// TestMess: what logs are in the wild, and what becomes of it.
func TestMess(t *testing.T) {
	t.Parallel()
	utf16 := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, r := range s {
			b = append(b, byte(r), byte(r>>8))
		}
		return string(b)
	}
	call, answer := func(id string) string { return fmt.Sprintf(rpcCall, id) + "\n" }, func(id string) string { return fmt.Sprintf(rpcAnswer, id) + "\n" }
	for name, tt := range map[string]struct {
		log   string
		calls []string
		rules []string // of the findings, notes in brackets
	}{
		"a last line that is cut off":      {nativeLine + "\n" + nativeLine[:40], []string{"1 s|a 1 ok/"}, []string{"2 bad-line"}},
		"no newline at the end":            {nativeLine, []string{"1 s|a 1 ok/"}, nil},
		"CRLF":                             {nativeLine + "\r\n\r\n" + nativeLine + "\r\n", []string{"1 s|a 1 ok/", "3 s|a 1 ok/"}, nil},
		"logs put together, with marks":    {"\ufeff" + nativeLine + "\n\ufeff" + nativeLine, []string{"1 s|a 1 ok/", "2 s|a 1 ok/"}, nil},
		"a byte order mark":                {"\ufeff" + nativeLine, []string{"1 s|a 1 ok/"}, nil},
		"UTF-16":                           {utf16(nativeLine + "\n"), []string{"1 s|a 1 ok/"}, nil},
		"NUL bytes":                        {nativeLine + "\n\x00\x00\x00\n" + strings.Replace(nativeLine, `"x"`, "\"\x00\"", 1), []string{"1 s|a 1 ok/"}, []string{"2 bad-line", "3 bad-line"}},
		"invalid UTF-8":                    {strings.Replace(nativeLine, `"x"`, "\"\xed\xa0\x80\"", 1), []string{"1 s|a 1 ok/"}, []string{"(1 encoding)"}},
		"a line that is too long":          {nativeLine + "\n" + strings.Repeat("x", 65<<20) + "\n" + nativeLine, []string{"1 s|a 1 ok/", "3 s|a 1 ok/"}, []string{"2 long-line"}},
		"a line of 60 MiB":                 {strings.Replace(nativeLine, `"x"`, `"`+strings.Repeat("é", 30<<20)+`"`, 1), []string{"1 s|a 1 ok/"}, nil},
		"ids that only look alike":         {call("7") + call(`"7"`) + call("7.5") + call("9007199254740993") + call("9007199254740992") + answer("9007199254740993") + answer(`"7"`) + answer("7.5"), []string{"1 log|a 7 unanswered/", "2 log|a 7 ok/", "3 log|a 7.5 ok/", "4 log|a 9007199254740993 ok/", "5 log|a 9007199254740992 unanswered/"}, nil},
		"answers out of order":             {call("1") + call("2") + answer("2") + answer("1"), []string{"1 log|a 1 ok/", "2 log|a 2 ok/"}, nil},
		"an id twice":                      {call("1") + call("1") + answer("1"), []string{"1 log|a 1 unanswered/", "2 log|a 1 ok/"}, []string{"2 duplicate-id"}},
		"an answer without a question":     {call("1") + answer("2") + answer("1"), []string{"1 log|a 1 ok/"}, []string{"2 unpaired"}},
		"an unanswered call":               {call("1"), []string{"1 log|a 1 unanswered/"}, nil},
		"a secret that isn't JSON":         {call("1") + "password=hunter2\n", []string{"1 log|a 1 unanswered/"}, []string{"2 bad-line"}},
		"a document that is cut off":       {`[{"task_id":1,"trial":0,"traj":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{}"}}]}]},` + "\n" + `{"task_id":2,"tr`, []string{"1 log/1.0|a c unanswered/"}, []string{"2 cut-off"}},
		"a document with something behind": {`[{"task_id":1,"trial":0,"traj":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{}"}}]}]}] x`, []string{"1 log/1.0|a c unanswered/"}, []string{"1 bad-record"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep, got := ingested(t, Options{}, write(t, "log.jsonl", tt.log))
			if !slices.Equal(got, tt.calls) {
				t.Errorf("calls %q, want %q", got, tt.calls)
			}
			var rules []string
			for _, f := range rep.Findings {
				rule := fmt.Sprintf("%d %s", f.Pos.Line, f.Rule)
				if f.Note {
					rule = "(" + rule + ")"
				}
				rules = append(rules, rule)
				if strings.Contains(f.Message, "hunter2") {
					t.Errorf("a line is echoed: %s", f)
				}
			}
			if !slices.Equal(rules, tt.rules) {
				t.Errorf("findings %q, want %q", rules, tt.rules)
			}
			if f := rep.Files[0]; f.Format == "native" || f.Format == "jsonrpc" {
				n := 0
				for _, k := range f.Uses {
					n += k
				}
				if n != f.Lines {
					t.Errorf("%d lines, of which %v", f.Lines, f.Uses)
				}
			}
		})
	}
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(nativeLine+"\n", 3)
	var gz, zs bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write([]byte(text))
	w.Close()
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte(text))
	z.Close()
	// Members one behind the other are one log, and what isn't one ends it.
	two := append(bytes.Clone(gz.Bytes()), gz.Bytes()...)
	damaged := bytes.Clone(two)
	damaged[len(damaged)-6] ^= 1 // of the last checksum
	for name, tt := range map[string]struct {
		log   []byte
		rules []string
	}{
		"two":        {two, nil},
		"padded":     {append(bytes.Clone(two), make([]byte, 512)...), []string{"7 cut-off"}},
		"overgrown":  {append(bytes.Clone(two), "and more of it"...), []string{"7 cut-off"}},
		"damaged":    {damaged, []string{"7 cut-off"}},
		"overgrown2": {append(bytes.Repeat(zs.Bytes(), 2), "and more of it"...), []string{"7 cut-off"}},
	} {
		rep, got := ingested(t, Options{}, write(t, name, string(tt.log)))
		var rules []string
		for _, f := range rep.Findings {
			rules = append(rules, fmt.Sprintf("%d %s", f.Pos.Line, f.Rule))
		}
		if len(got) != 6 || !slices.Equal(rules, tt.rules) {
			t.Errorf("%s: %d calls, %v", name, len(got), rep.Findings)
		}
	}
	for name, b := range map[string][]byte{"log.gz": gz.Bytes(), "log.zst": zs.Bytes()} {
		if _, got := ingested(t, Options{}, write(t, name, string(b))); len(got) != 3 {
			t.Errorf("%s: %q", name, got)
		}
		// What was compressed may have been cut off.
		r, err := Run(context.Background(), []string{write(t, name, string(b[:len(b)-5]))}, Options{From: "native"}, func(*calllog.Call) error { return nil })
		if err == nil && (len(r.Findings) != 1 || r.Findings[0].Rule != "cut-off") {
			t.Errorf("%s, cut off: %v", name, r.Findings)
		}
	}
}

// TestInputs: folders, patterns and labels.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("b/two.jsonl", fmt.Sprintf(rpcCall, "2"))
	put("a/one.jsonl", fmt.Sprintf(rpcCall, "1"))
	put("a/notes.txt", "Dear diary")
	put("a/.hidden/three.jsonl", fmt.Sprintf(rpcCall, "3"))
	put("a=b.jsonl", fmt.Sprintf(rpcCall, "4"))
	t.Chdir(dir)
	for args, want := range map[string]string{
		"a b":               "1 one|a 1 unanswered/, 1 two|a 2 unanswered/; not used: a/notes.txt",
		"*/*.jsonl":         "1 one|a 1 unanswered/, 1 two|a 2 unanswered/; not used:",
		"desk=a":            "1 desk/a/one.jsonl|a 1 unanswered/; not used: a/notes.txt",
		"desk=a/one.jsonl":  "1 desk|a 1 unanswered/; not used:",
		"a=b.jsonl":         "1 a=b|a 4 unanswered/; not used:",
		"b b/two.jsonl":     "1 two|a 2 unanswered/; not used: b/two.jsonl",
		". ./a/one.jsonl":   "1 a/one.jsonl|a 1 unanswered/, 1 a=b|a 4 unanswered/, 1 two|a 2 unanswered/; not used: ./a/one.jsonl a/notes.txt",
		"a/notes.txt b":     "1 two|a 2 unanswered/; not used: a/notes.txt",
		"b/two.jsonl a/one": "",
	} {
		var calls, skipped []string
		rep, err := Run(context.Background(), strings.Fields(args), Options{}, func(c *calllog.Call) error {
			calls = append(calls, strings.TrimSpace(fmt.Sprintf("%d %s|%s %s %s/%s", c.Pos.Line, c.Session, c.Tool, c.ID, c.Outcome, c.Cause)))
			return nil
		})
		for _, s := range rep.Skipped {
			skipped = append(skipped, s.File)
		}
		slices.Sort(skipped)
		got := strings.TrimSpace(strings.Join(calls, ", ") + "; not used: " + strings.Join(skipped, " "))
		if (err != nil) != (want == "") || want != "" && got != want {
			t.Errorf("%s: %s (%v), want %s", args, got, err, want)
		}
	}
}

// TestIdentity: a call counts once, however often its log is read.
func TestIdentity(t *testing.T) {
	line := func(sec int, tool string) string {
		return fmt.Sprintf(`{"ts":"2026-01-01T00:00:%02dZ","session":"s","tool":%q,"args":{},"is_error":false,"result_text":"x"}`+"\n", sec, tool)
	}
	twice := line(1, "a") + line(1, "a") + line(2, "b")
	grown := line(1, "a") + line(1, "a") + line(1, "a") + line(2, "b") + line(3, "c")
	untimed := `{"tool":"a","args":{},"is_error":false,"result_text":"` + strings.Repeat("x", 300) + `"}` + "\n"
	claude := `{"type":"assistant","uuid":"u","sessionId":"%s","message":{"content":[{"type":"tool_use","id":"toolu_01AAAAAAAAAAAAAAAAAA","name":"Ls","input":{}}]}}` + "\n"
	router := `{"type":"assistant","uuid":"00000000-0000-4000-8000-00000000000%[2]s","sessionId":"%[1]s","timestamp":"2026-01-01T00:00:0%[2]sZ","message":{"content":[{"type":"tool_use","id":"call_0","name":"Ls","input":{}}]}}
{"type":"user","uuid":"10000000-0000-4000-8000-00000000000%[2]s","sessionId":"%[1]s","timestamp":"2026-01-01T00:00:0%[2]sZ","message":{"content":[{"type":"tool_result","tool_use_id":"call_0","content":"x"}]}}
`
	for name, tt := range map[string]struct {
		files  []string
		calls  int
		copies int
	}{
		"alike calls of one file are several":  {[]string{twice}, 3, 0},
		"the same file":                        {[]string{twice, twice}, 3, 0},
		"a file that grew":                     {[]string{twice, twice + line(5, "z")}, 4, 0},
		"files that overlap":                   {[]string{grown, line(0, "y") + twice}, 6, 3},
		"calls without times of two runs":      {[]string{untimed, untimed + untimed + " "}, 2, 0},
		"alike calls without times":            {[]string{untimed + " \n", " \n" + untimed}, 2, 0},
		"a session that was resumed elsewhere": {[]string{fmt.Sprintf(claude, "one"), fmt.Sprintf(claude, "two")}, 1, 1},
		"a log that was read while a call ran": {[]string{
			`{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{"x": 1}}` + "\n" + line(1, "z"),
			line(9, "y") + `{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{"x":1},"is_error":true,"result_text":"no"}` + "\n"}, 3, 0},
		"an answered call and its copy without": {[]string{
			`{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{"x": 1},"is_error":false,"result_text":"y"}` + "\n" + line(1, "z"),
			line(9, "y") + `{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{"x":1}}` + "\n"}, 3, 1},
		"parallel workers whose answers differ": {[]string{
			`{"ts":"2026-01-01T00:00:01Z","session":"s","server":"east","call_id":"1","tool":"a","args":{},"is_error":false,"result_text":"e"}` + "\n",
			`{"ts":"2026-01-01T00:00:01Z","session":"s","server":"west","call_id":"1","tool":"a","args":{},"is_error":false,"result_text":"w"}` + "\n"}, 2, 0},
		"an id that is used twice at one time": {[]string{
			`{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{}}` + "\n" + `{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{},"is_error":false,"result_text":"x"}` + "\n",
			line(9, "y")}, 3, 0},
		"alike calls without answers": {[]string{
			strings.Repeat(`{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{}}`+"\n", 2), line(9, "y")}, 3, 0},
		"a session that a router's ids leave alike": {[]string{
			fmt.Sprintf(router, "S1", "1") + fmt.Sprintf(router, "S1", "2"), fmt.Sprintf(router, "S2", "1") + fmt.Sprintf(router, "S2", "2") + fmt.Sprintf(router, "S2", "3")}, 3, 2},
		"a call that is never answered": {[]string{
			`{"ts":"2026-01-01T00:00:01Z","session":"s","call_id":"1","tool":"a","args":{}}` + "\n", line(9, "y"), line(8, "y")}, 3, 0},
		"a copy of a session's line in one file": {[]string{fmt.Sprintf(claude, "one") + fmt.Sprintf(claude, "one")}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var paths []string
			for i, text := range tt.files {
				paths = append(paths, write(t, fmt.Sprintf("log%d.jsonl", i), text))
			}
			rep, got := ingested(t, Options{}, paths...)
			if len(got) != tt.calls || rep.Copies != tt.copies {
				t.Errorf("%d calls and %d copies, want %d and %d", len(got), rep.Copies, tt.calls, tt.copies)
			}
		})
	}
}

// TestSchemas: an unclear refusal is the arguments' fault if these don't fit the
// schema that the log lists.
func TestSchemas(t *testing.T) {
	list := `{"jsonrpc":"2.0","id":0,"method":"tools/list"}
{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}},{"name":"odd","inputSchema":{"$ref":"http://elsewhere/x"}}]}}
`
	call := func(id int, tool, args string, failed bool) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}
{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"no"}],"isError":%v}}
`, id, tool, args, id, failed)
	}
	_, got := ingested(t, Options{}, write(t, "log.jsonl", list+call(1, "a", `{}`, true)+call(2, "a", `{"n":0}`, true)+call(3, "a", `{"n":1}`, true)+
		call(4, "a", `{"n":"x"}`, false)+call(5, "odd", `{}`, true)+call(6, "a", `{"n":1,"m":2}`, true)))
	want := []string{"3 log|a 1 rejected/argument", "5 log|a 2 rejected/argument", "7 log|a 3 rejected/unclear", "9 log|a 4 ok/", "11 log|odd 5 rejected/unclear", "13 log|a 6 rejected/argument"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sharedCounts is what ../shared/data/README.md counted, file by file, and where
// ours differs why.
var sharedCounts = []struct {
	file                     string
	calls, failed, unanswers int
}{
	{"tau_bench/sierra_gpt-4o-airline.json", 1164, 73, 0},
	{"tau_bench/avaljotsingh_retail_tool-calling_0-100.json", 793, 34, 0},
	{"tau2/silasblume_toolorchestra_airline_gpt-5_1trial.json", 581, 6, 0},
	{"claude_code/dkimuson_1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl", 12, 1, 0},
	{"claude_code/dkimuson_5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl", 21, 3, 0},
	{"claude_code/dkimuson_fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl", 167, 23, 0},
	{"claude_code/simonw_sample_session.jsonl", 2, 0, 0},
	{"mcp_jsonrpc/mcpspy_stdio.jsonl", 4, 1, 0},
	{"mcp_jsonrpc/devhelmhq_mcp-recorder_mock_session.json", 4, 0, 0},
	{"mcp_jsonrpc_npm/everything.bare.jsonl", 11, 3, 1},
	{"mcp_jsonrpc_npm/everything.mcptape.jsonl", 11, 3, 1},
	{"mcp_jsonrpc_npm/filesystem.bare.jsonl", 18, 10, 0},
	{"mcp_jsonrpc_npm/filesystem.mcptape.jsonl", 18, 10, 0},
	{"mcp_jsonrpc_npm/memory.bare.jsonl", 9, 3, 0},
	{"mcp_jsonrpc_npm/memory.mcptape.jsonl", 9, 3, 0},
	// Counted as 9 in all with one of these as 3: three spans of one call, its
	// start, success and finish. docs/formats.md says more.
	{"langfuse/langfuse_beeai-2025-08-01.trace.json", 1, 0, 0},
	{"langfuse/langfuse_claude-agent-2025-12-22.trace.json", 2, 0, 0},
	{"langfuse/langfuse_openai-agents-2025-09-30.trace.json", 1, 0, 0},
	{"langfuse/langfuse_pydantic-ai-tools-2025-12-04.trace.json", 3, 0, 0},
	{"inspect/inspect_browser.json", 4, 0, 0},
	{"inspect/inspect_log_tool_call_error.json", 0, 0, 0},
	{"otlp/dazzaji_test-traces.json", 0, 0, 0},
}

func TestSharedLogs(t *testing.T) {
	const dir = "../../shared/data/logs/"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no shared data: %v", err)
	}
	for _, want := range sharedCounts {
		rep, err := Run(context.Background(), []string{dir + want.file}, Options{}, func(*calllog.Call) error { return nil })
		if err != nil && want.calls > 0 {
			t.Errorf("%s: %v", want.file, err)
			continue
		}
		o := rep.Outcomes
		failed := o[calllog.Rejected] + o[calllog.Error] + o[calllog.Transport] + o[calllog.Denied]
		if rep.Calls != want.calls || failed != want.failed || o[calllog.Unanswered] != want.unanswers {
			t.Errorf("%s: %d calls, %d failed, %d unanswered; want %d, %d, %d", want.file, rep.Calls, failed, o[calllog.Unanswered], want.calls, want.failed, want.unanswers)
		}
		if strings.HasPrefix(want.file, "inspect/inspect_log") && len(rep.Findings) != 11 {
			t.Errorf("%s: %d findings, want the 11 answers without calls", want.file, len(rep.Findings))
		}
	}
	if len(format.Formats) < 20 {
		t.Errorf("%d formats", len(format.Formats))
	}
}
