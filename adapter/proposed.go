package adapter

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
)

// Relations that nobody wrote down: of a server without an adapter, every way in
// which an argument can refer to the state is tried that types allow. What a
// relation is worth the learner finds out; here it is only computed, the same for
// the same call whatever other calls there are.
//
//   - a text that equals a text, is in a list, among the values of a field of a
//     list's rows, or a key of an object: and then what stands under that key, or
//     in that row;
//   - a list all of whose members are in another, as often;
//   - a number that is at most another, or at least;
//   - two lists of arguments that are as long.

// Bounds of what one call is compared with.
const (
	maxScalars  = 64
	maxRelated  = 512
	maxRowsRead = 256
)

// tree is a JSON value taken apart.
type tree struct {
	kind     jsontext.Kind
	repeated bool   // of an object, that it may have a key twice
	text     string // of a string, or a number as it is written
	list     []tree
	keys     []string
}

// treeDepth is how deep a value is taken apart: rows of a list at maxDepth are.
const treeDepth = maxDepth + 3

func treeOf(v jsontext.Value) tree {
	if v == nil {
		return tree{kind: 'n'}
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	t, _ := readTree(d, 0) // of a broken value, what comes before the fault
	return t
}

func readTree(d *jsontext.Decoder, depth int) (t tree, ok bool) {
	t.kind = d.PeekKind()
	if depth > treeDepth {
		return t, d.SkipValue() == nil
	}
	tok, err := d.ReadToken()
	if err != nil {
		return t, false
	}
	switch t.kind {
	case '"':
		t.text = tok.String()
	case '0':
		t.text = numberText(tok.String())
	case '{', '[':
		for k := d.PeekKind(); k != '}' && k != ']'; k = d.PeekKind() {
			if t.kind == '{' {
				name, err := d.ReadToken()
				if err != nil {
					return t, false
				}
				key := name.String()
				t.repeated = t.repeated || len(t.keys) > 0 && key <= t.keys[len(t.keys)-1]
				t.keys = append(t.keys, key)
			}
			e, ok := readTree(d, depth+1)
			if !ok {
				t.keys = t.keys[:min(len(t.keys), len(t.list))]
				return t, false
			}
			t.list = append(t.list, e)
		}
		_, err = d.ReadToken()
	}
	return t, err == nil
}

// numberText writes equal numbers alike; long whole ones, ids for the most part,
// as they are.
func numberText(s string) string {
	if strings.ContainsAny(s, ".eE-") {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return behavior.FormatNumber(f + 0) // no negative zero
		}
	}
	return s
}

func (t *tree) scalar() bool { return t.kind == '"' || t.kind == '0' }

// named is a value and where it stands.
type named struct {
	path string
	tree
}

// shapes are the parts of a state that arguments can refer to.
type shapes struct {
	scalars []named // texts and numbers; of lists of rows those of the first row
	lists   []named // of scalars; also a field's values over rows
	maps    []named // objects
	rows    []named // lists of objects
}

func (s *shapes) add(path string, t *tree) {
	switch t.kind {
	case '"', '0':
		s.scalars = append(s.scalars, named{path, *t})
	case '{':
		if path != "" {
			s.maps = append(s.maps, named{path, *t})
			if t.uniform() && t.list[0].kind == '{' {
				return // its keys are data: what is under one is found by it
			}
		}
		for i := range t.list {
			s.add(joinPath(path, t.keys[i]), &t.list[i])
		}
	case '[':
		s.addList(path, t)
	}
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (s *shapes) addList(path string, t *tree) {
	if len(t.list) == 0 {
		s.lists = append(s.lists, named{path, *t})
		return
	}
	switch t.list[0].kind {
	case '"', '0':
		s.lists = append(s.lists, named{path, *t})
	case '{':
		s.rows = append(s.rows, named{path, *t})
		first := &t.list[0]
		for i, key := range first.keys {
			if !first.list[i].scalar() {
				continue
			}
			s.scalars = append(s.scalars, named{path + "[0]." + key, first.list[i]})
			column := tree{kind: '['}
			for _, row := range t.list[:min(len(t.list), maxRowsRead)] {
				if v := row.get(key); v != nil && v.scalar() {
					column.list = append(column.list, *v)
				}
			}
			s.lists = append(s.lists, named{path + "[]." + key, column})
		}
	}
}

func (t *tree) get(key string) *tree {
	if t.kind != '{' {
		return nil
	}
	for i := len(t.keys) - 1; i >= 0; i-- {
		if t.keys[i] == key {
			return &t.list[i]
		}
	}
	return nil
}

// proposed computes the relations of a call's arguments and its state.
func proposed(args, before jsontext.Value) []behavior.Feature {
	a, b := treeOf(args), treeOf(before)
	return proposedTrees(&a, &b)
}

func proposedTrees(a, b *tree) []behavior.Feature {
	if a.kind != '{' {
		return nil
	}
	p := proposer{}
	p.given.add("", a)
	given := p.given
	p.sameLength(given.lists)
	if b.kind == '{' {
		p.state.add("", b)
		p.state.scalars = p.state.scalars[:min(len(p.state.scalars), maxScalars)]
		for i := range given.scalars {
			p.scalar(&given.scalars[i])
		}
		for i := range given.lists {
			p.list(&given.lists[i])
		}
	}
	return p.out
}

type proposer struct {
	given shapes // arguments
	state shapes
	out   []behavior.Feature
}

func (p *proposer) say(what string, v behavior.Value) {
	if len(p.out) < maxRelated {
		p.out = append(p.out, behavior.Feature{Path: behavior.Path{Role: behavior.RelationRole, Field: relationEscaper.Replace(what)}, Value: v})
	}
}

func (p *proposer) sameLength(lists []named) {
	for i := range lists {
		for j := range lists[:i] {
			p.say("args "+lists[j].path+" is as long as args "+lists[i].path, behavior.BoolToken(len(lists[i].list) == len(lists[j].list)))
		}
	}
}

// scalar relates one argument.
func (p *proposer) scalar(arg *named) {
	name := "args " + arg.path
	for i := range p.state.scalars {
		s := &p.state.scalars[i]
		if s.kind != arg.kind {
			continue
		}
		if arg.kind == '"' {
			p.say(name+" equals "+s.path, behavior.BoolToken(arg.text == s.text))
			continue
		}
		p.compare(name, arg.text, s.path, s.text)
	}
	for i := range p.state.lists {
		l := &p.state.lists[i]
		if len(l.list) == 0 || l.list[0].kind == arg.kind {
			p.say(name+" is one of "+l.path, behavior.BoolToken(l.holds(arg.text)))
		}
	}
	if arg.kind != '"' {
		return
	}
	for i := range p.state.maps {
		m := &p.state.maps[i]
		if !m.uniform() {
			continue
		}
		v := m.get(arg.text)
		p.say(name+" is a key of "+m.path, behavior.BoolToken(v != nil))
		if v != nil {
			p.found(m.path+" of args "+arg.path, v)
		}
	}
	for i := range p.state.rows {
		p.row(arg, &p.state.rows[i])
	}
}

func (p *proposer) compare(name, arg, path, value string) {
	x, err1 := strconv.ParseFloat(arg, 64)
	y, err2 := strconv.ParseFloat(value, 64)
	if err1 == nil && err2 == nil {
		p.say(name+" is at most "+path, behavior.BoolToken(x <= y))
		p.say(name+" is at least "+path, behavior.BoolToken(x >= y))
	}
}

// row finds the row that an argument names by an id, and what stands in it.
func (p *proposer) row(arg, rows *named) {
	for _, row := range rows.list[:min(len(rows.list), maxRowsRead)] {
		for i, key := range row.keys {
			if row.list[i].kind == '"' && row.list[i].text == arg.text && !behavior.EnumLike(arg.text) {
				p.found(rows.path+" with "+key+" args "+arg.path, &row)
				return
			}
		}
	}
}

// found says what stands where an argument leads to.
func (p *proposer) found(where string, v *tree) {
	switch v.kind {
	case '{':
		for i, key := range v.keys {
			if e := &v.list[i]; e.kind != '{' && e.kind != '[' {
				p.say(key+" in "+where, e.value())
				if e.kind == '0' {
					p.compareAll(key+" in "+where, e.text)
				}
			}
		}
	case '[':
	default:
		p.say(where, v.value())
	}
}

// compareAll compares a number that was found with those of the state, and of the
// arguments.
func (p *proposer) compareAll(name, number string) {
	for i := range p.state.scalars {
		if s := &p.state.scalars[i]; s.kind == '0' {
			p.compare(name, number, s.path, s.text)
		}
	}
	for i := range p.given.scalars {
		if s := &p.given.scalars[i]; s.kind == '0' {
			p.compare(name, number, "args "+s.path, s.text)
		}
	}
}

func (t *tree) value() behavior.Value {
	switch t.kind {
	case 't', 'f':
		return behavior.BoolToken(t.kind == 't')
	case '"':
		if behavior.EnumLike(t.text) {
			return behavior.StringToken(t.text)
		}
		return behavior.Value{Token: behavior.Text}
	case '0':
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil || math.IsInf(x, 0) {
			return behavior.Value{Token: "(number out of range)"}
		}
		return behavior.Number(x)
	}
	return behavior.Value{Token: behavior.Absent}
}

// uniform tells a map, whose keys are data, from a record: all its values are of
// one kind.
func (t *tree) uniform() bool {
	for i := range t.list {
		if t.list[i].kind != t.list[0].kind || t.list[i].kind == '[' {
			return false
		}
	}
	return len(t.list) > 0
}

func (t *tree) holds(text string) bool {
	return slices.ContainsFunc(t.list, func(e tree) bool { return e.text == text })
}

// list relates a list of arguments: whether all of it is in another.
func (p *proposer) list(arg *named) {
	if len(arg.list) == 0 {
		return
	}
	for i := range p.state.lists {
		l := &p.state.lists[i]
		if len(l.list) > 0 && l.list[0].kind == arg.list[0].kind {
			p.say("all of args "+arg.path+" are in "+l.path, behavior.BoolToken(l.holdsAll(arg.list)))
		}
	}
}

// holdsAll tells whether a list holds all members of another, as often.
func (t *tree) holdsAll(of []tree) bool {
	n := map[string]int{}
	for _, e := range t.list {
		n[e.text]++
	}
	for _, e := range of {
		if n[e.text]--; n[e.text] < 0 {
			return false
		}
	}
	return true
}
