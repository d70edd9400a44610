package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Fingerprint identifies a tool's name and schemas: 12 hex digits.
func Fingerprint(t Tool) string {
	var s struct {
		Input  jsontext.Value `json:"inputSchema"`
		Output jsontext.Value `json:"outputSchema"`
	}
	_ = json.Unmarshal(t.Raw, &s) // what isn't a tool has no schemas
	h := sha256.New()
	h.Write([]byte(t.Name))
	for _, v := range []jsontext.Value{s.Input, s.Output} {
		v = v.Clone()
		_ = v.Canonicalize()
		h.Write([]byte{0})
		h.Write(v)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
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
