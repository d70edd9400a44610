package adapter

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// relationOps compare one value of the argument with the other operand.
var relationOps = map[string]func(arg jsontext.Value, other []jsontext.Value) bool{
	"equal": func(arg jsontext.Value, other []jsontext.Value) bool {
		return slices.ContainsFunc(other, func(o jsontext.Value) bool { return sameScalar(arg, o) })
	},
	"less":      func(arg jsontext.Value, other []jsontext.Value) bool { return compareNumbers(arg, other, false) },
	"at_most":   func(arg jsontext.Value, other []jsontext.Value) bool { return compareNumbers(arg, other, true) },
	"member":    isMember,
	"contained": func(arg jsontext.Value, other []jsontext.Value) bool { return isContained(arg, other, exactText) },
	"contained_lines": func(arg jsontext.Value, other []jsontext.Value) bool {
		return isContained(arg, other, exactText) || isContained(arg, other, trimmedLines)
	},
}

func relationNames() []string { return slices.Sorted(maps.Keys(relationOps)) }

var opWords = map[string]string{
	"equal": "equals", "less": "is less than", "at_most": "is at most", "member": "is one of",
	"contained": "is contained in", "contained_lines": "is contained, line by line, in",
}

// name is the relation as a path and in words.
func (r *Relation) name() string {
	other := r.State
	if r.Arg2 != "" {
		other = "args " + r.Arg2
	}
	return keyEscaper.Replace("args "+r.Arg) + " " + opWords[r.Op] + " " + keyEscaper.Replace(other)
}

// relate computes a relation. known is false where an operand was not
// observed; has is false where one is absent, and the relation holds vacuously.
func (a *Adapter) relate(r *Relation, c *calllog.Call, refs []Ref) (holds, known, has bool) {
	args, ok := lookup(c.Args, r.Arg)
	if !ok || len(args) == 0 {
		return false, true, false
	}
	var other []jsontext.Value
	if r.Arg2 != "" {
		if other, ok = lookup(c.Args, r.Arg2); !ok {
			return false, true, false
		}
	} else {
		other, known = a.operand(r.State, c, refs)
		if !known || other == nil {
			return false, known, false
		}
	}
	op := relationOps[r.Op]
	holds = !slices.ContainsFunc(args, func(v jsontext.Value) bool { return !op(v, other) })
	return holds, true, true
}

// operand finds a value of the state: a reading by its name, a field of a role,
// or a field of the first resource. nil is absent.
func (a *Adapter) operand(path string, c *calllog.Call, refs []Ref) (vs []jsontext.Value, known bool) {
	if len(refs) == 0 {
		return nil, true
	}
	first := member(c.Before, refs[0].key())
	switch {
	case first == nil || first.Kind() == 'n':
		return nil, false
	case string(first) == missing:
		return nil, true
	}
	for _, o := range a.class(refs[0].Class).Observations {
		if o.As == path {
			m := member(c.Before, refs[0].key()+"."+o.As)
			if m == nil {
				return nil, !o.wanted(first)
			}
			return []jsontext.Value{m}, m.Kind() != 'n'
		}
	}
	head, rest, _ := strings.Cut(path, ".")
	if slices.ContainsFunc(a.Resources, func(r Resource) bool { return r.Role == head }) ||
		slices.ContainsFunc(a.Ambient, func(m Ambient) bool { return m.As == head }) {
		m := member(c.Before, head)
		if m == nil || m.Kind() == 'n' {
			return nil, false
		}
		first, path = m, rest
	}
	found, ok := lookup(first, path)
	if !ok {
		return nil, true
	}
	return found, true
}

func sameScalar(a, b jsontext.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case '"':
		return unquote(a) == unquote(b)
	case '0':
		x, err1 := strconv.ParseFloat(string(a), 64)
		y, err2 := strconv.ParseFloat(string(b), 64)
		return err1 == nil && err2 == nil && x == y
	}
	return string(a) == string(b)
}

func compareNumbers(arg jsontext.Value, other []jsontext.Value, orEqual bool) bool {
	x, err := strconv.ParseFloat(string(arg), 64)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(other, func(o jsontext.Value) bool {
		y, err := strconv.ParseFloat(string(o), 64)
		return err == nil && (x < y || orEqual && x == y)
	})
}

func isMember(arg jsontext.Value, other []jsontext.Value) bool {
	for _, o := range other {
		list := []jsontext.Value{o}
		if o.Kind() == '[' {
			list = elements(o)
		}
		if slices.ContainsFunc(list, func(e jsontext.Value) bool { return sameScalar(arg, e) }) {
			return true
		}
	}
	return false
}

func isContained(arg jsontext.Value, other []jsontext.Value, norm func(string) string) bool {
	if arg.Kind() != '"' {
		return false
	}
	needle := norm(unquote(arg))
	return slices.ContainsFunc(other, func(o jsontext.Value) bool {
		return o.Kind() == '"' && strings.Contains(norm(unquote(o)), needle)
	})
}

func exactText(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// trimmedLines frames every line, its white space trimmed, so that only whole
// lines match.
func trimmedLines(s string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, line := range strings.Split(exactText(s), "\n") {
		b.WriteString(strings.TrimSpace(line))
		b.WriteByte('\n')
	}
	return b.String()
}
