package calllog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// MaxLine is the longest line that a reader takes, in bytes. A longer one is a
// finding and is skipped.
const MaxLine = 64 << 20

// ErrLongLine reports a line of more than MaxLine bytes.
var ErrLongLine = fmt.Errorf("line longer than %d MiB", MaxLine>>20)

// Plain undoes what a file may be wrapped in, told by its first bytes: gzip,
// and UTF-16 or a byte order mark.
func Plain(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	head, err := br.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		zr, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		br = bufio.NewReaderSize(zr, 1<<16)
		if head, err = br.Peek(3); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("gzip: %w", err)
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}), bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return transform.NewReader(br, unicode.BOMOverride(transform.Nop)), nil
	}
	return br, nil
}

// lineReader hands out one line at a time without its line end.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 1<<16), max: max}
}

// next returns the next line, valid until the call after. It answers
// ErrLongLine for a line over the bound, having skipped it, and io.EOF at the
// end.
func (l *lineReader) next() ([]byte, error) {
	l.buf = l.buf[:0]
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if !long && len(l.buf)+len(part) > l.max+2 {
			long = true
			l.buf = l.buf[:0]
		}
		if !long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && !long && len(l.buf) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case long:
			return nil, ErrLongLine
		}
		return bytes.TrimRight(l.buf, "\r\n"), nil
	}
}
