package proxy

import (
	"bytes"
	"iter"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// message is what a frame says. Its values are parts of the frame, where they stand.
type message struct {
	frame  []byte
	id     jsontext.Value // nil where there is none
	method string         // "" for a response
	params jsontext.Value
	result jsontext.Value
	fault  jsontext.Value // the member error
}

// lenient reads what servers in the wild write.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// parse reads a frame as one JSON-RPC message; false for anything else, which is
// forwarded unread.
func parse(frame []byte) (m message, ok bool) {
	m.frame = frame
	for name, v := range members(frame) {
		switch name {
		case "id":
			m.id = v
		case "method":
			if v.Kind() != '"' {
				return m, false
			}
			m.method = unquote(v)
		case "params":
			m.params = v
		case "result":
			m.result = v
		case "error":
			m.fault = v
		case "":
			return m, false
		}
	}
	if m.id.Kind() == 'n' && m.method == "" {
		m.id = nil
	}
	return m, m.method != "" || m.id != nil && (m.result != nil || m.fault != nil)
}

func (m *message) response() bool     { return m.method == "" }
func (m *message) notification() bool { return m.method != "" && m.id == nil }

// members goes through a JSON object's members, as parts of v (never append to them); the last of equal names
// counts with most readers, and comes last. What isn't one whole object gives a member
// without name and value.
func members(v []byte) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(v), lenient...)
		if d.PeekKind() != '{' {
			yield("", nil)
			return
		}
		_, _ = d.ReadToken()
		for d.PeekKind() == '"' {
			name, err := d.ReadToken()
			if err != nil {
				break
			}
			key := name.String()
			val, err := d.ReadValue()
			if err != nil {
				yield("", nil)
				return
			}
			end := int(d.InputOffset())
			if !yield(key, jsontext.Value(v[end-len(val):end])) {
				return
			}
		}
		if t, err := d.ReadToken(); err != nil || t.Kind() != '}' || len(bytes.TrimSpace(v[d.InputOffset():])) > 0 {
			yield("", nil)
		}
	}
}

// member finds the last member of a name, nil if there is none.
func member(v []byte, name string) (out jsontext.Value) {
	for n, m := range members(v) {
		if n == name && m != nil {
			out = m
		}
	}
	return out
}

// text is a member that is a string, else "".
func text(v []byte, name string) string {
	if m := member(v, name); m.Kind() == '"' {
		return unquote(m)
	}
	return ""
}

func unquote(v jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, v) // what isn't UTF-8 is replaced
	return string(b)
}

func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // likewise
	return b
}

// idKey is equal for ids that mean the same: 7 and 7.0 are one, "7" is another.
func idKey(id jsontext.Value) string {
	switch id.Kind() {
	case '"':
		return "s" + unquote(id)
	case '0':
		// An exponent may stand for more digits than there is memory.
		if _, exp, _ := strings.Cut(strings.ToLower(string(id)), "e"); len(id) <= 64 && len(exp) <= 4 {
			if r, ok := new(big.Rat).SetString(string(id)); ok {
				return "n" + r.RatString()
			}
		}
	}
	return "v" + string(id)
}

// insert puts bytes into a frame before the offset of a part's end: part must be one of
// the frame's values, an array or object, and what is put in goes to its end.
func insert(frame []byte, part jsontext.Value, element []byte) []byte {
	end := offset(frame, part) + len(part) - 1 // of the closing bracket
	inner := bytes.TrimSpace(part[1 : len(part)-1])
	out := make([]byte, 0, len(frame)+len(element)+1)
	out = append(out, frame[:end]...)
	if len(inner) > 0 {
		out = append(out, ',')
	}
	out = append(out, element...)
	return append(out, frame[end:]...)
}

// offset is where a part begins in its frame: parts share the frame's memory, so that
// what is behind both tells it.
func offset(frame []byte, part jsontext.Value) int { return cap(frame) - cap(part) }
