package policy

import (
	"strings"
	"testing"
)

const theHint = "mcpg [status=DRAFT, tests_passed=false] ok: run_tests -> tests_passed becomes true | no: archive_release; publish_release | to tests_passed=true: run_tests"

// seedExample teaches what the original's example shows.
func seedExample(b *table) {
	b.teach("run_tests", untested, "", tested, 2)
	b.know(2)
	b.teach("archive_release", shipped, "", archived, 2)
	b.teach("archive_release", untested, "only a PUBLISHED release can be archived", "", 2)
}

func TestHint(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Warn, Block} {
		b := newTable(t, Options{Mode: mode})
		if _, text := b.try("get_release", untested, "", ""); text != "" {
			t.Errorf("%s: nothing is known, but: %s", mode, text)
		}
		seedExample(b)
		c, d := b.check("get_release", untested)
		c.ResultText = untested
		if got := b.s.Observe(c, d); got != theHint {
			t.Errorf("%s:\n%s\nwant\n%s", mode, got, theHint)
		}
		if _, got := b.try("push_commit", tested, "", untested); got != theHint {
			t.Errorf("%s: the state after the call counts:\n%s", mode, got)
		}
	}
}

func TestHintAndNote(t *testing.T) {
	t.Parallel()
	const note = "mcpg: publish_release was refused 2 times in such a state: it seems to need tests_passed=true."
	b := newTable(t, Options{})
	seedExample(b)
	if _, got := b.try("publish_release", untested, needsTests, ""); got != note+"\n"+theHint {
		t.Errorf("%s", got)
	}
	b = newTable(t, Options{NoHints: true})
	seedExample(b)
	if _, got := b.try("publish_release", untested, needsTests, ""); got != note {
		t.Errorf("without hints the sentence stays: %q", got)
	}
	if _, got := b.try("push_commit", tested, "", untested); got != "" {
		t.Errorf("without hints: %q", got)
	}
	b = newTable(t, Options{})
	b.know(1)
	if d, _ := b.try("publish_release", untested, needsTests, ""); d.Note != strings.Replace(note, "2 times", "once", 1) {
		t.Errorf("%s", d.Note)
	}
}

func TestContradictionNote(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{})
	b.know(2)
	b.teach("publish_release", tested, "the build farm was busy", "", 1)
	_, d := b.check("publish_release", tested)
	if want := "mcpg: in this very state publish_release has worked 2 times and was refused once."; d.Note != want || d.Predicted {
		t.Errorf("%+v", d)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	seedExample(b)
	_, d := b.check("publish_release", untested)
	want := `mcpg refused publish_release; it was not sent to the server. In state [status=DRAFT, tests_passed=false] it would fail: ` +
		`it was refused 2 times before, in 2 distinct calls. The server's words would be like: "` + needsTests + `". ` +
		`It needs tests_passed=true; it has worked 2 times. What works now: run_tests -> tests_passed becomes true. | to tests_passed=true: run_tests`
	if d.Text != want {
		t.Errorf("%s\nwant\n%s", d.Text, want)
	}
	b.teach("publish_release", untested, needsTests, "", 5)
	if _, d = b.check("publish_release", untested); !strings.Contains(d.Text, "refused 7 times before, in at least 4 distinct calls.") {
		t.Errorf("%s", d.Text)
	}
}

// TestRefusalNamesThisCall: the words that earlier calls were refused with, with
// this call's values in them.
func TestRefusalNamesThisCall(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.n = 100 // shorter ids stand for nothing in a text
	b.teach("publish_release", tested, "", shipped, 2)
	for range 2 {
		c, d := b.check("publish_release", untested)
		b.end(c, d, "Release r"+c.ID+" cannot be published", "")
	}
	if _, d := b.check("publish_release", untested); !strings.Contains(d.Text, `"Release r105 cannot be published"`) {
		t.Errorf("%s", d.Text)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 times", 1: "once", 2: "2 times"} {
		if got := times(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for n, want := range map[int]string{1: "one distinct call", 3: "3 distinct calls", 4: "at least 4 distinct calls"} {
		if got := distinctCalls(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if got := joinTools([]string{"a", "b", "c"}, 2); got != "a; b; 1 more" {
		t.Error(got)
	}
	if got := quoteShort(strings.Repeat("é", 150)); got != `"`+strings.Repeat("é", 100)+`…"` {
		t.Error(got)
	}
	if got := quoteShort("x" + strings.Repeat("é", 150)); strings.Contains(got, "�") || len(got) != 1+199+len("…")+1 {
		t.Error(got)
	}
}
