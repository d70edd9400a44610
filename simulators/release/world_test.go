package release

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// small is a world with a release for each thing that can be wrong; more are
// further members.
func small(more string) string {
	return `{"releases":{
		"ready":{"status":"DRAFT","tests_passed":true,"approved_by":["al","bo"],"channel":"beta","revision":3},
		"raw":{"status":"DRAFT","tests_passed":false,"approved_by":[],"channel":"beta","revision":1},
		"alone":{"status":"DRAFT","tests_passed":true,"approved_by":["al"],"channel":"beta","revision":1},
		"orphan":{"status":"DRAFT","tests_passed":true,"approved_by":["al","bo"],"channel":"beta","depends_on":"ghost","revision":1},
		"waiting":{"status":"DRAFT","tests_passed":true,"approved_by":["al","bo"],"channel":"beta","depends_on":"raw","revision":1},
		"led":{"status":"DRAFT","tests_passed":true,"approved_by":["al","bo"],"channel":"beta","depends_on":"out","revision":1},
		"shut":{"status":"DRAFT","tests_passed":true,"approved_by":["al","bo"],"channel":"gold","revision":1},
		"out":{"status":"PUBLISHED","tests_passed":true,"approved_by":["al","bo"],"channel":"beta","revision":5},
		"old":{"status":"ARCHIVED","tests_passed":true,"approved_by":["al","bo"],"channel":"beta","notes":"n","revision":9}
	},"channels":{"beta":{"locked":false},"gold":{"locked":true,"locked_by":"ops"}}` + more + `}`
}

func newServer(t testing.TB, more string) *Server {
	t.Helper()
	w, err := ParseWorld(jsontext.Value(small(more)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseWorldErrors(t *testing.T) {
	t.Parallel()
	const release = `"releases":{"r":{"status":"DRAFT","tests_passed":true,"approved_by":[],"channel":"beta","revision":1}},"channels":{"beta":{"locked":false}}`
	for src, want := range map[string]string{
		`{"release":{}}`: "release world: unknown field /release", `[`: "release world: ",
		`{"releases":{"r":{"status":"draft","channel":"b"}},"channels":{"b":{}}}`:                       `release r: status "draft"`,
		`{"releases":{"r":{"status":"DRAFT","channel":"b"}}}`:                                           `release r: unknown channel "b"`,
		`{` + release + `,"drift":{"at":1,"to":"chaos"}}`:                                               `drift to "chaos": want strict, swap, lenient or direct`,
		`{` + release + `,"actor":[{"release":"x","field":"status","value":"DRAFT"}]}`:                  `actor: no release "x"`,
		`{` + release + `,"actor":[{"channel":"x","field":"locked","value":true}]}`:                     `actor: no channel "x"`,
		`{` + release + `,"actor":[{"release":"r","field":"sttus","value":1}]}`:                         "actor: json: ",
		`{` + release + `,"actor":[{"release":"r","field":"status","value":"GONE"}]}`:                   `actor: release r: status "GONE"`,
		`{` + release + `,"actor":[{"release":"r","field":"channel","value":"x"}]}`:                     `actor: release r: unknown channel "x"`,
		`{` + release + `,"actor":[{"release":"r","field":"revision","value":"1"}]}`:                    "actor: json: ",
		`{` + release + `,"actor":[{"race":"publish","release":"r","field":"status","value":"DRAFT"}]}`: `actor: race with unknown tool "publish"`,
	} {
		w, err := ParseWorld(jsontext.Value(src))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
		if _, err := New(w); err == nil && strings.HasPrefix(want, "actor: no") {
			t.Errorf("New takes %s", src)
		}
	}
}

// TestNewCopies: neither the world that a server began with nor a clone changes
// with it.
func TestNewCopies(t *testing.T) {
	t.Parallel()
	w, err := ParseWorld(jsontext.Value(small("")))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := New(w)
	second, _ := New(w)
	before := string(second.Snapshot())
	clone := first.clone()
	for _, c := range [][2]string{
		{"publish_release", `{"release_id":"ready"}`}, {"approve_release", `{"release_id":"raw","reviewer":"di"}`}, {"approve_release", `{"release_id":"alone","reviewer":"di"}`},
		{"add_comment", `{"release_id":"raw","text":"x"}`}, {"unlock_channel", `{"channel":"gold","owner":"ops"}`}, {"create_release", `{"release_id":"new","channel":"beta"}`},
	} {
		if a := first.Call(c[0], jsontext.Value(c[1]), 0); a.IsError {
			t.Errorf("%s %s: %s", c[0], c[1], a.Text)
		}
	}
	if string(second.Snapshot()) != before || string(clone.Snapshot()) != before {
		t.Errorf("another server changed too")
	}
	if string(first.Snapshot()) == before {
		t.Error("nothing changed")
	}
	empty, err := New(World{})
	if err != nil || string(empty.Snapshot()) != `{"channels":{},"releases":{}}` && string(empty.Snapshot()) != `{"releases":{},"channels":{}}` {
		t.Errorf("%v %s", err, empty.Snapshot())
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	s := newServer(t, "")
	if s.Name() != "release" || len(s.Tools()) != len(verbs) {
		t.Errorf("%s has %d tools of %d", s.Name(), len(s.Tools()), len(verbs))
	}
	for _, tool := range s.Tools() {
		if _, ok := verbs[tool.Name]; !ok || !tool.Raw.IsValid() {
			t.Errorf("%s: %s", tool.Name, tool.Raw)
		}
	}
	if got := string(s.Tools()[7].Raw); got != `{"annotations":{"destructiveHint":false,"openWorldHint":false,"readOnlyHint":false},"description":"Replace the notes of a release; with expected_revision, only if it has that revision.","inputSchema":{"properties":{"expected_revision":{"type":"integer"},"notes":{"type":"string"},"release_id":{"type":"string"}},"required":["release_id","notes"],"type":"object"},"name":"update_notes","title":"Update notes"}` {
		t.Error(got)
	}
	if got := simulate.Required(s.Tools()[7]); strings.Join(got, " ") != "release_id notes" {
		t.Error(got)
	}
}
