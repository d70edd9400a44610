package batch

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpg/behavior"
)

// Calls that differ only in the ids that their arguments name are alike in all that
// learning looks at: an id is no category, and what counts is only where else it
// stands. So one of them is looked at, and the others are told by their texts with
// the ids masked.
//
// A text is masked by its shape: what learning makes of error texts depends on
// length and on kinds of characters. Wherever it isn't certain that the id itself
// doesn't count, it isn't masked.

// maxNames is how many ids of a call are masked.
const maxNames = 8

// appendCandidates appends the texts among a JSON value's strings that may be ids, or
// none where there are too many. The value has no escapes; an object's keys are none.
func appendCandidates(names []name, v string) []name {
	if strings.IndexByte(v, markStart) >= 0 {
		return names
	}
	first := len(names)
	for i := 0; i < len(v); i++ {
		if v[i] != '"' {
			continue
		}
		n := strings.IndexByte(v[i+1:], '"')
		if n < 0 {
			return names[:first]
		}
		s := v[i+1 : i+1+n]
		i += n + 1
		if isKey(v[i+1:]) || !maskable(s) || contains(names[first:], s) {
			continue
		}
		if len(names)-first == maxNames {
			return names[:first]
		}
		names = append(names, name{s, bytesOf(s)})
	}
	return names
}

func contains(names []name, s string) bool {
	for i := range names {
		if names[i].text == s {
			return true
		}
	}
	return false
}

// isKey tells whether what follows a string makes it an object's key.
func isKey[T string | []byte](rest T) bool {
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case ' ', '\t', '\n', '\r':
			continue
		}
		return rest[i] == ':'
	}
	return false
}

// maskable tells whether a text is an id for all that learning knows: a category
// isn't, and anything but plain characters may read in several ways, or stand between
// the quotes of two strings.
func maskable(s string) bool {
	if s == "" || len(s) > 64 || behavior.EnumLike(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"\\'`,:[]{}", c) >= 0 {
			return false
		}
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil // a number may be equal to one that is written otherwise
}

// marks stand around a shape; no JSON holds them.
const markStart, markEnd = '\x01', '\x02'

// shape keeps of a text how long it is and which kinds of characters stand where.
func appendShape(b []byte, nth int, s string) []byte {
	b = append(b, markStart, byte('0'+nth))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			c = '0'
		case 'a' <= c && c <= 'z':
			c = 'a'
		case 'A' <= c && c <= 'Z':
			c = 'A'
		}
		b = append(b, c)
	}
	return append(b, markEnd)
}

// maskValue appends a JSON value with a name masked; ok is false if the name stands
// anywhere but as a whole string that is no key.
func maskValue(b, v []byte, name string, nth int) (out []byte, ok bool) {
	for {
		i := index(v, name)
		if i < 0 {
			return append(b, v...), true
		}
		end := i + len(name)
		if i == 0 || v[i-1] != '"' || end == len(v) || v[end] != '"' || isKey(v[end+1:]) {
			return b, false
		}
		b = appendShape(append(b, v[:i]...), nth, name)
		v = v[end:]
	}
}

// maskText appends an error text with a name masked; ok is false if the name stands
// in a longer word, or is too short for learning to look for it.
func maskText(b, v []byte, name string, nth int) (out []byte, ok bool) {
	for {
		i := index(v, name)
		if i < 0 {
			return append(b, v...), true
		}
		end := i + len(name)
		before, _ := utf8.DecodeLastRune(v[:i])
		after, _ := utf8.DecodeRune(v[end:])
		if len(name) < 3 || isWord(before) || isWord(after) {
			return b, false
		}
		b = appendShape(append(b, v[:i]...), nth, name)
		v = v[end:]
	}
}

// index is bytes.Index of a string that isn't empty.
func index(v []byte, name string) int {
	for at := 0; ; {
		i := bytes.IndexByte(v[at:], name[0])
		if i < 0 {
			return -1
		}
		if at += i; len(v)-at < len(name) {
			return -1
		}
		if string(v[at:at+len(name)]) == name {
			return at
		}
		at++
	}
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
