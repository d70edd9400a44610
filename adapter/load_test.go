package adapter

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// original is the adapter that the original project ships for the filesystem
// server, field by field.
const original = `{
  "server_id": "filesystem",
  "resource_class": "file",
  "observation_tool": "get_file_info",
  "id_param": "path",
  "id_param_aliases": ["source"],
  "observation_format": "kv_text",
  "features": ["isFile", "isDirectory"],
  "effect_classes": {"edit_file": "MUTATING", "create_directory": "MUTATING"},
  "approval_required": ["write_file", "move_file"]
}`

func parse(t testing.TB, src string) *Adapter {
	t.Helper()
	a, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestOriginalAdapter(t *testing.T) {
	t.Parallel()
	a := parse(t, original)
	if a.ServerID != "filesystem" || string(a.Source()) != original || !slices.Equal(a.ReadTools(), []string{"get_file_info"}) {
		t.Errorf("%q reads with %v", a.ServerID, a.ReadTools())
	}
	for tool, want := range map[string][2]bool{ // writes, needs approval
		"edit_file": {true, false}, "create_directory": {true, false}, "write_file": {true, true},
		"move_file": {true, true}, "get_file_info": {false, false}, "list_directory": {false, false},
	} {
		if got := [2]bool{a.Writes(tool), a.NeedsApproval(tool)}; got != want {
			t.Errorf("%s: writes, needs approval: %v, want %v", tool, got, want)
		}
	}
	info := func(tool string, args jsontext.Value) Reading {
		if tool != "get_file_info" || string(args) != `{"path":"/w/a.txt"}` {
			t.Errorf("read %s %s", tool, args)
		}
		return Reading{Text: "size: 12\ncreated: Mon Jan 05 2026 10:00:00\nisDirectory: false\nisFile: true\npermissions: 644"}
	}
	for _, args := range []string{`{"path":"/w/a.txt","edits":[]}`, `{"source":"/w/a.txt","destination":"/w/b.txt"}`} {
		c := call("edit_file", args)
		c.Before = a.Observe(c.Tool, c.Args, info)
		if v := a.View(c); v.Resource != "file:/w/a.txt" || v.State.Short() != "[isDirectory=false, isFile=true]" {
			t.Errorf("%s: %s %s", args, v.Resource, v.State.Short())
		}
	}
}

func TestParseLeavesOutWhatItMay(t *testing.T) {
	t.Parallel()
	a := parse(t, `{"server_id":"s","observation_tool":"get_x","id_param":"id"}`)
	c := call("close_x", `{"id":7}`)
	c.Before = a.Observe(c.Tool, c.Args, answers{`get_x {"id":7}`: `{"open":true,"kind":"bug","title":"it broke, badly!","size":3}`}.read)
	if v := a.View(c); v.Resource != "resource:7" || v.State.Short() != "[kind=bug, open=true]" {
		t.Errorf("%s %s: booleans and names are the default", v.Resource, v.State.Short())
	}
}

func TestShipped(t *testing.T) {
	t.Parallel()
	if want := []string{"filesystem", "memory", "release", "tau-airline", "tau-retail"}; !slices.Equal(Shipped(), want) {
		t.Errorf("shipped are %v", Shipped())
	}
	set, err := LoadSet(Shipped())
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range Shipped() {
		if a := set.For(strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); a != set[i] || a.ServerID != name {
			t.Errorf("%s: its server has the adapter %v", name, a)
		}
	}
	if set.For("other") != nil || set.For("") != nil || set[:1].For("other") != set[0] {
		t.Error("only a single adapter serves a server of another name")
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mine.json")
	bad := filepath.Join(t.TempDir(), "bad.json")
	for name, text := range map[string]string{file: original, bad: `{}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(file); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"githbu":       `unknown adapter "githbu": shipped ones are filesystem, memory, release, tau-airline, tau-retail, others are given as a path`,
		"./no.json":    "adapter ./no.json: no such file or directory",
		bad:            "adapter " + bad + `: neither "server_id" nor "id_param": the adapter says nothing`,
		"../../etc/no": "adapter ../../etc/no: no such file or directory",
	} {
		_, err := Load(name)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if errors.Is(err, ErrUnknown) != (name == "githbu") {
			t.Errorf("%s: is unknown: %v", name, err)
		}
	}
	if _, err := LoadSet([]string{"release", "no"}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	in := func(members string) string {
		return `{"server_id":"s","resource_class":"x","observation_tool":"get_x","id_param":"id",` + members + `}`
	}
	for name, tt := range map[string]struct{ src, want string }{
		"not JSON":           {`{"server_id":`, "not JSON: unexpected EOF"},
		"a duplicate":        {`{"server_id":"a","server_id":"b"}`, `not JSON: duplicate object member name "server_id"`},
		"unknown field":      {in(`"observation_tols":"x"`), "unknown field /observation_tols"},
		"case counts":        {in(`"Features":[]`), "unknown field /Features"},
		"unknown deep":       {in(`"resources":[{"tool":"x"}]`), "unknown field /resources/0/tool"},
		"wrong type":         {in(`"features":"x"`), "field /features: want []string, not a JSON string"},
		"no server":          {`{"resource_class":"x"}`, `neither "server_id" nor "id_param": the adapter says nothing`},
		"no id":              {`{"server_id":"s","resource_class":"x"}`, `"resource_class" or "observation_tool" without "id_param"`},
		"no id for a tool":   {`{"server_id":"s","observation_tool":"get_x"}`, `"resource_class" or "observation_tool" without "id_param"`},
		"effect class":       {in(`"effect_classes":{"b":"WRITING","a":"READING"}`), `effect class "READING" of a: want READ_ONLY, MUTATING or DESTRUCTIVE`},
		"format":             {in(`"observation_format":"xml"`), `observation_format "xml": want fields, kv_text or text`},
		"text without as":    {in(`"observation_format":"text"`), `observation get_x: format "text" wants a name in "as"`},
		"two readings":       {in(`"observations":[{"tool":"show_x"}]`), `observation show_x: class "x" has another reading of that name; give it one in "as"`},
		"no tool":            {in(`"observations":[{"as":"more"}]`), `class "x": an observation without a tool`},
		"list of arguments":  {in(`"observation_args":[1]`), "observation get_x: its arguments aren't an object"},
		"class without ids":  {in(`"classes":[{"class":"y"}]`), "class 2: wants class and id_params"},
		"class twice":        {in(`"classes":[{"class":"x","id_params":["y"]}]`), `class "x" is there twice`},
		"unknown class":      {in(`"resources":[{"tools":["t"],"param":"p","class":"y"}]`), `resource of t: unknown class "y"`},
		"param and field":    {in(`"resources":[{"tools":["t"],"param":"p","field":"f","class":"x"}]`), "resource of t: wants either param or field"},
		"neither":            {in(`"resources":[{"tools":["t"],"class":"x"}]`), "resource of t: wants either param or field"},
		"role taken":         {in(`"resources":[{"tools":["t"],"param":"p","class":"x","role":"args"}]`), `role "args" is taken or has a character that roles can't have`},
		"role with a dot":    {in(`"resources":[{"tools":["t"],"param":"p","class":"x","role":"a.b"}]`), `role "a.b" is taken or has a character that roles can't have`},
		"link without role":  {in(`"resources":[{"tools":["t"],"field":"f","class":"x"}]`), "resource of t: a linked one wants a role"},
		"derive":             {in(`"resources":[{"tools":["t"],"param":"p","class":"x","derive":"basename"}]`), `derive "basename": want "dirname"`},
		"op":                 {in(`"relations":[{"tools":["t"],"op":"greater","arg":"a","state":"b"}]`), `relation "greater": unknown op; want one of at_most, contained, contained_lines, equal, less, member`},
		"operands":           {in(`"relations":[{"tools":["t"],"op":"less","arg":"a","state":"b","arg2":"c"}]`), `relation "less": wants arg, and either state or arg2`},
		"no operand":         {in(`"relations":[{"tools":["t"],"op":"less","arg":"a"}]`), `relation "less": wants arg, and either state or arg2`},
		"pattern":            {in(`"error_patterns":[{"pattern":"("}]`), "pattern: error parsing regexp: missing closing ): `(`"},
		"empty pattern":      {in(`"error_patterns":[{"cause":"state"}]`), "pattern: an empty one matches everything"},
		"soft pattern":       {in(`"soft_error_patterns":[{"pattern":"["}]`), "pattern: error parsing regexp: missing closing ]: `[`"},
		"pattern's cause":    {in(`"error_patterns":[{"pattern":"x","cause":"weather"}]`), `cause "weather": want one of [state argument unknown_tool unclear]`},
		"pattern's outcome":  {in(`"error_patterns":[{"pattern":"x","outcome":"ok"}]`), `pattern "x": outcome "ok": want rejected, error, transport or denied`},
		"not found":          {in(`"not_found_patterns":["*"]`), "not_found_patterns: error parsing regexp: missing argument to repetition operator: `*`"},
		"ambient nameless":   {in(`"ambient":[{"tool":"get_user"}]`), `ambient get_user: wants a name in "as"`},
		"ambient toolless":   {in(`"ambient":[{"as":"user"}]`), "ambient: a read without a tool"},
		"ambient like class": {in(`"ambient":[{"tool":"get_user","as":"x"}]`), `ambient get_user: a class or role has the name "x"`},
		"ambient role":       {in(`"ambient":[{"tool":"get_user","as":"a b"}]`), `role "a b" is taken or has a character that roles can't have`},
		"ambient format":     {in(`"ambient":[{"tool":"get_user","as":"user","format":"text"}]`), `ambient get_user: format "text": want fields or kv_text`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse([]byte(tt.src)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestWritingObservations(t *testing.T) {
	t.Parallel()
	src := func(tool, more string) string {
		return `{"server_id":"s","resource_class":"x","id_param":"id","observation_tool":"` + tool + `"` + more + `}`
	}
	for _, tt := range []struct{ tool, more, want string }{
		{"get_x", `,"effect_classes":{"get_x":"MUTATING"}`, "observation tool is not read-only: get_x has effect class MUTATING"},
		{"get_x", `,"effect_classes":{"get_x":"DESTRUCTIVE"}`, "observation tool is not read-only: get_x has effect class DESTRUCTIVE"},
		{"delete_file", "", "observation tool is not read-only: the name of delete_file says that it writes; if it doesn't, give it effect class READ_ONLY"},
		{"deleteFile", "", "observation tool is not read-only: the name of deleteFile"},
		{"DeleteFile", "", "observation tool is not read-only: the name of DeleteFile"},
		{"DELETE_FILE", "", "observation tool is not read-only: the name of DELETE_FILE"},
		{"deleteFile_now", "", "observation tool is not read-only: the name of deleteFile_now"},
		{"_write", "", "observation tool is not read-only: the name of _write"},
		{"get_and_set", "", "observation tool is not read-only: the name of get_and_set"},
		{"github_create_issue", "", "observation tool is not read-only: the name of github_create_issue"},
		{"order_delete", "", "observation tool is not read-only: the name of order_delete"},
		{"move.file", "", "observation tool is not read-only: the name of move.file"},
		{"get_x", `,"ambient":[{"tool":"set_user","as":"user"}]`, "observation tool is not read-only: the name of set_user"},
		{"get_x", `,"observations":[{"tool":"runQuery","as":"more"}]`, "observation tool is not read-only: the name of runQuery"},
		{"run_query", `,"effect_classes":{"run_query":"READ_ONLY"}`, ""},
		{"settings", "", ""}, {"get_update_history", "", ""}, {"list_deleted", "", ""}, {"get_set", "", ""}, {"updated_files", "", ""}, {"lockStatus", `,"effect_classes":{"lockStatus":"READ_ONLY"}`, ""}, {"Ü", "", ""},
	} {
		_, err := Parse([]byte(src(tt.tool, tt.more)))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s%s: %v", tt.tool, tt.more, err)
		case tt.want != "" && (!errors.Is(err, ErrWritingObservation) || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s%s: %v\nwant %s", tt.tool, tt.more, err, tt.want)
		}
	}
}

func TestCheckAnnotations(t *testing.T) {
	t.Parallel()
	a := parse(t, original)
	for name, tt := range map[string]struct{ hint, ok, refused bool }{
		"read-only": {true, true, false}, "writes": {false, true, true}, "no annotation": {false, false, false},
	} {
		err := a.CheckAnnotations(func(string) (bool, bool) { return tt.hint, tt.ok })
		if errors.Is(err, ErrWritingObservation) != tt.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.EffectClasses["get_file_info"] = ReadOnly
	if err := a.CheckAnnotations(func(string) (bool, bool) { return false, true }); err != nil {
		t.Errorf("the adapter's word comes first: %v", err)
	}
}
