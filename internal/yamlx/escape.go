package yamlx

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf16"
)

// A character outside the basic plane as JSON escapes it, in two halves.
var surrogatePair = regexp.MustCompile(`^\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`)

// jsonEscapes rewrites, in double-quoted scalars, what JSON escapes and the
// parser doesn't know: characters in two halves, as \U and eight digits, and
// slashes. A half alone stays, and is an error.
func jsonEscapes(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\/`)) && !bytes.Contains(b, []byte(`\ud`)) && !bytes.Contains(b, []byte(`\uD`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	quoted := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"' && (quoted || startsScalar(b, i)):
			quoted = !quoted
			out = append(out, '"')
		case quoted && b[i] == '\\' && i+1 < len(b):
			text, n := escape(b[i:])
			out = append(out, text...)
			i += n - 1
		default:
			out = append(out, b[i])
		}
	}
	return out
}

// startsScalar tells whether a quote at i can open a scalar.
func startsScalar(b []byte, i int) bool {
	return i == 0 || bytes.IndexByte([]byte(" \t\n[{,:-?"), b[i-1]) >= 0
}

// escape gives what an escape at the start of b becomes, and its length.
func escape(b []byte) (text []byte, n int) {
	if b[1] == '/' {
		return []byte("/"), 2
	}
	m := surrogatePair.FindSubmatch(b)
	if m == nil {
		return b[:2], 2
	}
	hi, err1 := strconv.ParseUint(string(m[1]), 16, 16)
	lo, err2 := strconv.ParseUint(string(m[2]), 16, 16)
	if err1 != nil || err2 != nil {
		return b[:2], 2
	}
	return fmt.Appendf(nil, `\U%08X`, utf16.DecodeRune(rune(hi), rune(lo))), len(m[0])
}
