package learn

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// maxCluster bounds a cluster's text, in bytes.
const maxCluster = 160

// Cluster normalises the text of a failure. Of its first sentence, the values of
// arguments, and names and ids of the state, are replaced by where they stand,
// in ‹›: that is the example, which Expected fills in for another call. The
// cluster's text keeps plain words of the state, for a word may be there by
// chance; quoted parts and words that hold digits or slashes are replaced, so
// that failures of one check read alike.
func Cluster(c *calllog.Call) (text, example string) {
	s := firstSentence(message(c.ErrorText))
	example = s
	for _, v := range namedStrings(c.Args, c.Before) {
		example = replaceWord(example, v.value, "‹"+v.name+"›")
		if !v.state || strings.ContainsFunc(v.value, unicode.IsDigit) {
			s = replaceWord(s, v.value, "‹"+v.name+"›")
		}
	}
	words := strings.Fields(dropQuoted(s))
	for i, w := range words {
		if bare := placeholders.ReplaceAllString(w, ""); strings.ContainsFunc(bare, unicode.IsDigit) || strings.Contains(bare, "/") {
			words[i] = "‹id›" + trailing(w)
		}
	}
	return cut(strings.Join(words, " "), maxCluster), example
}

// replaceWord replaces old where it is not part of a longer word.
func replaceWord(s, old, with string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, old)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(old):])
		b.WriteString(s[:i])
		if isWord(before) || isWord(after) {
			b.WriteString(old)
		} else {
			b.WriteString(with)
		}
		s = s[i+len(old):]
	}
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

var placeholders = regexp.MustCompile(`‹[^›]*›`)

// Expected is the text that a call would be refused with: the example's, with
// the call's own values where it names them.
func Expected(example string, c *calllog.Call) string {
	values := map[string]string{}
	for _, v := range namedStrings(c.Args, c.Before) {
		values["‹"+v.name+"›"] = v.value
	}
	return placeholders.ReplaceAllStringFunc(example, func(m string) string {
		if v, ok := values[m]; ok {
			return v
		}
		return m
	})
}

// message is the words of an error that comes as JSON, or as Python writes it:
// {"error": "…"}, [{'error': '…'}], {"error": {"message": "…"}}.
func message(s string) string {
	t := strings.TrimSpace(s)
	if t == "" || t[0] != '{' && t[0] != '[' {
		return s
	}
	if m := errorMember.FindStringSubmatch(t); m != nil {
		for _, words := range m[1:] {
			if words != "" {
				return words
			}
		}
	}
	return s
}

// errorMember finds the first member that holds words of an error; its string
// ends at the first quote that isn't escaped.
var errorMember = regexp.MustCompile(`["'](?:error|message|detail|msg|reason)["']\s*:\s*(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')`)

func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	return cut(s, 4*maxCluster)
}

// cut shortens s to at most n bytes at the border of a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func trailing(w string) string {
	if last := w[len(w)-1]; strings.IndexByte(".,:;", last) >= 0 {
		return string(last)
	}
	return ""
}

type namedString struct {
	name, value string
	state       bool
}

// namedStrings lists string values with the path that names them, longest
// first: one may be part of another. Short ones are left, they say little; of
// the state, only single words that stand directly in a reading count.
func namedStrings(args, before jsontext.Value) []namedString {
	out := appendStrings(nil, args)
	for _, v := range appendStrings(nil, before) {
		if strings.Count(v.name, ".") == 1 && len(v.value) <= 64 && !strings.ContainsFunc(v.value, unicode.IsSpace) {
			v.state = true
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b namedString) int { return len(b.value) - len(a.value) })
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(v namedString) bool {
		again := seen[v.value]
		seen[v.value] = true
		return again
	})
}

// appendStrings walks a JSON value; elements of a list share their list's name.
func appendStrings(out []namedString, v jsontext.Value) []namedString {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var path []string // names of the objects around
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return out
		}
		depth := d.StackDepth()
		kind, n := d.StackIndex(depth)
		switch tok.Kind() {
		case '{', '[':
			continue
		case '}', ']':
			path = path[:min(len(path), depth)]
			continue
		}
		if kind == '{' && n%2 == 1 {
			path = append(path[:min(len(path), depth-1)], tok.String())
			for len(path) < depth {
				path = slices.Insert(path, len(path)-1, "")
			}
			continue
		}
		if tok.Kind() == '"' {
			if s := tok.String(); len(s) >= 3 && len(s) <= 4*maxCluster {
				out = append(out, namedString{name: joinNames(path), value: s})
			}
		}
	}
}

func joinNames(path []string) string {
	named := slices.DeleteFunc(slices.Clone(path), func(p string) bool { return p == "" })
	return strings.Join(named, ".")
}

// dropQuoted replaces what stands between quotes that open at a word's start.
func dropQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		q := s[i]
		atStart := i == 0 || strings.IndexByte(" (:=[,", s[i-1]) >= 0
		if (q == '\'' || q == '"' || q == '`') && atStart {
			if j := strings.IndexByte(s[i+1:], q); j >= 0 {
				if inner := s[i+1 : i+1+j]; placeholders.FindString(inner) == inner {
					b.WriteString(s[i : i+j+2])
				} else {
					b.WriteString("‹quoted›")
				}
				i += j + 2
				continue
			}
		}
		b.WriteByte(q)
		i++
	}
	return b.String()
}
