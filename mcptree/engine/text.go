package engine

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// template is text with {{ placeholders }}: literals and paths in turn.
type template struct {
	text  string
	parts []part // none if there are no placeholders
	whole bool   // one placeholder, with nothing but blanks around it
}

type part struct {
	literal string   // or the placeholder as it is written
	path    []string // nil for a literal
}

func (m *Machine) compile(text string) template {
	t := template{text: text}
	if !m.tree.Interpolates() {
		return t
	}
	from := 0
	for i := 0; i+1 < len(text); {
		end, path := placeholder(text[i:])
		if path == nil {
			i++
			continue
		}
		if from < i {
			t.parts = append(t.parts, part{literal: text[from:i]})
		}
		t.parts = append(t.parts, part{literal: text[i : i+end], path: path})
		i += end
		from = i
	}
	if len(t.parts) == 0 {
		return t
	}
	if from < len(text) {
		t.parts = append(t.parts, part{literal: text[from:]})
	}
	t.whole = len(t.paths()) == 1 && t.onlyBlanks()
	return t
}

func (t *template) paths() [][]string {
	var all [][]string
	for _, p := range t.parts {
		if p.path != nil {
			all = append(all, p.path)
		}
	}
	return all
}

func (t *template) onlyBlanks() bool {
	for _, p := range t.parts {
		if p.path == nil && strings.TrimFunc(p.literal, blank) != "" {
			return false
		}
	}
	return true
}

// placeholder reads {{ path }} at the beginning of text: its length and the
// names of the path, nil if there is none.
func placeholder(text string) (int, []string) {
	rest, ok := strings.CutPrefix(text, "{{")
	if !ok {
		return 0, nil
	}
	rest = strings.TrimLeftFunc(rest, blank)
	if rest == "" || !(rest[0] == '_' || 'A' <= rest[0]&^0x20 && rest[0]&^0x20 <= 'Z') {
		return 0, nil
	}
	var path []string
	for {
		n := strings.IndexFunc(rest, notWord)
		if n <= 0 {
			return 0, nil // no name, or no end after it
		}
		path = append(path, rest[:n])
		rest = rest[n:]
		if rest[0] != '.' {
			break
		}
		rest = rest[1:]
	}
	rest, ok = strings.CutPrefix(strings.TrimLeftFunc(rest, blank), "}}")
	if !ok {
		return 0, nil
	}
	return len(text) - len(rest), path
}

// notWord is the reference's \W: all but letters, every kind of number, and _.
func notWord(r rune) bool { return !(r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)) }

// blank is the reference's \s.
func blank(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F }

// fill gives the text with its facts; a fact that isn't there leaves its
// placeholder.
func (t *template) fill(facts value.Value) string {
	if len(t.parts) == 0 {
		return t.text
	}
	if t.whole {
		v, ok := value.Lookup(facts, t.paths()[0]...)
		if !ok {
			return t.text
		}
		return string(appendFact(nil, v))
	}
	var b []byte
	for i := range t.parts {
		p := &t.parts[i]
		v, ok := value.Value{}, false
		if p.path != nil {
			v, ok = value.Lookup(facts, p.path...)
		}
		if ok {
			b = appendFact(b, v)
		} else {
			b = append(b, p.literal...) // of a placeholder: itself
		}
	}
	return string(b)
}

func appendFact(b []byte, v value.Value) []byte {
	if v.Kind == value.String {
		return append(b, v.Str...)
	}
	return value.AppendCompact(b, v)
}

// argument is a value in whose strings placeholders are filled.
type argument struct {
	fixed  value.Value // as it is in the document
	varies bool
	text   template
	items  []argument // of a list or mapping that varies
}

func (m *Machine) compileArgs(v value.Value) argument {
	a := argument{fixed: v}
	switch v.Kind {
	case value.String:
		a.text = m.compile(v.Str)
		a.varies = len(a.text.parts) > 0
	case value.List:
		for _, item := range v.List {
			a.add(m.compileArgs(item))
		}
	case value.Map:
		for _, member := range v.Members {
			a.add(m.compileArgs(member.Value))
		}
	}
	return a
}

func (a *argument) add(item argument) {
	a.items = append(a.items, item)
	a.varies = a.varies || item.varies
}

func (a *argument) fill(facts value.Value) value.Value {
	switch {
	case !a.varies:
		return a.fixed
	case a.fixed.Kind == value.List:
		list := make([]value.Value, len(a.items))
		for i := range a.items {
			list[i] = a.items[i].fill(facts)
		}
		return value.OfList(list...)
	case a.fixed.Kind == value.Map:
		ms := make([]value.Member, len(a.items))
		for i := range a.items {
			ms[i] = value.Member{Name: a.fixed.Members[i].Name, Value: a.items[i].fill(facts)}
		}
		return value.OfMap(ms...)
	case a.text.whole:
		if v, ok := value.Lookup(facts, a.text.paths()[0]...); ok {
			return v
		}
		return a.fixed
	}
	return value.OfString(a.text.fill(facts))
}

func quoteList(options []mcptree.Option) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, o := range options {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(o.ID))
	}
	b.WriteByte(']')
	return b.String()
}

// quote writes a string as the reference prints it.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := []byte{q}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == rune(q) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r < 0x100:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
		i += size
	}
	return string(append(b, q))
}
