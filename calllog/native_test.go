package calllog

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/diag"
)

func readAll(t *testing.T, in []byte) ([]*Call, []diag.Finding) {
	t.Helper()
	r := NewReader(bytes.NewReader(in), "log")
	var calls []*Call
	for r.Scan() {
		calls = append(calls, r.Call())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return calls, r.Findings()
}

func TestReaderKeepsGoing(t *testing.T) {
	in := strings.Join([]string{
		"\ufeff" + `{"tool":"a","is_error":false,"result_text":"x","own":[1, 2]}`,
		``,
		`not json`,
		`{"tool":"b","is_error":true,"result_text":"no such thing"}` + "\r",
		`{"tool":"c","args":{"n":9007199254740993}}`,
		`[1]`,
		`{"is_error":false}`,
		`{"tool":"d","is_error":"yes"}`,
		`{"tool":"e","is_error":false,"result_text":"` + "\xff" + `"}`,
		`{"tool":"f","is_error":fal`,
	}, "\n")
	calls, findings := readAll(t, []byte(in))
	var got []string
	for _, c := range calls {
		got = append(got, fmt.Sprintf("%s %s %s %s", c.Pos, c.Tool, c.Outcome, c.Cause))
	}
	want := []string{"log:1 a ok ", "log:4 b rejected unclear", "log:5 c unanswered ", "log:9 e ok "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if s := string(calls[0].Extra); s != `{"own":[1, 2]}` {
		t.Errorf("extra %s", s)
	}
	if s := string(calls[2].Args); s != `{"n":9007199254740993}` {
		t.Errorf("args %s", s)
	}
	var rules []string
	for _, f := range findings {
		rules = append(rules, fmt.Sprintf("%d %s", f.Pos.Line, f.Rule))
	}
	wantRules := []string{"3 bad-line", "6 bad-line", "7 bad-line", "8 bad-line", "9 encoding", "10 bad-line"}
	if !reflect.DeepEqual(rules, wantRules) {
		t.Errorf("findings %q, want %q", rules, wantRules)
	}
}

func TestLongLines(t *testing.T) {
	long := `{"tool":"a","result_text":"` + strings.Repeat("é", 3<<20) + `"}`
	calls, findings := readAll(t, []byte(long+"\n"+long))
	if len(calls) != 2 || len(findings) != 0 {
		t.Fatalf("%d calls, %v", len(calls), findings)
	}
}

func TestGzipAndUTF16(t *testing.T) {
	var gz bytes.Buffer
	zw := gzip.NewWriter(&gz)
	fmt.Fprintln(zw, `{"tool":"a","is_error":false}`)
	zw.Close()
	wide := []byte{0xff, 0xfe}
	for _, r := range `{"tool":"a","is_error":false}` {
		wide = append(wide, byte(r), 0)
	}
	for name, in := range map[string][]byte{"gzip": gz.Bytes(), "utf-16": wide} {
		if calls, f := readAll(t, in); len(calls) != 1 || len(f) != 0 {
			t.Errorf("%s: %d calls, %v", name, len(calls), f)
		}
	}
	r := NewReader(bytes.NewReader(gz.Bytes()[:gz.Len()-12]), "cut.gz")
	for r.Scan() {
	}
	if f := r.Findings(); r.Err() != nil || len(f) != 1 || f[0].Rule != "cut-off" {
		t.Errorf("a cut gzip file: %v, %v", f, r.Err())
	}
}

func TestWriterRoundTrip(t *testing.T) {
	in := &Call{
		ID: "7", Time: time.Date(2026, 1, 5, 9, 0, 6, 71e6, time.UTC), Session: "s", Server: "v", Tool: "t", Resource: "file:/a b",
		Args: jsontext.Value(`{"a":"\u2028","b":1e400}`), Outcome: Rejected, Cause: StateCause, ErrorText: "no", ResultText: "no",
		Before: jsontext.Value(`{"x":null}`), After: jsontext.Value(`{}`), StateSource: Reconstructed, StateAge: time.Second,
		StateCalls: 3, StateDirty: true, Latency: time.Millisecond, Fingerprint: "f", Extra: jsontext.Value(`{"z":{"y":1}}`),
	}
	unanswered := &Call{ID: "8", Tool: "t", Outcome: Unanswered}
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, c := range []*Call{in, unanswered} {
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	calls, findings := readAll(t, b.Bytes())
	if len(findings) > 0 || len(calls) != 2 {
		t.Fatal(findings)
	}
	for i, want := range []*Call{in, unanswered} {
		got := *calls[i]
		got.Pos = diag.Pos{}
		if !reflect.DeepEqual(&got, want) {
			t.Errorf("got %+v\nwant %+v", got, *want)
		}
	}
}

func TestOutcomeNames(t *testing.T) {
	for _, o := range Outcomes() {
		if p, err := ParseOutcome(o.String()); err != nil || p != o {
			t.Error(o, p, err)
		}
	}
	for _, c := range Causes() {
		if p, err := ParseCause(c.String()); err != nil || p != c {
			t.Error(c, p, err)
		}
	}
	if _, err := ParseOutcome("fine"); err == nil {
		t.Error("an unknown outcome was taken")
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"tool":"a","is_error":true,"result_text":"x","before":{},"k":1}`))
	f.Add([]byte("{\"tool\":1,\"ts\":1e99}\n\n{"))
	f.Add([]byte{0x1f, 0x8b, 8})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in), "f")
		var b bytes.Buffer
		w := NewWriter(&b)
		n := 0
		for r.Scan() {
			n++
			if err := w.Write(r.Call()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		again := NewReader(&b, "g")
		m := 0
		for again.Scan() {
			m++
		}
		if m != n || again.Err() != nil || len(again.Findings()) > 0 {
			t.Fatalf("%d calls written, %d read back: %v %v", n, m, again.Err(), again.Findings())
		}
	})
}

func TestExternalLogs(t *testing.T) {
	const path = "../../shared/data/external/bfcl_ticket.jsonl.gz"
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("no shared data: %v", err)
	}
	defer f.Close()
	r := NewReader(f, path)
	n, rejected := 0, 0
	for r.Scan() {
		n++
		if r.Call().Outcome == Rejected {
			rejected++
		}
	}
	if r.Err() != nil || len(r.Findings()) > 0 || n != 20000 || rejected == 0 {
		t.Fatalf("%d calls, %d rejected, %v, %v", n, rejected, r.Err(), r.Findings())
	}
}
