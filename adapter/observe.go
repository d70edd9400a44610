package adapter

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// Ref is one resource of a call.
type Ref struct {
	Role, Class, ID string

	raw  jsontext.Value // the id as the argument or field gave it
	many bool           // one of a list
}

func (r Ref) String() string { return r.Class + ":" + r.ID }

// key is the member of Before that holds what was read of the role.
func (r Ref) key() string {
	if r.Role == "" {
		return r.Class
	}
	return r.Role
}

// Refs finds the resources that a call's arguments name, the first one first.
func (a *Adapter) Refs(tool string, args jsontext.Value) []Ref {
	var out []Ref
	declared := false
	for _, r := range a.Resources {
		if r.Param == "" || !slices.Contains(r.Tools, tool) {
			continue
		}
		declared = true
		out = append(out, refsAt(r, args, r.Param)...)
	}
	if declared {
		return out
	}
	for _, c := range a.classes {
		for _, p := range c.Params {
			if found := refsAt(Resource{Class: c.Name}, args, p); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// refsAt finds the ids under an argument, or along a path through lists:
// entities[].name.
func refsAt(r Resource, args jsontext.Value, param string) []Ref {
	if !strings.Contains(param, "[]") {
		return refsOf(r, member(args, param))
	}
	var out []Ref
	found, _ := lookup(args, param)
	for _, v := range found {
		for _, ref := range refsOf(r, v) {
			ref.many = true
			out = append(out, ref)
		}
	}
	return out
}

func refsOf(r Resource, v jsontext.Value) []Ref {
	if v == nil {
		return nil
	}
	if v.Kind() == '[' {
		var out []Ref
		for _, e := range elements(v) {
			for _, ref := range refsOf(r, e) {
				ref.many = true
				out = append(out, ref)
			}
		}
		return out
	}
	ref := Ref{Role: r.Role, Class: r.Class, raw: v}
	switch v.Kind() {
	case '"':
		ref.ID = unquote(v)
	case '0':
		ref.ID = string(v)
	default:
		return nil
	}
	if r.Derive == "dirname" {
		ref.ID = path.Dir(ref.ID)
		ref.raw = quote(ref.ID)
	}
	return []Ref{ref}
}

func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // what isn't UTF-8 is replaced
	return b
}

// Reading is what a read gave.
type Reading struct {
	Text   string
	Failed bool // the server refused the read; Text says why
	None   bool // nothing was read
}

// ReadFunc reads with a read-only tool.
type ReadFunc func(tool string, args jsontext.Value) Reading

// Missing is the member of Before for a resource that isn't there.
const missing = `{"exists":false}`

// isMissing tells whether a member of Before, blanks aside, is missing.
func isMissing(v jsontext.Value) bool {
	n := 0
	for name, m := range members(v) {
		if name != "exists" || m.Kind() != 'f' {
			return false
		}
		n++
	}
	return n > 0
}

// Observe reads what a call of the tool needs to be judged: its resources, the
// ones that they link to, and the ambient state. The answer is an object with a
// member a role, {"exists":false} for what isn't there and null for what could
// not be observed; nil if there is nothing to read.
func (a *Adapter) Observe(tool string, args jsontext.Value, read ReadFunc) jsontext.Value {
	var ms []entry
	refs := a.Refs(tool, args)
	for _, group := range groupByKey(refs) {
		ms = append(ms, a.observeGroup(tool, group, read)...)
	}
	if len(refs) > 0 {
		ms = append(ms, a.observeLinks(tool, ms, read)...)
	}
	for _, m := range a.Ambient {
		ms = append(ms, entry{m.As, readFields(a, Observation{Tool: m.Tool, Format: m.Format}, orEmpty(m.Args), read)})
	}
	return object(ms)
}

// ObserveFirst reads only the state of the first resource: what a call did.
func (a *Adapter) ObserveFirst(tool string, args jsontext.Value, read ReadFunc) jsontext.Value {
	refs := a.Refs(tool, args)
	if len(refs) == 0 || refs[0].many {
		return nil
	}
	c := a.class(refs[0].Class)
	for _, o := range c.Observations {
		if o.As == "" {
			return object([]entry{{refs[0].key(), readFields(a, o, o.args(refs[0]), read)}})
		}
	}
	return nil
}

type entry struct {
	name  string
	value jsontext.Value
}

// object writes members, of those of one name the last; nil if there are none.
func object(ms []entry) jsontext.Value {
	if len(ms) == 0 {
		return nil
	}
	b := []byte{'{'}
	for i, m := range ms {
		if slices.ContainsFunc(ms[i+1:], func(later entry) bool { return later.name == m.name }) {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(b, quote(m.name)...), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

func groupByKey(refs []Ref) [][]Ref {
	var out [][]Ref
	for _, r := range refs {
		i := slices.IndexFunc(out, func(g []Ref) bool { return g[0].key() == r.key() })
		if i < 0 {
			out = append(out, []Ref{r})
		} else {
			out[i] = append(out[i], r)
		}
	}
	return out
}

func (a *Adapter) observeGroup(tool string, refs []Ref, read ReadFunc) []entry {
	var ms []entry
	for _, o := range a.class(refs[0].Class).Observations {
		if len(o.Tools) > 0 && !slices.Contains(o.Tools, tool) {
			continue
		}
		name := refs[0].key()
		if o.As != "" {
			if refs[0].many || len(ms) > 0 && !o.wanted(ms[0].value) {
				continue
			}
			name += "." + o.As
		}
		if !refs[0].many {
			ms = append(ms, entry{name, readFields(a, o, o.args(refs[0]), read)})
			continue
		}
		list := []byte{'['}
		for i, r := range refs {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, readFields(a, o, o.args(r), read)...)
		}
		ms = append(ms, entry{name, append(list, ']')})
	}
	return ms
}

// wanted tells whether a further reading applies to a resource in this state.
func (o *Observation) wanted(state jsontext.Value) bool {
	if isMissing(state) {
		return false
	}
	for field, want := range o.When {
		if got := member(state, field); got == nil || !sameScalar(got, want) {
			return false
		}
	}
	return true
}

// observeLinks follows fields of the first resource's state to others.
func (a *Adapter) observeLinks(tool string, ms []entry, read ReadFunc) []entry {
	var out []entry
	for _, r := range a.Resources {
		if r.Field == "" || !slices.Contains(r.Tools, tool) || len(ms) == 0 {
			continue
		}
		first := ms[0].value
		if first.Kind() == 'n' {
			out = append(out, entry{r.Role, jsontext.Value("null")})
			continue
		}
		found, ok := lookup(first, r.Field)
		if !ok || len(found) == 0 {
			continue // no link: nothing in this role
		}
		for _, group := range groupByKey(refsOf(Resource{Role: r.Role, Class: r.Class, Derive: r.Derive}, found[0])) {
			out = append(out, a.observeGroup(tool, group, read)...)
		}
	}
	return out
}

// args builds the arguments of a read.
func (o *Observation) args(r Ref) jsontext.Value {
	var ms []entry
	for name, v := range members(o.Args) {
		ms = append(ms, entry{name, v})
	}
	if list, ok := strings.CutSuffix(o.Param, "[]"); ok { // the tool wants a list
		return object(append(ms, entry{list, slices.Concat(jsontext.Value("["), r.raw, jsontext.Value("]"))}))
	}
	return object(append(ms, entry{o.Param, r.raw}))
}

func orEmpty(v jsontext.Value) jsontext.Value {
	if v == nil {
		return jsontext.Value("{}")
	}
	return v
}

// readFields makes one read and gives its reading as JSON.
func readFields(a *Adapter, o Observation, args jsontext.Value, read ReadFunc) jsontext.Value {
	r := read(o.Tool, args)
	switch {
	case r.None:
		return jsontext.Value("null")
	case r.Failed && a.saysNotFound(r.Text):
		return jsontext.Value(missing)
	case r.Failed:
		return jsontext.Value("null")
	case o.Format == Raw:
		return quote(strings.ToValidUTF8(r.Text, "\uFFFD"))
	case o.Format == KVText:
		return kvText(r.Text)
	}
	return fieldsText(r.Text)
}

// saysNotFound tells whether a failed read says that the resource isn't there. A
// server that lacks the reading tool, or could not be reached, says nothing of
// the resource.
func (a *Adapter) saysNotFound(text string) bool {
	if v, ok := evidenceOf(text); ok && (v.outcome != calllog.Rejected || v.cause == calllog.UnknownTool) {
		return false
	}
	return slices.ContainsFunc(a.notFound, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// fieldsText takes an answer that is a JSON object.
func fieldsText(s string) jsontext.Value {
	v := jsontext.Value(strings.TrimSpace(s))
	if v.Kind() != '{' || !v.IsValid() {
		return jsontext.Value("null")
	}
	return v
}

// kvText takes lines of "key: value".
func kvText(s string) jsontext.Value {
	var ms []entry
	for line := range strings.Lines(s) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" || slices.ContainsFunc(ms, func(m entry) bool { return m.name == key }) {
			continue
		}
		ms = append(ms, entry{key, kvValue(value)})
	}
	if len(ms) == 0 {
		return jsontext.Value("null")
	}
	return object(ms)
}

func kvValue(s string) jsontext.Value {
	switch s {
	case "true", "True":
		return jsontext.Value("true")
	case "false", "False":
		return jsontext.Value("false")
	case "":
		return jsontext.Value("null")
	}
	if v := jsontext.Value(s); v.Kind() == '0' && v.IsValid() {
		return v
	}
	return quote(s)
}
