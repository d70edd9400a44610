package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/input"
)

// maxRecord bounds one record of a JSON document, in bytes: one is held in
// memory at a time.
const maxRecord = 128 << 20

var errLongRecord = fmt.Errorf("a record of more than %d MiB", maxRecord>>20)

// document reads records out of JSON that is one document, several, or lines.
type document struct {
	in  *Input
	src *lineCounter
	dec *jsontext.Decoder
}

func (in *Input) document() *document {
	d := &document{in: in, src: &lineCounter{r: &tidyReader{in: in}}}
	d.dec = jsontext.NewDecoder(d.src, lenient...)
	d.src.done = d.dec.InputOffset
	return d
}

// line is the line of an offset behind which nothing was asked for yet.
func (d *document) line(off int64) int { return d.src.at(off) }

// fault reports where the document can't be read on; the rest of it is lost. An
// error of the input itself is handed back.
func (d *document) fault(err error) error {
	d.in.Lines = d.src.lines()
	var syntax *jsontext.SyntacticError
	switch {
	case d.in.Ctx.Err() != nil:
		return d.in.Ctx.Err()
	case errors.Is(err, errLongRecord):
		d.report("long-record", err.Error()+"; reading stops here")
	case errors.Is(err, input.ErrCut):
		d.reportAt(d.src.off, "cut-off", cutText(err)+"; what comes before was read")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		d.reportAt(d.src.off, "cut-off", "the document ends in the middle; what comes before was read")
	case errors.As(err, &syntax):
		d.reportAt(syntax.ByteOffset, "bad-record", plainJSONError(err).Error()+"; what follows could not be read")
	default:
		return err
	}
	return nil
}

func (d *document) report(rule, message string) { d.reportAt(d.dec.InputOffset(), rule, message) }

func (d *document) reportAt(off int64, rule, message string) {
	d.in.Uses[Faulty]++
	d.in.find(d.line(off), rule, message)
}

// each calls f with every record: the elements of a list, or of several; an
// object that isn't in a list is a record. Of an object with one of the named
// members, that member's elements are the records, and the other members, as
// far as they come before, are told to other, which may be nil.
func (d *document) each(names []string, other func(name string, v jsontext.Value), f func(line int, rec jsontext.Value) error) error {
	if names == nil && d.in.isLines() {
		return d.in.eachRecordLine(f)
	}
	defer func() {
		d.in.Lines = d.src.lines()
		d.tidied()
	}()
	for {
		if err := d.in.Ctx.Err(); err != nil {
			return err
		}
		var err error
		switch d.dec.PeekKind() {
		case '[':
			err = d.list(f)
		case '{':
			if names == nil {
				err = d.value(f)
			} else {
				err = d.object(names, other, f)
			}
		default:
			var tok jsontext.Token
			if tok, err = d.dec.ReadToken(); err == nil {
				d.report("bad-record", "a "+calllog.KindName(tok.Kind())+" where records are wanted")
			}
		}
		var own userError
		switch {
		case errors.As(err, &own):
			return own.err
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && d.dec.StackDepth() == 0:
			return nil
		case err != nil:
			return d.fault(err)
		}
	}
}

// tidied tells what was read that JSON doesn't have.
func (d *document) tidied() {
	t, ok := d.src.r.(*tidyReader)
	if !ok {
		return
	}
	for _, kind := range []calllog.Odd{calllog.OddNULs, calllog.OddNumbers} {
		if line, found := t.tidy.First[kind]; found {
			if kind == calllog.OddNULs {
				d.in.Uses[Faulty]++
			}
			d.in.tidied(line+1, kind)
		}
	}
}

// tidyReader tidies what it reads of the input.
type tidyReader struct {
	in   *Input
	tidy calllog.Tidier
	held []byte // read and not yet tidied
	text []byte // tidied
	out  []byte // what of it is not yet read
	err  error
}

func (t *tidyReader) Read(p []byte) (int, error) {
	for len(t.out) == 0 && t.err == nil {
		if cap(t.held) == 0 {
			t.held = make([]byte, 0, 64<<10)
		}
		n, err := t.in.R.Read(t.held[len(t.held):cap(t.held)])
		t.held, t.err = t.held[:len(t.held)+n], err
		var used int
		t.text, used = t.tidy.Append(t.text[:0], t.held, err == nil)
		t.out = t.text
		t.held = t.held[:copy(t.held, t.held[used:])]
	}
	n := copy(p, t.out)
	if t.out = t.out[n:]; len(t.out) > 0 || n > 0 {
		return n, nil
	}
	return 0, t.err
}

// isLines tells JSON lines from one document: the first line is a whole value and
// not the only line, or it is no JSON and one after it is.
func (in *Input) isLines() bool {
	lines, noise := 0, false
	for line := range bytes.Lines(in.peekLines()) {
		line, _ = calllog.Tidy(line)
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		lines++
		opens := line[0] == '{' || line[0] == '['
		whole := opens && jsontext.Value(line).IsValid(lenient...)
		switch {
		case lines == 1 && opens && !whole && goesOn(line):
			return false
		case lines == 1 && !whole:
			noise = true
		case lines > 1 && (whole || !noise):
			return true
		}
	}
	return false
}

// Bounds of what is looked at to tell lines from a document, in bytes: the first,
// or where a first line is longer the second.
const (
	linesHead     = 64 << 10
	longLinesHead = 8 << 20
)

// peekLines gives the beginning of the input, with its first line if that can be.
func (in *Input) peekLines() []byte {
	br, ok := in.R.(*bufio.Reader)
	if !ok {
		return nil
	}
	head, _ := br.Peek(linesHead) // shorter at the end of a short file
	if end := bytes.IndexByte(head, '\n'); len(head) >= min(linesHead, br.Size()) && (end < 0 || end == len(head)-1) {
		br = bufio.NewReaderSize(br, longLinesHead)
		in.R = br
		head, _ = br.Peek(longLinesHead)
	}
	return head
}

// goesOn tells whether a line can be the beginning of JSON that goes on in the
// next one. In a string it can't.
func goesOn(line []byte) bool {
	d := newDecoder(append(bytes.Clone(line), '\n'))
	for {
		if _, err := d.ReadToken(); err != nil {
			return errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}

// eachRecordLine calls f with every value of JSON lines, and with the elements of
// those that are lists. A bad line is a finding.
func (in *Input) eachRecordLine(f func(int, jsontext.Value) error) error {
	return in.eachTextLine(func(n int, line []byte) error {
		use, err := in.eachGlued(n, bytes.Clone(line), func(v jsontext.Value) (use string, err error) {
			switch v.Kind() {
			case '{':
				return Used, f(n, v)
			case '[':
				eachElement(v, func(_ int, e jsontext.Value) {
					if err == nil {
						err = f(n, e)
					}
				})
				return Used, err
			}
			in.find(n, "bad-line", "no JSON record")
			return Faulty, nil
		})
		if use == Faulty {
			in.Uses[Faulty]++
		}
		return err
	})
}

// userError is an error of the function that takes the records.
type userError struct{ err error }

func (e userError) Error() string { return e.err.Error() }

func (d *document) value(f func(int, jsontext.Value) error) error {
	v, err := d.dec.ReadValue()
	if err != nil {
		return err
	}
	if err := f(d.line(d.dec.InputOffset()-int64(len(v))), v); err != nil {
		return userError{err}
	}
	return nil
}

func (d *document) list(f func(int, jsontext.Value) error) error {
	if _, err := d.dec.ReadToken(); err != nil {
		return err
	}
	for d.dec.PeekKind() != ']' {
		if err := d.in.Ctx.Err(); err != nil {
			return userError{err}
		}
		if err := d.value(f); err != nil {
			return err
		}
	}
	_, err := d.dec.ReadToken()
	return err
}

func (d *document) object(names []string, other func(string, jsontext.Value), f func(int, jsontext.Value) error) error {
	if _, err := d.dec.ReadToken(); err != nil {
		return err
	}
	for d.dec.PeekKind() != '}' {
		tok, err := d.dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		switch {
		case d.dec.PeekKind() == '[' && slices.Contains(names, name):
			if err := d.list(f); err != nil {
				return err
			}
		case other == nil:
			if err := d.dec.SkipValue(); err != nil {
				return err
			}
		default:
			v, err := d.dec.ReadValue()
			if err != nil {
				return err
			}
			other(name, v)
		}
	}
	_, err := d.dec.ReadToken()
	return err
}

// lineCounter remembers where lines end, so that an offset has a line.
type lineCounter struct {
	r    io.Reader
	off  int64
	ends []int64
	line int          // lines that ended before ends[0]
	done func() int64 // up to where the decoder has read
	part bool         // the last line has begun
}

func (l *lineCounter) Read(p []byte) (int, error) {
	if l.done != nil && l.off-l.done() > maxRecord {
		return 0, errLongRecord
	}
	n, err := l.r.Read(p)
	for i := 0; ; {
		j := bytes.IndexByte(p[i:n], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		l.ends = append(l.ends, l.off+int64(i-1))
	}
	if n > 0 {
		l.part = p[n-1] != '\n'
	}
	l.off += int64(n)
	return n, err
}

// at gives the line of an offset; offsets must not fall.
func (l *lineCounter) at(off int64) int {
	i := 0
	for i < len(l.ends) && l.ends[i] < off {
		i++
	}
	l.line += i
	l.ends = l.ends[i:]
	return l.line + 1
}

// lines is how many lines have been read.
func (l *lineCounter) lines() int {
	n := l.line + len(l.ends)
	if l.part {
		n++
	}
	return n
}

// cursor gives lines of places in a text whose first line is known.
type cursor struct {
	text []byte
	line int // of text[at]
	at   int
}

// of gives the line of a place; places must not fall.
func (c *cursor) of(at int) int {
	if at = min(at, len(c.text)); at > c.at {
		c.line += bytes.Count(c.text[c.at:at], []byte("\n"))
		c.at = at
	}
	return c.line
}
