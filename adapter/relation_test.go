package adapter

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestRelations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op, arg, state string
		want           bool
	}{
		{"equal", `"a"`, `"a"`, true}, {"equal", `"a"`, `"A"`, false}, {"equal", `1`, `1.0`, true}, {"equal", `1`, `"1"`, false},
		{"equal", `"\u0061"`, `"a"`, true}, {"equal", `true`, `true`, true}, {"equal", `-0`, `0`, true},
		{"equal", `9007199254740993`, `9007199254740992`, false}, {"equal", `1e400`, `2e400`, false},
		{"less", `1`, `2`, true}, {"less", `2`, `2`, false}, {"less", `"1"`, `2`, false}, {"less", `1`, `"2"`, false}, {"less", `-1e400`, `2`, false},
		{"at_most", `2`, `2.0`, true}, {"at_most", `3`, `2`, false},
		{"member", `"a"`, `["b","a"]`, true}, {"member", `"c"`, `["b","a"]`, false}, {"member", `"a"`, `"a"`, true}, {"member", `"a"`, `[]`, false},
		{"contained", `"b\nc"`, `"a\r\nb\r\nc"`, true}, {"contained", `" b"`, `"b"`, false}, {"contained", `5`, `"5"`, false}, {"contained", `"5"`, `5`, false},
		{"contained_lines", `"  b\nc "`, `"a\n b\n  c"`, true}, {"contained_lines", `"b"`, `"abc"`, true}, {"contained_lines", `" b"`, `"abc"`, false},
	} {
		a := parse(t, `{"server_id":"s","resource_class":"x","observation_tool":"get_x","id_param":"id","features":[],"argument_features":{"*":[]},
			"relations":[{"tools":["t"],"op":"`+tt.op+`","arg":"arg","state":"state"}]}`)
		c := call("t", `{"id":"1","arg":`+tt.arg+`}`)
		c.Before = jsontext.Value(`{"x":{"state":` + tt.state + `}}`)
		fs := a.View(c).Args.Features
		if len(fs) != 1 || fs[0].Token != map[bool]string{true: "true", false: "false"}[tt.want] {
			t.Errorf("%s %s %s: %v, want %v", tt.arg, tt.op, tt.state, fs, tt.want)
		}
	}
}

func TestRelationOperands(t *testing.T) {
	t.Parallel()
	a := parse(t, `{
	  "server_id": "s", "resource_class": "x", "observation_tool": "get_x", "id_param": "id", "features": [], "argument_features": {"*": []},
	  "observations": [{"tool": "get_body", "as": "body", "format": "text", "when": {"open": true}}],
	  "resources": [{"tools": ["linked"], "field": "next", "role": "next", "class": "x"}],
	  "ambient": [{"tool": "whoami", "as": "me", "features": []}],
	  "relations": [
	    {"tools": ["own", "linked"], "op": "equal", "arg": "a", "state": "next.v"},
	    {"tools": ["body"], "op": "contained", "arg": "edits[].old", "state": "body"},
	    {"tools": ["who"], "op": "equal", "arg": "a", "state": "me.name"},
	    {"tools": ["pair"], "op": "less", "arg": "a", "arg2": "b.c"}
	  ]
	}`)
	const (
		next = "args a equals next.v"
		body = "args edits[].old is contained in body"
		who  = "args a equals me.name"
		pair = "args a is less than args b.c"
	)
	for name, tt := range map[string]struct{ tool, args, before, want string }{
		"a field that looks like another tool's role": {"own", `{"id":1,"a":5}`, `{"x":{"next":{"v":5}}}`, "[" + next + "=true]"},
		"a linked resource":                           {"linked", `{"id":1,"a":5}`, `{"x":{"next":2},"next":{"v":6}}`, "[" + next + "=false]"},
		"a linked one that isn't there":               {"linked", `{"id":1,"a":5}`, `{"x":{"next":2},"next":{"exists":false}}`, "[]"},
		"a linked one unread":                         {"linked", `{"id":1,"a":5}`, `{"x":{"next":2},"next":null}`, "[" + next + "=?]"},
		"absent argument":                             {"own", `{"id":1}`, `{"x":{"next":{"v":5}}}`, "[]"},
		"null argument":                               {"own", `{"id":1,"a":null}`, `{"x":{"next":{"v":5}}}`, "[]"},
		"absent field":                                {"own", `{"id":1,"a":5}`, `{"x":{}}`, "[]"},
		"nothing there":                               {"own", `{"id":1,"a":5}`, `{"x":{"exists":false}}`, "[]"},
		"unobserved":                                  {"own", `{"id":1,"a":5}`, `{"x":null}`, "[" + next + "=?]"},
		"nothing observed":                            {"own", `{"id":1,"a":5}`, ``, "[" + next + "=?]"},
		"no resource":                                 {"own", `{"a":5}`, `{}`, "[]"},
		"every element":                               {"body", `{"id":1,"edits":[{"old":"b"},{"old":"c"}]}`, `{"x":{"open":true},"x.body":"abc"}`, "[" + body + "=true]"},
		"one isn't":                                   {"body", `{"id":1,"edits":[{"old":"b"},{"old":"d"}]}`, `{"x":{"open":true},"x.body":"abc"}`, "[" + body + "=false]"},
		"no elements":                                 {"body", `{"id":1,"edits":[]}`, `{"x":{"open":true},"x.body":"abc"}`, "[]"},
		"reading failed":                              {"body", `{"id":1,"edits":[{"old":"b"}]}`, `{"x":{"open":true},"x.body":null}`, "[" + body + "=?]"},
		"reading missing":                             {"body", `{"id":1,"edits":[{"old":"b"}]}`, `{"x":{"open":true}}`, "[" + body + "=?]"},
		"reading not wanted":                          {"body", `{"id":1,"edits":[{"old":"b"}]}`, `{"x":{"open":false}}`, "[]"},
		"who is logged in":                            {"who", `{"a":"bo"}`, `{"me":{"name":"bo"}}`, "[" + who + "=true]"},
		"who is unknown":                              {"who", `{"a":"bo"}`, `{"me":null}`, "[" + who + "=?]"},
		"two arguments":                               {"pair", `{"a":1,"b":{"c":2}}`, ``, "[" + pair + "=true]"},
		"second missing":                              {"pair", `{"a":1,"b":{}}`, ``, "[]"},
		"another tool":                                {"other", `{"id":1,"a":5}`, `{"x":{"next":{"v":5}}}`, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(tt.tool, tt.args)
			c.Before = jsontext.Value(tt.before)
			if got := a.View(c).Args.String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
