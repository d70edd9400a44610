package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpg/calllog"
	"mcpg/internal/input"
)

// ErrTooLarge says that a call's line is longer than any reader takes.
var ErrTooLarge = fmt.Errorf("the call is larger than %d MiB", input.MaxLine>>20)

// codec turns calls into lines of the native format and back, by the one Writer
// and Reader that there is for it.
type codec struct {
	out  bytes.Buffer
	w    *calllog.Writer
	feed feed
	r    *calllog.Reader
}

func newCodec(file string) *codec {
	c := &codec{}
	c.w = calllog.NewWriter(&c.out)
	c.r = calllog.NewReader(&c.feed, file)
	return c
}

// encode gives a call's line, and makes sure that it can be read again.
func (c *codec) encode(call *calllog.Call) (string, error) {
	c.out.Reset()
	if err := errors.Join(c.w.Write(call), c.w.Flush()); err != nil {
		return "", err
	}
	line := strings.TrimSuffix(c.out.String(), "\n")
	if len(line) > input.MaxLine {
		return "", ErrTooLarge
	}
	if _, err := c.decode(line); err != nil {
		return "", fmt.Errorf("a call that couldn't be read again: %w", err)
	}
	return line, nil
}

// decode reads a line. A codec is of no use after an error.
func (c *codec) decode(line string) (*calllog.Call, error) {
	if strings.IndexByte(line, '\n') >= 0 {
		return nil, errors.New("more than one line")
	}
	c.feed = feed{line, true}
	if c.r.Scan() {
		return c.r.Call(), nil
	}
	if f := c.r.Findings(); len(f) > 0 && c.r.Bad() > 0 {
		return nil, errors.New(f[len(f)-1].Message)
	}
	if err := c.r.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("an empty line")
}

// small tells whether a codec may be kept: a large call is no reason to keep its
// memory.
func (c *codec) small() bool { return c.out.Cap() <= 1<<20 }

// feed gives a line and its end, and then nothing until there is another.
type feed struct {
	line string
	open bool
}

func (f *feed) Read(p []byte) (int, error) {
	n := copy(p, f.line)
	f.line = f.line[n:]
	if f.line == "" && f.open && n < len(p) {
		p[n] = '\n'
		n++
		f.open = false
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
