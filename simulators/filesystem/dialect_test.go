package filesystem

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const smallWorld = `{
 "root": "/srv/files",
 "dirs": ["/srv/files/docs", "/srv/files/empty", "q/w"],
 "files": {"/srv/files/a.txt": "one\ntwo\n", "/srv/files/docs/b.md": "x", "/etc/hostname": "vm\n"},
 "binary": {"/srv/files/pic.png": "/w=="},
 "links": {"dang": "missing", "loop": "loop", "ld": "docs", "esc": "/etc"}
}`

func smallServer(t testing.TB, version string) *Server {
	t.Helper()
	w, err := ParseWorld(jsontext.Value(smallWorld))
	if err != nil {
		t.Fatal(err)
	}
	w.Version = version
	return newServer(t, w)
}

// TestDialects holds what both real versions answer beyond the recorded cases.
// Each call starts from a new world. An empty old text is the same text.
func TestDialects(t *testing.T) {
	long := strings.Repeat("n", 256)
	for _, tt := range []struct{ tool, args, want, old string }{
		{"read_text_file", `{"path":"dang/x"}`, "Parent directory does not exist: /srv/files/dang", ""},
		{"read_text_file", `{"path":"loop/x"}`, "ELOOP: too many symbolic links encountered, realpath '/srv/files/loop/x'", ""},
		{"read_text_file", `{"path":"esc/x"}`, "Access denied - symlink target outside allowed directories: /etc not in /srv/files", "Parent directory does not exist: /srv/files/esc"},
		{"read_text_file", `{"path":"~/x"}`, "Access denied - path outside allowed directories: /srv/agent/x not in /srv/files", ""},
		{"read_text_file", `{"path":"C:\\x"}`, `Access denied - Windows-style path received on a POSIX host: C:\x`, `ENOENT: no such file or directory, open '/srv/files/C:\x'`},
		{"read_text_file", `{"path":""}`, "EISDIR: illegal operation on a directory, read", ""},
		{"read_text_file", `{"path":"` + long + `"}`, "ENAMETOOLONG: name too long, realpath '/srv/files/" + long + "'", ""},
		{"read_text_file", `{"path":"nope","tail":1}`, "ENOENT: no such file or directory, stat '/srv/files/nope'", ""},
		{"read_text_file", `{"path":"docs","head":-1}`, "", ""},
		{"read_text_file", `{"path":"a.txt","tail":0.5}`, "one\ntwo\n", "\x00"},
		{"read_text_file", `{"path":"pic.png"}`, "\ufffd", ""},
		{"read_text_file", `{"path":1,"head":"x","tail":null}`, "MCP error -32602: Input validation error: Invalid arguments for tool read_text_file: Invalid input: expected string, received number at path\nInvalid input: expected number, received null at tail\nInvalid input: expected number, received string at head", ""},
		{"read_media_file", `{"path":"pic.png"}`, `{"type":"image","data":"/w==","mimeType":"image/png"}`, ""},
		{"edit_file", `{"path":"a.txt","edits":[1,{"oldText":2}]}`, "MCP error -32602: Input validation error: Invalid arguments for tool edit_file: Invalid input: expected object, received number at edits[0]\nInvalid input: expected string, received number at edits[1].oldText\nInvalid input: expected string, received undefined at edits[1].newText", ""},
		{"list_directory_with_sizes", `{"path":".","sortBy":null}`, `MCP error -32602: Input validation error: Invalid arguments for tool list_directory_with_sizes: Invalid option: expected one of "name"|"size" at sortBy`, ""},
		{"list_directory", `{"path":"dang"}`, "Parent directory does not exist: /srv/files", "ENOENT: no such file or directory, scandir '/srv/files/dang'"},
		{"create_directory", `{"path":"dang"}`, "Parent directory does not exist: /srv/files", "ENOENT: no such file or directory, mkdir '/srv/files/dang'"},
		{"create_directory", `{"path":"ld/n"}`, "Successfully created directory ld/n", ""},
		{"write_file", `{"path":"dang","content":"x"}`, "Parent directory does not exist: /srv/files", "Successfully wrote to dang"},
		{"move_file", `{"source":"docs","destination":"a.txt"}`, "Destination already exists: /srv/files/a.txt", "ENOTDIR: not a directory, rename '/srv/files/docs' -> '/srv/files/a.txt'"},
		{"move_file", `{"source":"empty","destination":"docs"}`, "Destination already exists: /srv/files/docs", "ENOTEMPTY: directory not empty, rename '/srv/files/empty' -> '/srv/files/docs'"},
		{"move_file", `{"source":"docs","destination":"empty"}`, "Destination already exists: /srv/files/empty", "Successfully moved docs to empty"},
		{"move_file", `{"source":"q","destination":"q/nope/x"}`, "ENOENT: no such file or directory, rename '/srv/files/q' -> '/srv/files/q/nope/x'", "Parent directory does not exist: /srv/files/q/nope"},
		{"move_file", `{"source":".","destination":"zz"}`, "EINVAL: invalid argument, rename '/srv/files' -> '/srv/files/zz'", ""},
		{"search_files", `{"path":".","pattern":"*a*"}`, "/srv/files/a.txt", "/srv/files/a.txt\n/srv/files/dang"},
		{"search_files", `{"path":".","pattern":"**/[b-d]*","excludePatterns":["d*"]}`, "No matches found", ""},
		{"directory_tree", `{"path":"q","excludePatterns":["w"]}`, "[]", ""},
		{"list_allowed_directories", `{"more":1}`, "Allowed directories:\n/srv/files", ""},
	} {
		old := tt.old
		switch old {
		case "":
			old = tt.want
		case "\x00":
			old = ""
		}
		for version, want := range map[string]string{"2026.8.31": tt.want, "2026.7.10": old} {
			if got := smallServer(t, version).Call(tt.tool, jsontext.Value(tt.args), 0).Text; got != want {
				t.Errorf("%s %s on %s:\n got %q\nwant %q", tt.tool, tt.args, version, got, want)
			}
		}
	}
}

func TestEditIndentation(t *testing.T) {
	for _, tt := range []struct{ content, oldText, newText, want string }{
		{"\tif a {\n\t\tb()\n\t}\n", "if a {\n  b()\n}", "if c {\n    d()\n}", "\tif c {\n\t  d()\n}\n"},
		{"a\r\nb\r\n", "a\nb", "c", "c\n"},
		{"x x", "x", "y", "y x"},
		{"a", "a", "$&", "$&"},
	} {
		if got, found := (edit{tt.oldText, tt.newText}).apply(normalizeLineEndings(tt.content)); !found || got != tt.want {
			t.Errorf("%q: got %q %v, want %q", tt.content, got, found, tt.want)
		}
	}
}

func TestUnifiedDiff(t *testing.T) {
	_, body, _ := strings.Cut(unifiedDiff("f", "a\nb\nc", "b\nc\nd\n"), "modified\n")
	want := "@@ -1,3 +1,3 @@\n-a\n b\n-c\n\\ No newline at end of file\n+c\n+d\n"
	if body != want {
		t.Errorf("got %q\nwant %q", body, want)
	}
	huge := strings.Repeat("a\n", 50000)
	if diff := unifiedDiff("f", huge, strings.Repeat("b\n", 50000)); strings.Count(diff, "\n-a") != 50000 {
		t.Error("a huge rewrite is not shown whole")
	}
}

func TestFormatSize(t *testing.T) {
	for size, want := range map[int]string{0: "0 B", 1023: "1023 B", 1024: "1.00 KB", 1152: "1.13 KB", 1<<20 - 1: "1024.00 KB", 3 << 40: "3.00 TB"} {
		if got := formatSize(size); got != want {
			t.Errorf("%d: %s, want %s", size, got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.txt", "a.txt", true}, {"*.txt", "d/a.txt", false}, {"**/*.txt", "a.txt", true},
		{"d/**", "d", false}, {"d/**", "d/a/b", true}, {"**", ".hidden", true}, {"d/", "d", false},
		{"./a", "a", false}, {"x/../a", "a", true}, {"{a,b}.md", "b.md", true}, {"f{1..3}", "f2", true},
		{"[!a]", "b", true}, {"[[:digit:]]", "7", true}, {"@(a|b)", "b", true}, {"!*.txt", "a.md", true},
		{"#a", "#a", false}, {`\*`, "*", true}, {"[a", "[a", true}, {"**(a|b)c", "xc", true}, {"", "a", false},
	} {
		gs, failed := compileGlobs([]string{tt.pattern})
		if failed != nil || gs.match(tt.name) != tt.want {
			t.Errorf("%q on %q: want %v", tt.pattern, tt.name, tt.want)
		}
	}
}
