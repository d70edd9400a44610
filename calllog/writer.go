package calllog

import (
	"bufio"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Writer writes the native format. What it writes, Reader reads back as the
// same Calls, positions apart.
type Writer struct {
	w   *bufio.Writer
	buf []byte
	err error
}

// NewWriter writes to w; Flush ends it.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, 1<<16)} }

// Write appends one call as one line.
func (w *Writer) Write(c *Call) error {
	if w.err != nil {
		return w.err
	}
	w.buf = appendCall(w.buf[:0], c)
	_, w.err = w.w.Write(append(w.buf, '\n'))
	return w.err
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if w.err != nil {
		return w.err
	}
	return w.w.Flush()
}

func appendCall(b []byte, c *Call) []byte {
	b = append(b, '{')
	str := func(name, s string) {
		if s != "" {
			b = appendName(b, name)
			b, _ = jsontext.AppendQuote(b, s)
		}
	}
	val := func(name string, v jsontext.Value) {
		if v != nil {
			b = appendName(b, name)
			b = appendOneLine(b, v)
		}
	}
	num := func(name string, n int64) {
		if n != 0 {
			b = strconv.AppendInt(appendName(b, name), n, 10)
		}
	}
	if !c.Time.IsZero() {
		str("ts", c.Time.UTC().Format(time.RFC3339Nano))
	}
	str("call_id", c.ID)
	str("session", c.Session)
	str("server", c.Server)
	str("tool", c.Tool)
	str("resource", c.Resource)
	val("args", c.Args)
	if c.Outcome != Unanswered {
		b = strconv.AppendBool(appendName(b, "is_error"), c.Outcome != OK)
		b = appendName(b, "result_text")
		b, _ = jsontext.AppendQuote(b, c.ResultText)
	}
	str("outcome", c.Outcome.String())
	str("cause", c.Cause.String())
	str("error_text", c.ErrorText)
	val("result", c.Result)
	val("before", c.Before)
	val("after", c.After)
	str("state_source", c.StateSource)
	num("state_age_us", c.StateAge.Microseconds())
	num("state_calls", int64(c.StateCalls))
	if c.StateDirty {
		b = append(appendName(b, "state_dirty"), "true"...)
	}
	num("latency_us", c.Latency.Microseconds())
	str("fingerprint", c.Fingerprint)
	return append(appendExtra(b, c.Extra), '}')
}

func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b, _ = jsontext.AppendQuote(b, name)
	return append(b, ':')
}

// appendOneLine writes a raw value without line breaks between its tokens.
func appendOneLine(b []byte, v jsontext.Value) []byte {
	v = v.Clone()
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return append(b, "null"...)
	}
	return append(b, v...)
}

// appendExtra writes the members of the object extra in their order.
func appendExtra(b []byte, extra jsontext.Value) []byte {
	if len(extra) == 0 {
		return b
	}
	line := appendOneLine(nil, extra)
	if len(line) < 3 || line[0] != '{' {
		return b
	}
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(b, line[1:len(line)-1]...)
}
