package policy

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
)

// TestTable goes through the table of policies row by row.
func TestTable(t *testing.T) {
	t.Parallel()
	proven := func(b *table) { b.know(2) }
	thin := func(b *table) { b.know(1) }
	const (
		log  = "log"
		pass = "pass"
		note = "pass + note"
	)
	rows := []struct {
		name                 string
		teach                func(*table)
		tool, state          string
		observe, warn, block string
	}{
		{"proven", proven, "publish_release", untested, log, note, "refuse"},
		{"thin", thin, "publish_release", untested, log, note, note},
		{"untrusted", func(b *table) { // as many failures that nothing explains
			b.know(2)
			b.teach("publish_release", tested, needsTests, "", 2)
		}, "publish_release", untested, log, note, note},
		{"contradicted", func(b *table) {
			b.know(2)
			b.teach("publish_release", tested, "the build farm was busy", "", 1)
		}, "publish_release", tested, pass, note, note},
		{"drifted", func(b *table) {
			b.know(2)
			b.teach("publish_release", tested, "notes are missing", "", 1)
		}, "publish_release", untested, log, note, note},
		{"undetermined", proven, "publish_release", archived, pass, pass, pass},
		{"untried", proven, "push_commit", tested, pass, pass, pass},
		{"works", proven, "publish_release", tested, pass, pass, pass},
		{"destructive", proven, "archive_release", shipped, pass, note, "hold"},
		{"approval", proven, "lock_release", shipped, pass, note, "hold"},
		{"destructive, proven", func(b *table) {
			b.teach("archive_release", shipped, "", archived, 2)
			b.teach("archive_release", untested, "only a PUBLISHED release can be archived", "", 2)
		}, "archive_release", untested, log, note, "refuse"},
	}
	for _, row := range rows {
		for mode, want := range map[Mode]string{Observe: row.observe, Warn: row.warn, Block: row.block} {
			t.Run(row.name+" "+string(mode), func(t *testing.T) {
				t.Parallel()
				b := newTable(t, Options{Mode: mode})
				row.teach(b)
				c, d := b.check(row.tool, row.state)
				got := map[Action]string{Refuse: "refuse", Hold: "hold"}[d.Action]
				switch {
				case got != "":
				case d.Note != "":
					got = note
				case d.Predicted:
					got = log
				default:
					got = pass
				}
				if got != want {
					t.Errorf("%s, want %s: %+v", got, want, d)
				}
				if (d.Text != "") != (d.Action != Forward) {
					t.Errorf("action %d with the text %q", d.Action, d.Text)
				}
				text := ""
				if d.Action == Forward {
					text = b.end(c, d, "", "")
				}
				if mode == Observe && text != "" {
					t.Errorf("observing said %q", text)
				}
				if d.Action == Forward && d.Note != "" && !strings.HasPrefix(text, d.Note) {
					t.Errorf("the answer %q lacks the note %q", text, d.Note)
				}
			})
		}
	}
}

func TestApproved(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]Options{
		"one": {Mode: Block, Approved: []string{"archive_release"}}, "all": {Mode: Block, ApproveAll: true}, "warn": {Approved: []string{"archive_release"}},
	} {
		b := newTable(t, opts)
		if _, d := b.check("archive_release", shipped); d.Action != Forward || d.Note != "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	b := newTable(t, Options{Mode: Block, Approved: []string{"archive_release"}})
	_, d := b.check("lock_release", shipped)
	if want := "mcpg held lock_release: it needs a person's approval and was not sent to the server. To allow it, start mcpg with --approve lock_release."; d.Action != Hold || d.Text != want {
		t.Errorf("%+v", d)
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		evidence Evidence
		cause    calllog.Cause
		failures int
		want     Action
	}{
		{"", calllog.StateCause, 1, Forward}, // twice is the default
		{Twice, calllog.StateCause, 1, Forward},
		{Twice, calllog.Unclear, 2, Refuse},
		{First, calllog.StateCause, 1, Refuse},
		{First, calllog.Unclear, 1, Refuse}, // the text names what it is about
		{First, calllog.NoCause, 1, Forward},
		{First, calllog.NoCause, 2, Refuse},
	} {
		text := needsTests
		if tt.cause == calllog.NoCause { // nor does the text say it
			tt.cause, text = calllog.Unclear, "Release cannot be published for now"
		}
		b := newTable(t, Options{Mode: Block, Evidence: tt.evidence})
		b.teach("publish_release", tested, "", shipped, 2)
		for range tt.failures {
			c, d := b.check("publish_release", untested)
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, tt.cause, text
			b.s.Observe(c, d)
		}
		if _, d := b.check("publish_release", untested); d.Action != tt.want || !d.Predicted {
			t.Errorf("%q, %s, %d failures: %+v", tt.evidence, tt.cause, tt.failures, d)
		}
	}
}

// TestSameCallAgain: a call that failed is refused when it comes again in the same
// session and state, if the text named what in that state is amiss; one of another
// session is another call, which has failed once.
func TestSameCallAgain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Action{needsTests: Refuse, "Release cannot be published for now": Forward} {
		b := newTable(t, Options{Mode: Block})
		b.teach("publish_release", tested, "", shipped, 2)
		b.f.states["same"] = untested
		again := func(s *Session) (*calllog.Call, Decision) {
			c := &calllog.Call{Tool: "publish_release", Args: jsontext.Value(`{"release_id":"same"}`)}
			return c, s.Check(c)
		}
		c, d := again(b.s)
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, text
		b.s.Observe(c, d)
		if _, d := again(b.s); d.Action != want {
			t.Errorf("%q: %+v", text, d)
		}
		if _, d := again(b.p.Session("s2", "release", b.f)); d.Action != Forward {
			t.Errorf("%q, in another session: %+v", text, d)
		}
		b.f.states["same"] = tested
		if _, d := again(b.s); d.Action != Forward || d.Note != "" {
			t.Errorf("%q, in another state: %+v", text, d)
		}
	}
}

// TestRetriesAreOneCall: the same call again is no second failure.
func TestRetriesAreOneCall(t *testing.T) {
	t.Parallel()
	const needsTests = "Release cannot be published for now"
	b := newTable(t, Options{Mode: Block})
	b.teach("publish_release", tested, "", shipped, 2)
	b.f.states["same"] = untested
	for range 5 {
		c := &calllog.Call{Tool: "publish_release", Args: jsontext.Value(`{"release_id":"same"}`)}
		d := b.s.Check(c)
		if d.Action != Forward {
			t.Fatalf("refused on one call's retries: %s", d.Text)
		}
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, needsTests
		b.s.Observe(c, d)
	}
	other := b.p.Session("s2", "release", b.f) // the same call of another session is another call
	c := &calllog.Call{Tool: "publish_release", Args: jsontext.Value(`{"release_id":"same"}`)}
	d := other.Check(c)
	c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, needsTests
	other.Observe(c, d)
	if _, d := b.check("publish_release", untested); d.Action != Refuse {
		t.Errorf("two sessions' failures prove it: %+v", d)
	}
}

func TestSuccessDeletesTheRule(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.know(3)
	if _, d := b.check("publish_release", untested); d.Action != Refuse {
		t.Fatalf("%+v", d)
	}
	for _, session := range []string{"s2", "s3"} {
		b.s = b.p.Session(session, "release", b.f)
		b.teach("publish_release", untested, "", shipped, 1)
	}
	for range 3 {
		if _, d := b.check("publish_release", untested); d.Action != Forward || d.Probe {
			t.Errorf("after a success in its region: %+v", d)
		}
	}
}

func TestRefusedCallsTeachNothing(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.know(2)
	calls := b.p.Graph().Calls
	_, first := b.check("publish_release", untested)
	for range 5 {
		b.check("publish_release", untested)
	}
	_, last := b.check("publish_release", untested)
	if b.p.Graph().Calls != calls || first.Text != last.Text {
		t.Errorf("%d calls learnt, then %d;\n%s\n%s", calls, b.p.Graph().Calls, first.Text, last.Text)
	}
}

func TestProbeAfterTwentyRefusals(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.know(2)
	for round := range 2 {
		for i := range maxRefusals {
			if _, d := b.check("publish_release", untested); d.Action != Refuse || d.Probe {
				t.Fatalf("round %d, call %d: %+v", round, i, d)
			}
		}
		c, d := b.check("publish_release", untested)
		if d.Action != Forward || !d.Probe || !strings.Contains(d.Note, "let through once") {
			t.Fatalf("round %d: %+v", round, d)
		}
		b.end(c, d, needsTests, "") // confirms the rule
	}
	for range maxRefusals / 2 {
		b.check("publish_release", untested)
	}
	b.teach("publish_release", untested, needsTests, "", 1) // a failure between confirms it too
	for range maxRefusals {
		if _, d := b.check("publish_release", untested); d.Action != Refuse {
			t.Fatalf("%+v", d)
		}
	}
}

func TestProbeAfterDrift(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.know(2)
	b.teach("publish_release", tested, "notes are missing", "", 1) // works so far, with words that are new
	c, d := b.check("publish_release", untested)
	if d.Action != Forward || !d.Probe {
		t.Fatalf("%+v", d)
	}
	b.end(c, d, needsTests, "")
	if _, d := b.check("publish_release", untested); d.Action != Refuse {
		t.Errorf("one probe a signal: %+v", d)
	}
	b.teach("publish_release", tested, "notes are missing", "", 1) // known words are no signal
	if _, d := b.check("publish_release", untested); d.Action != Refuse {
		t.Errorf("%+v", d)
	}
}

// TestNoProbeOfHeldCalls: a call that would be held tests no rule.
func TestNoProbeOfHeldCalls(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.teach("archive_release", shipped, "", archived, 2)
	b.teach("archive_release", untested, "only a PUBLISHED release can be archived", "", 2)
	for i := range 2*maxRefusals + 5 {
		if _, d := b.check("archive_release", untested); d.Action != Refuse || d.Probe {
			t.Fatalf("call %d: %+v", i, d)
		}
	}
}

func TestFingerprintStartsAnew(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.know(3)
	b.f.fingerprints["publish_release"] = "v2"
	c, d := b.check("publish_release", untested)
	if d.Action != Forward || !strings.HasSuffix(d.Note, "That was before the server changed publish_release.") || c.Fingerprint != "v2" {
		t.Errorf("%+v", d)
	}
	b.f.fingerprints["publish_release"] = ""
	if _, d := b.check("publish_release", untested); d.Action != Refuse {
		t.Errorf("what was known of the old one is kept: %+v", d)
	}
}

func TestOff(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Observe, Warn, Block} {
		b := newTable(t, Options{Mode: mode, Off: true})
		b.know(5)
		d, text := b.try("publish_release", untested, needsTests, "")
		if d.Action != Forward || d.Predicted || d.Note != "" || text != "" || b.p.Graph().Calls != 0 {
			t.Errorf("%s: %+v %q", mode, d, text)
		}
	}
	b := newTable(t, Options{Off: true})
	if d, text := b.try("archive_release", shipped, "", ""); d.Note == "" || text != d.Note {
		t.Errorf("that a person's approval is wanted isn't learnt: %q", text)
	}
}

func TestObservation(t *testing.T) {
	t.Parallel()
	t.Run("around a call", func(t *testing.T) {
		t.Parallel()
		b := newTable(t, Options{})
		c, d := b.check("run_tests", untested)
		b.end(c, d, "", tested)
		if string(c.Before) != `{"release":`+untested+`}` || string(c.After) != `{"release":`+tested+`}` || c.StateSource != calllog.Bracketed || b.s.Reads() != 2 {
			t.Errorf("%s -> %s, %s, %d reads", c.Before, c.After, c.StateSource, b.s.Reads())
		}
		if c.Session != "s1" || c.Server != "release" || c.Resource != "release:r1" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("of a read", func(t *testing.T) {
		t.Parallel()
		b := newTable(t, Options{})
		c, d := b.check("get_release", untested)
		c.ResultText = tested // what the answer says counts
		b.s.Observe(c, d)
		if c.Before != nil || string(c.After) != `{"release":`+tested+`}` || len(b.f.reads) != 0 {
			t.Errorf("%s -> %s, reads %v", c.Before, c.After, b.f.reads)
		}
		c, d = b.check("get_release", untested)
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "Release r2 not found"
		b.s.Observe(c, d)
		if string(c.After) != `{"release":{"exists":false}}` {
			t.Errorf("a read that found nothing showed %s", c.After)
		}
	})
	t.Run("that fails", func(t *testing.T) {
		t.Parallel()
		b := newTable(t, Options{Mode: Block})
		b.know(3)
		c, d := b.check("publish_release", "!the database is on fire")
		if d.Action != Forward || d.Predicted || string(c.Before) != `{"release":null}` {
			t.Errorf("%+v with %s", d, c.Before)
		}
		if text := b.end(c, d, "", ""); text != "" {
			t.Errorf("nothing is known of the state, but: %s", text)
		}
	})
	t.Run("after an accident", func(t *testing.T) {
		t.Parallel()
		b := newTable(t, Options{})
		c, d := b.check("run_tests", untested)
		c.Outcome = calllog.Transport
		b.s.Observe(c, d)
		if c.After != nil || b.s.Reads() != 1 {
			t.Errorf("a call that may not have arrived was observed: %s", c.After)
		}
	})
	t.Run("without an adapter", func(t *testing.T) {
		t.Parallel()
		f := &fake{}
		s := New(nil, Options{Mode: Block}).Session("s", "other", f)
		for range 3 {
			c := &calllog.Call{Tool: "pay", Args: jsontext.Value(`{"amount":1}`)}
			d := s.Check(c)
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "no"
			if text := s.Observe(c, d); d.Action != Forward || len(f.reads) > 0 || strings.Contains(text, "mcpg [") {
				t.Errorf("%+v %q", d, text)
			}
		}
	})
}

func TestPredictionsAreKeptApart(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Observe})
	b.know(2)
	for state, want := range map[string]behavior.Prediction{untested: behavior.Fails, tested: behavior.Works, archived: behavior.Undetermined} {
		if _, d := b.check("publish_release", state); d.Verdict.Outcome != want {
			t.Errorf("%s: %v, want %v", state, d.Verdict.Outcome, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	if m, err := ParseMode("block"); m != Block || err != nil {
		t.Error(m, err)
	}
	if _, err := ParseMode("strict"); err == nil || err.Error() != `policy "strict": want observe, warn or block` {
		t.Error(err)
	}
	if e, err := ParseEvidence("first"); e != First || err != nil {
		t.Error(e, err)
	}
	if _, err := ParseEvidence("once"); err == nil || err.Error() != `evidence "once": want twice or first` {
		t.Error(err)
	}
	if p := New(adapter.Set{}, Options{}); p.opts.Mode != Warn || p.opts.Evidence != Twice {
		t.Errorf("%+v", p.opts)
	}
}
