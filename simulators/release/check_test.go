package release

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

const (
	publish = "publish_release"
	ready   = `{"release_id":"ready"}`
)

// did calls and tells how it ended.
func did(s *Server, tool, args string, coin float64) string {
	if a := s.Call(tool, jsontext.Value(args), coin); a.IsError {
		return a.Text
	}
	return "ok"
}

func judged(s *Server, tool, args string, coin float64) simulate.Truth {
	truth := s.Check(tool, jsontext.Value(args), coin)
	truth.Text = ""
	return truth
}

func TestActorAtAStep(t *testing.T) {
	t.Parallel()
	s := newServer(t, `,"actor":[
		{"at":2,"release":"ready","field":"tests_passed","value":false},
		{"at":2,"channel":"gold","field":"locked","value":false},
		{"at":4,"release":"ready","field":"tests_passed","value":true}]`)
	for _, tt := range []struct {
		step  int
		valid bool
		check string
	}{{0, true, ""}, {1, true, ""}, {2, false, "untested"}, {3, false, "untested"}, {4, true, ""}, {2, true, ""}} {
		s.At(tt.step)
		if got := judged(s, publish, ready, 0); got.Valid != tt.valid || got.Check != tt.check || !got.Valid && got.Kind != simulate.Visible {
			t.Errorf("step %d: %+v", tt.step, got)
		}
	}
	if got := did(s, publish, `{"release_id":"shut"}`, 0); got != "ok" {
		t.Errorf("the other actor opened the channel: %s", got)
	}
	if r := s.world.Releases["ready"]; r.Revision != 5 {
		t.Errorf("two writes are two revisions: %d", r.Revision)
	}
	late := newServer(t, `,"actor":[{"at":2,"release":"ready","field":"tests_passed","value":false}]`)
	if late.At(9); judged(late, publish, ready, 0).Valid {
		t.Error("a write that was due before was left out")
	}
}

func TestActorInARace(t *testing.T) {
	t.Parallel()
	s := newServer(t, `,"actor":[{"race":"publish_release","release":"ready","field":"status","value":"ARCHIVED"}]`)
	s.At(9)
	const refused = "Release ready cannot be published: status is ARCHIVED, only a DRAFT can be published"
	before := string(s.Snapshot())
	for range 2 {
		if got := judged(s, publish, ready, 0); got != (simulate.Truth{Check: "not_draft", Kind: simulate.Stale}) {
			t.Errorf("%+v", got)
		}
		if got := judged(s, publish, `{"release_id":"raw"}`, 0); got != (simulate.Truth{Check: "untested", Kind: simulate.Visible}) {
			t.Errorf("what would have failed anyway isn't stale: %+v", got)
		}
		if got := s.Read("get_release", jsontext.Value(ready)); got.IsError || string(s.Snapshot()) != before {
			t.Errorf("reading or judging lets the other actor write: %s", got.Text)
		}
	}
	if did(s, "run_tests", ready, 0) != "ok" {
		t.Error("another tool starts no race")
	}
	if got := did(s, publish, ready, 0); got != refused {
		t.Error(got)
	}
	if got := judged(s, publish, ready, 0); got != (simulate.Truth{Check: "not_draft", Kind: simulate.Visible}) {
		t.Errorf("after the race it can be seen: %+v", got)
	}
}

// TestRacesWriteListsApart: the other actor's lists are none of a clone's.
func TestRacesWriteListsApart(t *testing.T) {
	t.Parallel()
	s := newServer(t, `,"actor":[{"race":"publish_release","release":"ready","field":"approved_by","value":["x","y"]}]`)
	before := string(s.Snapshot())
	judged(s, publish, ready, 0)
	if r := s.world.Releases["ready"]; r.ApprovedBy[0] != "al" {
		t.Errorf("checking the world let the other actor write: %v", r.ApprovedBy)
	}
	if string(s.Snapshot()) != before {
		t.Errorf("judging changed %s\nto %s", before, s.Snapshot())
	}
}

func TestFreezeIsHidden(t *testing.T) {
	t.Parallel()
	s := newServer(t, `,"freeze":{"from":1,"until":3}`)
	for step, valid := range []bool{true, false, false, true} {
		s.At(step)
		want := simulate.Truth{Valid: true}
		if !valid {
			want = simulate.Truth{Check: "freeze", Kind: simulate.Hidden}
		}
		if got := judged(s, publish, ready, 0); got != want {
			t.Errorf("step %d: %+v", step, got)
		}
	}
	s.At(1)
	if got := did(s, publish, ready, 0); got != "Release ready cannot be published: publishing is frozen for now; try again later" {
		t.Error(got)
	}
	if got := judged(s, publish, `{"release_id":"raw"}`, 0); got != (simulate.Truth{Check: "untested", Kind: simulate.Visible}) {
		t.Errorf("what reads show comes first: %+v", got)
	}
}

const turnedDown = "Release ready cannot be published: the build farm turned it down this time; try again"

func TestFlaky(t *testing.T) {
	t.Parallel()
	for coin, want := range map[float64]string{0: turnedDown, 0.19: turnedDown, 0.2: "ok", 0.99: "ok"} {
		s := newServer(t, `,"flaky":0.2`)
		if got := judged(s, publish, ready, coin); got != (simulate.Truth{Check: "coin", Kind: simulate.Coin}) {
			t.Errorf("%g: %+v", coin, got)
		}
		if got := judged(s, publish, `{"release_id":"raw"}`, coin); got.Kind != simulate.Visible {
			t.Errorf("no chance is asked: %+v", got)
		}
		if got := judged(s, "run_tests", ready, coin); !got.Valid {
			t.Errorf("another tool has no chance in it: %+v", got)
		}
		if got := did(s, publish, ready, coin); got != want {
			t.Errorf("%g: %s", coin, got)
		}
	}
}

func TestFlip(t *testing.T) {
	t.Parallel()
	s := newServer(t, `,"flip":true`)
	for i, want := range []string{turnedDown, "ok"} {
		for range 3 { // judging, reading and other refusals turn nothing over
			if got := judged(s, publish, ready, 0.9); got != (simulate.Truth{Check: "coin", Kind: simulate.Coin}) {
				t.Errorf("%d: %+v", i, got)
			}
			s.Read("get_release", jsontext.Value(ready))
			did(s, publish, `{"release_id":"raw"}`, 0.9)
		}
		if got := did(s, publish, ready, 0.9); got != want {
			t.Errorf("%d: %s", i, got)
		}
	}
	if got := did(s, publish, `{"release_id":"led"}`, 0.9); got == "ok" {
		t.Error("the third valid publish is refused again")
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	const notes = "Release ready cannot be published: its notes are missing; write them with update_notes"
	for _, tt := range []struct {
		to, tool, args, before, after string
		kind                          simulate.Kind // of what fails after
		schema                        string        // the tool whose schema changes
	}{
		{Strict, publish, ready, "ok", notes, simulate.Drift, ""},
		{Strict, publish, `{"release_id":"raw"}`, "untested", "untested", simulate.Visible, ""},
		{Swap, publish, ready, "ok", notes, simulate.Drift, ""},
		{Swap, "run_tests", ready, "ok", "ok", "", ""},
		{Lenient, publish, `{"release_id":"raw"}`, "untested", "approvals", simulate.Visible, publish},
		{Lenient, publish, ready, "ok", "ok", "", publish},
		{Direct, "archive_release", ready, "not_published", "ok", simulate.Drift, "archive_release"},
		{Direct, "archive_release", `{"release_id":"old"}`, "not_published", "not_published", simulate.Visible, "archive_release"},
	} {
		s := newServer(t, `,"drift":{"at":3,"to":"`+tt.to+`"}`)
		result := func() (string, simulate.Kind) {
			truth := judged(s, tt.tool, tt.args, 0)
			clone := s.clone()
			text := did(clone, tt.tool, tt.args, 0)
			if truth.Valid != (text == "ok") {
				t.Errorf("%s %s: judged %+v, called %s", tt.to, tt.args, truth, text)
			}
			if text == "ok" || text == tt.after {
				return text, truth.Kind
			}
			return truth.Check, truth.Kind
		}
		schemas := fingerprints(s)
		s.At(2)
		if got, _ := result(); got != tt.before {
			t.Errorf("%s before, %s: %s, want %s", tt.to, tt.args, got, tt.before)
		}
		s.At(3)
		if got, kind := result(); got != tt.after || kind != tt.kind {
			t.Errorf("%s after, %s: %s %s, want %s %s", tt.to, tt.args, got, kind, tt.after, tt.kind)
		}
		for tool, f := range fingerprints(s) {
			if (f != schemas[tool]) != (tool == tt.schema) {
				t.Errorf("%s: the fingerprint of %s changed: %v", tt.to, tool, f != schemas[tool])
			}
		}
	}
}

func fingerprints(s *Server) map[string]string {
	out := map[string]string{}
	for _, tool := range s.Tools() {
		out[tool.Name] = simulate.Fingerprint(tool)
	}
	return out
}

// TestReadRefusesWrites also holds that reads move nothing.
func TestReadRefusesWrites(t *testing.T) {
	t.Parallel()
	s := newServer(t, `,"flip":true,"actor":[{"race":"get_release","release":"ready","field":"status","value":"ARCHIVED"}]`)
	before := string(s.Snapshot())
	for tool, v := range verbs {
		a := s.Read(tool, jsontext.Value(`{"release_id":"ready","channel":"beta","owner":"me","reviewer":"x","notes":"x","text":"x"}`))
		if v.readOnly == a.IsError || a.IsError && a.Text != tool+" does not only read" {
			t.Errorf("%s: %s", tool, a.Text)
		}
	}
	if a := s.Read("no", nil); a.Text != "no does not only read" {
		t.Error(a.Text)
	}
	if string(s.Snapshot()) != before || s.flips != 0 || s.done[0] {
		t.Error("reading moved something")
	}
}
