package format

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

func TestPythonValue(t *testing.T) {
	for _, c := range []struct{ in, want string }{ // "" is: no literal
		{`{'a': 1, "b": [True, False, None]}`, `{"a":1,"b":[true,false,null]}`},
		{` ( 1 , 2 ) `, `[1,2]`},
		{`(1,)`, `[1]`},
		{`(1)`, `1`},
		{`()`, `[]`},
		{`((1))`, `1`},
		{`{1, 2, }`, `[1,2]`},
		{`{1: 'x', True: 'y', None: 'z', 1.5: 0}`, `{"1":"x","true":"y","null":"z","1.5":0}`},
		{`{}`, `{}`},
		{`set()`, `[]`},
		{`[1, 2, ]`, `[1,2]`},
		{`{'a': 1, 'b': 2, 'a': 3}`, `{"a":3,"b":2}`},
		{`{'a': {'b': 1, 'b': 2}, 'a': {'b': 3, 'b': 4}}`, `{"a":{"b":4}}`},
		{`'it\'s'`, `"it's"`},
		{`"it's"`, `"it's"`},
		{`'say "hi"'`, `"say \"hi\""`},
		{`'''a
b'c'''`, `"a\nb'c"`},
		{`""""""`, `""`},
		{`'a' "b"
 'c'`, `"abc"`},
		{`r'\n'`, `"\\n"`},
		{`R'\''`, `"\\'"`},
		{`u'x'`, `"x"`},
		{`b'\xc3\xa9'`, `"é"`},
		{`'\xe9'`, `"é"`},
		{`rb'\x41'`, `"\\x41"`},
		{`b'\u0041'`, `"\\u0041"`},
		{`'\u00e9\U0001F600\ud83d\ude00'`, `"é😀😀"`},
		{`'\ud83d!'`, `"` + "\uFFFD" + `!"`},
		{`'\a\b\f\n\r\t\v\\\"\101\0'`, `"\u0007\b\f\n\r\t\u000b\\\"A\u0000"`},
		{"'a\\\nb'", `"ab"`},
		{"'a\\\r\nb'", `"ab"`},
		{`'\d'`, `"\\d"`},
		{`1_000`, `1000`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`},
		{`-5`, `-5`}, {`+5`, `5`}, {`00`, `0`},
		{`1.`, `1.0`}, {`.5`, `0.5`}, {`1.e5`, `1.0e5`}, {`1E-5`, `1e-5`}, {`01.5`, `1.5`}, {`1_0.2_5`, `10.25`},
		{`0xFF`, `255`}, {`0o17`, `15`}, {`-0b11`, `-3`},
		{`nan`, `null`}, {`-inf`, `null`}, {`[NaN, Infinity]`, `[null,null]`},
		{``, ``}, {`x`, ``}, {`'a`, ``}, {"'a\nb'", ``}, {`{'a': 1`, ``}, {`{'a' 1}`, ``}, {`{'a': 1, 2}`, ``}, {`{1, 'a': 2}`, ``},
		{`{(1, 2): 3}`, ``}, {`{,}`, ``}, {`[,]`, ``}, {`(,)`, ``}, {`1 2`, ``}, {`012`, ``}, {`1__0`, ``}, {`1_`, ``}, {`_1`, ``}, {`1j`, ``},
		{`.`, ``}, {`-`, ``}, {`1e`, ``}, {`0x`, ``}, {`0xg`, ``}, {`f'x'`, ``}, {`'a' b'b'`, ``}, {`'\x4'`, ``}, {`'\N{DASH}'`, ``}, {`'\U00110000'`, ``},
		{`-True`, ``}, {`-set()`, ``}, {`true`, ``}, {`[1] x`, ``}, {`f(1)`, ``}, {"\x00", ``},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), ``},
	} {
		got, ok := pythonValue(c.in)
		if ok != (c.want != "") || !samePythonJSON(string(got), c.want) {
			t.Errorf("%.80q: %s, want %s", c.in, got, c.want)
		}
	}
}

// samePythonJSON compares texts, strings as what they say.
func samePythonJSON(a, b string) bool {
	if a == b || a == "" || b == "" {
		return a == b
	}
	if a[0] != '"' {
		return false
	}
	var x, y string
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && x == y
}

func TestPythonCall(t *testing.T) {
	for _, c := range []struct{ in, name, args string }{
		{`fn(a=1, b='x', 3)`, "fn", `{"a":1,"b":"x","arg0":3}`},
		{`fn('x', True, )`, "fn", `{"arg0":"x","arg1":true}`},
		{` A.b.c ( ) `, "A.b.c", `{}`},
		{`fn(a=[{'k': (1, 2)}])`, "fn", `{"a":[{"k":[1,2]}]}`},
		{`fn(a=1, a=2)`, "fn", `{"a":2}`},
		{`fn(r'x')`, "fn", `{"arg0":"x"}`},
		{`été(ü=None)`, "été", `{"ü":null}`},
		{`fn(a==1)`, "", ``}, {`fn`, "", ``}, {`fn(`, "", ``}, {`fn(a=)`, "", ``}, {`fn(g(1))`, "", ``}, {`.fn()`, "", ``}, {`fn.()`, "", ``},
		{`fn()()`, "", ``}, {`fn() x`, "", ``}, {`echo<|channel|>x(a=1)`, "", ``}, {`fn(**{'a': 1})`, "", ``}, {`fn(,)`, "", ``}, {`1()`, "", ``},
	} {
		name, args, ok := pythonCall(c.in)
		if name != c.name || string(args) != c.args || ok != (c.name != "") {
			t.Errorf("%q: %q %s, want %q %s", c.in, name, args, c.name, c.args)
		}
	}
	calls, ok := pythonCalls(`[a(x=1), b.c(),]`)
	if !ok || len(calls) != 2 || calls[1].name != "b.c" || string(calls[0].args) != `{"x":1}` || string(calls[1].args) != `{}` {
		t.Errorf("calls %v %v", calls, ok)
	}
	for _, s := range []string{``, `a()`, `[a()`, `[a() b()]`, `[,]`, `['a']`, `[a()] x`} {
		if _, ok := pythonCalls(s); ok {
			t.Errorf("%q is no list of calls", s)
		}
	}
}

// Twice the text takes about twice the time: the bound here is far above that,
// and far below what the square would take.
func TestPythonLinear(t *testing.T) {
	const n = 1 << 18
	for _, in := range []string{
		strings.Repeat("'a' ", n), "[" + strings.Repeat("1,", n) + "]", strings.Repeat("9", n), "0x" + strings.Repeat("f", n),
		"{" + strings.Repeat("'a':1,", n) + "}", strings.Repeat("(", 63) + "'" + strings.Repeat("a", n) + "'" + strings.Repeat(")", 63),
		strings.Repeat("{'a':1,'a':", 60) + "'" + strings.Repeat("a", n) + "'" + strings.Repeat("}", 60),
		strings.Repeat("a", n), strings.Repeat("a.", n), "f(" + strings.Repeat("a", n), "f(" + strings.Repeat("1,", n) + ")",
	} {
		start := time.Now()
		pythonValue(in)
		pythonCall(in)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%.20q… took %v", in, d)
		}
	}
}

func FuzzPython(f *testing.F) {
	for _, s := range []string{`{'a': [1, (2,), {3}], "b": '''x''' r'\y' u"z"}`, `fn(a=1, b='x', 3)`, `[f(a=-1.5e3), g.h(0xff)]`, `'\ud83d\ude00\x41\101'`, `{1: nan, 1: b'\xff'}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, ok := pythonValue(s); ok && !v.IsValid() {
			t.Errorf("%q became %q", s, v)
		} else if len(v) > 8*len(s)+16 {
			t.Errorf("%q grew to %d bytes", s, len(v))
		}
		if name, args, ok := pythonCall(s); ok && (name == "" || args.Kind() != '{' || !args.IsValid()) {
			t.Errorf("%q became %q %q", s, name, args)
		}
		if calls, ok := pythonCalls(s); ok {
			for _, c := range calls {
				if !c.args.IsValid() {
					t.Errorf("%q became %q", s, c.args)
				}
			}
		}
		if v := jsontext.Value(s); v.Kind() == '[' && v.IsValid() && !strings.ContainsAny(s, `tfn"`) && strings.Count(s, "[") < maxPythonDepth {
			if _, ok := pythonValue(s); !ok && !strings.Contains(s, "{") {
				t.Errorf("JSON %q isn't taken", s)
			}
		}
	})
}
