package calllog

import (
	"encoding/binary"
	"math/bits"
)

// The scanner below finds the ends of JSON values and checks them on the way. It
// accepts what jsontext accepts with duplicate names allowed, of text that is
// valid UTF-8 (a fuzz test holds them together), at several times its speed:
// reading large logs is bounded by this. What it doesn't accept is read again by
// jsontext, which says what is wrong.

// maxNesting is how deep jsontext reads.
const maxNesting = 10000

// skipBlank gives the place of the first byte from i on that is no white space.
func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// scanValue gives the end of the value that begins at i, or -1 if it is none.
func scanValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		end, _ := scanString(b, i)
		return end
	case '{':
		return scanObject(b, i, depth+1)
	case '[':
		return scanList(b, i, depth+1)
	case 't':
		return scanWord(b, i, "true")
	case 'f':
		return scanWord(b, i, "false")
	case 'n':
		return scanWord(b, i, "null")
	}
	return scanNumber(b, i)
}

func scanWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func scanObject(b []byte, i, depth int) int {
	if depth > maxNesting {
		return -1
	}
	if i = skipBlank(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i, _ = scanString(b, i); i < 0 {
			return -1
		}
		if i = skipBlank(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = scanValue(b, skipBlank(b, i+1), depth); i < 0 {
			return -1
		}
		if i = skipBlank(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case '}':
			return i + 1
		case ',':
			i = skipBlank(b, i+1)
		default:
			return -1
		}
	}
}

func scanList(b []byte, i, depth int) int {
	if depth > maxNesting {
		return -1
	}
	if i = skipBlank(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = scanValue(b, i, depth); i < 0 {
			return -1
		}
		if i = skipBlank(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ']':
			return i + 1
		case ',':
			i = skipBlank(b, i+1)
		default:
			return -1
		}
	}
}

// Eight bytes at a time: ones and highs are 0x01 and 0x80 in each.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks the bytes of w that end a plain run in a string: quotes,
// backslashes and control characters. The lowest mark is right; those above it
// may be wrong.
func special(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

// scanString gives the end of the string that begins at i, or -1, and whether it
// has escapes.
func scanString(b []byte, i int) (end int, escaped bool) {
	i++
	for {
		for i+8 <= len(b) {
			if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				goto found
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
			i++
		}
		if i >= len(b) {
			return -1, escaped
		}
	found:
		switch b[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			if i = scanEscape(b, i); i < 0 {
				return -1, true
			}
		default:
			return -1, escaped
		}
	}
}

func scanEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return -1
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if i+6 > len(b) {
			return -1
		}
		for _, c := range b[i+2 : i+6] {
			if hexValue(c) < 0 {
				return -1
			}
		}
		return i + 6
	}
	return -1
}

func hexValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return rune(c - 'A' + 10)
	}
	return -1
}

func scanNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b) || b[i] < '0' || b[i] > '9':
		return -1
	case b[i] == '0':
		i++
	default:
		i = scanDigits(b, i)
	}
	if i < len(b) && b[i] == '.' {
		end := scanDigits(b, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := scanDigits(b, i)
		if end == i {
			return -1
		}
		i = end
	}
	return i
}

func scanDigits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}
