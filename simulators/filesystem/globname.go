package filesystem

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// compileSegment translates the pattern of one name: ?, *, classes such as
// [!a-z] and groups such as @(a|b).
func compileSegment(pattern string) segment {
	t := translator{rest: pattern}
	expr := t.sequence(false)
	if !t.magic {
		return segment{plain: true, literal: string(t.literal)}
	}
	re, err := regexp.Compile(`^(?s:` + expr + `)$`)
	if err != nil {
		return segment{plain: true, literal: pattern}
	}
	return segment{re: re}
}

// translator writes a regular expression for a pattern.
type translator struct {
	rest    string
	magic   bool
	literal []byte // the pattern without its escapes
	depth   int
	flat    bool // a group that nothing closes was met: no more are tried
	open    bool // so was a class
}

// maxGroups bounds how deep groups may nest.
const maxGroups = 32

// sequence translates up to the end, or within a group up to | or ).
func (t *translator) sequence(inGroup bool) string {
	var b strings.Builder
	for t.rest != "" && !(inGroup && (t.rest[0] == '|' || t.rest[0] == ')')) {
		if expr, ok := t.group(); ok {
			b.WriteString(expr)
			continue
		}
		b.WriteString(t.one())
	}
	return b.String()
}

// one translates what begins the rest and is no group.
func (t *translator) one() string {
	switch t.rest[0] {
	case '*':
		t.rest, t.magic = t.rest[1:], true
		return ".*"
	case '?':
		t.rest, t.magic = t.rest[1:], true
		return "."
	case '[':
		if expr, size := t.class(); size > 0 {
			t.rest, t.magic = t.rest[size:], true
			return expr
		}
	case '\\':
		if len(t.rest) > 1 {
			t.rest = t.rest[1:]
		}
	}
	_, size := utf8.DecodeRuneInString(t.rest)
	char := t.rest[:size]
	t.rest = t.rest[size:]
	t.literal = append(t.literal, char...)
	return regexp.QuoteMeta(char)
}

// group translates @(a|b), ?(…), +(…) and *(…).
func (t *translator) group() (string, bool) {
	if t.flat || t.depth == maxGroups || len(t.rest) < 2 || t.rest[1] != '(' || strings.IndexByte("@?+*", t.rest[0]) < 0 {
		return "", false
	}
	start, kind := *t, t.rest[:1]
	t.rest = t.rest[2:]
	t.depth++
	choices := []string{t.sequence(true)}
	for strings.HasPrefix(t.rest, "|") {
		t.rest = t.rest[1:]
		choices = append(choices, t.sequence(true))
	}
	if !strings.HasPrefix(t.rest, ")") {
		*t = start
		t.flat = true
		return "", false
	}
	t.rest = t.rest[1:]
	t.depth--
	t.magic = true
	return "(?:" + strings.Join(choices, "|") + ")" + strings.TrimPrefix(kind, "@"), true
}

var namedClasses = map[string]string{
	"alnum": `\p{L}\p{Nl}\p{Nd}`, "alpha": `\p{L}\p{Nl}`, "ascii": `\x00-\x7f`,
	"blank": `\p{Zs}\t`, "cntrl": `\p{Cc}`, "digit": `\p{Nd}`, "lower": `\p{Ll}`,
	"punct": `\p{P}`, "space": `\p{Z}\t\r\n\v\f`, "upper": `\p{Lu}`,
	"word": `\p{L}\p{Nl}\p{Nd}\p{Pc}`, "xdigit": `A-Fa-f0-9`,
}

func (t *translator) class() (expr string, size int) {
	if !t.open {
		expr, size = class(t.rest)
		t.open = size == 0
	}
	return expr, size
}

// class translates a class in brackets and tells its size; 0 where the
// bracket begins none. Ranges that run backwards hold nothing.
func class(s string) (string, int) {
	at := 1
	negated := at < len(s) && (s[at] == '!' || s[at] == '^')
	if negated {
		at++
	}
	var members strings.Builder
	for first := true; at < len(s); first = false {
		if s[at] == ']' && !first {
			return bracket(members.String(), negated), at + 1
		}
		if name, expr := namedClass(s[at:]); expr != "" {
			members.WriteString(expr)
			at += len(name)
			continue
		}
		low, size := classChar(s[at:])
		at += size
		high := low
		if at+1 < len(s) && s[at] == '-' && s[at+1] != ']' {
			high, size = classChar(s[at+1:])
			at += 1 + size
		}
		if low <= high {
			fmt.Fprintf(&members, `\x{%x}-\x{%x}`, low, high)
		}
	}
	return "", 0
}

func namedClass(s string) (name, expr string) {
	word, isClass := strings.CutPrefix(s[:min(len(s), len("[:xdigit:]"))], "[:")
	word, _, closed := strings.Cut(word, ":]")
	if !isClass || !closed {
		return "", ""
	}
	return "[:" + word + ":]", namedClasses[word]
}

func classChar(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		r, size := utf8.DecodeRuneInString(s[1:])
		return r, size + 1
	}
	return utf8.DecodeRuneInString(s)
}

func bracket(members string, negated bool) string {
	switch {
	case members == "":
		return `[^\x00-\x{10ffff}]` // nothing
	case negated:
		return "[^" + members + "]"
	}
	return "[" + members + "]"
}
