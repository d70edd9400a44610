// Package redact takes secrets out of calls: what an importer of logs and the
// live proxy do alike, before anything is written.
package redact

import (
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

// Call takes secrets out of a call.
func (r *Redactor) Call(c *calllog.Call) {
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
	if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[' || t[0] == '"') {
		if v := jsontext.Value(t); v.IsValid(jsontext.AllowDuplicateNames(true)) {
			return string(r.value(v))
		}
	}
	return r.pairs(knownSecrets(s))
}
