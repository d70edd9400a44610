package format

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// headLines is how many lines detection looks at.
const headLines = 40

// Head is the beginning of an input, for detection.
type Head struct {
	bytes []byte
	lines [][]byte // the first ones that aren't blank
	objs  []object // of the lines that are JSON objects, as far as they go
	first object   // the members of the first JSON value, as far as the bytes go
	kind  jsontext.Kind
	elem  object // the members of the first element, if that value is a list
	nul   bool
}

func newHead(b []byte) *Head {
	h := &Head{bytes: b, nul: bytes.IndexByte(b, 0) >= 0}
	b, _ = calllog.Tidy(b)
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		h.lines = append(h.lines, line)
		if line[0] == '{' {
			o, _ := parseObject(line)
			h.objs = append(h.objs, o)
		}
		if len(h.lines) == headLines {
			break
		}
	}
	d := newDecoder(b)
	switch h.kind = d.PeekKind(); h.kind {
	case '{':
		h.first = membersOf(d)
	case '[':
		_, _ = d.ReadToken()
		if d.PeekKind() == '{' {
			h.elem = membersOf(d)
		}
	}
	return h
}

// line tells whether one of the first lines is an object for which ok holds.
func (h *Head) line(ok func(object) bool) bool {
	for _, o := range h.objs {
		if ok(o) {
			return true
		}
	}
	return false
}

// record tells whether ok holds for the input's first record: the document, the
// first element of a list, or one of the first lines.
func (h *Head) record(ok func(object) bool) bool {
	return h.first != nil && ok(h.first) || h.elem != nil && ok(h.elem) || h.line(ok)
}
