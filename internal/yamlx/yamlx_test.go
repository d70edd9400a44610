package yamlx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func show(n *Node) string {
	switch n.Kind {
	case Null:
		return "null"
	case Bool:
		return fmt.Sprint(n.Bool)
	case Int:
		return "int " + n.Int.String()
	case Float:
		return fmt.Sprint("float ", n.Float)
	case String:
		return fmt.Sprintf("%q", n.Str)
	case Other:
		return n.Type
	case List:
		var parts []string
		for _, e := range n.Items {
			parts = append(parts, show(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	var parts []string
	for _, m := range n.Members {
		parts = append(parts, show(m.Key)+":"+show(m.Value))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func TestTyping(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"yes": "true", "Off": "false", "y": `"y"`, "n": `"n"`, "TRUE": "true", "tRue": `"tRue"`, "~": "null", "Null": "null", "nULL": `"nULL"`,
		"0x1F": "int 31", "0b101": "int 5", "017": "int 15", "0o17": `"0o17"`, "1_000": "int 1000", "1:30": "int 90", "-1:30": "int -90", "0": "int 0", "00": "int 0", "08": `"08"`,
		"1e3": `"1e3"`, "1.5e+3": "float 1500", "1.": "float 1", ".5": "float 0.5", "1_0.5": "float 10.5", "1:30.5": "float 90.5", ".inf": "float +Inf", "-.INF": "float -Inf", ".nan": "float NaN", "1.0": "float 1",
		"2024-01-02": "date", "2024-1-2": `"2024-1-2"`, "2024-01-02 3:04:05": "datetime", "2024-1-2T03:04:05.5Z": "datetime",
		`"yes"`: `"yes"`, "'1'": `"1"`, "|\n  1": `"1"`, "!!str 1": `"1"`, "!!int '7'": "int 7", "!!float 1": "float 1", "!!binary YQ==": "bytes", "!!set {a}": "set",
		"99999999999999999999": "int 99999999999999999999", "": "null", "# only": "null", "{a: 1, b: [x, 2.5]}": `{"a":int 1 "b":["x" float 2.5]}`,
		"- &a {x: 1}\n- <<: *a\n  y: 2": `[{"x":int 1} {"x":int 1 "y":int 2}]`, "on: 1": "{true:int 1}", "\ufeffa: 1": `{"a":int 1}`, "!local": `""`, "=": "",
		`"\ud83d\ude00 \/ \u00e9"`: `"😀 / é"`, `'\ud83d\ude00'`: `"\\ud83d\\ude00"`, "!!omap [{k: 1}, {j: 2}]": `[["k" int 1] ["j" int 2]]`,
		"<<": `"<<"`, "+12": "int 12", "-0x10": "int -16", "12e03": `"12e03"`,
	} {
		n, err := Parse([]byte(in))
		if err != nil {
			if want != "" && in != "!local" {
				t.Errorf("%q: %v", in, err)
			}
			continue
		}
		if got := show(n); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// TestHostile: nothing hangs or panics; each ends with an error that says where.
func TestHostile(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	for name, in := range map[string]string{
		"alias bomb": bomb.String(), "self alias": "&a [*a]", "flow depth": strings.Repeat("[", 200_000), "block depth": deepBlock(3000),
		"huge integer": strings.Repeat("9", 5000), "month 13": "2024-13-01", "int abc": "!!int abc", "two documents": "a: 1\n---\nb: 2", "list key": "? [a]\n: 1",
		"unknown tag": "!!python/object:os.system x", "not closed": "[1", "tab": "a:\n\t- b", "surrogate": `"\ud800"`, "nul": "a: \x00", "not utf-8": "a: \xff", "undefined alias": "*a",
		"merge of a scalar": "<<: 1",
	} {
		begin := time.Now()
		if n, err := Parse([]byte(in)); err == nil {
			t.Errorf("%s: read as %.60s", name, show(n))
		}
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: [1, 2.5, yes]\n", "&a {b: *a}", "- <<: [{a: 1}, {b: 2}]", "!!set {a}", "? x\n: y", "\"\\ud800\"", "1:2:3.4"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		n, err := Parse(in)
		if err == nil && n == nil {
			t.Fatal("neither a node nor an error")
		}
	})
}

// The line of a syntax error is the one where what isn't finished begins.
func TestErrorLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src  string
		line int
	}{
		{"a: [", 1},
		{"a: 1\nb: {c: 1, d? , e}\n", 2},
		{"a: 1\nb:\n  - x\n  y: 1\n", 3},
		{"a: 1\nb: 2\n  c: 3\n", 3},
		{"a: 1\nb: 'x\n", 2},
		{"a: 1\nb: \"\\q\"\n", 2},
		{"a: 1\nb: !x!y z\n", 2},
		{"a: 1\n\tb: 2\n", 2},
		{"a: 1\nb: [1, 2\nc: 3\n", 2},
	} {
		_, err := Parse([]byte(c.src))
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line {
			t.Errorf("%q: %v, want line %d", c.src, err, c.line)
		}
	}
}
