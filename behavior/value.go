package behavior

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Roles that are not resources. A resource's role is "" where a tool names only
// one, else the adapter's name for it (source, destination).
const (
	ArgsRole     = "args"     // features of the arguments
	RelationRole = "relation" // relations of arguments and state
)

// Tokens with a meaning of their own. A string value that reads like one of
// them is quoted by StringToken.
const (
	Absent = "absent" // the parent is there, this member isn't, or is null
	Object = "{}"     // an object, whose members have paths of their own
	Text   = "(text)" // a string that isn't enum-like
	True   = "true"
	False  = "false"
)

// Path names a feature: a role and the dotted path in it.
type Path struct{ Role, Field string }

func (p Path) String() string {
	switch {
	case p.Role == "" || p.Role == RelationRole:
		return p.Field
	case p.Field == "":
		return p.Role
	}
	return p.Role + "." + p.Field
}

// Compare orders paths by role, then field.
func (p Path) Compare(q Path) int {
	if p.Role != q.Role {
		return strings.Compare(p.Role, q.Role)
	}
	return strings.Compare(p.Field, q.Field)
}

// NamesArgument tells whether a test of this path can be an argument's fault.
func (p Path) NamesArgument() bool { return p.Role == ArgsRole || p.Role == RelationRole }

// NamesState tells whether a test of this path can be the state's fault.
func (p Path) NamesState() bool { return p.Role != ArgsRole }

// Value is a token, or a number. A feature of several resources at once has
// one Value a distinct token, and one interval for its numbers.
type Value struct {
	Token  string // "" for a number
	Lo, Hi float64
}

// Number is the value of one number; -0 and 0 are the same, NaN is a token.
func Number(f float64) Value {
	if math.IsNaN(f) {
		return Value{Token: "NaN"}
	}
	f += 0 // -0 + 0 = 0
	return Value{Lo: f, Hi: f}
}

// IsNumber tells numbers from tokens.
func (v Value) IsNumber() bool { return v.Token == "" }

func (v Value) String() string {
	if !v.IsNumber() {
		return v.Token
	}
	if v.Lo == v.Hi {
		return FormatNumber(v.Lo)
	}
	return FormatNumber(v.Lo) + ".." + FormatNumber(v.Hi)
}

// Compare orders tokens before numbers, tokens by bytes, numbers by size.
func (v Value) Compare(w Value) int {
	if v.IsNumber() != w.IsNumber() {
		if w.IsNumber() {
			return -1
		}
		return 1
	}
	return cmp.Or(strings.Compare(v.Token, w.Token), cmp.Compare(v.Lo, w.Lo), cmp.Compare(v.Hi, w.Hi))
}

// FormatNumber writes a number as people do: 2, 0.5, 1e+30.
func FormatNumber(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// BoolToken is the token of a boolean.
func BoolToken(b bool) Value {
	if b {
		return Value{Token: True}
	}
	return Value{Token: False}
}

// StringToken is the token of an enum-like string; one that would be mistaken
// for another kind of value, or break a line of text, is quoted.
func StringToken(s string) Value {
	plain := s != "" && s != Absent && s != True && s != False && s != "NaN" && unicode.IsLetter(rune(s[0]))
	for _, r := range s {
		if strings.ContainsRune(`=,"|;[]`, r) || !unicode.IsPrint(r) {
			plain = false
		}
	}
	if plain {
		return Value{Token: s}
	}
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		q = []byte(strconv.QuoteToASCII(s))
	}
	return Value{Token: string(q)}
}

// EnumLike tells whether a string is a name from a small set rather than text,
// an id, a path or a date. It looks at this one string only, so that any split
// of a log decides alike.
func EnumLike(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	letters, digits, words := 0, 0, 1
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case i == 0:
			return false
		case unicode.IsDigit(r):
			digits++
		case r == ' ':
			words++
		case !strings.ContainsRune("_-().", r):
			return false
		}
	}
	return words <= 4 && digits*4 <= letters
}

// Feature is one observed fact.
type Feature struct {
	Path
	Value
}

func (f Feature) String() string { return f.Path.String() + "=" + f.Value.String() }

// Compare orders features by path, then value.
func (f Feature) Compare(g Feature) int {
	return cmp.Or(f.Path.Compare(g.Path), f.Value.Compare(g.Value))
}

// State is what is known at one time: facts, sorted, and the paths that were
// not observed (Field "" for a whole role). The zero State is the empty one.
type State struct {
	Features []Feature
	Unknown  []Path
}

// NewState sorts and joins facts: equal ones once, numbers of one path as one
// interval.
func NewState(fs []Feature, unknown []Path) State {
	slices.SortFunc(fs, Feature.Compare)
	out := fs[:0]
	for _, f := range fs {
		if n := len(out); n > 0 && out[n-1].Path == f.Path {
			last := &out[n-1]
			if last.Value == f.Value {
				continue
			}
			if last.IsNumber() && f.IsNumber() {
				last.Lo, last.Hi = min(last.Lo, f.Lo), max(last.Hi, f.Hi)
				continue
			}
		}
		out = append(out, f)
	}
	slices.SortFunc(unknown, Path.Compare)
	return State{Features: out, Unknown: slices.Compact(unknown)}
}

// Join is the state that holds the facts of both.
func (s State) Join(t State) State {
	if len(t.Features) == 0 && len(t.Unknown) == 0 {
		return State{slices.Clone(s.Features), slices.Clone(s.Unknown)}
	}
	if n, m := len(s.Features), len(t.Features); n > 0 && m > 0 {
		// Both are sorted, and arguments have roles after which no resource's comes.
		if t.Features[m-1].Compare(s.Features[0]) < 0 {
			s, t = t, s
			n, m = m, n
		}
		if s.Features[n-1].Path.Compare(t.Features[0].Path) < 0 {
			unknown := append(slices.Clone(s.Unknown), t.Unknown...)
			slices.SortFunc(unknown, Path.Compare)
			return State{append(append(make([]Feature, 0, n+m), s.Features...), t.Features...), slices.Compact(unknown)}
		}
	}
	return NewState(append(slices.Clone(s.Features), t.Features...), append(slices.Clone(s.Unknown), t.Unknown...))
}

// Key is a canonical text: equal states, equal keys.
func (s State) Key() string {
	n := 0
	for i := range s.Features {
		f := &s.Features[i]
		n += len(f.Role) + len(f.Field) + len(f.Token) + 3
		if f.Token == "" {
			n += 16
		}
	}
	return string(s.AppendKey(make([]byte, 0, n)))
}

// AppendKey appends what Key gives.
func (s State) AppendKey(b []byte) []byte {
	for i := range s.Features {
		f := &s.Features[i]
		b = append(append(append(b, f.Role...), '\x1f'), f.Field...)
		b = append(b, '\x1f')
		if f.IsNumber() {
			b = append(append(b, f.Value.String()...), '#')
		} else {
			b = append(b, f.Token...)
		}
		b = append(b, '\x1e')
	}
	for _, u := range s.Unknown {
		b = append(append(append(append(b, '?'), u.Role...), '\x1f'), u.Field...)
		b = append(b, '\x1e')
	}
	return b
}

// String writes [status=DRAFT, tests_passed=false]; what was not observed is
// written with a question mark.
func (s State) String() string {
	parts := make([]string, 0, len(s.Features)+len(s.Unknown))
	for _, f := range s.Features {
		parts = append(parts, f.String())
	}
	for _, u := range s.Unknown {
		name := u.String()
		if name == "" {
			name = "state"
		}
		parts = append(parts, name+"=?")
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Only keeps the facts of one role.
func (s State) Only(role string) State {
	other := func(p Path) bool { return p.Role != role }
	if !slices.ContainsFunc(s.Features, func(f Feature) bool { return other(f.Path) }) && !slices.ContainsFunc(s.Unknown, other) {
		return State{slices.Clip(s.Features), slices.Clip(s.Unknown)}
	}
	var out State
	for _, f := range s.Features {
		if f.Role == role {
			out.Features = append(out.Features, f)
		}
	}
	for _, u := range s.Unknown {
		if u.Role == role {
			out.Unknown = append(out.Unknown, u)
		}
	}
	return out
}

// Exists is the path that says whether a role's resource is there.
func Exists(role string) Path { return Path{role, "exists"} }

// parent is the path of the object that holds p; ok is false for a role's root.
func (p Path) parent() (Path, bool) {
	if i := strings.LastIndexByte(p.Field, '.'); i >= 0 {
		return Path{p.Role, p.Field[:i]}, true
	}
	return Path{p.Role, ""}, false
}

// get gives the values at a path, a run of the sorted facts.
func (s State) get(p Path) []Feature {
	i, ok := slices.BinarySearchFunc(s.Features, p, func(f Feature, p Path) int { return f.Path.Compare(p) })
	if !ok {
		return nil
	}
	j := i + 1
	for j < len(s.Features) && s.Features[j].Path == p {
		j++
	}
	return s.Features[i:j]
}

// isUnknown tells whether p, its role or an object around it was not observed.
func (s State) isUnknown(p Path) bool {
	for _, u := range s.Unknown {
		if u.Role == p.Role && (u.Field == "" || u.Field == p.Field ||
			u.Role != RelationRole && len(p.Field) > len(u.Field) && p.Field[len(u.Field)] == '.' && strings.HasPrefix(p.Field, u.Field)) {
			return true
		}
	}
	return false
}

// hasRoot tells whether the thing that a role's paths belong to is there: then
// a path without a value is absent. Arguments always are. The first resource
// is unless it is known not to exist; another only if it is known to exist,
// for a call may have none in that role.
func (s State) hasRoot(role string) bool {
	switch role {
	case RelationRole:
		return false
	case ArgsRole:
		return true
	}
	exists := s.get(Exists(role))
	if len(exists) == 0 {
		return role == "" && !s.isUnknown(Path{role, ""})
	}
	return len(exists) > 1 || exists[0].Token != False
}

// has tells whether the parent of p is there.
func (s State) hasParent(p Path) bool {
	parent, nested := p.parent()
	if !nested {
		return s.hasRoot(p.Role)
	}
	vs := s.get(parent)
	return len(vs) == 1 && vs[0].Token == Object
}

// mayLack tells whether the absence of a path means something.
func (p Path) mayLack() bool { return p.Role != RelationRole && p.Field != "exists" }

// at gives the values of a path that the tool is known to have. A path without
// a value is absent if its parent is there; if the parent isn't, every test of
// it holds vacuously and there is no value.
func (s State) at(p Path) (vs []Value, known bool) {
	if s.isUnknown(p) {
		return nil, false
	}
	for _, f := range s.get(p) {
		vs = append(vs, f.Value)
	}
	if len(vs) == 0 && p.mayLack() && s.hasParent(p) {
		vs = []Value{{Token: Absent}}
	}
	return vs, true
}

// Lacks tells whether a path is known to be absent.
func (s State) Lacks(p Path) bool {
	vs, known := s.at(p)
	return known && len(vs) == 1 && !vs[0].IsNumber() && vs[0].Token == Absent
}

// Parents lists what can lack a path in this state: its roles' roots, as paths
// without a field, and its objects.
func (s State) Parents() []Path {
	out := []Path{{ArgsRole, ""}}
	for _, role := range s.roles() {
		if role != ArgsRole && s.hasRoot(role) {
			out = append(out, Path{role, ""})
		}
	}
	for _, f := range s.Features {
		if f.Token == Object {
			out = append(out, f.Path)
		}
	}
	return out
}

// lists tells whether Parents lists p.
func (s *State) lists(p Path) bool {
	if p.Field != "" {
		return slices.ContainsFunc(s.get(p), func(f Feature) bool { return f.Token == Object })
	}
	switch p.Role {
	case ArgsRole:
		return true
	case "":
		return s.hasRoot("")
	}
	return slices.ContainsFunc(s.Features, func(f Feature) bool { return f.Role == p.Role }) && s.hasRoot(p.Role)
}

// roles lists the roles in the state, and the first resource's.
func (s State) roles() []string {
	out := []string{""}
	last := ""
	for _, f := range s.Features {
		if f.Role != last {
			last = f.Role
			if !slices.Contains(out, last) {
				out = append(out, last)
			}
		}
	}
	return out
}

// Parent is the object or root that p belongs to, as Parents lists it.
func (p Path) Parent() Path {
	parent, _ := p.parent()
	return parent
}

// Drop takes out the facts at paths that drop names.
func (s State) Drop(drop func(Path) bool) State {
	if !slices.ContainsFunc(s.Features, func(f Feature) bool { return drop(f.Path) }) &&
		!slices.ContainsFunc(s.Unknown, drop) {
		return s
	}
	return State{
		Features: slices.DeleteFunc(slices.Clone(s.Features), func(f Feature) bool { return drop(f.Path) }),
		Unknown:  slices.DeleteFunc(slices.Clone(s.Unknown), drop),
	}
}

// Short writes the state for people: what a reader takes for granted, that a
// thing with features exists and that its texts are texts, is left out.
func (s State) Short() string {
	var out State
	for _, f := range s.Features {
		others := slices.ContainsFunc(s.Features, func(g Feature) bool { return g.Role == f.Role && g.Path != f.Path })
		inner := slices.ContainsFunc(s.Features, func(g Feature) bool { return g.Role == f.Role && strings.HasPrefix(g.Field, f.Field+".") })
		if f.Token == Text || f.Token == Object && inner || f.Field == "exists" && f.Token == True && others {
			continue
		}
		out.Features = append(out.Features, f)
	}
	out.Unknown = s.Unknown
	return out.String()
}
