package simulate

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// Fingerprint identifies a tool's name and schemas: 12 hex digits.
func Fingerprint(t Tool) string {
	var s struct {
		Input  jsontext.Value `json:"inputSchema"`
		Output jsontext.Value `json:"outputSchema"`
	}
	_ = json.Unmarshal(t.Raw, &s) // what isn't a tool has no schemas
	return calllog.Fingerprint(t.Name, s.Input, s.Output)
}

// Required lists the arguments that a tool's schema requires.
func Required(t Tool) []string {
	var s struct {
		Input struct {
			Required []string `json:"required"`
		} `json:"inputSchema"`
	}
	_ = json.Unmarshal(t.Raw, &s) // what isn't a tool requires nothing
	return s.Input.Required
}

// ReadOnly tells whether a tool says of itself that it changes nothing.
func ReadOnly(t Tool) bool {
	var doc struct {
		Annotations struct {
			ReadOnly bool `json:"readOnlyHint"`
		} `json:"annotations"`
	}
	return json.Unmarshal(t.Raw, &doc) == nil && doc.Annotations.ReadOnly
}

var fingerprints sync.Map // name and raw tool → fingerprint: catalogs are few and long

func fingerprint(t Tool) string {
	key := t.Name + "\x00" + string(t.Raw)
	if f, ok := fingerprints.Load(key); ok {
		return f.(string)
	}
	f := Fingerprint(t)
	fingerprints.Store(key, f)
	return f
}
