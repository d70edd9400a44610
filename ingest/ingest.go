package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/internal/diag"
)

// headSize is how much of an input detection looks at, in bytes.
const headSize = 256 << 10

// maxUnmatched is how many servers without an adapter are named.
const maxUnmatched = 20

// Options of a run; the zero value detects formats and has no adapter.
type Options struct {
	From     string // a format's name; "" detects
	Adapters adapter.Set
	// Progress, if set, is told of bytes read from inputs as they are read.
	Progress func(n int)
	Stdin    io.Reader
}

// FileReport is what one input held.
type FileReport struct {
	File   string
	Format string
	Calls  int
	Silent int // sessions that made no call
}

// Report is what a run read.
type Report struct {
	Files    []FileReport
	Calls    int
	Findings []diag.Finding
	// Soft are successes that read like errors; they stay successes.
	Soft []diag.Pos
	// Observed counts calls that have a state before them.
	Observed int
	// Unmatched are servers that none of the given adapters is for, sorted.
	Unmatched []string
}

// Bad counts the findings that lost something.
func (r *Report) Bad() int {
	n := 0
	for _, f := range r.Findings {
		if !f.Note {
			n++
		}
	}
	return n
}

// Run reads inputs in order ("-" is stdin) and hands every call to emit,
// classified and with its state. Findings don't stop it. The report is good
// also beside an error, as far as the reading went.
func Run(ctx context.Context, inputs []string, opts Options, emit func(*calllog.Call) error) (*Report, error) {
	rep := &Report{}
	var named *format
	if opts.From != "" {
		f, err := formatByName(opts.From)
		if err != nil {
			return rep, err
		}
		named = f
	}
	t := newTracker()
	scopes := scopesOf(inputs)
	for i, name := range inputs {
		if err := readInput(ctx, name, scopes[i], named, &opts, rep, t, emit); err != nil {
			return rep, err
		}
	}
	return rep, nil
}

// scopesOf names inputs for their sessions: by the file's name without its
// endings, or by its path where two inputs have the same name.
func scopesOf(inputs []string) []string {
	out := make([]string, len(inputs))
	paths := map[string]map[string]bool{}
	for i, in := range inputs {
		base, _, _ := strings.Cut(filepath.Base(in), ".")
		out[i] = cmp.Or(base, in)
		if paths[out[i]] == nil {
			paths[out[i]] = map[string]bool{}
		}
		paths[out[i]][in] = true
	}
	for i, in := range inputs {
		if len(paths[out[i]]) > 1 {
			out[i] = in
		}
	}
	return out
}

func readInput(ctx context.Context, name, scope string, f *format, opts *Options, rep *Report, t *tracker, emit func(*calllog.Call) error) error {
	in, label, err := open(name, opts)
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := calllog.Plain(&meter{in, opts.Progress})
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	br := bufio.NewReaderSize(plain, headSize)
	head, err := br.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // the format says what is cut off
		return fmt.Errorf("%s: %w", label, err)
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return fmt.Errorf("%s: the file is empty", label)
	}
	if f == nil {
		if f, err = detect(head, label); err != nil {
			return err
		}
	}
	file := FileReport{File: label, Format: f.name}
	got, err := f.read(ctx, br, input{label, scope}, func(c *calllog.Call) error {
		file.Calls++
		rep.add(c, opts, t)
		return emit(c)
	})
	rep.Calls += file.Calls
	file.Silent = got.silent
	rep.Files = append(rep.Files, file)
	rep.Findings = append(rep.Findings, got.findings...)
	if err != nil {
		return err
	}
	if file.Calls == 0 {
		return &NoCallsError{label, f.name, got.findings}
	}
	return nil
}

// NoCallsError says that an input of a known format held no call.
type NoCallsError struct {
	File, Format string
	Findings     []diag.Finding
}

func (e *NoCallsError) Error() string {
	if len(e.Findings) > 0 {
		return fmt.Sprintf("%s: no call could be read as %s; first: %s", e.File, e.Format, e.Findings[0])
	}
	return fmt.Sprintf("%s: no call in it (read as %s)", e.File, e.Format)
}

// add settles one call.
func (r *Report) add(c *calllog.Call, opts *Options, t *tracker) {
	a := opts.Adapters.For(c.Server)
	if a == nil && len(opts.Adapters) > 0 {
		if i, seen := slices.BinarySearch(r.Unmatched, c.Server); !seen && len(r.Unmatched) < maxUnmatched {
			r.Unmatched = slices.Insert(r.Unmatched, i, c.Server)
		}
	}
	if a != nil {
		if c.Server == "" {
			c.Server = a.ServerID
		}
		if c.Resource == "" {
			c.Resource = a.Names(c)
		}
	}
	if adapter.Classify(c, a) {
		r.Soft = append(r.Soft, c.Pos)
	}
	t.observe(c, a)
	if c.Before != nil {
		r.Observed++
	}
}

func open(name string, opts *Options) (io.ReadCloser, string, error) {
	if name == "-" {
		if opts.Stdin == nil {
			return io.NopCloser(os.Stdin), "stdin", nil
		}
		return io.NopCloser(opts.Stdin), "stdin", nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, name, plainPathError(err)
	}
	if info.IsDir() {
		return nil, name, fmt.Errorf("%s: a folder; name the log files in it", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, plainPathError(err)
	}
	return f, name, nil
}

// plainPathError says file: reason, without the system call's name.
func plainPathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

type meter struct {
	r    io.Reader
	tell func(int)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if m.tell != nil && n > 0 {
		m.tell(n)
	}
	return n, err
}
