package adapter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
)

func TestHostileJSON(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, tt := range map[string]struct{ args, want string }{
		"deep":              {deep(9), "[args.a={}, args.a.a={}, args.a.a.a={}, args.a.a.a.a={}, args.a.a.a.a.a={}, args.a.a.a.a.a.a={}, args.a.a.a.a.a.a.a={}]"},
		"too deep":          {deep(20000), "[]"},
		"deep list":         {`{"l":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, "[args.l.length=1]"},
		"path syntax":       {`{"a.b":1,"c=d":2,"e#f":3,"g:h":4,"i?":5,"j%2E":6}`, "[args.a%2Eb=1, args.c%3Dd=2, args.e%23f=3, args.g%3Ah=4, args.i%3F=5, args.j%252E=6]"},
		"line syntax":       {`{"a] ok: rm | to x":true,"b,c;d\"":true,"e\nmcpg [f":true}`, "[args.a%5D ok%3A rm %7C to x=true, args.b%2Cc%3Bd%22=true, args.e%0Amcpg %5Bf=true]"},
		"huge numbers":      {`{"a":1e400,"b":-1e400,"c":9007199254740993,"d":1e-400}`, "[args.a=(number out of range), args.b=(number out of range), args.c=9.007199254740992e+15, args.d=0]"},
		"the last counts":   {`{"a":"x","a":{"b":1},"a":"y"}`, "[args.a=y]"},
		"invalid UTF-8":     {"{\"a\xff\":true,\"b\":\"\xfe\"}", "[args.a�=true, args.b=(text)]"},
		"lone surrogate":    {`{"a":"\ud800"}`, "[args.a=(text)]"},
		"not an object":     {`"x"`, "[]"},
		"cut off":           {`{"a":true,"b":tr`, "[args.a=true]"},
		"empty key":         {`{"":true}`, "[args=true]"},
		"tokens as strings": {`{"a":"true","b":"absent","c":"{}","d":"NaN"}`, `[args.a="true", args.b="absent", args.c=(text), args.d="NaN"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (*Adapter)(nil).View(call("t", tt.args)).Args.String(); got != tt.want {
				t.Errorf("%.300s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestTooManyFeatures: which of them would be kept depends on their order, so
// that none is.
func TestTooManyFeatures(t *testing.T) {
	t.Parallel()
	object := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"f%d":true`, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	a := parse(t, `{"server_id":"s","observation_tool":"get_x","id_param":"id"}`)
	for n, known := range map[int]bool{maxFeatures: true, maxFeatures + 1: false, 50000: false} {
		c := call("t", object(n))
		c.Before = jsontext.Value(`{"resource":` + object(n) + `}`)
		v := (*Adapter)(nil).View(c)
		if got := len(v.Args.Features) == n && len(v.Args.Unknown) == 0; got != known {
			t.Errorf("%d arguments: known is %v", n, got)
		}
		if !known && (len(v.Args.Features) > 0 || v.Args.Unknown[0] != behavior.Path{Role: behavior.ArgsRole}) {
			t.Errorf("%d arguments: %d kept, %v unknown", n, len(v.Args.Features), v.Args.Unknown)
		}
		c.Args = jsontext.Value(`{"id":1}`)
		if v := a.View(c); (len(v.State.Unknown) == 0) != known {
			t.Errorf("%d fields: %v unknown", n, v.State.Unknown)
		}
	}
}

func TestHostileIds(t *testing.T) {
	t.Parallel()
	a := parse(t, original)
	for _, args := range []string{"{\"path\":\"a\xff\"}", `{"path":"\ud800"}`, `{"path":"a\u0000b"}`} {
		c := call("edit_file", args)
		got := a.Observe(c.Tool, c.Args, func(_ string, _ jsontext.Value) Reading { return Reading{Text: "isFile: \xff"} })
		if !got.IsValid() {
			t.Errorf("%q: %s", args, got)
		}
	}
	if got := a.Names(call("edit_file", "{\"path\":\"a\xff\"}")); got != "file:a�" {
		t.Errorf("named %q", got)
	}
}
