package ingest

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"mcpg/ingest/format"
)

// maxSchemas bounds how many compiled schemas are kept.
const maxSchemas = 4096

// schemas checks arguments against the input schemas that logs list.
type schemas map[string]*jsonschema.Resolved // by fingerprint; nil: it can't be used

// unfit says what in the arguments doesn't fit the tool's schema; "" if they do,
// or nothing is known.
func (s schemas) unfit(t *format.Tool, args jsontext.Value) (why string) {
	if t == nil || t.Input.Kind() != '{' {
		return ""
	}
	schema, known := s[t.Fingerprint]
	if !known {
		schema = compile(t.Input)
		if len(s) < maxSchemas {
			s[t.Fingerprint] = schema
		}
	}
	if schema == nil {
		return ""
	}
	if args == nil {
		args = jsontext.Value("{}")
	}
	var value any
	if err := json.Unmarshal(args, &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return ""
	}
	// A schema out of a log may be anything.
	defer func() {
		if recover() != nil {
			why = ""
		}
	}()
	if err := schema.Validate(value); err != nil {
		return err.Error()
	}
	return ""
}

// compile gives nil for a schema that is none, or that refers to others.
func compile(v jsontext.Value) (r *jsonschema.Resolved) {
	defer func() {
		if recover() != nil {
			r = nil
		}
	}()
	var schema jsonschema.Schema
	if err := schema.UnmarshalJSON(v); err != nil {
		return nil
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		return nil
	}
	return r
}
