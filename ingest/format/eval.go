package format

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zstd"

	"mcpg/calllog"
	"mcpg/internal/input"
)

var evalFormat = Format{
	Name:   "inspect-eval",
	What:   "logs of Inspect AI, .eval: a zip file with a JSON document a sample",
	detect: detectEval,
	read:   readEval,
	binary: true,
}

var zipMagic = []byte("PK\x03\x04")

func detectEval(h *Head) (bool, string) {
	if bytes.HasPrefix(h.bytes, zipMagic) {
		return true, ""
	}
	return false, "not a zip file"
}

// readerAt is what a zip file is read from. An input that isn't one goes through
// a temporary file.
type readerAt interface {
	io.ReaderAt
	Size() int64
}

func readEval(in *Input) error {
	src, done, err := in.readerAt()
	if err != nil {
		return err
	}
	defer done()
	return (&evalReader{in: in, src: watchedReader{r: src}}).read(src.Size())
}

// readerAt gives the input as one that can be read anywhere; done ends it.
func (in *Input) readerAt() (src readerAt, done func(), err error) {
	if src, ok := in.R.(readerAt); ok {
		return src, func() {}, nil
	}
	f, err := os.CreateTemp("", "eval-*")
	if err != nil {
		return nil, nil, err
	}
	done = func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	n, err := io.Copy(f, contextReader{in.Ctx, in.R})
	if err != nil && !errors.Is(err, input.ErrCut) {
		done()
		return nil, nil, err
	}
	return io.NewSectionReader(f, 0, n), done, nil
}

// contextReader stops where its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// watchedReader remembers an error of the input, which is no fault of what is
// in it. That a broken zip file points outside of itself is none.
type watchedReader struct {
	r   io.ReaderAt
	err error
}

func (w *watchedReader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, zip.ErrFormat
	}
	n, err := w.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

type evalReader struct {
	in  *Input
	src watchedReader
}

func (e *evalReader) read(size int64) error {
	zr, err := zip.NewReader(&e.src, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are never followed
		return e.fault("the zip file can't be read, perhaps it is cut off", err)
	}
	zr.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderConcurrency(1)))
	latest := map[string]int{} // a sample that was written anew has two entries
	for i, f := range zr.File {
		latest[f.Name] = i
	}
	run, err := e.run(zr, latest)
	if err != nil {
		return err
	}
	samples := 0
	for i, f := range zr.File {
		if err := e.in.Ctx.Err(); err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(f.Name, "/"):
		case !evalSample(f.Name):
			e.in.Uses["other files"]++
		case latest[f.Name] != i:
			e.in.Uses["replaced samples"]++
		default:
			samples++
			if err := e.sample(run, f, samples); err != nil {
				return err
			}
		}
	}
	if samples == 0 && run.id == "" {
		e.in.Uses[Faulty]++
		e.in.find(0, "bad-record", "the zip file holds no log of Inspect")
	}
	return nil
}

func evalSample(name string) bool {
	return strings.HasPrefix(name, "samples/") && strings.HasSuffix(name, ".json")
}

// fault reports what can't be read; an error of the input itself is handed back.
func (e *evalReader) fault(what string, err error) error {
	if e.src.err != nil {
		return e.src.err
	}
	rule := "bad-record"
	if errors.Is(err, errLongRecord) {
		rule = "long-record"
	}
	e.in.Uses[Faulty]++
	e.in.find(0, rule, fmt.Sprintf("%s: %s", what, strings.TrimPrefix(err.Error(), "zip: ")))
	return nil
}

// run reads the description of the run: of a finished one from header.json, of
// one that was cut off from where it began.
func (e *evalReader) run(zr *zip.Reader, latest map[string]int) (inspectRun, error) {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		i, ok := latest[name]
		if !ok {
			continue
		}
		b, err := readMember(zr.File[i])
		if err != nil {
			if err := e.fault(name, err); err != nil {
				return inspectRun{}, err
			}
			continue
		}
		b, _ = calllog.Tidy(b)
		o, _ := parseObject(b)
		if run := inspectRunOf(o.get("eval")); run.id != "" {
			return run, nil
		}
	}
	return inspectRun{}, nil
}

// sample reads one sample. Its positions are lines of the file in the zip file.
func (e *evalReader) sample(run inspectRun, f *zip.File, n int) error {
	whole := e.in.File
	defer func() { e.in.File = whole }()
	e.in.File = whole + "/" + memberName(f.Name, n)
	b, err := readMember(f)
	if err != nil {
		return e.fault("a sample can't be read", err)
	}
	b, odd := calllog.Tidy(b)
	e.in.tidied(1, odd)
	return e.in.inspectSample(run, 1, b)
}

// memberName is a name as positions show it: it comes from the file, and could
// hold anything.
func memberName(name string, n int) string {
	if len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return fmt.Sprintf("samples/#%d", n)
	}
	return name
}

// readMember reads a file in a zip file, up to the bound of a record: what it
// says of its size proves nothing.
func readMember(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxRecord {
		return nil, errLongRecord
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	if err == nil && len(b) > maxRecord {
		err = errLongRecord
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}
