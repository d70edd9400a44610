package viz

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape writes lines as a quoted label that shows them as they are, whatever
// Mermaid, or the Markdown and HTML that some of its versions read there, could
// obey. The result is one line.
func escape(lines []string) string {
	var out []string
	for _, l := range split(lines) {
		out = append(out, escapeLine([]rune(clean(l))))
	}
	return strings.Join(out, "<br/>")
}

func escapeLine(s []rune) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case named[r] != "":
			b.WriteString("#" + named[r] + ";")
		case plainRune(s, i):
			b.WriteRune(r)
		default:
			b.WriteString("#" + strconv.Itoa(int(r)) + ";")
		}
	}
	return b.String()
}

var named = map[rune]string{'"': "quot", '<': "lt", '>': "gt", '&': "amp"}

func plainRune(s []rune, i int) bool {
	inWord := i > 0 && i+1 < len(s) && wordRune(s[i-1]) && wordRune(s[i+1])
	switch r := s[i]; {
	case r == 'ﬂ' || r == '¶': // Mermaid marks entities with them
		return false
	case wordRune(r), strings.ContainsRune("(,/?!'", r):
		return true
	case r == ')': // 1) begins a list
		return strings.TrimFunc(string(s[:i]), unicode.IsDigit) != ""
	case strings.ContainsRune("-._=+", r): // what begins outside a word may be Markdown, or an arrow
		return inWord
	case r == ':': // style:#1; loses its end to Mermaid
		return i+1 < len(s) && s[i+1] == ' '
	case unicode.IsSpace(r):
		return i > 0 && !strings.HasSuffix(string(s[:i]), "direction") // direction TB is an order
	}
	return s[i] >= utf8.RuneSelf
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// split breaks lines at the line breaks that they hold.
func split(lines []string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Split(breaks.Replace(l), "\n")...)
	}
	return out
}

var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// clean makes visible what can't be seen, or would change how its surroundings
// are seen: control characters become their pictures, U+2400 on, and the rest
// U+FFFD.
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
	case unicode.Is(unicode.Cc, r), reorders(r):
		return utf8.RuneError
	}
	return r
}

// reorders tells what shows the text after it in another order.
func reorders(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }
