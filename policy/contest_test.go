package policy

import (
	"strconv"
	"testing"
)

// in makes the next calls in a session of its own.
func (b *table) in(session string) { b.s = b.p.Session(session, "release", b.f) }

// then says what happens to an untested release's publication.
func (b *table) publishing(t *testing.T, when string, want Action, probe bool) {
	t.Helper()
	if _, d := b.check("publish_release", untested); d.Action != want || d.Probe != probe {
		t.Errorf("%s: action %d, probe %t, want %d, %t", when, d.Action, d.Probe, want, probe)
	}
}

// TestContest: a success against a proven rule makes it step back. A second session's
// ends it, refusals in other sessions restore it.
func TestContest(t *testing.T) {
	t.Parallel()
	contested := func() *table {
		b := newTable(t, Options{Mode: Block})
		b.know(3)
		b.publishing(t, "proven", Refuse, false)
		b.in("odd")
		b.teach("publish_release", untested, "", shipped, 1)
		b.publishing(t, "after a success", Forward, true)
		b.publishing(t, "and again", Forward, true)
		return b
	}
	t.Run("another success", func(t *testing.T) {
		b := contested()
		b.in("s3")
		b.teach("publish_release", untested, "", shipped, 1)
		b.publishing(t, "after another session's success", Forward, false)
		if g := b.p.Evidence().Guard("release", "publish_release", ""); g.Allowed[0].Tokens == nil || b.p.Graph().Tools[0].OK() != 4 {
			t.Errorf("not all successes were learnt: %d", b.p.Graph().Tools[0].OK())
		}
	})
	t.Run("many of one session", func(t *testing.T) {
		b := contested()
		b.teach("publish_release", untested, "", shipped, 2)
		b.publishing(t, "after three successes", Forward, false)
	})
	t.Run("refusals", func(t *testing.T) {
		b := contested()
		b.teach("publish_release", untested, needsTests, "", 2)
		b.publishing(t, "after the odd session's own refusals", Forward, true)
		b.in("s3")
		b.teach("publish_release", untested, needsTests, "", 1)
		b.publishing(t, "after one refusal", Forward, true)
		b.teach("publish_release", untested, needsTests, "", 1)
		b.publishing(t, "after two", Refuse, false)
		b.in("odd again")
		b.teach("publish_release", untested, "", shipped, 1)
		b.in("s5")
		b.teach("publish_release", untested, needsTests, "", 3)
		b.publishing(t, "the second time, after three", Forward, true)
		b.teach("publish_release", untested, needsTests, "", 1)
		b.publishing(t, "the second time, after four", Refuse, false)
	})
	t.Run("something new about the call", func(t *testing.T) {
		b := newTable(t, Options{Mode: Block})
		b.know(3)
		b.in("odd")
		b.teach("publish_release", `{"status":"DRAFT","tests_passed":false,"waived":true}`, "", shipped, 1)
		b.publishing(t, "after a success that something explains", Forward, false)
	})
	t.Run("a text that names nothing", func(t *testing.T) {
		b := newTable(t, Options{Mode: Block})
		b.teach("publish_release", tested, "", shipped, 2)
		b.teach("publish_release", untested, "not now", "", 3)
		b.publishing(t, "proven", Refuse, false)
		b.in("odd")
		b.teach("publish_release", untested, "", shipped, 1)
		b.publishing(t, "after a success", Forward, false)
	})
	t.Run("the model has what waits", func(t *testing.T) {
		b := contested()
		if got := b.p.Graph().Tools[0].OK(); got != 3 {
			t.Errorf("%d successes, want 3", got)
		}
		b.publishing(t, "after the model was asked for", Forward, false)
	})
}

// TestLone: a success that came before its rule could be known is outweighed as one
// that came after it.
func TestLone(t *testing.T) {
	t.Parallel()
	early := func() *table {
		b := newTable(t, Options{Mode: Block})
		b.in("odd")
		b.teach("publish_release", untested, "", shipped, 1)
		b.in("s2")
		b.teach("publish_release", tested, "", shipped, 2)
		return b
	}
	b := early()
	b.teach("publish_release", untested, needsTests, "", 1)
	b.publishing(t, "after one refusal", Forward, false)
	b.teach("publish_release", untested, needsTests, "", 1)
	b.publishing(t, "after two", Refuse, false)

	b = early()
	b.in("s3")
	b.teach("publish_release", untested, "", shipped, 1)
	b.teach("publish_release", untested, needsTests, "", 5)
	b.publishing(t, "after a second session's success", Forward, false)

	b = early()
	b.teach("publish_release", untested, "not now", "", 5)
	b.publishing(t, "after a text that names nothing", Forward, false)

	b = early()
	b.in("odd")
	b.teach("publish_release", untested, needsTests, "", 5)
	b.publishing(t, "after refusals in the same session", Forward, false)

	b = newTable(t, Options{Mode: Block}) // more of them than are remembered
	for i := range 2 * maxLone {
		b.in("s" + strconv.Itoa(i))
		b.teach("publish_release", `{"flag`+strconv.Itoa(i)+`":true}`, "", "", 1)
	}
	for _, l := range b.p.lone {
		if len(l) > maxLone {
			t.Errorf("%d are remembered", len(l))
		}
	}
}

// TestWitnesses: one text that names one path is about it, whatever stood there and
// whichever tool said it.
func TestWitnesses(t *testing.T) {
	t.Parallel()
	const wrong = "A release can't be changed: its status is wrong"
	for name, tt := range map[string]struct {
		tool, state, text string
		want              Action
	}{
		"same path":       {"publish_release", archived, wrong, Refuse},
		"another tool":    {"update_notes", archived, wrong, Refuse},
		"another text":    {"publish_release", archived, "The status doesn't allow that", Forward},
		"names nothing":   {"publish_release", archived, "It can't be changed", Forward},
		"none but itself": {"", "", "", Forward},
	} {
		b := newTable(t, Options{Mode: Block})
		for _, tool := range []string{"publish_release", "update_notes"} {
			b.teach(tool, tested, "", "", 2)
		}
		if tt.tool != "" {
			b.teach(tt.tool, tt.state, tt.text, "", 1)
		}
		b.teach("publish_release", shipped, wrong, "", 1)
		if _, d := b.check("publish_release", shipped); d.Action != tt.want {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
