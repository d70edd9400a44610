package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/calllog/redact"
	"mcpg/ingest/format"
	"mcpg/ingest/table"
	"mcpg/internal/diag"
	"mcpg/internal/input"
)

// How much of an input detection looks at, in bytes, and how much of one whose
// beginning tells nothing.
const (
	headSize = 256 << 10
	longHead = 8 << 20
)

// maxUnmatched is how many servers without an adapter are named.
const maxUnmatched = 20

// Options of a run; the zero value detects formats and has no adapter.
type Options struct {
	From     string // a format's name; "" detects
	Adapters adapter.Set
	Redact   redact.Redactor
	// Table, if set, is told of each table that is read, before its calls.
	Table func(*table.Reader) error
	// Log, if set, is told before the calls of anything else are.
	Log func()
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

	held int // calls that wait for an answer in another log
}

// Skipped is an input that gave nothing, and why.
type Skipped struct{ File, Why string }

// Report is what a run read.
type Report struct {
	Files    []*FileReport
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
	// Forgotten counts readings that were dropped because too many were held.
	Forgotten int
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
	first, err := r.readAll(ctx, sources, named, len(all) > 1)
	r.rep.Forgotten = r.states.forgotten
	if err != nil {
		return r.rep, err
	}
	switch {
	case r.rep.Calls+r.rep.Copies > 0:
		return r.rep, nil
	case len(all) > 1:
		return r.rep, fmt.Errorf("no call in %d files; the first: %w", len(all), first)
	}
	return r.rep, first
}

// readAll reads sources in order. The first error is why an input gave no call,
// if one didn't; the second ends the run.
func (r *run) readAll(ctx context.Context, sources []source, named *format.Format, many bool) (first, err error) {
	r.many = many
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
			return first, err
		}
	}
	for _, h := range r.known.unanswered() {
		if err := r.out(h.Call, h.file); err != nil {
			return first, err
		}
	}
	return first, nil
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
	text := strings.TrimPrefix(why.Error(), s.name+": ")
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
	if of := besideStore(s); of != "" {
		return &unusable{err: fmt.Errorf("%s: a part of %s", s.name, of), note: true}
	}
	raw, err := s.open(ctx, r.opts.Stdin, r.opts.Progress)
	if err != nil {
		return &unusable{err: err}
	}
	defer raw.Close()
	in, err := plain(raw)
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
	if _, isTable := table.Detect(head); isTable { // whatever --from says of logs
		if s.found && !s.matched {
			return &unusable{err: fmt.Errorf("%s: a table of calls; name it to have it read", s.name), note: true}
		}
		return r.table(ctx, s, in)
	}
	if f == nil {
		f, err = format.Detect(head, s.name)
		if err != nil && len(head) >= headSize { // a first line may be long
			in = bufio.NewReaderSize(in, longHead)
			if head, err = peekHead(in); err == nil {
				f, err = format.Detect(head, s.name)
			}
		}
		if err != nil {
			return &unusable{err: err}
		}
	}
	return r.log(ctx, s, f, in)
}

// peekHead gives the first bytes; what is cut off there, the format says.
func peekHead(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, input.ErrCut) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	return head, nil
}

// log reads a log of a known format.
func (r *run) log(ctx context.Context, s *source, f *format.Format, text *bufio.Reader) error {
	if r.opts.Log != nil {
		r.opts.Log()
	}
	file := &FileReport{File: s.name, Format: f.Name}
	in := &format.Input{Ctx: ctx, File: s.name, Scope: s.scope, Label: s.label, R: text, Reuse: r.opts.Reuse}
	in.Emit = func(rec *format.Record) error {
		return r.hand(rec, file)
	}
	if f.Binary() && isPlain(s, text) {
		whole, err := os.Open(s.path)
		if err != nil {
			return plainPathError(err)
		}
		defer whole.Close() // not before: it would end SQLite's locks on the same file
		in.R, in.Path = io.NewSectionReader(whole, 0, s.size), s.path
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
	case file.Calls+file.Copies == 0 && file.held == 0:
		return &unusable{err: &NoCallsError{s.name, f.Name, in.Findings}}
	}
	return nil
}

// isPlain tells whether a source is a file whose own bytes are what is read of it.
func isPlain(s *source, text *bufio.Reader) bool {
	const enough = 64
	if s.size == 0 {
		return false
	}
	file, err := headOf(s.path, enough)
	read, _ := text.Peek(enough)
	return err == nil && bytes.Equal(file, read)
}

// table reads a table of calls, which are settled already.
func (r *run) table(ctx context.Context, s *source, in *bufio.Reader) error {
	t, err := openTable(s, in)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	defer t.Close()
	if r.opts.Table != nil {
		if err := r.opts.Table(t); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	file := &FileReport{File: s.name, Format: "table"}
	for t.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		// What is settled stays; an adapter may know more by now.
		if err := r.hand(&format.Record{Call: t.Call()}, file); err != nil {
			return err
		}
	}
	r.rep.Files = append(r.rep.Files, file)
	if err := t.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// openTable opens a table, one that is compressed or comes through a pipe in
// memory.
func openTable(s *source, in *bufio.Reader) (*table.Reader, error) {
	if s.size > 0 {
		if head, err := headOf(s.path, 64); err == nil {
			if _, plain := table.Detect(head); plain {
				return table.Open(s.path)
			}
		}
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

// ErrLeftOut is what the function that takes the calls answers where it takes one
// call not, and goes on: it isn't counted.
var ErrLeftOut = errors.New("left out")

// hand hands a call on unless it was read before, and counts it.
func (r *run) hand(rec *format.Record, file *FileReport) error {
	r.opts.Redact.Call(rec.Call)
	switch r.known.standing(rec, file) {
	case isCopy:
		file.Copies++
		r.rep.Copies++
		return nil
	case isHeld:
		file.held++
		r.settle(r.known.order[len(r.known.order)-1].Record)
		return nil
	}
	r.settle(rec)
	return r.out(rec.Call, file)
}

func (r *run) out(c *calllog.Call, file *FileReport) error {
	if err := r.emit(c); errors.Is(err, ErrLeftOut) {
		return nil
	} else if err != nil {
		return &emitError{err}
	}
	file.Calls++
	file.Outcomes[c.Outcome]++
	r.rep.Calls++
	r.rep.Outcomes[c.Outcome]++
	r.rep.Causes[c.Cause]++
	if c.Before != nil {
		r.rep.Observed++
	}
	return nil
}
