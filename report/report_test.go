package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/internal/diag"
	"mcpg/internal/golden"
	"mcpg/learn"
	"mcpg/report/draw"
)

func TestCleanAndTables(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	err := writeTable(&b, []column{{"tool", false}, {"n", true}}, [][]string{{"a\x1b[31mred\nline\u202e|", "1"}, {"日本語", "22"}, {"\xff", "333"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "tool           n\na\uFFFD[31mred line|    1\n日本語           22\n\uFFFD            333\n"
	if got := squeeze(b.String()); got != squeeze(want) {
		t.Errorf("%q, want %q", got, squeeze(want))
	}
	for line := range strings.Lines(b.String()) {
		if strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("%q could steer a terminal", line)
		}
	}
}

// squeeze folds runs of blanks.
func squeeze(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out, "\n")
}

// sample is calls of a made-up server: publishing needs a tested draft with two
// approvals, and once something that nobody sees.
func sample() *learn.Evidence {
	e := &learn.Evidence{}
	i := 0
	add := func(status string, tested bool, approvals int, refused, after string) {
		i++
		c := &calllog.Call{ID: fmt.Sprint(i), Session: fmt.Sprint("s", i), Server: "srv", Tool: "publish", Args: jsontext.Value(`{"force":false}`),
			Before:      jsontext.Value(fmt.Sprintf(`{"release":{"status":%q,"tested":%t,"approvals":%d}}`, status, tested, approvals)),
			StateSource: calllog.Snapshot, Pos: diag.Pos{File: "log", Line: i}}
		if refused != "" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, refused
		}
		if after != "" {
			c.After = jsontext.Value(fmt.Sprintf(`{"release":{"status":%q,"tested":true,"approvals":2}}`, after))
		}
		e.Add(c, adapter.Set(nil).View(c))
	}
	for range 3 {
		add("DRAFT", true, 2, "", "PUBLISHED")
		add("DRAFT", true, 4, "", "PUBLISHED")
		add("DRAFT", false, 3, "tests have not passed", "")
	}
	add("DRAFT", true, 1, "it has 1 of 2 approvals", "")
	add("PUBLISHED", true, 3, "status is PUBLISHED", "")
	add("DRAFT", true, 2, "frozen\x1b[2J for \u202enow", "")
	add("ARCHIVED", false, 0, "no", "")
	return e
}

func TestGuardsText(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Guards(&b, sample().Induce()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "guards.txt", b.Bytes())
}

func TestGraphPicture(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := draw.DOT(&b, Draw(sample().Induce())); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "graph.dot", b.Bytes())
}

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, fmt.Errorf("disk full")
	}
	return len(p), nil
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	g := sample().Induce()
	for _, left := range []int{0, 60, 300} {
		if err := Guards(&full{left}, g); err == nil {
			t.Errorf("%d bytes: no error", left)
		}
	}
}
