package filesystem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isSpace is white space as the server's language has it, which differs from
// Unicode's in two characters.
func isSpace(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}

func trimSpace(s string) string { return strings.TrimFunc(s, isSpace) }

func trimLeft(s string) string { return strings.TrimLeftFunc(s, isSpace) }

func indentOf(s string) string { return s[:len(s)-len(trimLeft(s))] }

func normalizeLineEndings(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// decodeText reads bytes as UTF-8: each longest sequence that begins like a
// character and is none becomes one U+FFFD.
func decodeText(data string) string {
	if utf8.ValidString(data) {
		return data
	}
	var b strings.Builder
	for data != "" {
		r, size := utf8.DecodeRuneInString(data)
		if r == utf8.RuneError && size == 1 {
			size = brokenLen(data)
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String()
}

// brokenLen is the length of the longest beginning of a character that data,
// which does not begin with a whole one, begins with.
func brokenLen(data string) int {
	for size := min(3, len(data)); size > 1; size-- {
		if beginsCharacter(data[:size]) {
			return size
		}
	}
	return 1
}

func beginsCharacter(s string) bool {
	for _, rest := range []string{"\x80\x80", "\x90\x80", "\xa0\x80", "\x80", "\x90", "\xa0"} {
		if whole := s + rest; utf8.ValidString(whole) && utf8.RuneCountInString(whole) == 1 {
			return true
		}
	}
	return false
}

// utf16Len is the length of s in the units in which the server pads.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}
