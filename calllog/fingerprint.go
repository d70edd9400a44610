package calllog

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"
)

// Fingerprint identifies a tool's name and schemas: 12 hex digits, the same for
// a tool of a live server and one that a log lists.
func Fingerprint(name string, schemas ...jsontext.Value) string {
	h := sha256.New()
	h.Write([]byte(name))
	for _, v := range schemas {
		v = v.Clone()
		_ = v.Canonicalize() // what isn't JSON is taken as it stands
		h.Write([]byte{0})
		h.Write(v)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
