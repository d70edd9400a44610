package draw

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// split breaks lines at the line breaks that they hold.
func split(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.ReplaceAll(l, "\r\n", "\n")
		out = append(out, strings.Split(l, "\n")...)
	}
	return out
}

// clean replaces what can't be shown, or would change how its surroundings are
// shown: control characters by their pictures, U+2400 on, and the rest by
// U+FFFD. The result is text that XML may hold.
func clean(s string) string { return strings.Map(visible, s) }

func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ':
		return r + 0x2400
	case r == 0x7f:
		return 0x2421
	case r == utf8.RuneError, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return utf8.RuneError
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Bidi_Control, r):
		return utf8.RuneError
	}
	return r
}
