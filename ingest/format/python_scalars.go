package format

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (p *python) number() bool {
	sign := ""
	switch p.peek() {
	case '-':
		sign = "-"
		p.i++
	case '+':
		p.i++
	}
	if c := p.peek(); c == 'n' || c == 'i' || c == 'N' || c == 'I' {
		at := len(p.out)
		return p.word() && p.out[at] == 'n'
	}
	text, ok := p.based()
	if text == "" && ok {
		text, ok = p.decimal()
	}
	if !ok || p.identifier() != "" { // 1j and the like
		return false
	}
	p.out = append(append(p.out, sign...), text...)
	return true
}

// based takes a whole number in hexadecimal, octal or binary; "" and true if
// none is next.
func (p *python) based() (string, bool) {
	if p.peek() != '0' || p.i+1 >= len(p.s) {
		return "", true
	}
	base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[p.s[p.i+1]|0x20]
	if base == 0 {
		return "", true
	}
	start := p.i + 2
	for p.i = start; p.i < len(p.s) && (isHex(p.s[p.i]) || p.s[p.i] == '_'); p.i++ {
	}
	text := strings.ReplaceAll(p.s[start:p.i], "_", "")
	if text == "" || len(text) > maxPythonHex {
		return "", false
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok {
		return "", false
	}
	return n.String(), true
}

// decimal takes a whole number or a float, and writes it as JSON does: with
// digits on both sides of the point.
func (p *python) decimal() (string, bool) {
	whole, ok := p.digits()
	if !ok {
		return "", false
	}
	zeros := strings.TrimLeft(whole, "0")
	float, text := false, ""
	if p.peek() == '.' {
		p.i++
		float = true
		frac, ok := p.digits()
		if !ok || whole == "" && frac == "" {
			return "", false
		}
		text = "." + firstString(frac, "0")
	}
	if whole == "" && !float {
		return "", false
	}
	if p.peek()|0x20 == 'e' {
		p.i++
		float = true
		text += "e"
		if c := p.peek(); c == '+' || c == '-' {
			text += string(c)
			p.i++
		}
		exp, ok := p.digits()
		if !ok || exp == "" {
			return "", false
		}
		text += exp
	}
	if !float && zeros != "" && len(zeros) < len(whole) { // 012 is no number
		return "", false
	}
	return firstString(zeros, "0") + text, true
}

// digits takes decimal digits, and leaves out the underscores between them.
func (p *python) digits() (string, bool) {
	start, under := p.i, false
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c == '_' {
			if p.i == start || p.s[p.i-1] == '_' {
				return "", false
			}
			under = true
		} else if c < '0' || c > '9' {
			break
		}
		p.i++
	}
	text := p.s[start:p.i]
	if under {
		if strings.HasSuffix(text, "_") {
			return "", false
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	return text, true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// stringNext tells whether a string is next, with its prefix.
func (p *python) stringNext() bool {
	for i := p.i; i < len(p.s) && i < p.i+3; i++ {
		switch p.s[i] {
		case '\'', '"':
			_, _, ok := stringPrefix(p.s[p.i:i])
			return ok
		}
	}
	return false
}

// stringPrefix reads what stands before a string's quote. An f-string isn't a
// literal.
func stringPrefix(s string) (raw, bytes, ok bool) {
	switch strings.ToLower(s) {
	case "", "u":
		return false, false, true
	case "r":
		return true, false, true
	case "b":
		return false, true, true
	case "rb", "br":
		return true, true, true
	}
	return false, false, false
}

// text takes a string, or several side by side, which are one.
func (p *python) text() bool {
	var b []byte
	for n, kind := 0, false; p.stringNext(); n++ {
		start := p.i
		for p.s[p.i] != '\'' && p.s[p.i] != '"' {
			p.i++
		}
		raw, bytes, _ := stringPrefix(p.s[start:p.i])
		if n > 0 && bytes != kind {
			return false
		}
		kind = bytes
		var ok bool
		if b, ok = p.quoted(b, raw, bytes); !ok {
			return false
		}
		p.space()
	}
	p.out = append(p.out, quote(string(b))...)
	return true
}

// quoted takes one string from its opening to its closing quote.
func (p *python) quoted(b []byte, raw, bytes bool) ([]byte, bool) {
	stop := p.s[p.i : p.i+1]
	if triple := strings.Repeat(stop, 3); strings.HasPrefix(p.s[p.i:], triple) {
		stop = triple
	}
	p.i += len(stop)
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == stop[0] && strings.HasPrefix(p.s[p.i:], stop):
			p.i += len(stop)
			return b, true
		case c == '\n' && len(stop) == 1:
			return b, false
		case c != '\\':
			b = append(b, c)
			p.i++
		case p.i+1 == len(p.s):
			return b, false
		case raw: // the backslash stays, and hides a quote behind it
			b = append(b, c, p.s[p.i+1])
			p.i += 2
		default:
			var ok bool
			if b, ok = p.escape(b, bytes); !ok {
				return b, false
			}
		}
	}
	return b, false
}

var pythonEscapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}

// escape takes a backslash and what belongs to it.
func (p *python) escape(b []byte, bytes bool) ([]byte, bool) {
	c := p.s[p.i+1]
	p.i += 2
	if e, ok := pythonEscapes[c]; ok {
		return append(b, e), true
	}
	switch {
	case c == '\n':
		return b, true
	case c == '\r':
		if p.peek() == '\n' {
			p.i++
		}
		return b, true
	case c >= '0' && c <= '7':
		n := rune(c - '0')
		for i := 0; i < 2 && p.peek() >= '0' && p.peek() <= '7'; i++ {
			n = n<<3 | rune(p.peek()-'0')
			p.i++
		}
		return appendPython(b, n, bytes), true
	case c == 'x':
		r, ok := p.hex(2)
		return appendPython(b, r, bytes), ok
	case bytes:
	case c == 'u':
		r, ok := p.hex(4)
		return utf8.AppendRune(b, p.pair(r)), ok
	case c == 'U':
		r, ok := p.hex(8)
		return utf8.AppendRune(b, r), ok && r <= unicode.MaxRune
	case c == 'N': // the name of a character; there is no table of them here
		return b, false
	}
	return append(b, '\\', c), true
}

func appendPython(b []byte, r rune, bytes bool) []byte {
	if bytes {
		return append(b, byte(r))
	}
	return utf8.AppendRune(b, r)
}

// hex takes n hexadecimal digits.
func (p *python) hex(n int) (rune, bool) {
	if p.i+n > len(p.s) {
		return 0, false
	}
	v, err := strconv.ParseUint(p.s[p.i:p.i+n], 16, 32)
	if err != nil || v > 0x7fffffff {
		return 0, false
	}
	p.i += n
	return rune(v), true
}

// pair joins the first half of a surrogate pair with the second, if it follows.
func (p *python) pair(r rune) rune {
	if r < 0xd800 || r > 0xdbff || !strings.HasPrefix(p.s[p.i:], `\u`) {
		return r
	}
	back := p.i
	p.i += 2
	if low, ok := p.hex(4); ok && low >= 0xdc00 && low <= 0xdfff {
		return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00)
	}
	p.i = back
	return r
}
