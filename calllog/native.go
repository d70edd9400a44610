package calllog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"

	"mcpg/internal/diag"
	"mcpg/internal/input"
)

// Reader reads the native format: JSON lines, one call each.
//
//	for r.Scan() {
//		use(r.Call())
//	}
//	err := r.Err()
//
// A bad line is a finding, and the reading goes on.
type Reader struct {
	lines    *input.Lines
	file     string
	line     int
	call     *Call
	findings []diag.Finding
	found    int
	blank    int
	bad      int
	recoded  int
	err      error
	lenient  []jsontext.Options
	fast     fast
	reuse    bool
	glued    []jsontext.Value // objects of the line that are still to come
	numbers  bool             // NaN was told of
}

// Reuse lets each call, and all that it points to, be valid only until the next
// Scan. A large log is read faster so.
func (r *Reader) Reuse() { r.reuse = true }

// NewReader reads from r, whose name in positions is file. The input may be
// gzip or UTF-16: its first bytes tell.
func NewReader(r io.Reader, file string) *Reader {
	plain, err := input.Plain(r)
	if err != nil {
		return &Reader{file: file, err: fmt.Errorf("%s: %w", file, err)}
	}
	return &Reader{lines: input.NewLines(plain, input.MaxLine), file: file, lenient: []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}}
}

// Scan moves to the next call; false at the end or on an error of the input.
func (r *Reader) Scan() bool {
	for r.err == nil {
		if len(r.glued) > 0 {
			if r.next() {
				return true
			}
			continue
		}
		line, err := r.lines.Next()
		if errors.Is(err, io.EOF) {
			return false
		}
		r.line++
		switch {
		case errors.Is(err, input.ErrLongLine):
			r.bad++
			r.find("long-line", err.Error()+", skipped")
			continue
		case errors.Is(err, input.ErrCut):
			r.bad++
			r.find("cut-off", err.Error()+"; what comes before was read")
			return false
		case err != nil:
			r.err = fmt.Errorf("%s:%d: %w", r.file, r.line, err)
			return false
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			r.blank++
			continue
		}
		if !utf8.Valid(line) {
			line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
			if r.recoded++; r.recoded == 1 {
				r.find("encoding", "bytes that are not UTF-8 were replaced by U+FFFD, here and in all such lines of this file")
				r.findings[len(r.findings)-1].Note = true
			}
		}
		call, err := r.decode(line)
		if err != nil && r.takeApart(line) {
			continue
		}
		if err != nil {
			r.bad++
			r.find("bad-line", err.Error())
			continue
		}
		call.Pos = diag.Pos{File: r.file, Line: r.line}
		r.call = call
		return true
	}
	return false
}

// takeApart looks for objects in a line that isn't one: several, as where processes
// wrote to one file at once, or one with numbers that JSON doesn't have. False if
// there are none.
func (r *Reader) takeApart(line []byte) bool {
	text, odd := Tidy(line)
	text = bytes.Clone(text)
	d := jsontext.NewDecoder(bytes.NewReader(text), r.lenient...)
	var fault error
	for {
		v, err := d.ReadValue()
		if err != nil {
			if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				fault = shorten(err)
			}
			break
		}
		end := int(d.InputOffset())
		r.glued = append(r.glued, text[end-len(v):end:end])
	}
	if len(r.glued) == 0 || len(r.glued) == 1 && odd == 0 && fault == nil {
		r.glued = nil
		return false
	}
	if fault != nil {
		r.bad++
		r.find("bad-line", "behind a JSON object: "+fault.Error())
	}
	if odd&OddNULs != 0 {
		r.find("nul-bytes", NULsRead)
	}
	if odd&OddNumbers != 0 && !r.numbers {
		r.numbers = true
		r.find("numbers", NumbersRead)
		r.findings[len(r.findings)-1].Note = true
	}
	return true
}

// next moves to the next object of a line that was taken apart.
func (r *Reader) next() bool {
	v := r.glued[0]
	r.glued = r.glued[1:]
	call, err := decodeCall(v, r.lenient)
	if err != nil {
		r.bad++
		r.find("bad-line", err.Error())
		return false
	}
	if call.ID == "" {
		call.ID = lineID(v)
	}
	call.Pos = diag.Pos{File: r.file, Line: r.line}
	r.call = call
	return true
}

// decode reads a line: the fast way, or where that doesn't take it by jsontext,
// which knows what is wrong.
func (r *Reader) decode(line []byte) (*Call, error) {
	r.fast.reuse = r.reuse
	if !r.reuse {
		line = bytes.Clone(line)
	}
	call, ok := r.fast.call(line)
	if !ok {
		var err error
		if call, err = decodeCall(line, r.lenient); err != nil {
			return nil, err
		}
	}
	if call.ID == "" {
		call.ID = lineID(line)
	}
	return call, nil
}

// Call is the call that Scan moved to.
func (r *Reader) Call() *Call { return r.call }

// Findings are the remarks made so far, in the order of the lines.
func (r *Reader) Findings() []diag.Finding { return r.findings }

// Lines is the number of lines read so far.
func (r *Reader) Lines() int { return r.line }

// Blank is the number of blank lines among them.
func (r *Reader) Blank() int { return r.blank }

// Bad is the number of lines that are no call and were reported.
func (r *Reader) Bad() int { return r.bad }

// Err is the error of the input that ended Scan, nil at a plain end.
func (r *Reader) Err() error { return r.err }

// lineID names a call that has no id by its line's content, so that it keeps its
// name wherever the line stands: 16 hex digits of XXH3.
func lineID(line []byte) string {
	const digits = "0123456789abcdef"
	id := [21]byte{'l', 'i', 'n', 'e', '-'}
	for i, h := 0, xxh3.Hash(line); i < 16; i++ {
		id[20-i] = digits[h&0xf]
		h >>= 4
	}
	return string(id[:])
}

// maxFindings is how many findings are kept one by one.
const maxFindings = 10_000

func (r *Reader) find(rule, message string) {
	if r.found++; r.found > maxFindings {
		if r.found == maxFindings+1 {
			rule, message = "more", fmt.Sprintf("more than %d findings: the rest of this file's are not listed", maxFindings)
		} else {
			return
		}
	}
	r.findings = append(r.findings, diag.Finding{Pos: diag.Pos{File: r.file, Line: r.line}, Rule: rule, Message: message})
}

// raw is the line before it is a Call: members by name, and who flagged what.
type raw struct {
	call    Call
	flagged *bool // is_error
	text    *string
	outcome *Outcome
	extra   []member
}

type member struct {
	name  string
	value jsontext.Value
}

func decodeCall(line []byte, opts []jsontext.Options) (*Call, error) {
	d := jsontext.NewDecoder(bytes.NewReader(line), opts...)
	tok, err := d.ReadToken()
	if err != nil {
		return nil, shorten(err)
	}
	if tok.Kind() != '{' {
		return nil, fmt.Errorf("a %s where an object is wanted", KindName(tok.Kind()))
	}
	var r raw
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, shorten(err)
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, shorten(err)
		}
		if err := r.set(key, value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, shorten(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return r.finish()
}

// shorten drops the decoder's prefix: the position of the line is what helps.
func shorten(err error) error {
	return errors.New("not a JSON object: " + strings.TrimPrefix(err.Error(), "jsontext: "))
}

func (r *raw) set(name string, v jsontext.Value) (err error) {
	c := &r.call
	switch name {
	case "call_id":
		c.ID, err = text(v)
	case "ts":
		c.Time, err = instant(v)
	case "session":
		c.Session, err = text(v)
	case "server":
		c.Server, err = text(v)
	case "tool":
		c.Tool, err = text(v)
	case "resource":
		c.Resource, err = text(v)
	case "args":
		c.Args = keep(v)
	case "is_error":
		r.flagged, err = flag(v)
	case "result_text":
		if v.Kind() != 'n' {
			var s string
			s, err = text(v)
			r.text = &s
		}
	case "result":
		c.Result = keep(v)
	case "before":
		c.Before = keep(v)
	case "after":
		c.After = keep(v)
	case "outcome":
		if r.setOutcome(v) != nil {
			err = fmt.Errorf("want one of %v", outcomeNames) // and the line isn't echoed
		}
	case "cause":
		if parseInto(v, ParseCause, &c.Cause) != nil {
			err = fmt.Errorf("want one of %v", causeNames[1:])
		}
	case "error_text":
		c.ErrorText, err = text(v)
	case "state_source":
		c.StateSource, err = text(v)
	case "state_age_us":
		c.StateAge, err = micros(v)
	case "state_calls":
		var n int64
		n, err = integer(v)
		c.StateCalls = int(n)
	case "state_dirty":
		var b *bool
		if b, err = flag(v); b != nil {
			c.StateDirty = *b
		}
	case "latency_us":
		c.Latency, err = micros(v)
	case "fingerprint":
		c.Fingerprint, err = text(v)
	default:
		r.extra = append(r.extra, member{name, keep(v)})
	}
	return err
}

func (r *raw) setOutcome(v jsontext.Value) error {
	var o Outcome
	if err := parseInto(v, ParseOutcome, &o); err != nil {
		return err
	}
	if v.Kind() != 'n' {
		r.outcome = &o
	}
	return nil
}

// finish settles the outcome from what the line says: its own word first, then
// its flag; a line with neither flag nor text was never answered.
func (r *raw) finish() (*Call, error) {
	c := &r.call
	if c.Tool == "" {
		return nil, errors.New(`no "tool": a call needs the name of its tool`)
	}
	if r.text != nil {
		c.ResultText = *r.text
	}
	switch {
	case r.outcome != nil:
		c.Outcome = *r.outcome
	case r.flagged != nil && *r.flagged:
		c.Outcome = Rejected
	case r.flagged == nil && r.text == nil && c.Result == nil:
		c.Outcome = Unanswered
	}
	if c.Outcome == Rejected && c.Cause == NoCause {
		c.Cause = Unclear
	}
	if c.Outcome != Rejected {
		c.Cause = NoCause
	}
	if c.Outcome != OK && c.ErrorText == "" {
		c.ErrorText = c.ResultText
	}
	if (c.Before != nil || c.After != nil) && c.StateSource == "" {
		c.StateSource = Snapshot
	}
	c.Extra = joinMembers(r.extra)
	return c, nil
}

func joinMembers(ms []member) jsontext.Value {
	if len(ms) == 0 {
		return nil
	}
	size := 2
	for _, m := range ms {
		size += len(m.name) + len(m.value) + 8
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range ms {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, m.name)
		b = append(b, ':')
		if m.value == nil {
			b = append(b, "null"...)
		} else {
			b = append(b, m.value...)
		}
	}
	return append(b, '}')
}

// keep copies a raw value; null is no value.
func keep(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return v.Clone()
}

func text(v jsontext.Value) (string, error) {
	switch v.Kind() {
	case 'n':
		return "", nil
	case '"':
		s, err := jsontext.AppendUnquote(nil, v)
		if err != nil && len(s) == 0 {
			return "", err
		}
		return string(s), nil // a lone surrogate reads as U+FFFD
	case '0':
		return string(v), nil
	}
	return "", fmt.Errorf("a %s where a string is wanted", KindName(v.Kind()))
}

func flag(v jsontext.Value) (*bool, error) {
	switch v.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		b := v.Kind() == 't'
		return &b, nil
	}
	return nil, fmt.Errorf("a %s where true or false is wanted", KindName(v.Kind()))
}

func integer(v jsontext.Value) (int64, error) {
	if v.Kind() == 'n' {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("a %s where a whole number is wanted", KindName(v.Kind()))
	}
	return n, nil
}

func micros(v jsontext.Value) (time.Duration, error) {
	n, err := integer(v)
	if n > maxMicros || n < -maxMicros {
		return 0, fmt.Errorf("%d microseconds: out of range", n)
	}
	return time.Duration(n) * time.Microsecond, err
}

// maxMicros is about 290 years; a Duration holds no more.
const maxMicros = math.MaxInt64 / int64(time.Microsecond)

// maxSeconds is the end of the year 9999, the last that RFC 3339 can write.
const maxSeconds = 253402300799

// instant reads RFC 3339, or a number of seconds or milliseconds since 1970.
func instant(v jsontext.Value) (time.Time, error) {
	switch v.Kind() {
	case 'n':
		return time.Time{}, nil
	case '"':
		s, err := text(v)
		if err != nil || s == "" {
			return time.Time{}, err
		}
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
			if t, err := time.Parse(layout, s); err == nil {
				return t.UTC(), nil
			}
		}
		return time.Time{}, errors.New("a time that isn't RFC 3339")
	case '0':
		f, err := strconv.ParseFloat(string(v), 64)
		if f > 1e11 || f < -1e11 { // milliseconds
			f /= 1e3
		}
		if err != nil || !(f >= -6e10 && f <= maxSeconds) {
			return time.Time{}, errors.New("a time out of range")
		}
		return time.UnixMicro(int64(f * 1e6)).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("a %s where a time is wanted", KindName(v.Kind()))
}

func parseInto[T any](v jsontext.Value, parse func(string) (T, error), into *T) error {
	s, err := text(v)
	if err != nil || v.Kind() == 'n' {
		return err
	}
	x, err := parse(s)
	if err == nil {
		*into = x
	}
	return err
}

// KindName is a kind of JSON value in words.
func KindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "list"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "broken value"
}
