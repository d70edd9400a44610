package filesystem

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The recorded server had its root four directories deep, and the recording
// shows the directory above it as /srv: "/srv/files/../../../../etc/hostname"
// became "/tmp/etc/hostname". The replay does the same.
const (
	recordedParent = "/srv"
	realParent     = "/tmp/a/b/c"
)

const transcripts = "../../../shared/data/fs-server"

var versions = []string{"2026.8.31", "2026.7.10"}

func toReal(raw []byte) []byte {
	return bytes.ReplaceAll(raw, []byte(recordedParent+"/"), []byte(realParent+"/"))
}

func toRecorded(raw []byte) []byte {
	return bytes.ReplaceAll(raw, []byte(realParent+"/"), []byte(recordedParent+"/"))
}

// The world of testdata/world.json was deduced from the transcripts: contents
// from the cases that read, from diffs and from edits; names from list_directory,
// directory_tree and search_files; sizes from list_directory_with_sizes
// (guide.md has 15 bytes after an edit that added one; escape_link has the 3
// bytes of /etc/hostname; good_link follows README.md from 21 bytes to 3 when
// that is overwritten, and so links to it). What main.go holds, where dangling
// leads and the letters of /etc/hostname show nowhere and are made up.
func recordedWorld(t *testing.T, version string) World {
	t.Helper()
	raw, err := os.ReadFile("testdata/world.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := ParseWorld(toReal(raw))
	if err != nil {
		t.Fatal(err)
	}
	w.Version = version
	return w
}

func TestReplayResults(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			s := newServer(t, recordedWorld(t, version))
			lines := readLines(t, filepath.Join("testdata", "results-"+version+".jsonl"))
			if len(lines) != 71 {
				t.Fatalf("%d cases, want 71", len(lines))
			}
			for step, line := range lines {
				replayCase(t, s, step, line)
			}
		})
	}
}

func replayCase(t *testing.T, s *Server, step int, line []byte) {
	t.Helper()
	var want struct {
		Case string         `json:"case"`
		Tool string         `json:"tool"`
		Kind string         `json:"kind"`
		Text string         `json:"text"`
		Args jsontext.Value `json:"args"`
	}
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatal(err)
	}
	s.At(step)
	read := s.Read(want.Tool, toReal(want.Args))
	truth := s.Check(want.Tool, toReal(want.Args), 0)
	got := s.Call(want.Tool, toReal(want.Args), 0)
	if got.IsError != (want.Kind == "tool_error") {
		t.Errorf("%s: error %v, want kind %s", want.Case, got.IsError, want.Kind)
	}
	if gotText, wantText := masked(got.Text), masked(want.Text); gotText != wantText {
		t.Errorf("%s:\n got %q\nwant %q", want.Case, gotText, wantText)
	}
	if soft := truth.Check == checkSoftError; truth.Valid == got.IsError && !soft {
		t.Errorf("%s: Check says %+v", want.Case, truth)
	}
	if s.catalog.readOnly[want.Tool] && string(read.Raw) != string(got.Raw) {
		t.Errorf("%s: Read and Call differ", want.Case)
	}
}

// TestReplayTranscripts compares whole result objects.
func TestReplayTranscripts(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(transcripts, "transcript-"+version+".jsonl")
			if _, err := os.Stat(file); err != nil {
				t.Skipf("the recorded transcripts are not here: %v", err)
			}
			s := newServer(t, recordedWorld(t, version))
			results := make(map[int]jsontext.Value)
			step := 0
			for _, line := range readLines(t, file) {
				var m message
				if err := json.Unmarshal(line, &m); err != nil {
					continue // a line of stderr
				}
				switch {
				case m.Msg.Method == "tools/list":
					results[m.Msg.ID] = listResult(s)
				case m.Msg.Method == "tools/call":
					s.At(step)
					step++
					results[m.Msg.ID] = s.Call(m.Msg.Params.Name, toReal(m.Msg.Params.Arguments), 0).Raw
				case m.Dir == "s2c" && results[m.Msg.ID] != nil:
					if got, want := masked(string(results[m.Msg.ID])), masked(string(m.Msg.Result)); got != want {
						t.Errorf("id %d:\n got %s\nwant %s", m.Msg.ID, got, want)
					}
				}
			}
			if step != 71 {
				t.Errorf("%d calls, want 71", step)
			}
		})
	}
}

type message struct {
	Dir string `json:"dir"`
	Msg struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
		Params struct {
			Name      string         `json:"name"`
			Arguments jsontext.Value `json:"arguments"`
		} `json:"params"`
		Result jsontext.Value `json:"result"`
	} `json:"msg"`
}

func listResult(s *Server) jsontext.Value {
	var raws []string
	for _, tool := range s.Tools() {
		raws = append(raws, string(tool.Raw))
	}
	return jsontext.Value(`{"tools":[` + strings.Join(raws, ",") + `]}`)
}

var (
	randomHex = regexp.MustCompile(`\.[0-9a-f]{32}\.tmp`)
	times     = regexp.MustCompile(`(created|modified|accessed): [^\\]*?\(Coordinated Universal Time\)`)
)

// masked hides what differs in each run, and writes JSON in one way.
func masked(text string) string {
	text = string(toRecorded([]byte(text)))
	if v := jsontext.Value(text); strings.HasPrefix(text, "{") && v.Canonicalize() == nil {
		text = string(v)
	}
	text = randomHex.ReplaceAllString(text, ".HEX.tmp")
	return times.ReplaceAllString(text, "$1: TIME")
}

func newServer(t testing.TB, w World) *Server {
	t.Helper()
	s, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readLines(t *testing.T, file string) [][]byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
}
