package value

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendDumps appends v as the reference's json.dumps writes it: ", " and ": "
// between, non-ASCII characters as \u escapes.
func AppendDumps(dst []byte, v Value) []byte { return dumps.append(dst, v) }

// AppendCompact is AppendDumps with "," and ":" between.
func AppendCompact(dst []byte, v Value) []byte { return compact.append(dst, v) }

// AppendCanonical is AppendCompact with members sorted by name, by code point:
// the text whose hash is a document's.
func AppendCanonical(dst []byte, v Value) []byte { return canonical.append(dst, v) }

// AppendJSON appends v as compact JSON that any reader takes: UTF-8, and null
// for NaN and the infinities, which JSON doesn't have. A float stays a float.
func AppendJSON(dst []byte, v Value) []byte { return wire.append(dst, v) }

// MarshalJSON writes what AppendJSON does.
func (v Value) MarshalJSON() ([]byte, error) { return AppendJSON(nil, v), nil }

// UnmarshalJSON reads what ParseJSON does.
func (v *Value) UnmarshalJSON(text []byte) error {
	got, err := ParseJSON(text)
	if err == nil {
		*v = got
	}
	return err
}

// style is a way to write JSON.
type style struct {
	comma, colon string
	sorted       bool
	utf8         bool // not escaped; and nothing that isn't JSON
}

var (
	dumps     = style{comma: ", ", colon: ": "}
	compact   = style{comma: ",", colon: ":"}
	canonical = style{comma: ",", colon: ":", sorted: true}
	wire      = style{comma: ",", colon: ":", utf8: true}
)

func (s *style) append(dst []byte, v Value) []byte {
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.Bool)
	case Int:
		if v.Big != nil {
			return v.Big.Append(dst, 10)
		}
		return strconv.AppendInt(dst, v.Int, 10)
	case Float:
		if s.utf8 && (math.IsNaN(v.Float) || math.IsInf(v.Float, 0)) {
			return append(dst, "null"...)
		}
		return AppendFloat(dst, v.Float)
	case String:
		return s.str(dst, v.Str)
	case List:
		dst = append(dst, '[')
		for i := range v.List {
			if i > 0 {
				dst = append(dst, s.comma...)
			}
			dst = s.append(dst, v.List[i])
		}
		return append(dst, ']')
	case Map:
		ms := v.Members
		if s.sorted {
			ms = slices.Clone(ms)
			slices.SortFunc(ms, func(a, b Member) int { return compareStrings(a.Name, b.Name) })
		}
		dst = append(dst, '{')
		for i := range ms {
			if i > 0 {
				dst = append(dst, s.comma...)
			}
			dst = s.str(dst, ms[i].Name)
			dst = append(dst, s.colon...)
			dst = s.append(dst, ms[i].Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// AppendFloat appends f as the reference's language prints it: the shortest
// digits that give f back, always with a point or an exponent.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if slices.Contains(dst[start:], '.') {
		return dst
	}
	return append(dst, ".0"...)
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string in ASCII.
func AppendQuoted(dst []byte, s string) []byte { return dumps.str(dst, s) }

func (s *style) str(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; plainByte(c) {
			i++
			continue
		}
		dst = append(dst, text[start:i]...)
		if c := text[i]; c < utf8.RuneSelf {
			dst = appendControl(dst, c)
			i++
		} else {
			r, size := decode(text[i:])
			if s.utf8 && (r < 0xD800 || r > 0xDFFF) {
				dst = utf8.AppendRune(dst, r)
			} else {
				dst = appendEscaped(dst, r)
			}
			i += size
		}
		start = i
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}

// plainByte tells bytes that the reference writes as they are; DEL is none.
func plainByte(c byte) bool { return c >= ' ' && c < 0x7F && c != '"' && c != '\\' }

// decode is utf8.DecodeRuneInString that knows surrogates.
func decode(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, size
}

func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return appendUnit(dst, rune(c))
}

func appendEscaped(dst []byte, r rune) []byte {
	if r < 0x10000 {
		return appendUnit(dst, r)
	}
	r -= 0x10000
	return appendUnit(appendUnit(dst, 0xD800|r>>10), 0xDC00|r&0x3FF)
}

func appendUnit(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// DumpsLen is how long AppendDumps would make v. It may stop once the length is
// past bound: then what it gives is only known to be greater than bound.
func DumpsLen(v Value, bound int) int {
	switch v.Kind {
	case Bool:
		if v.Bool {
			return 4
		}
		return 5
	case Int:
		var buf [20]byte
		if v.Big != nil {
			return bigLen(v.Big, bound)
		}
		return len(strconv.AppendInt(buf[:0], v.Int, 10))
	case Float:
		var buf [32]byte
		return len(AppendFloat(buf[:0], v.Float))
	case String:
		return quotedLen(v.Str, bound)
	case List:
		n := 2 + 2*max(0, len(v.List)-1)
		for i := 0; i < len(v.List) && n <= bound; i++ {
			n += DumpsLen(v.List[i], bound-n)
		}
		return n
	case Map:
		n := 2 + 2*max(0, len(v.Members)-1)
		for i := 0; i < len(v.Members) && n <= bound; i++ {
			n += quotedLen(v.Members[i].Name, bound-n) + 2
			if n <= bound {
				n += DumpsLen(v.Members[i].Value, bound-n)
			}
		}
		return n
	}
	return 4
}

func bigLen(n *big.Int, bound int) int {
	if least := n.BitLen() * 3 / 10; least > bound { // log10(2) > 0.3
		return least
	}
	return len(n.Append(nil, 10))
}

func quotedLen(s string, bound int) int {
	n := 2
	for i := 0; i < len(s) && n <= bound; {
		switch c := s[i]; {
		case plainByte(c):
			n++
			i++
		case c < utf8.RuneSelf:
			i++
			switch c {
			case '"', '\\', '\b', '\f', '\n', '\r', '\t':
				n += 2
			default:
				n += 6
			}
		default:
			r, size := decode(s[i:])
			i += size
			n += 6
			if r >= 0x10000 {
				n += 6
			}
		}
	}
	return n
}
