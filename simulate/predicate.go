package simulate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Predicate is a test of a snapshot: what stands at a path of member names.
type Predicate struct {
	At []string `json:"at"`
	Op string   `json:"op"` // is, not, exists, absent, contains, over, lists
	// Value is the JSON that is, not, lists compare with; the text that contains
	// looks for; the number that over must exceed.
	Value jsontext.Value `json:"value,omitzero"`
}

// Ops are the tests a Predicate can make.
var Ops = []string{"is", "not", "exists", "absent", "contains", "over", "lists"}

// Check refuses an unknown test, and a value that the test can't use.
func (p *Predicate) Check() error {
	if !slices.Contains(Ops, p.Op) {
		return fmt.Errorf("op %q: want one of %s", p.Op, strings.Join(Ops, ", "))
	}
	var ok bool
	switch p.Op {
	case "exists", "absent":
		ok = p.Value == nil
	case "contains":
		ok = p.Value.Kind() == '"'
	case "over":
		ok = p.Value.Kind() == '0'
	default:
		ok = p.Value.IsValid()
	}
	if !ok {
		return fmt.Errorf("op %s: value %s is none for it", p.Op, cmp.Or(string(p.Value), "missing"))
	}
	return nil
}

// Holds tests a snapshot.
func (p *Predicate) Holds(snapshot jsontext.Value) bool {
	v := At(snapshot, p.At)
	switch p.Op {
	case "exists":
		return v != nil
	case "absent":
		return v == nil
	case "is":
		return v != nil && same(v, p.Value)
	case "not":
		return v == nil || !same(v, p.Value)
	case "contains":
		return v.Kind() == '"' && strings.Contains(unquote(v), unquote(p.Value))
	case "over":
		x, err1 := strconv.ParseFloat(string(v), 64)
		y, err2 := strconv.ParseFloat(string(p.Value), 64)
		return err1 == nil && err2 == nil && x > y
	case "lists":
		return listed(v, p.Value)
	}
	return false
}

// At follows member names; nil where they lead nowhere.
func At(v jsontext.Value, path []string) jsontext.Value {
	for _, name := range path {
		d := jsontext.NewDecoder(bytes.NewReader(v))
		if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
			return nil
		}
		v = nil
		for v == nil && d.PeekKind() == '"' {
			tok, err := d.ReadToken()
			if err != nil {
				return nil
			}
			match := tok.String() == name
			m, err := d.ReadValue()
			if err != nil {
				return nil
			}
			if match {
				v = m.Clone()
			}
		}
		if v == nil {
			return nil
		}
	}
	return v
}

func listed(list, want jsontext.Value) bool {
	d := jsontext.NewDecoder(bytes.NewReader(list))
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '[' {
		return false
	}
	for d.PeekKind() != ']' {
		e, err := d.ReadValue()
		if err != nil {
			return false
		}
		if same(e, want) {
			return true
		}
	}
	return false
}

// same compares JSON values, however they are written.
func same(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

func unquote(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}
