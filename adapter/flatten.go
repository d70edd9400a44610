package adapter

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
)

// Bounds of what one JSON value can add to a state.
const (
	maxDepth    = 6
	maxFeatures = 4096
)

// filter says which paths of an object become features.
type filter struct {
	only     []string // names of fields; nil: booleans, names, and numbers if numbers is set
	volatile []string
	numbers  bool
	skip     func(field string) bool
}

func (f *filter) takes(field string, kind jsontext.Kind) bool {
	if slices.Contains(f.volatile, field) || f.skip != nil && f.skip(field) {
		return false
	}
	if f.only != nil {
		return slices.ContainsFunc(f.only, func(o string) bool { return o == field || strings.HasPrefix(o, field+".") })
	}
	return kind != '0' || f.numbers
}

// wantsMembers tells whether of a list more than its length is named.
func (f *filter) wantsMembers(field string) bool {
	return slices.ContainsFunc(f.only, func(o string) bool { return o != field+".length" && (o == field || strings.HasPrefix(o, field+".")) })
}

// pathEscaper keeps a name from being mistaken for path syntax.
var pathEscaper = strings.NewReplacer("%", "%25", ".", "%2E", "=", "%3D", "#", "%23", ":", "%3A", "?", "%3F")

// escapeKey keeps an object's key from being mistaken for path syntax, and from
// breaking the line that a state is written in.
func escapeKey(name string) string {
	odd := func(r rune) bool { return strings.ContainsRune(`,;|[]"`, r) || r != ' ' && !unicode.IsGraphic(r) }
	if name = pathEscaper.Replace(name); !strings.ContainsFunc(name, odd) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if odd(r) {
			b.WriteString(url.PathEscape(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// flatten turns a JSON object into features of a role, dotted by nesting. Of one
// with too many to keep nothing is known: which ones fit would depend on their
// order.
func flatten(role string, v jsontext.Value, f *filter) ([]behavior.Feature, []behavior.Path) {
	t := treeOf(v)
	return flattenTree(role, &t, f)
}

func flattenTree(role string, t *tree, f *filter) ([]behavior.Feature, []behavior.Path) {
	w := flattener{role: role, filter: f}
	w.object("", t, 0)
	if len(w.out) > maxFeatures {
		return nil, []behavior.Path{{Role: role}}
	}
	return w.out, nil
}

type flattener struct {
	role   string
	filter *filter
	out    []behavior.Feature
}

func (w *flattener) add(field string, v behavior.Value) {
	w.out = append(w.out, behavior.Feature{Path: behavior.Path{Role: w.role, Field: field}, Value: v})
}

func (w *flattener) object(prefix string, t *tree, depth int) {
	if t.kind != '{' {
		return
	}
	var last map[string]int // of members of one name the last counts
	if t.repeated {
		last = make(map[string]int, len(t.keys))
		for i, name := range t.keys {
			last[name] = i
		}
	}
	for i, name := range t.keys {
		if len(w.out) > maxFeatures {
			return
		}
		if last != nil && last[name] != i {
			continue
		}
		field, member := prefix+escapeKey(name), &t.list[i]
		if !w.filter.takes(field, member.kind) {
			continue
		}
		switch member.kind {
		case '{':
			w.add(field, behavior.Value{Token: behavior.Object})
			if depth < maxDepth {
				w.object(field+".", member, depth+1)
			}
		case '[':
			if w.filter.numbers || w.filter.only != nil {
				w.list(field, member.list)
			}
		default:
			w.add(field, member.value())
		}
	}
}

// maxMembers is how long a list may be whose members are told one by one.
const maxMembers = 64

// list tells a list's length and, like an object's members, which names and
// booleans are in it.
func (w *flattener) list(field string, es []tree) {
	w.add(field+".length", behavior.Number(float64(len(es))))
	if len(es) > maxMembers || w.filter.only != nil && !w.filter.wantsMembers(field) {
		return
	}
	if len(es) > 0 && es[0].kind == '{' {
		w.rows(field+"[].", es)
		return
	}
	told := map[string]bool{}
	for i := range es {
		name, ok := es[i].name()
		if !ok {
			continue
		}
		if name = field + "[]." + escapeKey(name); !told[name] {
			told[name] = true
			w.add(name, behavior.BoolToken(true))
		}
	}
	if len(told) > 0 || len(es) == 0 { // of a list of names it is known what isn't in it
		w.add(field+"[]", behavior.Value{Token: behavior.Object})
	}
}

// rows tells of a list of objects what is in some row: which names and booleans a
// field has, like a list's members, so that "a row with it", "no row" and "all rows"
// can be told. Numbers, and what rows hold further in, would make every state another.
func (w *flattener) rows(prefix string, rows []tree) {
	type cell struct{ key, name string }
	told := map[cell]bool{}
	for i := range rows {
		row := &rows[i]
		if row.kind != '{' {
			continue
		}
		for j, key := range row.keys {
			if len(w.out) > maxFeatures {
				return
			}
			name, ok := row.list[j].name()
			if !ok || told[cell{key, name}] {
				continue
			}
			field := prefix + escapeKey(key) + "[]"
			if !told[cell{key, ""}] {
				told[cell{key, ""}] = true
				w.add(field, behavior.Value{Token: behavior.Object})
			}
			told[cell{key, name}] = true
			w.add(field+"."+escapeKey(name), behavior.BoolToken(true))
		}
	}
}

// name is what a value is called as a member of a list: a name, or a boolean.
func (t *tree) name() (name string, ok bool) {
	switch t.kind {
	case 't':
		return behavior.True, true
	case 'f':
		return behavior.False, true
	case '"':
		return t.text, behavior.EnumLike(t.text)
	}
	return "", false
}

func unquote(v jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, v) // what isn't UTF-8 is replaced
	return string(b)
}

// members walks an object's members in order; of a broken object, those before
// the fault.
func members(v jsontext.Value) func(yield func(string, jsontext.Value) bool) {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
			return
		}
		for d.PeekKind() == '"' {
			name, err := d.ReadToken()
			if err != nil {
				return
			}
			key := name.String()
			value, err := d.ReadValue()
			if err != nil || !yield(key, value.Clone()) {
				return
			}
		}
	}
}

// elements walks a list.
func elements(v jsontext.Value) []jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '[' {
		return nil
	}
	var out []jsontext.Value
	for d.PeekKind() != ']' {
		e, err := d.ReadValue()
		if err != nil {
			break
		}
		out = append(out, e.Clone())
	}
	return out
}

// member gives one member of an object, nil if it has none.
func member(v jsontext.Value, name string) jsontext.Value {
	var out jsontext.Value
	for n, m := range members(v) {
		if n == name {
			out = m
		}
	}
	return out
}

// lookup follows a dotted path; "name[]" goes through every element of a list.
// ok is false where the path leads nowhere.
func lookup(v jsontext.Value, path string) (out []jsontext.Value, ok bool) {
	head, rest, more := strings.Cut(path, ".")
	name, each := strings.CutSuffix(head, "[]")
	m := member(v, name)
	if m == nil || m.Kind() == 'n' {
		return nil, false
	}
	list := []jsontext.Value{m}
	if each {
		list = elements(m)
	}
	if !more {
		return list, true
	}
	for _, e := range list {
		if found, has := lookup(e, rest); has {
			out = append(out, found...)
		}
	}
	return out, len(out) > 0
}
