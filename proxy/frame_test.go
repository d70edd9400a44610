package proxy

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		frame, id, method string
		ok                bool
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\r\n", "7", "ping", true},
		{`{"id":"7","method":"ping","extra":[1,{"id":9}]}` + "\n", `"7"`, "ping", true},
		{`{"method":"notifications/x"}`, "", "notifications/x", true},
		{`{"method":"x","id":null}`, "null", "x", true},
		{`{"result":{},"jsonrpc":"2.0","id":9007199254740993}`, "9007199254740993", "", true},
		{`{"id":7.5,"error":{"code":1}}`, "7.5", "", true},
		{`{"id":1,"id":2,"method":"twice"}`, "2", "twice", true},
		{`{"id":1}`, "1", "", false},
		{`[{"id":1,"method":"a"}]`, "", "", false},
		{"Server ready\n", "", "", false},
		{"\n", "", "", false},
		{`{"id":1,"method":"ping"} trailing`, "1", "ping", false},
		{`{"id":1,"method":`, "1", "", false},
		{`{"id":1,"method":5}`, "1", "", false},
		{"{\"id\":1,\"method\":\"bad \xff\"}", "1", "bad \uFFFD", true},
		{`{"id":"\ud800","method":"lone"}`, `"\ud800"`, "lone", true},
		{"", "", "", false},
	} {
		m, ok := parse([]byte(tt.frame))
		if ok != tt.ok || ok && (string(m.id) != tt.id || m.method != tt.method) {
			t.Errorf("%q: %t id %s method %q", tt.frame, ok, m.id, m.method)
		}
	}
}

func TestIDKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, id := range []string{`7`, `"7"`, `""`, `0`, `-1`, `7.5`, `9007199254740993`, `9007199254740992`, `null`, `1e400`, `"\u0000"`} {
		k := idKey(jsontext.Value(id))
		if was, ok := seen[k]; ok {
			t.Errorf("%s and %s are one", was, id)
		}
		seen[k] = id
	}
	for _, pair := range [][2]string{{`7`, `7.0`}, {`"a"`, `"\u0061"`}, {`1.50`, `1.5`}, {`-0`, `0`}} {
		if idKey(jsontext.Value(pair[0])) != idKey(jsontext.Value(pair[1])) {
			t.Errorf("%s and %s are two", pair[0], pair[1])
		}
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ frame, want string }{
		{`{"id":1,"result":{"content":[{"type":"text","text":"a]"}],"x":1}}`, `{"id":1,"result":{"content":[{"type":"text","text":"a]"},9],"x":1}}`},
		{`{"result":{"content":[ ]},"id":1}`, `{"result":{"content":[ 9]},"id":1}`},
		{`{"result" : {"content":[1 , 2
	] } , "id":1}` + "\r\n", `{"result" : {"content":[1 , 2
	,9] } , "id":1}` + "\r\n"},
	} {
		m, ok := parse([]byte(tt.frame))
		if !ok {
			t.Fatal(tt.frame)
		}
		if got := insert(m.frame, member(m.result, "content"), []byte("9")); string(got) != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
	frame := []byte(`{"id":1,"method":"tools/call","params":{"name":"a","inputResponses":{"x":1},"arguments":{"b":1},"requestState":"s"}}` + "\n")
	m, _ := parse(frame)
	if got, want := string(without(m.frame, m.params, "inputResponses", "requestState")), `{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":1}}}`+"\n"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300<<10)
	in := newLines(strings.NewReader("a\r\n\n"+`{"result":"`+long+`","jsonrpc":"2.0","id":"late"}`+"\nlast"), 1<<10)
	for i, want := range []struct {
		line string
		long bool
	}{{"a\r\n", false}, {"\n", false}, {"", true}, {"last", false}} {
		line, isLong, err := in.next()
		if err != nil || isLong != want.long || !isLong && string(line) != want.line {
			t.Errorf("%d: %q %t %v", i, line, isLong, err)
		}
		if isLong {
			if id := idOf(line); string(id) != `"late"` {
				t.Errorf("the id is %s in %d bytes", id, len(line))
			}
			if len(line) > 128*kept {
				t.Errorf("%d bytes of a long line are kept", len(line))
			}
		}
	}
	if _, _, err := in.next(); err == nil {
		t.Error("no end")
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	var q queue
	first := q.join([]string{"a", "b", "a"})
	second := q.join([]string{"b", "c"})
	third := q.join([]string{"c"})
	other := q.join([]string{"d"})
	is := func(p *place) bool {
		select {
		case <-p.ready:
			return true
		default:
			return false
		}
	}
	if !is(first) || is(second) || is(third) || !is(other) {
		t.Fatal("who came first, or alone, goes first")
	}
	second.leave() // given up in the middle
	if !is(third) {
		t.Error("who stood behind one that left goes on")
	}
	first.leave()
	first.leave()
	for _, p := range []*place{third, other} {
		p.leave()
	}
	if len(q.lines) > 0 {
		t.Errorf("%d lines are left", len(q.lines))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"id":1,"result":{"content":[]}}`, `{"id":"x","method":"tools/call","params":{"name":"a"}}`, `[`, `{"id":1,"result":{"tools":[{"name":"x"}]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		was := bytes.Clone(b)
		m, ok := parse(b)
		if !ok {
			return
		}
		idKey(m.id)
		if content := member(m.result, "content"); content.Kind() == '[' {
			out := insert(b, content, []byte(`{"type":"text","text":"x"}`))
			if !jsontext.Value(out).IsValid(lenient...) {
				t.Errorf("%q became %q", b, out)
			}
		}
		addTools(map[string]string{}, m.result)
		if !bytes.Equal(was, b) {
			t.Errorf("%q was changed", was)
		}
	})
}
