package redact

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value redacts a JSON value. What isn't touched stays as it is written.
func (r *Redactor) value(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return v
	}
	w := redaction{r: r, v: v, d: jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if !w.all() {
		return jsontext.Value(`"` + Redacted + `"`) // no JSON: nobody knows what it holds
	}
	if w.from == 0 {
		return v
	}
	return append(w.out, v[w.from:]...)
}

// redaction goes through one JSON value.
type redaction struct {
	r    *Redactor
	v    jsontext.Value
	d    *jsontext.Decoder
	out  []byte
	from int64 // up to where v was copied

	names []string // of the member that each open object is at
	heads []bool   // the open object says name: Authorization
}

// put writes another string for what ends here.
func (w *redaction) put(length int, with string) {
	end := w.d.InputOffset()
	w.out = append(w.out, w.v[w.from:end-int64(length)]...)
	w.out, _ = jsontext.AppendQuote(w.out, with)
	w.from = end
}

func (w *redaction) all() bool {
	for {
		kind, length := w.d.StackIndex(w.d.StackDepth())
		depth := w.d.StackDepth()
		for len(w.names) <= depth {
			w.names, w.heads = append(w.names, ""), append(w.heads, false)
		}
		switch next := w.d.PeekKind(); {
		case next == 0:
			_, err := w.d.ReadToken()
			return err == io.EOF
		case kind == '{' && length%2 == 0 && next == '"':
			tok, err := w.d.ReadToken()
			if err != nil {
				return false
			}
			w.names[depth] = tok.String()
			if length == 0 {
				w.heads[depth] = false
			}
			if !w.member(depth) {
				return false
			}
		case next == '"':
			if !w.text(kind, depth) {
				return false
			}
		default:
			if _, err := w.d.ReadToken(); err != nil {
				return false
			}
		}
	}
}

// member takes the value of a member whose name says that it is a secret.
func (w *redaction) member(depth int) bool {
	name := w.names[depth]
	header := w.heads[depth] && strings.EqualFold(name, "value")
	if !header && !w.r.secret(name) {
		return true
	}
	next := w.d.PeekKind()
	switch next {
	case 't', 'f', 'n', 0:
		return true
	case '0':
		if !w.r.secretNumber(name) {
			return true
		}
	}
	v, err := w.d.ReadValue()
	if err != nil {
		return false
	}
	if next != '"' || len(v) > 2 {
		w.put(len(v), Redacted)
	}
	return true
}

func (w *redaction) text(kind jsontext.Kind, depth int) bool {
	s, err := w.d.ReadValue()
	if err != nil {
		return false
	}
	length := len(s)
	plain, _ := jsontext.AppendUnquote(nil, s)
	if kind == '{' && (strings.EqualFold(w.names[depth], "name") || strings.EqualFold(w.names[depth], "key")) && w.r.secret(string(plain)) {
		w.heads[depth] = true // {"name": "Authorization", "value": …}
	}
	if clean := w.r.text(string(plain)); clean != string(plain) {
		w.put(length, clean)
	}
	return true
}
