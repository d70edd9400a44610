package format

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxPythonDepth = 64
	// maxPythonHex bounds numbers to another base than ten: to write them in
	// decimal takes more than linear time.
	maxPythonHex = 256
)

// pythonValue translates a Python literal into JSON. Tuples and sets become
// lists, nan and inf null; keys that are no strings are written as Python's own
// json does, and of equal keys the last counts. False if the text isn't one
// literal, from its beginning to its end.
func pythonValue(s string) (jsontext.Value, bool) {
	p := python{s: s}
	if !p.value() || !p.end() {
		return nil, false
	}
	return p.out, true
}

// pythonCall translates a call of a function with literals: fn(a=1, b='x', 3).
// Arguments without a name are called arg0, arg1 and so on.
func pythonCall(s string) (name string, args jsontext.Value, ok bool) {
	p := python{s: s}
	name, ok = p.call()
	if !ok || !p.end() {
		return "", nil, false
	}
	return name, p.out, true
}

// pythonFunc is a call that was translated.
type pythonFunc struct {
	name string
	args jsontext.Value
}

// pythonCalls translates a list of calls: [fn(a=1), g()].
func pythonCalls(s string) ([]pythonFunc, bool) {
	p := python{s: s}
	if !p.take('[') {
		return nil, false
	}
	var calls []pythonFunc
	for !p.take(']') {
		if len(calls) > 0 && !p.take(',') {
			return nil, false
		}
		if len(calls) > 0 && p.take(']') { // after a last comma
			break
		}
		p.out = nil
		name, ok := p.call()
		if !ok {
			return nil, false
		}
		calls = append(calls, pythonFunc{name, p.out})
	}
	return calls, p.end()
}

// python reads Python from s[i:] and appends JSON to out.
type python struct {
	s     string
	i     int
	depth int
	out   []byte
}

// peek gives the next byte, 0 at the end.
func (p *python) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *python) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n\f", p.s[p.i]) >= 0 {
		p.i++
	}
}

// take passes a byte that is next but for space.
func (p *python) take(c byte) bool {
	p.space()
	if p.peek() != c || p.i == len(p.s) {
		return false
	}
	p.i++
	return true
}

func (p *python) end() bool {
	p.space()
	return p.i == len(p.s)
}

func (p *python) value() bool {
	p.space()
	switch c := p.peek(); {
	case c == '{' || c == '[' || c == '(':
		if p.depth == maxPythonDepth {
			return false
		}
		p.depth++
		defer func() { p.depth-- }()
		p.i++
		switch c {
		case '{':
			return p.braces()
		case '[':
			p.out = append(p.out, '[')
			return p.elements(0, ']')
		}
		return p.parens()
	case p.stringNext():
		return p.text()
	case c >= '0' && c <= '9' || c == '.' || c == '+' || c == '-':
		return p.number()
	}
	return p.word()
}

// elements takes the rest of a list behind its n-th element.
func (p *python) elements(n int, end byte) bool {
	for ; ; n++ {
		if p.take(end) {
			p.out = append(p.out, ']')
			return true
		}
		if n > 0 {
			if !p.take(',') {
				return false
			}
			if p.take(end) {
				p.out = append(p.out, ']')
				return true
			}
			p.out = append(p.out, ',')
		}
		if !p.value() {
			return false
		}
	}
}

// parens takes a tuple, or one value in parentheses.
func (p *python) parens() bool {
	start := len(p.out)
	p.out = append(p.out, '[')
	if p.take(')') {
		p.out = append(p.out, ']')
		return true
	}
	if !p.value() {
		return false
	}
	if p.take(')') {
		p.out = append(p.out[:start], p.out[start+1:]...)
		return true
	}
	return p.elements(1, ')')
}

// braces takes a dict or a set: which, the first element tells.
func (p *python) braces() bool {
	start := len(p.out)
	p.out = append(p.out, '{')
	var ms pythonMembers
	for n := 0; ; n++ {
		if p.take('}') {
			p.members(&ms, start)
			return true
		}
		if n > 0 {
			if !p.take(',') {
				return false
			}
			if p.take('}') {
				p.members(&ms, start)
				return true
			}
			p.out = append(p.out, ',')
		}
		at := len(p.out)
		if !p.value() {
			return false
		}
		if !p.take(':') {
			if n > 0 {
				return false
			}
			p.out[start] = '['
			return p.elements(1, '}')
		}
		switch p.out[at] {
		case '[', '{':
			return false
		case '"':
		default:
			key := string(p.out[at:])
			p.out = append(append(append(p.out[:at], '"'), key...), '"')
		}
		key := string(p.out[at:])
		p.out = append(p.out, ':')
		if !p.value() {
			return false
		}
		ms.add(key, at, len(p.out))
	}
}

// pythonMembers is where the members of a dict stand in the output.
type pythonMembers struct {
	spans [][2]int
	at    map[string]int
	twice bool
}

// add takes a member; one of the same key is replaced, at its place.
func (ms *pythonMembers) add(key string, from, to int) {
	if ms.at == nil {
		ms.at = map[string]int{}
	}
	if i, ok := ms.at[key]; ok {
		ms.spans[i], ms.twice = [2]int{from, to}, true
		return
	}
	ms.at[key] = len(ms.spans)
	ms.spans = append(ms.spans, [2]int{from, to})
}

// members ends an object that begins at start. It is written anew only where a
// key came twice, for JSON wants each once.
func (p *python) members(ms *pythonMembers, start int) {
	if ms.twice {
		b := []byte{'{'}
		for i, s := range ms.spans {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, p.out[s[0]:s[1]]...)
		}
		p.out = append(p.out[:start], b...)
	}
	p.out = append(p.out, '}')
}

// call takes a call, and appends its arguments.
func (p *python) call() (name string, ok bool) {
	p.space()
	start := p.i
	for {
		if p.identifier() == "" {
			return "", false
		}
		if p.peek() != '.' {
			break
		}
		p.i++
	}
	name = p.s[start:p.i]
	if !p.take('(') {
		return "", false
	}
	return name, p.arguments()
}

func (p *python) arguments() bool {
	start, unnamed := len(p.out), 0
	p.out = append(p.out, '{')
	var ms pythonMembers
	for n := 0; ; n++ {
		if p.take(')') {
			break
		}
		if n > 0 {
			if !p.take(',') {
				return false
			}
			if p.take(')') {
				break
			}
			p.out = append(p.out, ',')
		}
		key := p.keyword()
		if key == "" {
			key = "arg" + strconv.Itoa(unnamed)
			unnamed++
		}
		at := len(p.out)
		p.out = append(append(p.out, quote(key)...), ':')
		if !p.value() {
			return false
		}
		ms.add(key, at, len(p.out))
	}
	p.members(&ms, start)
	return true
}

// keyword takes the name of an argument and its equals sign; "" if the argument
// has none.
func (p *python) keyword() string {
	p.space()
	back := p.i
	if name := p.identifier(); name != "" && p.take('=') && p.peek() != '=' {
		return name
	}
	p.i = back
	return ""
}

// identifier takes a name, "" if none is next.
func (p *python) identifier() string {
	start := p.i
	for p.i < len(p.s) {
		r, n := utf8.DecodeRuneInString(p.s[p.i:])
		if r != '_' && !unicode.IsLetter(r) && (p.i == start || !unicode.IsDigit(r)) {
			break
		}
		p.i += n
	}
	return p.s[start:p.i]
}

// word takes a name that stands for a value.
func (p *python) word() bool {
	json := ""
	switch p.identifier() {
	case "True":
		json = "true"
	case "False":
		json = "false"
	case "None", "nan", "inf", "NaN", "Infinity":
		json = "null"
	case "set": // an empty one
		if !p.take('(') || !p.take(')') {
			return false
		}
		json = "[]"
	default:
		return false
	}
	p.out = append(p.out, json...)
	return true
}
