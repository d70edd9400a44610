package adapter

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
)

// seen writes a view as "state args -> after".
func seen(v *behavior.View) string {
	s := v.State.String() + " " + v.Args.String()
	if v.HasAfter {
		s += " -> " + v.After.String()
	}
	return s
}

func TestView(t *testing.T) {
	t.Parallel()
	a := parse(t, `{
	  "server_id": "s", "resource_class": "ticket", "observation_tool": "get_ticket", "id_param": "id", "id_param_aliases": ["ids"],
	  "features": ["open", "kind", "size", "meta.lang", "tags"], "volatile": ["kind"],
	  "classes": [{"class": "user", "id_params": ["user"], "observations": [{"tool": "get_user"}], "volatile": ["seen"]}],
	  "resources": [{"tools": ["assign"], "field": "owner", "role": "owner", "class": "user"},
	    {"tools": ["move"], "param": "from", "role": "source", "class": "user"}, {"tools": ["move"], "param": "to", "role": "target", "class": "user"}],
	  "ambient": [{"tool": "whoami", "as": "me", "features": ["admin"]}],
	  "argument_features": {"edit": ["force", "parts"], "*": []}
	}`)
	for name, tt := range map[string]struct{ tool, args, before, after, want string }{
		"listed features": {"close", `{"id":"7","force":true}`, `{"ticket":{"open":true,"kind":"bug","size":3,"meta":{"lang":"go","x":true},"tags":[1,2],"other":true},"me":{"admin":false,"x":1}}`, "",
			"[exists=true, meta={}, meta.lang=go, open=true, size=3, tags.length=2, me.admin=false, me.exists=true] []"},
		"absent is a value": {"close", `{"id":"7"}`, `{"ticket":{"open":null},"me":{}}`, "", "[exists=true, open=absent, me.exists=true] []"},
		"not there":         {"close", `{"id":"7"}`, `{"ticket":{"exists": false },"me":null}`, `{"ticket":{"exists":false}}`, "[exists=false, me=?] [] -> [exists=false]"},
		"unobserved":        {"close", `{"id":"7"}`, `{"ticket":null}`, `{"ticket":null}`, "[state=?, me=?] []"},
		"nothing before":    {"close", `{"id":"7"}`, "", "", "[state=?, me=?] []"},
		"no object":         {"close", `{"id":"7"}`, `{"ticket":"gone","me":[]}`, `{"ticket":[]}`, "[state=?, me=?] []"},
		"after":             {"close", `{"id":"7"}`, `{"ticket":{"open":true},"me":{"admin":true}}`, `{"ticket":{"open":false}}`, "[exists=true, open=true, me.admin=true, me.exists=true] [] -> [exists=true, open=false]"},
		"arguments":         {"edit", `{"id":"7","force":true,"parts":[1,2,3],"note":"x"}`, `{"me":{}}`, "", "[me.exists=true, state=?] [args.force=true, args.parts.length=3]"},
		"roles":             {"move", `{"from":"bo","to":"al"}`, `{"source":{"busy":true,"seen":true,"n":1},"target":{"exists":false},"me":{}}`, `{"source":{"busy":false}}`, "[me.exists=true, source.busy=true, source.exists=true, target.exists=false] [] -> [busy=false, exists=true]"},
		"a role unread":     {"move", `{"from":"bo","to":"al"}`, `{"source":{"busy":true},"me":{}}`, "", "[me.exists=true, source.busy=true, source.exists=true, target=?] []"},
		"linked":            {"assign", `{"id":"7"}`, `{"ticket":{"owner":"bo"},"owner":{"busy":true},"me":{}}`, "", "[exists=true, me.exists=true, owner.busy=true, owner.exists=true] []"},
		"no link":           {"assign", `{"id":"7"}`, `{"ticket":{"open":true},"me":{}}`, "", "[exists=true, open=true, me.exists=true] []"},
		"link of nothing":   {"assign", `{"id":"7"}`, `{"ticket":{"exists":false},"me":{}}`, "", "[exists=false, me.exists=true] []"},
		"link unread":       {"assign", `{"id":"7"}`, `{"ticket":{"owner":"bo"},"me":{}}`, "", "[exists=true, me.exists=true, owner=?] []"},
		"link unknown":      {"assign", `{"id":"7"}`, `{"ticket":null,"me":{}}`, "", "[me.exists=true, state=?, owner=?] []"},
		"all and any":       {"close", `{"ids":["7","8"]}`, `{"ticket":[{"open":true,"size":1},{"open":false,"size":4}],"me":{}}`, `{"ticket":[{"open":true}]}`, "[any exists=true, any open=true, exists=true, open=false, open=true, size=1..4, me.exists=true] []"},
		"all alike":         {"close", `{"ids":["7","8"]}`, `{"ticket":[{"open":false},{"open":false}],"me":{}}`, "", "[any exists=true, any open=false, exists=true, open=false, me.exists=true] []"},
		"one unread":        {"close", `{"ids":["7","8"]}`, `{"ticket":[{"open":false},null],"me":{}}`, "", "[any exists=true, any open=false, exists=true, open=false, me.exists=true, state=?] []"},
		"several unread":    {"close", `{"ids":["7"]}`, `{"me":{}}`, "", "[me.exists=true, state=?] []"},
		"no resource":       {"list", `{"page":2}`, `{"me":{"admin":true}}`, "", "[me.admin=true, me.exists=true] []"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(tt.tool, tt.args)
			c.Before, c.After = jsontext.Value(tt.before), jsontext.Value(tt.after)
			if tt.after == "" {
				c.After = nil
			}
			if got := seen(a.View(c)); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestViewNamesItsResource(t *testing.T) {
	t.Parallel()
	a := loaded(t, "filesystem")
	v := a.View(call("move_file", `{"source":"/a","destination":"/b"}`))
	if v.Resource != "file:/a" || v.Class != "file" || v.Primary != "source" {
		t.Errorf("%+v", v)
	}
}

func TestViewLeavesOutIds(t *testing.T) {
	t.Parallel()
	a := parse(t, original)
	v := a.View(call("edit_file", `{"path":"readme","source":"other","dryRun":true,"head":3,"mode":"fast","note":"some long text, with a comma"}`))
	if got, want := v.Args.String(), "[args.dryRun=true, args.head=3, args.mode=fast, args.note=(text)]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDirtyStateIsNotTrusted(t *testing.T) {
	t.Parallel()
	c := call("edit_file", `{"path":"a"}`)
	c.Before, c.StateDirty = jsontext.Value(`{"file":{"isFile":true}}`), true
	var none *Adapter
	for _, a := range []*Adapter{parse(t, original), none} {
		if v := a.View(c); len(v.State.Features) > 0 || v.State.String() != "[state=?]" {
			t.Errorf("%s", v.State)
		}
	}
}

func TestViewWithoutAdapter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ args, before, after, want string }{
		"everything":    {`{"n":1,"deep":{"kind":"x"},"list":[1,2]}`, `{"ticket":{"open":true,"size":2}}`, `{"ticket":{"open":false}}`, "[ticket={}, ticket.open=true, ticket.size=2] [args.deep={}, args.deep.kind=x, args.list.length=2, args.n=1, args n is at least ticket.size=false, args n is at most ticket.size=true] -> [ticket={}, ticket.open=false]"},
		"failed read":   {``, `{"ticket":null,"user":{"busy":null}}`, `{"ticket":null}`, "[user={}, user.busy=absent, ticket=?] [] -> [ticket=?]"},
		"no state":      {`[]`, ``, ``, "[state=?] []"},
		"broken object": {`{"a":true,"b`, ``, ``, "[state=?] [args.a=true]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call("t", tt.args)
			if c.Before = jsontext.Value(tt.before); tt.before == "" {
				c.Before = nil
			}
			if c.After = jsontext.Value(tt.after); tt.after == "" {
				c.After = nil
			}
			if got := seen(Set{}.View(c)); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestNamesAndTexts: a string is a value where it is a name from a small set,
// else only that there is a text.
func TestNamesAndTexts(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"DRAFT": "DRAFT", "in review": "in review", "v1.beta": "v1.beta", "e-mail": "e-mail", "été": "été",
		"": "(text)", "2026-01-05": "(text)", "/srv/a": "(text)", "order-123456": "(text)", "one two three four five": "(text)",
		"a@b.c": "(text)", "Hello, world": "(text)", strings.Repeat("x", 41): "(text)", "true": `"true"`, "absent": `"absent"`, "x\ny": "(text)",
	} {
		c := call("t", string(object([]entry{{"v", quote(value)}})))
		got := (*Adapter)(nil).View(c).Args.Features[0].Value.String()
		if got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
