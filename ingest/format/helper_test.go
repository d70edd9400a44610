package format

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mcpg/calllog"
	"mcpg/internal/input"
)

// reading is everything that a reader said of a text.
func reading(t *testing.T, f *Format, text string) (*Input, []*Record) {
	t.Helper()
	plain, err := input.Plain(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var records []*Record
	in := &Input{Ctx: context.Background(), File: "log", Scope: "log", R: bufio.NewReader(plain)}
	in.Emit = func(r *Record) error {
		records = append(records, r)
		return nil
	}
	if err := f.Read(in); err != nil {
		t.Fatal(err)
	}
	return in, records
}

// show writes what a reader said: a line a call, then findings, then what the
// lines were.
func show(t *testing.T, f *Format, text string) string {
	t.Helper()
	head := []byte(text[:min(len(text), 256<<10)])
	if got, err := Detect(head, "log"); err != nil || got != f {
		t.Errorf("detection: %v, %v", got, err)
	}
	in, records := reading(t, f, text)
	var b strings.Builder
	for _, r := range records {
		b.WriteString(showCall(r) + "\n")
	}
	for _, f := range in.Findings {
		b.WriteString(f.String() + "\n")
	}
	var uses []string
	for _, k := range slices.Sorted(maps.Keys(in.Uses)) {
		if in.Uses[k] > 0 {
			uses = append(uses, fmt.Sprintf("%d %s", in.Uses[k], k))
		}
	}
	b.WriteString(strings.Join(uses, ", "))
	if in.Silent > 0 {
		fmt.Fprintf(&b, "; %d silent", in.Silent)
	}
	return b.String()
}

func showCall(r *Record) string {
	c := r.Call
	s := fmt.Sprintf("%d %s|%s|%s %s %s", c.Pos.Line, c.Session, c.Server, c.Tool, c.ID, c.Args)
	switch {
	case c.Outcome == calllog.OK && r.Evidence.Words:
		s += " words"
	case c.Outcome == calllog.Rejected:
		s += " failed"
	default:
		s += " " + c.Outcome.String()
	}
	if r.Evidence.Code != 0 {
		s += fmt.Sprintf(" code=%d", r.Evidence.Code)
	}
	if r.Evidence.Kind != "" {
		s += " kind=" + r.Evidence.Kind
	}
	s += fmt.Sprintf(" %q", c.ResultText)
	if c.ErrorText != "" && c.ErrorText != c.ResultText {
		s += fmt.Sprintf(" error=%q", c.ErrorText)
	}
	if c.Result != nil {
		s += " result=" + string(c.Result)
	}
	if !c.Time.IsZero() {
		s += " @" + c.Time.Format("15:04:05.999")
	}
	if c.Latency > 0 {
		s += " took=" + c.Latency.String()
	}
	if r.Tool != nil {
		s += " tool=" + r.Tool.Fingerprint
	}
	return s
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// accounted fails a fuzz run in which a line is neither a call or part of one,
// nor noise, nor a finding.
func accounted(t *testing.T, f *Format, text string) {
	t.Helper()
	plain, err := input.Plain(strings.NewReader(text))
	if err != nil {
		return
	}
	in := &Input{Ctx: context.Background(), File: "log", Scope: "log", R: plain}
	n := 0
	in.Emit = func(r *Record) error {
		n++
		if r.Call.Tool == "" {
			t.Fatalf("a call without a tool: %+v", r.Call)
		}
		for _, v := range [][]byte{r.Call.Args, r.Call.Result, r.Call.Before, r.Call.After, r.Call.Extra} {
			if v != nil && !valid(v) {
				t.Fatalf("broken JSON in a call: %q", v)
			}
		}
		return nil
	}
	if err := f.Read(in); err != nil {
		return
	}
	total := 0
	for _, k := range in.Uses {
		total += k
	}
	if f.lines && total != in.Lines {
		t.Fatalf("%d lines, of which %v", in.Lines, in.Uses)
	}
	if n > 0 && in.Uses[Used]+in.Uses[Faulty] == 0 {
		t.Fatalf("%d calls out of nothing: %v", n, in.Uses)
	}
	if bad := len(in.Findings); in.Uses[Faulty] > 0 && bad == 0 {
		t.Fatalf("faulty lines without a finding: %v", in.Uses)
	}
}

func valid(b []byte) bool {
	_, err := parseObject(append([]byte(`{"x":`), append(b, '}')...))
	return err == nil
}
