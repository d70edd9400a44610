package value

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of ParseJSON.
const (
	MaxDepth  = 10_000 // lists and mappings inside each other
	MaxDigits = 4300   // of an integer, as the reference's language has it
)

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int // bytes before the fault
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Msg)
}

// ParseJSON reads one JSON text. Members keep their order; of those with the
// same name the last value stands at the first one's place. Numbers with a
// fraction or an exponent are floats, others integers. As in the reference's
// dialect, NaN, Infinity and -Infinity are numbers, and lone surrogates are
// kept (as the three bytes that UTF-8 would have for them).
func ParseJSON(text []byte) (Value, error) {
	p := parser{src: text}
	p.blanks()
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.blanks()
	if p.at < len(p.src) {
		return Value{}, p.fault("text after the value")
	}
	return v, nil
}

type parser struct {
	src []byte
	at  int
}

func (p *parser) fault(format string, a ...any) error {
	return &SyntaxError{p.at, fmt.Sprintf(format, a...)}
}

func (p *parser) blanks() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// found passes over c, if it is next.
func (p *parser) found(c byte) bool {
	if p.at < len(p.src) && p.src[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (Value, error) {
	if p.at == len(p.src) {
		return Value{}, p.fault("a value is missing at the end")
	}
	switch c := p.src[p.at]; {
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return Value{}, p.fault("more than %d levels", MaxDepth)
		}
		p.at++
		if c == '{' {
			return p.mapping(depth + 1)
		}
		return p.list(depth + 1)
	case c == '"':
		s, err := p.str()
		return OfString(s), err
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	for _, w := range words {
		if len(p.src)-p.at >= len(w.text) && string(p.src[p.at:p.at+len(w.text)]) == w.text {
			p.at += len(w.text)
			return w.value, nil
		}
	}
	return Value{}, p.fault("no value begins with %q", p.src[p.at])
}

var words = []struct {
	text  string
	value Value
}{
	{"null", Value{}}, {"true", OfBool(true)}, {"false", OfBool(false)},
	{"NaN", OfFloat(math.NaN())}, {"Infinity", OfFloat(math.Inf(1))},
}

func (p *parser) list(depth int) (Value, error) {
	v := Value{Kind: List, List: []Value{}}
	p.blanks()
	if p.found(']') {
		return v, nil
	}
	for {
		p.blanks()
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		v.List = append(v.List, item)
		p.blanks()
		if p.found(']') {
			return v, nil
		}
		if !p.found(',') {
			return Value{}, p.fault("expected , or ] in a list")
		}
	}
}

// manyMembers is from how many on a mapping's names are looked up by hash.
const manyMembers = 16

func (p *parser) mapping(depth int) (Value, error) {
	v := Value{Kind: Map, Members: []Member{}}
	var places map[string]int
	p.blanks()
	if p.found('}') {
		return v, nil
	}
	for {
		p.blanks()
		if p.at == len(p.src) || p.src[p.at] != '"' {
			return Value{}, p.fault("expected a member's name")
		}
		name, err := p.str()
		if err != nil {
			return Value{}, err
		}
		p.blanks()
		if !p.found(':') {
			return Value{}, p.fault("expected : after a member's name")
		}
		p.blanks()
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		if places == nil && len(v.Members) == manyMembers {
			places = make(map[string]int, 2*manyMembers)
			for i := range v.Members {
				places[v.Members[i].Name] = i
			}
		}
		if i := place(v.Members, places, name); i >= 0 {
			v.Members[i].Value = item
		} else {
			if places != nil {
				places[name] = len(v.Members)
			}
			v.Members = append(v.Members, Member{name, item})
		}
		p.blanks()
		if p.found('}') {
			return v, nil
		}
		if !p.found(',') {
			return Value{}, p.fault("expected , or } in a mapping")
		}
	}
}

func place(ms []Member, places map[string]int, name string) int {
	if places != nil {
		if i, ok := places[name]; ok {
			return i
		}
		return -1
	}
	for i := range ms {
		if ms[i].Name == name {
			return i
		}
	}
	return -1
}

func (p *parser) number() (Value, error) {
	start := p.at
	negative := p.found('-')
	if negative && p.at < len(p.src) && p.src[p.at] == 'I' {
		v, err := p.value(0)
		if err != nil {
			return Value{}, err
		}
		return OfFloat(-v.Float), nil
	}
	whole := p.digits()
	if whole == 0 {
		return Value{}, p.fault("a number without digits")
	}
	if first := p.src[p.at-whole]; first == '0' && whole > 1 {
		return Value{}, p.fault("a number with a leading zero")
	}
	isFloat := false
	if p.found('.') {
		isFloat = true
		if p.digits() == 0 {
			return Value{}, p.fault("no digits after the decimal point")
		}
	}
	if p.found('e') || p.found('E') {
		isFloat = true
		if !p.found('+') {
			p.found('-')
		}
		if p.digits() == 0 {
			return Value{}, p.fault("no digits in the exponent")
		}
	}
	text := string(p.src[start:p.at])
	if isFloat {
		// Out of range is infinite, as the reference reads it.
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return Value{}, p.fault("%v", err)
		}
		return OfFloat(f), nil
	}
	if whole > MaxDigits {
		return Value{}, p.fault("an integer of more than %d digits", MaxDigits)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return OfInt(n), nil
	}
	n, _ := new(big.Int).SetString(text, 10)
	return OfBig(n), nil
}

// OfBig makes an integer of any size.
func OfBig(n *big.Int) Value {
	if n.IsInt64() {
		return OfInt(n.Int64())
	}
	return Value{Kind: Int, Big: n}
}

func (p *parser) digits() int {
	start := p.at
	for p.at < len(p.src) && '0' <= p.src[p.at] && p.src[p.at] <= '9' {
		p.at++
	}
	return p.at - start
}

// str reads a string, whose quote is next.
func (p *parser) str() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '"':
			s := string(p.src[start:p.at])
			p.at++
			return s, nil
		case c == '\\':
			return p.escaped(append(make([]byte, 0, 2*(p.at-start)+16), p.src[start:p.at]...))
		default:
			if err := p.char(); err != nil {
				return "", err
			}
		}
	}
	return "", p.fault("a string without its end")
}

// char passes over a character that stands for itself.
func (p *parser) char() error {
	switch c := p.src[p.at]; {
	case c < ' ':
		return p.fault("a control character in a string")
	case c < utf8.RuneSelf:
		p.at++
		return nil
	}
	r, size := utf8.DecodeRune(p.src[p.at:])
	if r == utf8.RuneError && size == 1 {
		return p.fault("not UTF-8")
	}
	p.at += size
	return nil
}

// escaped reads a string on from its first escape.
func (p *parser) escaped(s []byte) (string, error) {
	for p.at < len(p.src) {
		switch c := p.src[p.at]; c {
		case '"':
			p.at++
			return string(s), nil
		case '\\':
			p.at++
			if p.at == len(p.src) {
				return "", p.fault("a string without its end")
			}
			e := p.src[p.at]
			p.at++
			switch e {
			case '"', '\\', '/':
				s = append(s, e)
			case 'b':
				s = append(s, '\b')
			case 'f':
				s = append(s, '\f')
			case 'n':
				s = append(s, '\n')
			case 'r':
				s = append(s, '\r')
			case 't':
				s = append(s, '\t')
			case 'u':
				r, err := p.hex()
				if err != nil {
					return "", err
				}
				s = p.unit(s, r)
			default:
				p.at -= 2
				return "", p.fault("unknown escape \\%c", e)
			}
		default:
			from := p.at
			if err := p.char(); err != nil {
				return "", err
			}
			s = append(s, p.src[from:p.at]...)
		}
	}
	return "", p.fault("a string without its end")
}

// unit appends the UTF-16 unit r, taking the second half of a pair with it.
func (p *parser) unit(s []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xDC00 && p.at+1 < len(p.src) && p.src[p.at] == '\\' && p.src[p.at+1] == 'u' {
		back := p.at
		p.at += 2
		if low, err := p.hex(); err == nil && low >= 0xDC00 && low < 0xE000 {
			return utf8.AppendRune(s, utf16.DecodeRune(r, low))
		}
		p.at = back
	}
	if utf16.IsSurrogate(r) {
		return append(s, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(s, r)
}

func (p *parser) hex() (rune, error) {
	var r rune
	for range 4 {
		if p.at == len(p.src) {
			return 0, p.fault("a string without its end")
		}
		c := p.src[p.at]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, p.fault("\\u without four hexadecimal digits")
		}
		r = r<<4 | rune(c)
		p.at++
	}
	return r, nil
}
