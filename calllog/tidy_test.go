package calllog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestTidy(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":[NaN,-Infinity,Infinity,-1],"b":"NaN -Infinity \" NaN"}`: `{"a":[null,null,null,-1],"b":"NaN -Infinity \" NaN"}`,
		"\x00\x00{\"a\":\"\ufeff\"}\ufeff[]":                           "  {\"a\":\"\ufeff\"} []",
		"{\"cut off\n{\"a\":NaN}":                                      "{\"cut off\n{\"a\":null}",
		`{"a":-Infinit}`:                                               `{"a":-Infinit}`,
		`{"a":"é","n":-0.5}`:                                           `{"a":"é","n":-0.5}`,
	} {
		got, odd := Tidy([]byte(in))
		if string(got) != want || (odd != 0) != (in != want) {
			t.Errorf("%q: got %q (%b), want %q", in, got, odd, want)
		}
		// In pieces of any length it is the same.
		for size := 1; size <= len(in); size++ {
			var tidy Tidier
			var out, held []byte
			for rest := []byte(in); len(rest) > 0; {
				n := min(size, len(rest))
				held, rest = append(held, rest[:n]...), rest[n:]
				var used int
				out, used = tidy.Append(out, held, len(rest) > 0)
				held = held[used:]
			}
			if string(out) != want || tidy.Odd != odd {
				t.Errorf("%q in pieces of %d: %q", in, size, out)
			}
		}
	}
	var tidy Tidier
	tidy.Append(nil, []byte("{\n\"a\":NaN,\n\"b\":\x00NaN}"), false)
	if tidy.First[OddNumbers] != 1 || tidy.First[OddNULs] != 2 {
		t.Errorf("first in lines %v", tidy.First)
	}
}

// TestReaderTakesApart: lines that several processes wrote at once, and what a
// crash or Python left in them.
func TestReaderTakesApart(t *testing.T) {
	t.Parallel()
	call := func(tool string) string { return `{"tool":"` + tool + `","is_error":false}` }
	for _, reuse := range []bool{false, true} {
		r := NewReader(strings.NewReader(strings.Join([]string{
			call("a") + call("b"), call("c") + `{"tool":"d","args"`, "\x00\x00" + call("e"), "\ufeff" + call("f"), `{"tool":"g","args":{"n":NaN}}`,
			call("h") + "\r" + call("i") + "\r\r", call("j") + `{"is_error":true}`, call("k") + " 1", "", call("l")}, "\n")), "log")
		if reuse {
			r.Reuse()
		}
		var got, found []string
		for r.Scan() {
			c := r.Call()
			got = append(got, fmt.Sprintf("%d%s%s", c.Pos.Line, c.Tool, []byte(c.Args)))
			if !strings.HasPrefix(c.ID, "line-") || c.Args != nil && !jsontext.Value(c.Args).IsValid() {
				t.Errorf("%+v", c)
			}
		}
		for _, f := range r.Findings() {
			found = append(found, fmt.Sprintf("%d %s %v", f.Pos.Line, f.Rule, f.Note))
		}
		if want := []string{"1a", "1b", "2c", "3e", "4f", `5g{"n":null}`, "6h", "6i", "7j", "8k", "10l"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if want := []string{"2 bad-line false", "3 nul-bytes false", "5 numbers true", "7 bad-line false", "8 bad-line false"}; !slices.Equal(found, want) {
			t.Errorf("findings %q, want %q", found, want)
		}
		if r.Lines() != 10 || r.Blank() != 1 || r.Bad() != 3 {
			t.Errorf("%d lines, %d blank, %d bad", r.Lines(), r.Blank(), r.Bad())
		}
	}
}
