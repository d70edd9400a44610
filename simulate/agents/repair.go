package agents

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Repair is what to do when an answer reads like On.
type Repair struct {
	On    string   `json:"on"`
	Tools []string `json:"tools,omitzero"` // only for calls of these
	Soft  bool     `json:"soft,omitzero"`  // for answers flagged as successes
	Do    []Step   `json:"do,omitzero"`    // goes first
	Then  string   `json:"then,omitzero"`  // "retry" or "skip"
	Swap  *Step    `json:"swap,omitzero"`  // replaces the call

	re *regexp.Regexp
}

// Compile checks a repair and makes it ready.
func (r *Repair) Compile() (err error) {
	if r.re, err = regexp.Compile(r.On); err != nil {
		return err
	}
	if r.Swap == nil && r.Then != "retry" && r.Then != "skip" {
		return fmt.Errorf(`repair %q: then %q: want "retry", "skip" or a step`, r.On, r.Then)
	}
	return nil
}

func (r *Repair) matches(tool, text string, isError bool) []string {
	if r.Soft == isError || len(r.Tools) > 0 && !slices.Contains(r.Tools, tool) {
		return nil
	}
	return r.re.FindStringSubmatch(text)
}

var placeholder = regexp.MustCompile(`\$\{[^}]+\}`)

// fill puts values for the placeholders into a step's arguments. A string that
// is one placeholder becomes the value itself, whatever its kind. ok is false
// if a value is missing.
func fill(args jsontext.Value, value func(name string) (jsontext.Value, bool)) (out jsontext.Value, ok bool) {
	ok = true
	get := func(name string) jsontext.Value {
		v, has := value(name)
		ok = ok && has
		return v
	}
	whole := regexp.MustCompile(`"\$\{([^}"]+)\}"`)
	b := whole.ReplaceAllFunc(args, func(m []byte) []byte { return get(string(m[3 : len(m)-2])) })
	b = placeholder.ReplaceAllFunc(b, func(m []byte) []byte {
		v := get(string(m[2 : len(m)-1]))
		if len(v) > 0 && v.Kind() != '"' {
			v = quote(string(v))
		}
		return bytes.TrimSuffix(bytes.TrimPrefix(v, []byte{'"'}), []byte{'"'}) // inside a string: escaped already
	})
	return b, ok
}

func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // what isn't UTF-8 is replaced
	return b
}

// argument follows a dotted path into a call's arguments; a number picks from a
// list.
func argument(args jsontext.Value, path string) (jsontext.Value, bool) {
	v := args
	for _, name := range strings.Split(path, ".") {
		d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true))
		tok, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		isList := tok.Kind() == '['
		found := false
		for i := 0; d.PeekKind() != ']' && d.PeekKind() != '}' && !found; i++ {
			key := strconv.Itoa(i)
			if !isList {
				t, err := d.ReadToken()
				if err != nil {
					return nil, false
				}
				key = t.String()
			}
			member, err := d.ReadValue()
			if err != nil {
				return nil, false
			}
			if key == name {
				v, found = member.Clone(), true
			}
		}
		if !found {
			return nil, false
		}
	}
	return v, true
}
