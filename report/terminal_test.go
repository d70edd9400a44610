package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// screen is a terminal of some width.
type screen struct {
	bytes.Buffer
	width int
	color bool
}

func (s *screen) Width() int  { return s.width }
func (s *screen) Color() bool { return s.color }

func TestFit(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"日本語の長い名前のツール", "12345", strings.Repeat("long ", 30)}, {"short", "1", "🙂🙂🙂 emoji and more emoji 🙂🙂🙂🙂🙂🙂🙂🙂"}}
	columns := []column{{"tool", false}, {"calls", true}, {"text", false}}
	for _, width := range []int{34, 60, 100} {
		s := &screen{width: width}
		if err := writeTable(s, columns, rows); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.String()) {
			if n := twwidth.Width(strings.TrimRight(line, " \n")); n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
		if !strings.Contains(s.String(), "12345") || !strings.Contains(s.String(), "…") {
			t.Errorf("%d: %q", width, s.String())
		}
	}
	var plain bytes.Buffer // no terminal: whole
	if err := writeTable(&plain, columns, rows); err != nil || !strings.Contains(plain.String(), strings.TrimSpace(rows[0][2])) {
		t.Errorf("%v %s", err, plain.String())
	}
	if rows[0][2] != strings.Repeat("long ", 30) {
		t.Error("the rows were changed")
	}
}

func TestPaint(t *testing.T) {
	t.Parallel()
	for want, w := range map[string]*screen{"\x1b[31;1mFAIL\x1b[0m": {color: true}, "FAIL": {}} {
		if got := paint(w, toneBad, "FAIL"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := paint(&bytes.Buffer{}, toneGood, "ok"); got != "ok" {
		t.Errorf("%q", got)
	}
}
