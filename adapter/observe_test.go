package adapter

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

func call(tool, args string) *calllog.Call {
	return &calllog.Call{Tool: tool, Args: jsontext.Value(args)}
}

// answers maps "tool arguments" to what the read gives: a text that begins with
// ! is a refusal; what isn't there is not read.
type answers map[string]string

func (as answers) read(tool string, args jsontext.Value) Reading {
	text, ok := as[tool+" "+string(args)]
	if !ok {
		return Reading{None: true}
	}
	if refusal, failed := strings.CutPrefix(text, "!"); failed {
		return Reading{Text: refusal, Failed: true}
	}
	return Reading{Text: text}
}

func loaded(t testing.TB, name string) *Adapter {
	t.Helper()
	a, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestRefs(t *testing.T) {
	t.Parallel()
	files, releases := loaded(t, "filesystem"), loaded(t, "release")
	for _, tt := range []struct {
		a          *Adapter
		tool, args string
		want       string
	}{
		{files, "edit_file", `{"path":"/a/b"}`, "file:/a/b"},
		{files, "unheard_of", `{"source":"/a"}`, "file:/a"}, // an alias
		{files, "x", `{"source":"/s","path":"/p"}`, "file:/p"},
		{files, "read_multiple_files", `{"paths":["/a","/b"]}`, "file:/a file:/b"},
		{files, "read_multiple_files", `{"paths":[]}`, ""},
		{files, "move_file", `{"source":"/a","destination":"/d/b"}`, "source=file:/a destination=file:/d/b parent=file:/d"},
		{files, "move_file", `{"destination":"b"}`, "destination=file:b parent=file:."},
		{files, "write_file", `{"path":"/a"}`, "file:/a parent=file:/"},
		{files, "list_allowed_directories", `{}`, ""},
		{files, "edit_file", ``, ""},
		{files, "edit_file", `{"path":{"x":1}}`, ""},
		{files, "edit_file", `{"path":null,"source":"/a"}`, "file:/a"},
		{files, "edit_file", `{"Path":"/a"}`, ""}, // case counts
		{files, "edit_file", `{"path":"/a","path":"/b"}`, "file:/b"},
		{releases, "get_release", `{"release_id":12}`, "release:12"},
		{releases, "get_release", `{"release_id":9007199254740993}`, "release:9007199254740993"},
		{releases, "lock_channel", `{"channel":"beta","owner":"x"}`, "channel:beta"},
		{releases, "create_release", `{"channel":"beta","release_id":"r"}`, "release:r channel=channel:beta"},
		{releases, "get_release", `{"release_id":true}`, ""},
	} {
		var got []string
		for _, r := range tt.a.Refs(tt.tool, jsontext.Value(tt.args)) {
			name := r.String()
			if r.Role != "" {
				name = r.Role + "=" + name
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %s: %v, want %s", tt.tool, tt.args, got, tt.want)
		}
	}
	if got := files.Names(call("write_file", `{"path":"/"}`)); got != "file:/" {
		t.Errorf("a resource in two roles is named %q", got)
	}
}

const withAll = `{
  "server_id": "s", "resource_class": "ticket", "observation_tool": "get_ticket", "id_param": "id", "id_param_aliases": ["ids"],
  "observation_args": {"verbose": true, "id": "overwritten"},
  "observations": [
    {"tool": "get_body", "as": "body", "format": "text", "tools": ["edit"], "when": {"open": true, "kind": "bug-2 x", "n": 1.0}},
    {"tool": "get_log", "as": "log", "format": "kv_text", "id_param": "ticket", "tools": ["edit"]}
  ],
  "classes": [{"class": "user", "id_params": ["user"], "observations": [{"tool": "get_user"}]}, {"class": "blind", "id_params": ["blind"]}],
  "resources": [{"tools": ["edit", "assign"], "field": "owner", "role": "owner", "class": "user"}],
  "ambient": [{"tool": "whoami", "as": "me", "args": {"x":1}}]
}`

func TestObserve(t *testing.T) {
	t.Parallel()
	a := parse(t, withAll)
	const ticket = `get_ticket {"verbose":true,"id":"7"}`
	me := answers{`whoami {"x":1}`: `{"admin":true}`}
	with := func(more answers) answers {
		for k, v := range me {
			more[k] = v
		}
		return more
	}
	full := `{"open":true,"kind":"bug-2 x","n":1,"owner":"bo"}`
	for name, tt := range map[string]struct {
		tool, args string
		as         answers
		want       string
	}{
		"everything": {"edit", `{"id":"7"}`, with(answers{ticket: full, `get_body {"id":"7"}`: "a\nb", `get_log {"ticket":"7"}`: "n: 1\nhot: True", `get_user {"user":"bo"}`: `{"busy":false}`}),
			`{"ticket":` + full + `,"ticket.body":"a\nb","ticket.log":{"n":1,"hot":true},"owner":{"busy":false},"me":{"admin":true}}`},
		"when doesn't hold": {"edit", `{"id":"7"}`, with(answers{ticket: `{"open":true,"kind":"bug-3 x","n":1}`, `get_log {"ticket":"7"}`: "x: ", `get_body {"id":"7"}`: "read"}),
			`{"ticket":{"open":true,"kind":"bug-3 x","n":1},"ticket.log":{"x":null},"me":{"admin":true}}`},
		"another tool": {"close", `{"id":"7"}`, with(answers{ticket: full}), `{"ticket":` + full + `,"me":{"admin":true}}`},
		"not found":    {"edit", `{"id":"7"}`, with(answers{ticket: "!Ticket 7 not found"}), `{"ticket":{"exists":false},"me":{"admin":true}}`},
		"other failure": {"assign", `{"id":"7"}`, with(answers{ticket: "!disk on fire"}),
			`{"ticket":null,"owner":null,"me":{"admin":true}}`},
		"no such tool":     {"close", `{"id":"7"}`, with(answers{ticket: "!MCP error -32602: Tool get_ticket not found"}), `{"ticket":null,"me":{"admin":true}}`},
		"no connection":    {"close", `{"id":"7"}`, with(answers{ticket: "!HTTP 503: upstream 404"}), `{"ticket":null,"me":{"admin":true}}`},
		"unread":           {"close", `{"id":"7"}`, answers{}, `{"ticket":null,"me":null}`},
		"no object":        {"close", `{"id":"7"}`, with(answers{ticket: `[1]`}), `{"ticket":null,"me":{"admin":true}}`},
		"broken object":    {"close", `{"id":"7"}`, with(answers{ticket: `{"a":1} tail`}), `{"ticket":null,"me":{"admin":true}}`},
		"duplicate names":  {"close", `{"id":"7"}`, with(answers{ticket: `{"a":1,"a":2}`}), `{"ticket":null,"me":{"admin":true}}`},
		"no link":          {"assign", `{"id":"7"}`, with(answers{ticket: `{"owner":null}`}), `{"ticket":{"owner":null},"me":{"admin":true}}`},
		"link to nothing":  {"assign", `{"id":"7"}`, with(answers{ticket: `{"owner":"bo"}`, `get_user {"user":"bo"}`: "!no such user"}), `{"ticket":{"owner":"bo"},"owner":{"exists":false},"me":{"admin":true}}`},
		"several":          {"close", `{"ids":["7",8]}`, with(answers{ticket: `{"a":1}`, `get_ticket {"verbose":true,"id":8}`: "!not found"}), `{"ticket":[{"a":1},{"exists":false}],"me":{"admin":true}}`},
		"no resource":      {"close", `{}`, me, `{"me":{"admin":true}}`},
		"nothing to read":  {"close", `{"blind":"x"}`, me, `{"me":{"admin":true}}`},
		"a list of links":  {"assign", `{"id":"7"}`, with(answers{ticket: `{"owner":["bo","al"]}`, `get_user {"user":"bo"}`: `{"busy":true}`, `get_user {"user":"al"}`: `{"busy":false}`}), `{"ticket":{"owner":["bo","al"]},"owner":[{"busy":true},{"busy":false}],"me":{"admin":true}}`},
		"an odd link":      {"assign", `{"id":"7"}`, with(answers{ticket: `{"owner":{"name":"bo"}}`}), `{"ticket":{"owner":{"name":"bo"}},"me":{"admin":true}}`},
		"ambient unread":   {"close", `{}`, answers{`whoami {"x":1}`: "!boom"}, `{"me":null}`},
		"ambient not user": {"close", `{}`, answers{`whoami {"x":1}`: "!No such session"}, `{"me":{"exists":false}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := a.Observe(tt.tool, jsontext.Value(tt.args), tt.as.read)
			if string(got) != tt.want || !got.IsValid() {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
	plain := parse(t, original)
	if got := plain.Observe("list", jsontext.Value(`{}`), answers{}.read); got != nil {
		t.Errorf("nothing to read gave %s", got)
	}
}

func TestObserveFirst(t *testing.T) {
	t.Parallel()
	a := parse(t, withAll)
	as := answers{`get_ticket {"verbose":true,"id":"7"}`: `{"open":true}`}
	for args, want := range map[string]string{`{"id":"7"}`: `{"ticket":{"open":true}}`, `{"ids":["7"]}`: "", `{}`: "", `{"blind":"x"}`: ""} {
		if got := a.ObserveFirst("edit", jsontext.Value(args), as.read); string(got) != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestKVText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: true\nb: False\r\nc: 0644\nd: 12.5\ne: x: y\n": `{"a":true,"b":false,"c":"0644","d":12.5,"e":"x: y"}`,
		"a: first\na: second":                              `{"a":"first"}`,
		"  key  :   value  ":                               `{"key":"value"}`,
		"a:":                                               `{"a":null}`,
		": x\nno colon":                                    `null`,
		"":                                                 `null`,
		"a: \xff\n\xfe\a: b":                               `{"a":"�","�\u0007":"b"}`,
		"a: NaN\nb: 1e5 ":                                  `{"a":"NaN","b":1e5}`,
	} {
		if got := kvText(text); string(got) != want || !got.IsValid() {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	byDefault, own := parse(t, original), loaded(t, "filesystem")
	for _, tt := range []struct {
		text           string
		byDefault, own bool
	}{
		{"File not found", true, false}, {"/x does not exist", true, false}, {"ENOENT: no such file or directory, stat '/x'", true, true},
		{"HTTP 404", true, false}, {"Parent directory does not exist: /x", true, true}, {"MCP error -32602: Issue 5 not found", true, false},
		{"EACCES: permission denied", false, false}, {"notfound", false, false}, {"40404", false, false},
		{"Unknown tool: get_file_info", false, false}, {"Tool get_file_info not found", false, false}, {"MCP error -32601: Method not found", false, false},
		{"request timed out: host not found", false, false}, {"Traceback (most recent call last): file not found", false, false},
	} {
		if got := byDefault.saysNotFound(tt.text); got != tt.byDefault {
			t.Errorf("%q: by default %v", tt.text, got)
		}
		if got := own.saysNotFound(tt.text); got != tt.own {
			t.Errorf("%q: by the adapter's own patterns %v", tt.text, got)
		}
	}
}
