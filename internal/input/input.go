// Package input undoes what a text file may be wrapped in, and hands out its
// lines.
package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const bufSize = 256 << 10

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	// ErrCut says that compressed data ends before its end.
	ErrCut = errors.New("the compressed file ends here")
)

// Plain undoes what a file may be wrapped in, told by its first bytes: gzip or
// zstd, and then UTF-16 or a byte order mark. Plain text goes through as it is.
// Data that ends too early gives ErrCut after what could be read.
func Plain(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReaderSize(r, bufSize)
	head, err := peek(br, 4)
	if err != nil {
		return nil, err
	}
	var inner io.Reader
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		zr, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		inner = zr
	case bytes.HasPrefix(head, zstdMagic):
		// One goroutine: the caller may stop reading at any time.
		zr, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		inner = zr
	}
	if inner != nil {
		br = bufio.NewReaderSize(cutReader{inner}, bufSize)
		if head, err = peek(br, 3); err != nil {
			return nil, err
		}
	}
	if bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) || bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return bufio.NewReaderSize(transform.NewReader(br, unicode.BOMOverride(transform.Nop)), bufSize), nil
	}
	return br, nil
}

// peek is Peek for what may be shorter.
func peek(br *bufio.Reader, n int) ([]byte, error) {
	head, err := br.Peek(n)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, ErrCut) {
		return nil, err
	}
	return head, nil
}

// cutReader gives a compressed file's early end one name.
type cutReader struct{ r io.Reader }

func (c cutReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrCut
	}
	return n, err
}

// MaxLine is the longest line that is read, in bytes. A longer one is skipped.
const MaxLine = 64 << 20

// ErrLongLine reports a line of more than MaxLine bytes.
var ErrLongLine = fmt.Errorf("line longer than %d MiB", MaxLine>>20)

// Lines hands out one line at a time.
type Lines struct {
	r   *bufio.Reader
	buf []byte
	max int
}

// NewLines reads lines of at most max bytes.
func NewLines(r io.Reader, max int) *Lines {
	br, ok := r.(*bufio.Reader)
	if !ok {
		br = bufio.NewReaderSize(r, bufSize)
	}
	return &Lines{r: br, max: max}
}

// Next returns the next line without its line end, valid until the call after.
// It answers ErrLongLine for a line over the bound, having skipped it, and
// io.EOF at the end.
func (l *Lines) Next() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err == nil && len(part) <= l.max+2 {
		return trimEnd(part), nil // whole in the buffer: no copy
	}
	if cap(l.buf) > 4<<20 { // one long line is no reason to keep so much
		l.buf = nil
	}
	l.buf = l.buf[:0]
	long := false
	for {
		if !long && len(l.buf)+len(part) > l.max+2 {
			long, l.buf = true, l.buf[:0]
		}
		if !long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			part, err = l.r.ReadSlice('\n')
			continue
		case errors.Is(err, io.EOF) && !long && len(l.buf) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return trimEnd(l.buf), err
		case long:
			return nil, ErrLongLine
		}
		return trimEnd(l.buf), nil
	}
}

func trimEnd(line []byte) []byte {
	return bytes.TrimRight(line, "\r\n")
}
