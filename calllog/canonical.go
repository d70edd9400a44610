package calllog

import "github.com/go-json-experiment/json/jsontext"

// Canonical is a text that is equal for JSON values that say the same: members
// sorted, blanks taken out, strings in their shortest form. Numbers stay as
// written: 9007199254740993 is not …992. What isn't valid JSON is taken as it
// stands.
func Canonical(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // see above
	return string(v)
}
