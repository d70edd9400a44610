package input

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestLines(t *testing.T) {
	t.Parallel()
	l := NewLines(strings.NewReader("short\r\n"+strings.Repeat("x", 200_000)+"\n\nend"), 100_000)
	for i, want := range []string{"short", "", "", "end"} {
		line, err := l.Next()
		if i == 1 {
			if !errors.Is(err, ErrLongLine) {
				t.Fatalf("line 2: %v", err)
			}
			continue
		}
		if err != nil || string(line) != want {
			t.Fatalf("line %d: %q, %v", i+1, line, err)
		}
	}
	if _, err := l.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	// A line that doesn't fit the buffer is whole all the same.
	long := strings.Repeat("é", 1<<20)
	l = NewLines(strings.NewReader(long+"\nx"), MaxLine)
	if line, err := l.Next(); err != nil || string(line) != long {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	const text = "one\ntwö\n"
	var gz, zs, both bytes.Buffer
	for w, open := range map[*bytes.Buffer]func(io.Writer) io.WriteCloser{
		&gz: func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		&zs: func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	} {
		c := open(w)
		io.WriteString(c, text)
		c.Close()
	}
	c := gzip.NewWriter(&both)
	io.WriteString(c, "\ufeff"+text)
	c.Close()
	wide := []byte{0xfe, 0xff}
	for _, r := range text {
		wide = append(wide, byte(r>>8), byte(r))
	}
	for name, in := range map[string][]byte{"plain": []byte(text), "gzip": gz.Bytes(), "zstd": zs.Bytes(), "gzip with a mark": both.Bytes(), "utf-16": wide, "a mark": []byte("\ufeff" + text)} {
		r, err := Plain(bytes.NewReader(in))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(r); string(got) != text || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, in := range map[string][]byte{"gzip": gz.Bytes(), "zstd": zs.Bytes()} {
		r, err := Plain(bytes.NewReader(in[:len(in)-3]))
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if !errors.Is(err, ErrCut) {
			t.Errorf("%s, cut off: %v", name, err)
		}
	}
	if r, err := Plain(strings.NewReader("")); err != nil || r == nil {
		t.Errorf("empty: %v", err)
	}
}
