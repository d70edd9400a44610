package filesystem

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var fuzzSeeds = []string{
	`{"path":"a.txt"}`,
	`{"path":"docs/../../x","content":"é\ud800"}`,
	`{"path":".","pattern":"**/{a,b{1..9}}@(x|+(y[!a-z]*?","excludePatterns":["!*","[[:alpha:]]"]}`,
	`{"path":"a.txt","edits":[{"oldText":"","newText":"\r\n"},{"oldText":" two","newText":"\ttwo\n  x"}],"dryRun":1e999}`,
	`{"path":"a.txt","head":-1e308,"tail":0.1}`,
	`{"source":".","destination":"loop/x","path":"dang"}`,
	`{"paths":["esc","ld/b.md","~",5]}`,
	`{"path":"a","path":null}`,
	`[`, ``, `null`, `{"path":`,
}

// FuzzServer makes random calls on a world with everything in it, and holds
// that equal calls give equal bytes and that judging changes nothing.
func FuzzServer(f *testing.F) {
	names := slices.Sorted(maps.Keys(verbs))
	for i, seed := range fuzzSeeds {
		for tool := range names {
			f.Add(uint8(tool), uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, tool, step uint8, args string) {
		name := names[int(tool)%len(names)]
		first, second := fuzzWorld(t), fuzzWorld(t)
		first.At(int(step % 8))
		second.At(int(step % 8))
		before := string(first.Snapshot())
		truth := first.Check(name, jsontext.Value(args), 0)
		first.Read(name, jsontext.Value(args))
		if string(first.Snapshot()) != before {
			t.Fatal("Check or Read changed the world")
		}
		got, again := first.Call(name, jsontext.Value(args), 0), second.Call(name, jsontext.Value(args), 0)
		if string(got.Raw) != string(again.Raw) || string(first.Snapshot()) != string(second.Snapshot()) {
			t.Fatal("equal calls differ")
		}
		if truth.Valid && got.IsError || !truth.Valid && !got.IsError && truth.Check != checkSoftError {
			t.Fatalf("Check says %+v, Call %q", truth, got.Text)
		}
		if !got.Raw.IsValid() || !first.Snapshot().IsValid() {
			t.Fatalf("not JSON: %s", got.Raw)
		}
	})
}

func fuzzWorld(t *testing.T) *Server {
	w, err := ParseWorld(jsontext.Value(strings.TrimSuffix(smallWorld, "}") + `,
		"quota":{"until":2},"drift":{"at":5,"version":"2026.7.10"},
		"actor":[{"race":"edit_file","op":"remove","path":"a.txt"},{"at":3,"op":"move","path":"docs","to":"dd"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return newServer(t, w)
}

// TestHostileCalls holds that no call is slow or deep enough to hurt.
func TestHostileCalls(t *testing.T) {
	big := strings.Repeat
	deep := smallServer(t, "")
	deep.Call("create_directory", jsontext.Value(`{"path":"`+big("d/", 500)+`"}`), 0)
	for _, tt := range []struct{ tool, args string }{
		{"read_text_file", big(`{"path":`, 9000) + "1" + big("}", 9000)},
		{"read_text_file", big("[", 100000)},
		{"create_directory", `{"path":"` + big("d/", 1900) + `"}`},
		{"create_directory", `{"path":"` + big("d/", 100000) + `"}`},
		{"search_files", `{"path":".","pattern":"` + big("{", 30000) + big("}", 30000) + `"}`},
		{"search_files", `{"path":".","pattern":"` + big("{a,b}", 1000) + `"}`},
		{"search_files", `{"path":".","pattern":"` + big("{1..999999999}", 3) + `"}`},
		{"search_files", `{"path":".","pattern":"` + big("+(", 30000) + `"}`},
		{"search_files", `{"path":".","pattern":"` + big("+(a|", 20) + big(")", 20) + `"}`},
		{"search_files", `{"path":".","pattern":"` + big("**/", 20000) + `x"}`},
		{"search_files", `{"path":".","pattern":"` + big("[a", 30000) + `"}`},
		{"write_file", `{"path":"a.txt","content":"` + big(`x\n`, 50000) + `"}`},
		{"edit_file", `{"path":"a.txt","edits":[{"oldText":"one","newText":"` + big(`y\n`, 50000) + `"}]}`},
		{"edit_file", `{"path":"a.txt","edits":[{"oldText":"` + big(` y \n`, 50000) + `z","newText":""}]}`},
		{"directory_tree", `{"path":"."}`},
	} {
		s := *deep
		if got := s.Call(tt.tool, jsontext.Value(tt.args), 0); !got.Raw.IsValid() {
			t.Errorf("%s %.40s: no JSON", tt.tool, tt.args)
		}
	}
}
