package value

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
)

func parse(t testing.TB, text string) Value {
	t.Helper()
	v, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestFloats(t *testing.T) {
	for _, test := range []struct {
		f    float64
		want string
	}{
		{0, "0.0"}, {math.Copysign(0, -1), "-0.0"}, {1, "1.0"}, {0.1, "0.1"}, {1e3, "1000.0"}, {1e15, "1000000000000000.0"},
		{1e16, "1e+16"}, {9999999999999998, "9999999999999998.0"}, {1e22, "1e+22"}, {1e-4, "0.0001"}, {1e-5, "1e-05"},
		{0.00012345, "0.00012345"}, {123456789012345680, "1.2345678901234568e+17"}, {5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"}, {6.02e23, "6.02e+23"}, {1e100, "1e+100"}, {-1.5, "-1.5"}, {10.5, "10.5"},
		{math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"}, {1.0 / 3, "0.3333333333333333"},
	} {
		if got := string(AppendFloat(nil, test.f)); got != test.want {
			t.Errorf("%g: %s, want %s", test.f, got, test.want)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, test := range []struct{ in, dumps, compact, canonical, wire string }{
		{`{"b":[1, 1.0,1e3,-0,-0.0], "a":null}`, `{"b": [1, 1.0, 1000.0, 0, -0.0], "a": null}`,
			`{"b":[1,1.0,1000.0,0,-0.0],"a":null}`, `{"a":null,"b":[1,1.0,1000.0,0,-0.0]}`, `{"b":[1,1.0,1000.0,0,-0.0],"a":null}`},
		{`"é😀<&>\u007f\u2028\u0001\b\f\n\r\t\"\\\/"`, `"\u00e9\ud83d\ude00<&>\u007f\u2028\u0001\b\f\n\r\t\"\\/"`, "", "",
			"\"é😀<&>\\u007f\u2028" + `\u0001\b\f\n\r\t\"\\/"`},
		{`"\ud800 \udc00 \ud83d\ude00 \ud83d\u0041 \uD83D\uDE00"`, `"\ud800 \udc00 \ud83d\ude00 \ud83dA \ud83d\ude00"`, "", "",
			`"\ud800 \udc00 😀 \ud83dA 😀"`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`, "", "", `123456789012345678901234567890`},
		{`9223372036854775808`, `9223372036854775808`, "", "", `9223372036854775808`},
		{`{"a":1,"b":2,"a":3}`, `{"a": 3, "b": 2}`, "", "", `{"a":3,"b":2}`},
		{`{"\ufffd":1,"😀":2,"é":3,"z":4}`, `{"\ufffd": 1, "\ud83d\ude00": 2, "\u00e9": 3, "z": 4}`, "",
			`{"z":4,"\u00e9":3,"\ufffd":1,"\ud83d\ude00":2}`, `{"�":1,"😀":2,"é":3,"z":4}`},
		{`[NaN, Infinity, -Infinity, 1e400]`, `[NaN, Infinity, -Infinity, Infinity]`, "", "", `[null,null,null,null]`},
		{` [ ] `, `[]`, "", "", `[]`}, {`{}`, `{}`, "", "", `{}`},
	} {
		v := parse(t, test.in)
		for _, c := range []struct {
			name, want string
			write      func([]byte, Value) []byte
		}{{"dumps", test.dumps, AppendDumps}, {"compact", test.compact, AppendCompact}, {"canonical", test.canonical, AppendCanonical}, {"wire", test.wire, AppendJSON}} {
			if got := string(c.write(nil, v)); got != c.want && c.want != "" {
				t.Errorf("%s of %s: %s, want %s", c.name, test.in, got, c.want)
			}
		}
		if n := DumpsLen(v, 1<<20); n != len(test.dumps) {
			t.Errorf("DumpsLen(%s) = %d, want %d", test.in, n, len(test.dumps))
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, text := range []string{"", " ", "{", "[1,]", `{"a":1,}`, `{a:1}`, "01", "-", "1.", "1e", ".5", "+1", "'a'", `"a`, `"\x"`, `"\u12g4"`,
		"\"\x01\"", "\"\xff\"", "\"\xed\xa0\x80\"", "1 2", "nul", "-Inf", "tru", `{"a" 1}`, `"\`, `"\u12`, "\x00",
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), strings.Repeat("9", MaxDigits+1)} {
		if v, err := ParseJSON([]byte(text)); err == nil {
			t.Errorf("%.40q: read as %v", text, v.Kind)
		} else if _, ok := err.(*SyntaxError); !ok {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	parse(t, strings.Repeat("[", 1000)+strings.Repeat("]", 1000))
	parse(t, strings.Repeat("9", MaxDigits))
}

func TestManyMembers(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for range 2 {
		for i := range 100 {
			b.WriteString(`"k` + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `":` + string(rune('0'+i%10)) + ",")
		}
	}
	v := parse(t, strings.TrimSuffix(b.String(), ",")+"}")
	if len(v.Members) != 100 || v.Members[0].Name != "ka" {
		t.Errorf("%d members", len(v.Members))
	}
	if !Equal(v, v) {
		t.Error("not equal to itself")
	}
}

func TestCompare(t *testing.T) {
	const no = 9 // no order
	for _, test := range []struct {
		a, b  string
		equal bool
		order int
	}{
		{"1", "1.0", true, 0}, {"1", "true", true, 0}, {"1.0", "true", true, 0}, {"0", "false", true, 0}, {"-0.0", "0", true, 0},
		{"9007199254740993", "9007199254740992.0", false, 1}, {"9007199254740992", "9007199254740993", false, -1},
		{"123456789012345678901234567890", "1.2345678901234568e29", false, 1},
		{"1" + strings.Repeat("0", 400), "1e308", false, 1}, {"1" + strings.Repeat("0", 400), "Infinity", false, -1},
		{"-9223372036854775809", "-Infinity", false, 1}, {"9223372036854775808", "9.223372036854775808e18", true, 0},
		{"1.5", "1", false, 1}, {"1", "1.5", false, -1}, {"-1", "-1.5", false, 1}, {"NaN", "NaN", false, no}, {"NaN", "1", false, no},
		{"18014398509481985", "NaN", false, no},
		{`"a"`, `"b"`, false, -1}, {`"Z"`, `"a"`, false, -1}, {`"\uffff"`, `"😀"`, false, -1}, {`""`, `"a"`, false, -1}, {`"a"`, `"a"`, true, 0},
		{`"1"`, "1", false, no}, {"null", "null", true, no}, {"null", "0", false, no}, {"null", "false", false, no}, {"{}", "{}", true, no}, {"{}", "[]", false, no},
		{"[1,2]", "[1,3]", false, -1}, {"[1]", "[1,3]", false, -1}, {"[2,\"a\"]", "[1,3]", false, 1}, {"[1,\"a\"]", "[1,3]", false, no}, {"[1,true]", "[1.0,1]", true, 0},
		{`{"a":1,"b":2}`, `{"b":2.0,"a":true}`, true, no}, {`{"a":1}`, `{"b":1}`, false, no}, {`{"a":1}`, `{"a":1,"b":1}`, false, no},
		{"[[1]]", "[[0,5]]", false, 1}, {"[null]", "[null]", true, 0}, {"[null]", "[null,1]", false, -1}, {"[{}]", "[{}]", true, 0},
	} {
		a, b := parse(t, test.a), parse(t, test.b)
		if Equal(a, b) != test.equal || Equal(b, a) != test.equal {
			t.Errorf("%s == %s: want %v", test.a, test.b, test.equal)
		}
		for _, turned := range []bool{false, true} {
			x, y, want := a, b, test.order
			if turned {
				x, y = b, a
				if want != no {
					want = -want
				}
			}
			c, ok := Compare(x, y)
			c = max(-1, min(1, c))
			if !ok {
				c = no
			}
			if c != want || Less(x, y) != (want == -1) {
				t.Errorf("%s against %s (turned %v): %d, want %d", test.a, test.b, turned, c, want)
			}
		}
	}
}

func TestContains(t *testing.T) {
	for _, test := range []struct {
		in, v string
		want  bool
	}{
		{"[1,2]", "2.0", true}, {"[1,2]", "true", true}, {"[]", "1", false}, {`[[1]]`, "[1]", true}, {`"abc"`, `"bc"`, true}, {`"abc"`, `""`, true},
		{`"abc"`, "1", false}, {`{"a":1}`, `"a"`, true}, {`{"":1}`, "1", false}, {`{"":1}`, `""`, true}, {"1", "1", false}, {"null", "null", false},
	} {
		if got := Contains(parse(t, test.in), parse(t, test.v)); got != test.want {
			t.Errorf("%s in %s: %v", test.v, test.in, got)
		}
	}
}

func TestLookup(t *testing.T) {
	v := parse(t, `{"a":{"b":[1],"":2,"n":null}}`)
	for path, want := range map[string]string{"a.b": "[1]", "a.": "2", "a.n": "null", "a.b.0": "", "a.x": "", "a.n.x": "", "": ""} {
		got, ok := Lookup(v, strings.Split(path, ".")...)
		if ok != (want != "") || ok && string(AppendDumps(nil, got)) != want {
			t.Errorf("%s: %s %v", path, AppendDumps(nil, got), ok)
		}
	}
}

func TestDumpsLenStops(t *testing.T) {
	items := make([]Value, 1<<20)
	if n := DumpsLen(OfList(OfList(items...)), 100); n <= 100 {
		t.Error(n)
	}
	n := new(big.Int).Lsh(big.NewInt(1), 10_000_000)
	if n := DumpsLen(OfBig(n), 1<<16); n <= 1<<16 {
		t.Error(n)
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,1.0,"é\ud800",null,true,1e400]}`, `[NaN,-Infinity]`, `"\ud83d\ude00"`, `123456789012345678901234567890`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := ParseJSON(text)
		if err != nil {
			return
		}
		for _, write := range []func([]byte, Value) []byte{AppendDumps, AppendCompact} {
			out := write(nil, v)
			again, err := ParseJSON(out)
			if err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			if string(write(nil, again)) != string(out) {
				t.Fatalf("%q became %q", out, write(nil, again))
			}
		}
		if out := AppendJSON(nil, v); !json.Valid(out) && len(out) < 9000 {
			t.Fatalf("%q isn't JSON", out)
		}
		if n, want := DumpsLen(v, math.MaxInt), len(AppendDumps(nil, v)); n != want {
			t.Fatalf("DumpsLen %d, want %d", n, want)
		}
		Equal(v, v)
		Compare(v, v)
	})
}
