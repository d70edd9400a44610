package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest/format"
	"mcpg/ingest/table"
	"mcpg/internal/diag"
	"mcpg/internal/input"
)

// headSize is how much of an input detection looks at, in bytes.
const headSize = 256 << 10

// maxUnmatched is how many servers without an adapter are named.
const maxUnmatched = 20

// Options of a run; the zero value detects formats and has no adapter.
type Options struct {
	From     string // a format's name; "" detects
	Adapters adapter.Set
	Redact   Redactor
	// Reuse says that emit keeps nothing of a call, whose memory may be used again.
	Reuse bool
	// Progress, if set, is told of bytes read from inputs as they are read.
	Progress func(n int)
	Stdin    io.Reader
}

// FileReport is what one input held.
type FileReport struct {
	File     string
	Format   string
	Lines    int            // of text; 0 for a table
	Uses     map[string]int // lines or records by what they were
	Calls    int            // that were handed on
	Copies   int            // calls that an input before it has too
	Silent   int            // sessions that made no call
	NoArgs   int            // calls whose arguments the log doesn't hold
	Outcomes [6]int         // of Calls, by outcome
}

// Skipped is an input that gave nothing, and why.
type Skipped struct{ File, Why string }

// Report is what a run read.
type Report struct {
	Files    []FileReport
	Skipped  []Skipped
	Calls    int
	Copies   int
	Outcomes [6]int
	Causes   [5]int // of rejected calls
	Findings []diag.Finding
	// Soft are the first successes that read like errors, which they stay, and
	// SoftCount is how many there are.
	Soft      []diag.Pos
	SoftCount int
	// Observed counts calls that have a state before them.
	Observed int
	NoArgs   int
	// Unmatched are servers that none of the given adapters is for, sorted.
	Unmatched []string
}

// maxSoft is how many successes that read like errors are listed.
const maxSoft = 100

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

// NoArgsOf counts the calls of a format whose arguments the log doesn't hold.
func (r *Report) NoArgsOf(name string) int {
	n := 0
	for _, f := range r.Files {
		if f.Format == name {
			n += f.NoArgs
		}
	}
	return n
}

// run is one run's state.
type run struct {
	opts    *Options
	rep     *Report
	states  *tracker
	schemas schemas
	known   *identity
	many    bool // more than one input
	emit    func(*calllog.Call) error
}

// Run reads the inputs (files, folders, patterns, "-" for stdin, each with
// label= before it or not) in order and hands every call to emit, classified and
// with its state. A table of calls is an input too. Findings don't stop it. The
// report is good also beside an error, as far as the reading went.
func Run(ctx context.Context, inputs []string, opts Options, emit func(*calllog.Call) error) (*Report, error) {
	r := &run{opts: &opts, rep: &Report{}, states: newTracker(), schemas: schemas{}, known: newIdentity(), emit: emit}
	var named *format.Format
	if opts.From != "" {
		f, err := format.ByName(opts.From)
		if err != nil {
			return r.rep, err
		}
		named = f
	}
	all, err := findSources(inputs)
	if err != nil {
		return r.rep, err
	}
	sources, copies, err := dropCopies(all)
	if err != nil {
		return r.rep, err
	}
	for _, c := range copies {
		r.rep.Skipped = append(r.rep.Skipped, Skipped{c.name, "all of it is in " + c.of})
	}
	var first error // why an input gave no call
	r.many = len(all) > 1
	for i := range sources {
		r.known.begin(i == 0, i == len(sources)-1)
		err := r.read(ctx, &sources[i], named)
		var unfit *unusable
		if errors.As(err, &unfit) {
			r.skip(&sources[i], unfit)
			if first == nil {
				first = unfit.err
			}
			continue
		}
		if err != nil {
			return r.rep, err
		}
	}
	if r.rep.Calls+r.rep.Copies == 0 {
		if len(all) > 1 {
			return r.rep, fmt.Errorf("no call in %d files; the first: %w", len(all), first)
		}
		return r.rep, first
	}
	return r.rep, nil
}

// unusable is an input that gives no calls, which is no reason to stop.
type unusable struct {
	err  error
	note bool // nothing was expected of it
}

func (e *unusable) Error() string { return e.err.Error() }

func (r *run) find(f diag.Finding) { r.rep.Findings = append(r.rep.Findings, f) }

// skip reports an input without calls. What a folder or a pattern brought in may
// well be no log; what was named was meant.
func (r *run) skip(s *source, why *unusable) {
	text := why.Error()
	var none *NoCallsError
	var unknown *format.DetectError
	switch {
	case errors.As(why.err, &none):
		text = none.short()
	case errors.As(why.err, &unknown):
		text = "no log of a known format"
	}
	r.rep.Skipped = append(r.rep.Skipped, Skipped{s.name, text})
	if !s.found && !why.note && r.many {
		r.find(diag.Finding{Pos: diag.Pos{File: s.name}, Rule: "no-calls", Message: text})
	}
}

// NoCallsError says that an input of a known format held no call.
type NoCallsError struct {
	File, Format string
	Findings     []diag.Finding
}

func (e *NoCallsError) Error() string { return e.File + ": " + e.short() }

func (e *NoCallsError) short() string {
	if len(e.Findings) > 0 {
		return fmt.Sprintf("no call could be read as %s; first: %s", e.Format, e.Findings[0])
	}
	return fmt.Sprintf("no call in it (read as %s)", e.Format)
}

func (r *run) read(ctx context.Context, s *source, f *format.Format) error {
	raw, err := s.open(ctx, r.opts.Stdin, r.opts.Progress)
	if err != nil {
		return &unusable{err: err}
	}
	defer raw.Close()
	in, err := input.Plain(raw)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &unusable{err: fmt.Errorf("%s: %w", s.name, err)}
	}
	head, err := peekHead(in)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &unusable{err: fmt.Errorf("%s: %w", s.name, err)}
	}
	if blank(head) {
		return &unusable{err: fmt.Errorf("%s: the file is empty", s.name), note: s.found}
	}
	if _, isTable := table.Detect(head); isTable && f == nil {
		if s.found {
			return &unusable{err: fmt.Errorf("%s: a table of calls; name it to have it read", s.name), note: true}
		}
		return r.table(ctx, s, in)
	}
	if f == nil {
		if f, err = format.Detect(head, s.name); err != nil {
			return &unusable{err: err}
		}
	}
	return r.log(ctx, s, f, in)
}

// peekHead gives the first bytes; what is cut off there, the format says.
func peekHead(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, input.ErrCut) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	return head, nil
}

// log reads a log of a known format.
func (r *run) log(ctx context.Context, s *source, f *format.Format, text io.Reader) error {
	file := FileReport{File: s.name, Format: f.Name}
	in := &format.Input{Ctx: ctx, File: s.name, Scope: s.scope, Label: s.label, R: text, Reuse: r.opts.Reuse}
	in.Emit = func(rec *format.Record) error {
		r.settle(rec)
		return r.hand(rec, &file)
	}
	if f.Binary() && s.path != "-" {
		if whole, err := os.Open(s.path); err == nil {
			defer whole.Close()
			in.R = io.NewSectionReader(whole, 0, s.size)
		}
	}
	err := f.Read(in)
	file.Lines, file.Uses, file.Silent, file.NoArgs = in.Lines, in.Uses, in.Silent, in.NoArgs
	r.rep.NoArgs += in.NoArgs
	r.rep.Files = append(r.rep.Files, file)
	r.rep.Findings = append(r.rep.Findings, in.Findings...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && r.many && !errors.As(err, new(*emitError)):
		r.find(diag.Finding{Pos: diag.Pos{File: s.name, Line: in.Lines}, Rule: "read-error", Message: err.Error() + "; what comes before was read"})
	case err != nil && !errors.As(err, new(*emitError)):
		return fmt.Errorf("%s: %w", s.name, err)
	case err != nil:
		return err
	case file.Calls+file.Copies == 0:
		return &unusable{err: &NoCallsError{s.name, f.Name, in.Findings}}
	}
	return nil
}

// table reads a table of calls, which are settled already.
func (r *run) table(ctx context.Context, s *source, in io.Reader) error {
	t, err := openTable(s, in)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	defer t.Close()
	file := FileReport{File: s.name, Format: "table"}
	for t.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := t.Call()
		r.opts.Redact.call(c)
		if err := r.hand(&format.Record{Call: c}, &file); err != nil {
			return err
		}
	}
	r.rep.Files = append(r.rep.Files, file)
	if err := t.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

func openTable(s *source, in io.Reader) (*table.Reader, error) {
	if s.path != "-" {
		return table.Open(s.path)
	}
	return table.ReadAll(in)
}

// settle judges a record: outcome, cause, resource and state.
func (r *run) settle(rec *format.Record) {
	c, a := rec.Call, r.opts.Adapters.For(rec.Call.Server)
	r.unmatched(c, a)
	if rec.Tool != nil && c.Fingerprint == "" {
		c.Fingerprint = rec.Tool.Fingerprint
	}
	if c.Outcome == calllog.Rejected && c.Cause == calllog.Unclear {
		rec.Evidence.Unfit = r.schemas.unfit(rec.Tool, c.Args)
	}
	if adapter.Classify(c, rec.Evidence, a) {
		r.rep.SoftCount++
		if len(r.rep.Soft) < maxSoft {
			r.rep.Soft = append(r.rep.Soft, c.Pos)
		}
	}
	r.opts.Redact.call(c)
	if a != nil {
		if c.Server == "" {
			c.Server = a.ServerID
		}
		if c.Resource == "" {
			c.Resource = a.Names(c)
		}
	}
	r.states.observe(c, a, rec.Sparse)
}

func (r *run) unmatched(c *calllog.Call, a *adapter.Adapter) {
	if a != nil || len(r.opts.Adapters) == 0 {
		return
	}
	if i, seen := slices.BinarySearch(r.rep.Unmatched, c.Server); !seen && len(r.rep.Unmatched) < maxUnmatched {
		r.rep.Unmatched = slices.Insert(r.rep.Unmatched, i, c.Server)
	}
}

// emitError is an error of the function that takes the calls.
type emitError struct{ err error }

func (e *emitError) Error() string { return e.err.Error() }
func (e *emitError) Unwrap() error { return e.err }

// hand hands a call on unless it was read before, and counts it.
func (r *run) hand(rec *format.Record, file *FileReport) error {
	if r.known.copied(rec) {
		file.Copies++
		r.rep.Copies++
		return nil
	}
	c := rec.Call
	file.Calls++
	file.Outcomes[c.Outcome]++
	r.rep.Calls++
	r.rep.Outcomes[c.Outcome]++
	r.rep.Causes[c.Cause]++
	if c.Before != nil {
		r.rep.Observed++
	}
	if err := r.emit(c); err != nil {
		return &emitError{err}
	}
	return nil
}
