package filesystem

import (
	"cmp"
	"strings"
	"unicode"
)

// collation is ASCII in the order of the Unicode collation; each small letter
// comes right before its capital.
const collation = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

// collate compares names as a locale does: case counts only between names
// that are else the same. Other letters follow by code point.
func collate(a, b string) int {
	if c := compareBy(a, b, func(r rune) rune { return rank(unicode.ToLower(r)) }); c != 0 {
		return c
	}
	return compareBy(a, b, rank)
}

func rank(r rune) rune {
	if i := strings.IndexRune(collation, r); i >= 0 {
		return rune(i)
	}
	return r + rune(len(collation))
}

func compareBy(a, b string, key func(rune) rune) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if c := cmp.Compare(key(x[i]), key(y[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}
