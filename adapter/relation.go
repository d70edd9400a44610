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

// relationEscaper keeps what ends a path in model.json out of it; a relation has
// no members, so its dots mean nothing.
var relationEscaper = strings.NewReplacer("%", "%25", "=", "%3D", "#", "%23")

// name is the relation as a path and in words.
func (r *Relation) name() string {
	other := r.State
	if r.Arg2 != "" {
		other = "args " + r.Arg2
	}
	return relationEscaper.Replace("args "+r.Arg) + " " + opWords[r.Op] + " " + relationEscaper.Replace(other)
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
	if r.Op == "contained_lines" && len(args) > 1 && op(args[0], other) {
		// Edits are made one after another: a later one may be of what an earlier one wrote.
		holds = !slices.ContainsFunc(args, func(v jsontext.Value) bool { return !op(v, other) })
		return holds, holds, true
	}
	holds = !slices.ContainsFunc(args, func(v jsontext.Value) bool { return !op(v, other) })
	return holds, true, true
}

// operand finds a value of the state: a field of another role or of an ambient
// reading, a reading by its name, or a field of the first resource. nil is
// absent.
func (a *Adapter) operand(path string, c *calllog.Call, refs []Ref) (vs []jsontext.Value, known bool) {
	if head, rest, _ := strings.Cut(path, "."); a.hasRole(c.Tool, head) {
		return field(member(c.Before, head), rest)
	}
	if len(refs) == 0 {
		return nil, true
	}
	first := member(c.Before, refs[0].key())
	if first == nil || first.Kind() != '{' || isMissing(first) {
		return field(first, path)
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
	return field(first, path)
}

// hasRole tells whether calls of a tool have a resource in a role, or an
// ambient reading of that name.
func (a *Adapter) hasRole(tool, role string) bool {
	return slices.ContainsFunc(a.Resources, func(r Resource) bool { return r.Role == role && slices.Contains(r.Tools, tool) }) ||
		slices.ContainsFunc(a.Ambient, func(m Ambient) bool { return m.As == role })
}

// field looks into one reading; of what isn't there every field is absent.
func field(reading jsontext.Value, path string) (vs []jsontext.Value, known bool) {
	if reading == nil || reading.Kind() != '{' {
		return nil, false
	}
	if isMissing(reading) {
		return nil, true
	}
	vs, _ = lookup(reading, path)
	return vs, true
}

func sameScalar(a, b jsontext.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case '"':
		return unquote(a) == unquote(b)
	case '0':
		if isInteger(a) && isInteger(b) { // large ids differ where floats don't
			return string(a) == string(b)
		}
		x, err1 := strconv.ParseFloat(string(a), 64)
		y, err2 := strconv.ParseFloat(string(b), 64)
		return err1 == nil && err2 == nil && x == y
	}
	return string(a) == string(b)
}

func isInteger(v jsontext.Value) bool {
	return !strings.ContainsAny(string(v), ".eE") && string(v) != "-0"
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
