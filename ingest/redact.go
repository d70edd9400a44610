package ingest

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// Redactor takes values of fields out of calls: of those that are named, and of
// those whose names or values look like secrets. The zero value takes nothing.
type Redactor struct {
	On    bool
	Names []string // further fields, whole names without case
}

// secretName are names, in lower case without _ - and blanks, of fields that
// hold secrets.
var secretName = regexp.MustCompile(`passw(or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|authorization|credential|cookie|bearer|(^|[^s])token$|^auth$|^pwd$|^pin$|^cvv$|^ssn$|cardnumber`)

// secretText are values that are secrets wherever they stand.
var secretText = regexp.MustCompile(`\b(sk|pk|rk)[-_](live|test|ant|proj|or)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abeprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+|(?i:\b(bearer|basic) )[A-Za-z0-9+/._~-]{12,}=*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)

// secretPair is a secret-looking name with its value in plain text.
var secretPair = regexp.MustCompile(`(?i)\b([\w-]*(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential|token)\b["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;&"']+)`)

// call takes secrets out of a call.
func (r *Redactor) call(c *calllog.Call) {
	if !r.On {
		return
	}
	for _, v := range []*jsontext.Value{&c.Args, &c.Result, &c.Before, &c.After, &c.Extra} {
		*v = r.value(*v)
	}
	same := c.ErrorText == c.ResultText
	c.ResultText = r.text(c.ResultText)
	if same {
		c.ErrorText = c.ResultText
	} else {
		c.ErrorText = r.text(c.ErrorText)
	}
}

// text redacts JSON as JSON, and else by what looks like secrets.
func (r *Redactor) text(s string) string {
	if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[') {
		if v := jsontext.Value(t); v.IsValid(jsontext.AllowDuplicateNames(true)) {
			return string(r.value(v))
		}
	}
	s = secretText.ReplaceAllString(s, Redacted)
	return secretPair.ReplaceAllString(s, "${1}"+Redacted)
}

// value redacts a JSON value. What isn't touched stays as it is written.
func (r *Redactor) value(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return v
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []byte
	from := int64(0) // up to where v was copied
	put := func(end int64, text jsontext.Value, with string) {
		out = append(out, v[from:end-int64(len(text))]...)
		out, _ = jsontext.AppendQuote(out, with)
		from = end
	}
	for {
		kind, length := d.StackIndex(d.StackDepth())
		isName := kind == '{' && length%2 == 0
		switch d.PeekKind() {
		case 0:
			if _, err := d.ReadToken(); err != io.EOF {
				return jsontext.Value(`"` + Redacted + `"`) // no JSON: nobody knows what it holds
			}
			if from == 0 {
				return v
			}
			return append(out, v[from:]...)
		case '"':
			s, err := d.ReadValue()
			if err != nil {
				return jsontext.Value(`"` + Redacted + `"`)
			}
			end, length := d.InputOffset(), len(s)
			if isName {
				if name, err := jsontext.AppendUnquote(nil, s); err == nil && r.secret(string(name)) && d.PeekKind() != 0 {
					secret, err := d.ReadValue()
					if err != nil {
						return jsontext.Value(`"` + Redacted + `"`)
					}
					if k := secret.Kind(); k == '"' && len(secret) > 2 || k == '0' || k == '{' || k == '[' {
						put(d.InputOffset(), secret, Redacted)
					}
				}
				continue
			}
			plain, _ := jsontext.AppendUnquote(nil, s)
			if clean := r.text(string(plain)); clean != string(plain) {
				put(end, v[end-int64(length):end], clean)
			}
		default:
			if _, err := d.ReadToken(); err != nil {
				return jsontext.Value(`"` + Redacted + `"`)
			}
		}
	}
}

var nameNoise = strings.NewReplacer("_", "", "-", "", " ", "")

func (r *Redactor) secret(name string) bool {
	for _, n := range r.Names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return secretName.MatchString(nameNoise.Replace(strings.ToLower(name)))
}
