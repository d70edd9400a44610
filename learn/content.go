package learn

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"

	"mcpg/calllog"
)

// Content is equal for JSON values that say the same, as calllog.Canonical is.
func Content(v jsontext.Value) uint64 {
	if v == nil {
		return 0
	}
	if bytes.IndexByte(v, '\\') >= 0 {
		v = jsontext.Value(calllog.Canonical(v)) // one way to write each string
	}
	s := contents{b: v}
	h, ok := s.value(0)
	if s.space(); ok && s.i == len(s.b) {
		return h
	}
	return xxh3.Hash(v)
}

// contents hashes a JSON text, the members of an object in any order. It takes what
// isn't JSON too, as long as strings and brackets end.
type contents struct {
	b []byte
	i int
}

const (
	objectSalt = 0x9e3779b97f4a7c15
	listSalt   = 0xc2b2ae3d27d4eb4f
	deepest    = 1000
)

func (s *contents) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

func (s *contents) value(depth int) (uint64, bool) {
	s.space()
	if s.i == len(s.b) || depth > deepest {
		return 0, false
	}
	switch s.b[s.i] {
	case '{':
		return s.object(depth)
	case '[':
		return s.list(depth)
	case '"':
		return s.text()
	}
	start := s.i
	for s.i < len(s.b) && !ends(s.b[s.i]) {
		s.i++
	}
	return xxh3.Hash(s.b[start:s.i]), s.i > start
}

func ends(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\n', '\t', '\r', '"', '{', '[', ':':
		return true
	}
	return false
}

// text is a string, which has no escapes.
func (s *contents) text() (uint64, bool) {
	n := bytes.IndexByte(s.b[s.i+1:], '"')
	if n < 0 {
		return 0, false
	}
	h := xxh3.Hash(s.b[s.i : s.i+n+1]) // with its first quote: "1" is not 1
	s.i += n + 2
	return h, true
}

func (s *contents) object(depth int) (uint64, bool) {
	sum := uint64(objectSalt)
	s.i++
	for n := 0; ; n++ {
		if done, ok := s.next(n, '}'); done {
			return sum, ok
		}
		if s.i == len(s.b) || s.b[s.i] != '"' {
			return 0, false
		}
		name, ok := s.text()
		if !ok {
			return 0, false
		}
		if s.space(); s.i == len(s.b) || s.b[s.i] != ':' {
			return 0, false
		}
		s.i++
		v, ok := s.value(depth + 1)
		if !ok {
			return 0, false
		}
		sum += mix(name, v)
	}
}

func (s *contents) list(depth int) (uint64, bool) {
	sum := uint64(listSalt)
	s.i++
	for n := 0; ; n++ {
		if done, ok := s.next(n, ']'); done {
			return sum, ok
		}
		v, ok := s.value(depth + 1)
		if !ok {
			return 0, false
		}
		sum = mix(sum, v)
	}
}

// next goes to the n-th member, or past the end.
func (s *contents) next(n int, end byte) (done, ok bool) {
	s.space()
	if s.i == len(s.b) {
		return true, false
	}
	if s.b[s.i] == end {
		s.i++
		return true, true
	}
	if n == 0 {
		return false, true
	}
	if s.b[s.i] != ',' {
		return true, false
	}
	s.i++
	s.space()
	return false, true
}
