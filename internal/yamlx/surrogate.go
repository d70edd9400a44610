package yamlx

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf16"
)

// A character outside the basic plane as JSON escapes it, in two halves.
var surrogatePair = regexp.MustCompile(`\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`)

// joinSurrogates rewrites such pairs in double-quoted scalars, as \U and eight
// digits, which the parser knows. A half alone stays, and is an error.
func joinSurrogates(b []byte) []byte {
	if !surrogatePair.Match(b) {
		return b
	}
	var out []byte
	for i := 0; i < len(b); {
		if b[i] != '"' || !startsScalar(b, i) {
			out = append(out, b[i])
			i++
			continue
		}
		end := endOfQuoted(b, i+1)
		out = append(out, surrogatePair.ReplaceAllFunc(b[i:end], joinPair)...)
		i = end
	}
	return out
}

// startsScalar tells whether a quote at i can open a scalar.
func startsScalar(b []byte, i int) bool {
	return i == 0 || bytes.IndexByte([]byte(" \t\n[{,:-?"), b[i-1]) >= 0
}

// endOfQuoted gives the place after the quote that closes a scalar.
func endOfQuoted(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func joinPair(m []byte) []byte {
	hi, err1 := strconv.ParseUint(string(m[2:6]), 16, 16)
	lo, err2 := strconv.ParseUint(string(m[8:12]), 16, 16)
	if err1 != nil || err2 != nil {
		return m
	}
	return fmt.Appendf(nil, `\U%08X`, utf16.DecodeRune(rune(hi), rune(lo)))
}
