package filesystem

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

const (
	editA  = `{"path":"a.txt","edits":[{"oldText":"one","newText":"ONE"}]}`
	readA  = `{"path":"a.txt"}`
	writeN = `{"path":"n.txt","content":"x"}`
)

func world(t testing.TB, members string) World {
	t.Helper()
	w, err := ParseWorld(jsontext.Value(`{"root":"/srv/files","files":{"/srv/files/a.txt":"one\n","/srv/files/b.txt":"two\n"},"dirs":["d"]` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCheck(t *testing.T) {
	race := `,"actor":[{"race":"edit_file","op":"remove","path":"a.txt"}]`
	drift := `,"drift":{"at":3,"version":"2026.7.10"}`
	for _, tt := range []struct {
		name, members string
		step          int
		tool, args    string
		want          simulate.Truth
	}{
		{"valid", "", 0, "edit_file", editA, simulate.Truth{Valid: true}},
		{"missing", "", 0, "read_text_file", `{"path":"no"}`, simulate.Truth{Check: "missing", Kind: simulate.Visible}},
		{"directory", "", 0, "read_text_file", `{"path":"d"}`, simulate.Truth{Check: "is_directory", Kind: simulate.Visible}},
		{"no directory", "", 0, "list_directory", readA, simulate.Truth{Check: "not_directory", Kind: simulate.Visible}},
		{"no match", "", 0, "edit_file", `{"path":"a.txt","edits":[{"oldText":"zzz","newText":""}]}`, simulate.Truth{Check: "no_match", Kind: simulate.Visible}},
		{"taken", "", 0, "move_file", `{"source":"a.txt","destination":"b.txt"}`, simulate.Truth{Check: "destination_exists", Kind: simulate.Visible}},
		{"no parent", "", 0, "write_file", `{"path":"x/y","content":""}`, simulate.Truth{Check: "parent_missing", Kind: simulate.Visible}},
		{"move without parent", "", 0, "move_file", `{"source":"a.txt","destination":"x/y"}`, simulate.Truth{Check: "parent_missing", Kind: simulate.Visible}},
		{"move of nothing", "", 0, "move_file", `{"source":"no","destination":"y"}`, simulate.Truth{Check: "missing", Kind: simulate.Visible}},
		{"into itself", "", 0, "move_file", `{"source":"d","destination":"d/e"}`, simulate.Truth{Check: "into_itself", Kind: simulate.Visible}},
		{"exists", "", 0, "create_directory", readA, simulate.Truth{Check: "exists", Kind: simulate.Visible}},
		{"outside", "", 0, "read_text_file", `{"path":"/etc/x"}`, simulate.Truth{Check: "access", Kind: simulate.Visible}},
		{"arguments", "", 0, "read_text_file", `{"Path":"a.txt"}`, simulate.Truth{Check: "arguments", Kind: simulate.Visible}},
		{"unknown", "", 0, "delete_file", readA, simulate.Truth{Check: "unknown_tool", Kind: simulate.Visible}},
		{"soft", "", 0, "read_multiple_files", `{"paths":["a.txt","no"]}`, simulate.Truth{Check: "soft_error", Kind: simulate.Visible}},
		{"full", `,"quota":{"until":4}`, 3, "write_file", writeN, simulate.Truth{Check: "quota", Kind: simulate.Hidden}},
		{"full at an edit", `,"quota":{"until":4}`, 3, "edit_file", editA, simulate.Truth{Check: "quota", Kind: simulate.Hidden}},
		{"full at a directory", `,"quota":{"until":4}`, 3, "create_directory", `{"path":"x"}`, simulate.Truth{Check: "quota", Kind: simulate.Hidden}},
		{"full but nothing new", `,"quota":{"until":4}`, 3, "create_directory", `{"path":"d"}`, simulate.Truth{Valid: true}},
		{"full but dry", `,"quota":{"until":4}`, 3, "edit_file", `{"dryRun":true,` + editA[1:], simulate.Truth{Valid: true}},
		{"full but moved", `,"quota":{"until":4}`, 3, "move_file", `{"source":"a.txt","destination":"y"}`, simulate.Truth{Valid: true}},
		{"full after the other checks", `,"quota":{"until":4}`, 3, "write_file", `{"path":"d","content":""}`, simulate.Truth{Check: "is_directory", Kind: simulate.Visible}},
		{"no longer full", `,"quota":{"until":4}`, 4, "write_file", writeN, simulate.Truth{Valid: true}},
		{"raced", race, 0, "edit_file", editA, simulate.Truth{Check: "missing", Kind: simulate.Stale}},
		{"raced, wrong anyway", race, 0, "edit_file", `{"path":"no","edits":[]}`, simulate.Truth{Check: "missing", Kind: simulate.Visible}},
		{"race of another tool", race, 0, "read_text_file", readA, simulate.Truth{Valid: true}},
		{"race not due", `,"actor":[{"at":5,"race":"edit_file","op":"remove","path":"a.txt"}]`, 4, "edit_file", editA, simulate.Truth{Valid: true}},
		{"before the drift", drift, 2, "create_directory", `{"path":"x/y"}`, simulate.Truth{Valid: true}},
		{"drifted", drift, 3, "create_directory", `{"path":"x/y"}`, simulate.Truth{Check: "parent_missing", Kind: simulate.Drift}},
		{"drifted, wrong before", drift, 3, "read_text_file", `{"path":"no"}`, simulate.Truth{Check: "missing", Kind: simulate.Visible}},
		{"drifted, laxer", drift, 3, "move_file", `{"source":"a.txt","destination":"b.txt"}`, simulate.Truth{Valid: true, Kind: simulate.Drift}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, world(t, tt.members))
			s.At(tt.step)
			before := *s
			truth := s.Check(tt.tool, jsontext.Value(tt.args), 0.5)
			if truth.Valid == (truth.Text != "") {
				t.Errorf("valid %t with the text %q", truth.Valid, truth.Text)
			}
			if truth.Text = ""; truth != tt.want {
				got := truth
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if s.disk != before.disk || len(s.pending) != len(before.pending) {
				t.Error("Check moved the world")
			}
			got := s.Call(tt.tool, jsontext.Value(tt.args), 0.5)
			if soft := tt.want.Check == "soft_error"; got.IsError != (!tt.want.Valid && !soft) {
				t.Errorf("Call answers %q, Check said %+v", got.Text, tt.want)
			}
		})
	}
}

func TestRaceHappensOnce(t *testing.T) {
	s := newServer(t, world(t, `,"actor":[{"race":"edit_file","op":"write","path":"a.txt","content":"three\n"}]`))
	if got := s.Read("read_text_file", jsontext.Value(readA)).Text; got != "one\n" {
		t.Errorf("before the race: %q", got)
	}
	if got := s.Call("edit_file", jsontext.Value(editA), 0); !got.IsError {
		t.Errorf("the race was missed: %q", got.Text)
	}
	s.Call("write_file", jsontext.Value(`{"path":"a.txt","content":"one\n"}`), 0)
	if got := s.Call("edit_file", jsontext.Value(editA), 0); got.IsError {
		t.Errorf("the race came twice: %q", got.Text)
	}
}

func TestActor(t *testing.T) {
	s := newServer(t, world(t, `,"actor":[
		{"at":4,"op":"remove","path":"m/b.txt"},
		{"at":2,"op":"move","path":"b.txt","to":"m/b.txt"},
		{"at":1,"op":"write","path":"new/n.txt","content":"n"},
		{"at":1,"op":"mkdir","path":"e/f"},
		{"at":1,"op":"remove","path":"nothing"},
		{"at":1,"op":"move","path":"d","to":"d/d"}]`))
	for _, tt := range []struct {
		step int
		want string
	}{
		{0, `{"dirs":["/srv/files","/srv/files/d"],"files":{"/srv/files/a.txt":"one\n","/srv/files/b.txt":"two\n"}}`},
		{1, `{"dirs":["/srv/files","/srv/files/d","/srv/files/e","/srv/files/e/f","/srv/files/new"],"files":{"/srv/files/a.txt":"one\n","/srv/files/b.txt":"two\n","/srv/files/new/n.txt":"n"}}`},
		{5, `{"dirs":["/srv/files","/srv/files/d","/srv/files/e","/srv/files/e/f","/srv/files/m","/srv/files/new"],"files":{"/srv/files/a.txt":"one\n","/srv/files/new/n.txt":"n"}}`},
	} {
		s.At(tt.step)
		if got := string(s.Snapshot()); got != tt.want {
			t.Errorf("step %d:\n got %s\nwant %s", tt.step, got, tt.want)
		}
	}
}

func TestReadMovesNothing(t *testing.T) {
	s := newServer(t, world(t, `,"quota":{"until":9},"actor":[{"race":"read_text_file","op":"remove","path":"a.txt"}]`))
	before := *s
	for name := range verbs {
		got := s.Read(name, jsontext.Value(`{"path":"a.txt","content":"x","edits":[],"source":"a.txt","destination":"z","paths":["a.txt"],"pattern":"*"}`))
		if !s.catalog.readOnly[name] && !got.IsError {
			t.Errorf("Read ran %s", name)
		}
	}
	if s.disk != before.disk || len(s.pending) != 1 {
		t.Error("Read moved the world")
	}
	if got := s.Call("read_text_file", jsontext.Value(readA), 0); !got.IsError {
		t.Error("Read used the race up")
	}
}

func TestSnapshot(t *testing.T) {
	s := smallServer(t, "")
	want := `{"dirs":["/srv/files","/srv/files/docs","/srv/files/empty","/srv/files/q","/srv/files/q/w"],` +
		`"files":{"/srv/files/a.txt":"one\ntwo\n","/srv/files/docs/b.md":"x","/srv/files/pic.png":"/w=="}}`
	if got := string(s.Snapshot()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestTimes(t *testing.T) {
	s := newServer(t, world(t, ""))
	s.At(61)
	s.Call("write_file", jsontext.Value(writeN), 0)
	s.At(62)
	info := s.Read("get_file_info", jsontext.Value(`{"path":"n.txt"}`)).Text
	if want := "modified: Mon Jan 05 2026 09:01:01 GMT+0000 (Coordinated Universal Time)\n"; !strings.Contains(info, want) {
		t.Errorf("got %q, want %q in it", info, want)
	}
	root := s.Read("get_file_info", jsontext.Value(`{"path":"."}`)).Text
	if !strings.Contains(root, "created: Mon Jan 05 2026 09:00:00") || !strings.Contains(root, "modified: Mon Jan 05 2026 09:01:01") {
		t.Errorf("root: %q", root)
	}
}

func TestTools(t *testing.T) {
	s := newServer(t, world(t, ""))
	tools := s.Tools()
	if len(tools) != len(verbs) || s.Name() != "filesystem" {
		t.Fatalf("%d tools, %d verbs", len(tools), len(verbs))
	}
	for _, tool := range tools {
		if _, known := verbs[tool.Name]; !known {
			t.Errorf("%s has no verb", tool.Name)
		}
	}
}

func TestBadWorlds(t *testing.T) {
	for _, raw := range []string{
		`{"root":"/r","extra":1}`, `{"root":"/r","Files":{}}`, `{"root":1}`, `[]`, ``,
		`{"root":"r"}`, `{}`, `{"root":"/r","version":"1"}`, `{"root":"/r","drift":{"at":1,"version":"1"}}`,
		`{"root":"/r","files":{"a":"","a/b":""}}`, `{"root":"/r","files":{"/r":""}}`,
		`{"root":"/r","files":{"a":""},"dirs":["a"]}`, `{"root":"/r","files":{"a":""},"binary":{"a":""}}`,
		`{"root":"/r","files":{"a":""},"links":{"/r/a":"b"}}`, `{"root":"/r","binary":{"a":"?"}}`,
		`{"root":"/r","actor":[{"op":"remove","path":"a"}]}`, `{"root":"/r","actor":[{"at":1,"op":"chmod","path":"a"}]}`,
		`{"root":"/r","actor":[{"at":1,"op":"move","path":"a"}]}`, `{"root":"/r","actor":[{"race":"rm","op":"remove","path":"a"}]}`,
		`{"root":"/r","actor":[{"at":1,"op":"mkdir"}]}`, `{"root":"/r","files":{"/../..":""}}`,
	} {
		w, err := ParseWorld(jsontext.Value(raw))
		if err == nil {
			_, err = New(w)
		}
		if err == nil {
			t.Errorf("%s: no error", raw)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	s := smallServer(b, "")
	for b.Loop() {
		s.Call("read_text_file", jsontext.Value(readA), 0)
	}
}

func BenchmarkCheckEdit(b *testing.B) {
	s := newServer(b, world(b, `,"actor":[{"race":"edit_file","op":"remove","path":"a.txt"}]`))
	for b.Loop() {
		s.Check("edit_file", jsontext.Value(editA), 0)
	}
}
