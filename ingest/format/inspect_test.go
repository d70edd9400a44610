package format

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"mcpg/calllog"
)

// inspectRead reads a log from r, which may be readable anywhere.
func inspectRead(t *testing.T, f *Format, r io.Reader) (*Input, []*Record) {
	t.Helper()
	var recs []*Record
	in := &Input{Ctx: context.Background(), File: "log", Scope: "scope", R: r, Emit: func(r *Record) error {
		recs = append(recs, r)
		return nil
	}}
	if err := f.Read(in); err != nil {
		t.Fatal(err)
	}
	return in, recs
}

func inspectShort(recs []*Record) []string {
	var out []string
	for _, r := range recs {
		c := r.Call
		out = append(out, fmt.Sprintf("%s %s %s %s %s %q %s", c.Pos, c.ID, c.Tool, string(c.Args), c.Outcome, c.ResultText, r.Evidence.Kind))
	}
	return out
}

func inspectRules(in *Input) []string {
	var out []string
	for _, f := range in.Findings {
		out = append(out, fmt.Sprintf("%s %s %v", f.Pos, f.Rule, f.Note))
	}
	return out
}

const (
	inspectEval    = `{"run_id":"R","task":"t","created":"2026-01-01T00:00:00+00:00"}`
	inspectSample1 = `{
"id": 1, "epoch": 2,
"messages": [
 {"role":"user","content":"go"},
 {"role":"assistant","content":"","tool_calls":[{"id":"c1","function":"open","arguments":{"door":"attachment://a2","n":9007199254740993}},{"id":"c2","function":"shut","arguments":{}}]},
 {"role":"tool","tool_call_id":"c2","function":"shut","content":"it is locked","error":{"type":"permission","message":"not allowed"}},
 {"role":"tool","tool_call_id":"c1","function":"open","content":"attachment://a1","error":null},
 {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","tool_type":"mcp_call","id":"h1","name":"find","context":"srv","arguments":"{\"q\": 1}","result":"found"},{"type":"tool_use","id":"h2","name":"find","arguments":"{}","result":"","error":"down"}],
  "tool_calls":[{"id":"c1","function":"open","arguments":{}}]},
 {"role":"tool","tool_call_id":"c1","function":"open","content":[{"type":"text","text":"attachment://a2"},{"type":"image","image":"attachment://a1"},{"type":"text","text":"attachment://none"}]},
 {"role":"tool","tool_call_id":"zz","content":"?"},
 3
],
"attachments": {"a1":"opened","a2":"front \"door\""},
"events": [
 {"event":"model","tools":[{"name":"open","parameters":{"type":"object"}},{"name":"open","parameters":{}},{"name":"bare"}]},
 {"event":"tool","id":"c1","function":"open","timestamp":"2026-01-01T00:00:01+00:00","completed":"2026-01-01T00:00:03.5+00:00","result":"opened"},
 {"event":"tool","id":"c2","function":"shut","timestamp":"2026-01-01T00:00:02+00:00","completed":null,"error":{"type":"permission","message":"m"}},
 {"event":"tool","id":"c1","function":"open","timestamp":"2026-01-01T00:00:09+00:00","completed":"2026-01-01T00:00:10+00:00"},
 {"event":"tool","id":"sub","function":"x"}
]}`
	inspectSample2 = `{"id":"s/2","epoch":1,"messages":[{"role":"user","content":"go"}],"events":[
{"event":"tool","id":"e1","function":"run","arguments":{"a":1},"result":["x",2],"timestamp":"2026-01-01T00:00:01Z","completed":"2026-01-01T00:00:02Z"},
{"event":"tool","id":"e2","function":"run","arguments":{},"result":"","error":{"type":"timeout","message":"too slow"},"timestamp":"2026-01-01T00:00:03Z"},
{"event":"tool","id":"e3","function":"run","arguments":{},"pending":true,"result":null},
{"event":"tool","function":"run","result":"anonymous"},
{"event":"tool","id":"e5"}]}`
)

func inspectDoc(samples ...string) string {
	return `{"version":2,"status":"success","eval":` + inspectEval + `,"plan":{},"samples":[` + strings.Join(samples, ",") + `],"reductions":[]}`
}

func TestInspect(t *testing.T) {
	text := inspectDoc(inspectSample1, inspectSample2, `{"id":3,"epoch":1,"messages":[]}`, `{"id":4}`, `5`)
	if f, err := Detect([]byte(text[:120]), "log"); err != nil || f != &inspectFormat {
		t.Fatalf("detected %v, %v", f, err)
	}
	in, recs := inspectRead(t, &inspectFormat, strings.NewReader(text))
	want := []string{
		`log:5 c1 open {"door":"front \"door\"","n":9007199254740993} ok "opened" `,
		`log:5 c2 shut {} rejected "not allowed\nit is locked" permission`,
		`log:8 h1 find {"q": 1} ok "found" `,
		`log:8 h2 find {} rejected "down" `,
		`log:8 c1 open {} ok "front \"door\"\n[image]\nattachment://none" `,
		`log:20 sub x  unanswered "" `,
		`log:22 e1 run {"a":1} ok "x\n2" `,
		`log:23 e2 run {} rejected "too slow" timeout`,
		`log:24 e3 run {} unanswered "" `,
		`log:25 R/s/2/1/3 run  ok "anonymous" `,
	}
	if got := inspectShort(recs); !reflect.DeepEqual(got, want) {
		t.Errorf("calls\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"log:11 unpaired false", "log:12 bad-record false", "log:26 bad-record false", "log:26 bad-record false", "log:26 bad-record false"}; !reflect.DeepEqual(inspectRules(in), want) {
		t.Errorf("findings %q", inspectRules(in))
	}
	if want := map[string]int{Used: 10, "other messages": 2, Faulty: 5, "samples without messages": 1}; !reflect.DeepEqual(in.Uses, want) || in.Silent != 1 || in.NoArgs != 2 || in.Lines != 26 {
		t.Errorf("uses %v, %d silent, %d without arguments, %d lines", in.Uses, in.Silent, in.NoArgs, in.Lines)
	}
	at := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	first, again, fromEvent := recs[0], recs[4], recs[6]
	if c := first.Call; c.Time != at || c.Latency != 2500*time.Millisecond || c.Session != "R/1/2" {
		t.Errorf("first call %+v", c)
	}
	if first.Tool == nil || string(first.Tool.Input) != `{"type":"object"}` || recs[1].Tool != nil {
		t.Errorf("tools %+v %+v", first.Tool, recs[1].Tool)
	}
	if first.Key != "inspect\x00R\x001\x002\x00c1" || again.Key != first.Key+"\x001" || again.Call.Time != at.Add(8*time.Second) || again.Call.Latency != time.Second {
		t.Errorf("keys %q %q, time %v", first.Key, again.Key, again.Call.Time)
	}
	if c := recs[1].Call; c.ErrorText != c.ResultText || c.Latency != 0 || c.Time != at.Add(time.Second) {
		t.Errorf("failure %+v", c)
	}
	if recs[2].Call.Server != "srv" || fromEvent.Call.Latency != time.Second || fromEvent.Call.Session != "R/s/2/1" {
		t.Errorf("%+v %+v", recs[2].Call, fromEvent.Call)
	}
}

func TestInspectOddLogs(t *testing.T) {
	for _, c := range []struct {
		text  string
		calls int
		rules []string
	}{
		{`{"version":2,"eval":{},"samples":{}}`, 0, []string{"log:1 bad-record false"}},
		{`{"version":2,"eval":{},"samples":null}`, 0, nil},
		{`{"version":2,"eval":{}}`, 0, nil},
		{inspectDoc(inspectSample2)[:500], 0, []string{"log:3 cut-off false"}},
		{inspectDoc(inspectSample2) + inspectDoc(inspectSample2), 8, []string{"log:6 bad-record false", "log:11 bad-record false"}},
		{inspectDoc(`{"id":1,"epoch":1,"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":"f","arguments":{}}]},{"role":"tool","tool_call_id":"a","content":null,"error":"plain"}]}`), 1, nil},
		{inspectDoc(`{"id":1,"epoch":1,"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":"f","arguments":{}}]}],"events":[{"event":"tool","id":"a","result":"late","completed":"x"}]}`), 1, nil},
	} {
		in, recs := inspectRead(t, &inspectFormat, strings.NewReader(c.text))
		if len(recs) != c.calls || !reflect.DeepEqual(inspectRules(in), c.rules) {
			t.Errorf("%s: %d calls, findings %q", c.text, len(recs), inspectRules(in))
		}
		for _, r := range recs {
			if r.Call.ResultText == "plain" && (r.Call.Outcome != calllog.Rejected || r.Evidence.Kind != "") || r.Call.ID == "a" && r.Call.Outcome == calllog.Unanswered {
				t.Errorf("%+v", r.Call)
			}
		}
	}
	for _, s := range []string{``, `[]`, `{"version":2}`, `{"eval":{"task":"x"}}`, `{"version":2,"eval":3}`, `{"version":1,"eval":{"x":1}}`} {
		if ok, why := detectInspect(newHead([]byte(s))); ok || why == "" {
			t.Errorf("%q is taken for Inspect", s)
		}
	}
}

// An attachment that is mentioned again and again doesn't fill the memory.
func TestInspectAttachmentBudget(t *testing.T) {
	s := &inspectSession{attachments: map[string]jsontext.Value{"a": []byte(`"12345678"`)}, budget: 25}
	for i, want := range []string{"12345678", "12345678", "attachment://a"} {
		if got := s.attached("attachment://a"); got != want {
			t.Errorf("%d: %q", i, got)
		}
	}
}

type evalFile struct{ name, text string }

// evalZip writes a zip file.
func evalZip(t testing.TB, method uint16, files ...evalFile) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, f := range files {
		m, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(m, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func evalLog() []evalFile {
	return []evalFile{
		{"_journal/start.json", `{"version":2,"eval":` + inspectEval + `}`},
		{"_journal/summaries/1.json", `[]`},
		{"samples/", ``},
		{"samples/1_epoch_2.json", `{"id":1,"epoch":2,"messages":[]}`},
		{"samples/1_epoch_2.json", inspectSample1},
		{"samples/2_epoch_1.json", inspectSample2},
		{"../../samples/evil.json", `{}`},
		{"header.json", `{"version":2,"status":"success","eval":` + inspectEval + `}`},
	}
}

// The same samples, in a document and in a zip file, are the same calls.
func TestEval(t *testing.T) {
	_, doc := inspectRead(t, &inspectFormat, strings.NewReader(inspectDoc(inspectSample1, inspectSample2)))
	for _, method := range []uint16{zip.Store, zip.Deflate, zstd.ZipMethodWinZip} {
		b := evalZip(t, method, evalLog()...)
		if f, err := Detect(b[:100], "log"); err != nil || f != &evalFormat {
			t.Fatalf("detected %v, %v", f, err)
		}
		for _, r := range []io.Reader{bytes.NewReader(b), io.MultiReader(bytes.NewReader(b))} {
			in, recs := inspectRead(t, &evalFormat, r)
			if len(recs) != len(doc) {
				t.Fatalf("%d calls, want %d; %v", len(recs), len(doc), in.Findings)
			}
			for i, r := range recs {
				a, b := *r.Call, *doc[i].Call
				a.Pos = b.Pos
				if r.Key != doc[i].Key || !reflect.DeepEqual(a, b) {
					t.Errorf("call %d: %+v, want %+v", i, a, b)
				}
			}
			if p := recs[0].Call.Pos.String(); p != "log/samples/1_epoch_2.json:5" {
				t.Errorf("position %s", p)
			}
			if in.File != "log" || in.Lines != 0 || in.Uses["replaced samples"] != 1 || in.Uses["other files"] != 4 || in.Uses[Used] != 10 || in.Uses[Faulty] != 3 {
				t.Errorf("%s: %v, %d lines", in.File, in.Uses, in.Lines)
			}
		}
	}
}

func TestEvalFaults(t *testing.T) {
	whole := evalZip(t, zip.Store, evalLog()...)
	broken := bytes.Replace(whole, []byte(`"content":"it is locked"`), []byte(`"content":"it is LOCKED"`), 1)
	for _, c := range []struct {
		name  string
		b     []byte
		calls int
		rules []string
	}{
		{"cut off", whole[:len(whole)/2], 0, []string{"log bad-record false"}},
		{"no samples", evalZip(t, zip.Store, evalFile{"word/document.xml", "x"}), 0, []string{"log bad-record false"}},
		{"no header", evalZip(t, zip.Store, evalFile{"samples/x.json", inspectSample2}), 4, []string{"log/samples/x.json:6 bad-record false"}},
		{"start only", evalZip(t, zip.Store, evalLog()[0]), 0, nil},
		{"broken header", evalZip(t, zip.Store, evalFile{"header.json", "{"}, evalLog()[0]), 0, nil},
		{"no JSON", evalZip(t, zip.Store, evalFile{"samples/a\nb.json", "{"}), 0, []string{"log/samples/#1:1 bad-record false"}},
		{"checksum", broken, 4, []string{"log/samples/1_epoch_2.json bad-record false", "log/samples/2_epoch_1.json:6 bad-record false"}},
	} {
		in, recs := inspectRead(t, &evalFormat, bytes.NewReader(c.b))
		if len(recs) != c.calls || !reflect.DeepEqual(inspectRules(in), c.rules) {
			t.Errorf("%s: %d calls, findings %v", c.name, len(recs), in.Findings)
		}
	}
}

// A broken zip file may point before its own beginning.
func TestEvalNegativeOffset(t *testing.T) {
	w := watchedReader{r: bytes.NewReader([]byte("x"))}
	if _, err := w.ReadAt(make([]byte, 1), -1); err == nil || w.err != nil {
		t.Errorf("%v, %v", err, w.err)
	}
}

type failingReaderAt struct {
	*bytes.Reader
	err error
}

func (f failingReaderAt) ReadAt(p []byte, off int64) (int, error) { return 0, f.err }

// An error of the input is no fault of the log; and no temporary file is left.
func TestEvalInputErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	own := errors.New("disk gone")
	b := evalZip(t, zip.Deflate, evalLog()...)
	for _, r := range []io.Reader{failingReaderAt{bytes.NewReader(b), own}, io.MultiReader(bytes.NewReader(b[:50]), failingReader{own})} {
		in := &Input{Ctx: context.Background(), R: r, Emit: func(*Record) error { return nil }}
		if err := evalFormat.Read(in); !errors.Is(err, own) {
			t.Errorf("error %v", err)
		}
	}
	stop, cancel := context.WithCancel(context.Background())
	in := &Input{Ctx: stop, R: io.MultiReader(bytes.NewReader(b)), Emit: func(*Record) error { cancel(); return nil }}
	if err := evalFormat.Read(in); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestInspectRealFiles(t *testing.T) {
	for _, c := range []struct {
		name             string
		calls, unpaired  int
		timed, withTools int
	}{{"inspect_log_tool_call_error.json", 0, 11, 0, 0}, {"inspect_browser.json", 4, 0, 4, 4}} {
		path := filepath.Join("../../../shared/data/logs/inspect", c.name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Skip("no real logs here: ", err)
		}
		if f, err := Detect(b[:min(len(b), 8<<10)], c.name); err != nil || f != &inspectFormat {
			t.Errorf("%s: %v", c.name, err)
		}
		in, recs := inspectRead(t, &inspectFormat, bytes.NewReader(b))
		unpaired, timed, tools := 0, 0, 0
		for _, f := range in.Findings {
			if f.Rule == "unpaired" {
				unpaired++
			}
		}
		for _, r := range recs {
			if !r.Call.Time.IsZero() && r.Call.Latency > 0 {
				timed++
			}
			if r.Tool != nil {
				tools++
			}
			if strings.Contains(r.Call.ResultText, attachment) || r.Call.Outcome != calllog.OK {
				t.Errorf("%s: %s %.80q", c.name, r.Call.Outcome, r.Call.ResultText)
			}
		}
		if len(recs) != c.calls || unpaired != c.unpaired || timed != c.timed || tools != c.withTools || len(in.Findings) != unpaired {
			t.Errorf("%s: %d calls, %d timed, %d with tools, findings %v", c.name, len(recs), timed, tools, in.Findings)
		}
		t.Logf("%s: %d calls, uses %v, %d lines, %d silent", c.name, len(recs), in.Uses, in.Lines, in.Silent)
	}
}

// inspectFuzz reads anything: it ends without an error, and what it hands on is
// no more than a few times what it read.
func inspectFuzz(t *testing.T, f *Format, r io.Reader) *Input {
	in := &Input{Ctx: context.Background(), R: r}
	faults := 0
	in.Emit = func(r *Record) error {
		if r.Call.Args != nil && !r.Call.Args.IsValid(lenient...) {
			t.Errorf("%q is no JSON", r.Call.Args)
		}
		return nil
	}
	if err := f.Read(in); err != nil {
		t.Fatal(err)
	}
	for _, f := range in.Findings {
		if !f.Note {
			faults++
		}
	}
	if faults > 0 && in.Uses[Faulty] == 0 {
		t.Errorf("findings %v, uses %v", in.Findings, in.Uses)
	}
	return in
}

func FuzzInspect(f *testing.F) {
	f.Add(inspectDoc(inspectSample1, inspectSample2))
	f.Add(inspectDoc(`{"messages":[{"role":"tool","content":"x"}]}`, `3`))
	f.Add(`{"samples":[{"events":[{"event":"tool","id":1,"function":"f","arguments":"{'a': 1}"}]}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		in := inspectFuzz(t, &inspectFormat, strings.NewReader(s))
		// Of a sound log with one list of samples, each counts at least once.
		o, err := parseObject([]byte(s))
		if err != nil {
			return
		}
		samples, n := 0, 0
		for _, m := range o {
			if m.name == "samples" {
				samples += len(elements(m.value))
			}
		}
		for _, k := range in.Uses {
			n += k
		}
		if n < samples {
			t.Errorf("%d samples, uses %v", samples, in.Uses)
		}
	})
}

func FuzzEval(f *testing.F) {
	f.Add(evalZip(f, zip.Store, evalLog()...))
	f.Add(evalZip(f, zip.Deflate, evalLog()...))
	f.Add(evalZip(f, zstd.ZipMethodWinZip, evalLog()[3], evalLog()[5]))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := inspectFuzz(t, &evalFormat, bytes.NewReader(b))
		zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		files, n := 0, 0
		for _, f := range zr.File {
			if !strings.HasSuffix(f.Name, "/") {
				files++
			}
		}
		for _, k := range in.Uses {
			n += k
		}
		if n < files {
			t.Errorf("%d files, uses %v", files, in.Uses)
		}
	})
}
