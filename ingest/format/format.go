// Package format reads recorded logs: one file a format, each with what tells
// it from others. What a reader hands on is a [Record]: a call with the answer
// as the log has it. What that answer means is judged elsewhere, once for all
// formats.
//
// Every reader accounts for its input: a line (or, in one JSON document, a
// record) is a call or part of one, known noise, or a finding.
package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/diag"
	"mcpg/internal/letters"
)

// Format is one kind of log.
type Format struct {
	Name string
	What string // a line of explanation
	// detect looks at the first bytes, cut anywhere, and says why not.
	detect func(h *Head) (ok bool, why string)
	// read hands on each call by in.emit, in the order in which calls were
	// made. An error is the end of the reading, not a fault of a line.
	read   func(in *Input) error
	lines  bool // is read by lines, and not by records
	binary bool // holds NUL bytes and is no text
}

// Formats lists every format, in the order in which detection asks: those with
// telling marks first.
var Formats = []*Format{
	&storeFormat, &desktopFormat, &nativeFormat, &mcpspyFormat, &mcptapeFormat, &inspectorFormat, &framesFormat, &jsonrpcFormat, &cassetteFormat,
	&claudeCodeFormat, &codexFormat, &otlpFormat, &bfclFormat, &inspectFormat, &evalFormat, &tauBenchFormat, &tau2Format,
	&langfuseFormat, &langsmithFormat, &responsesFormat, &chatFormat,
}

// ErrUnknown says that a name is no format's.
var ErrUnknown = errors.New("unknown format")

// ByName finds a format.
func ByName(name string) (*Format, error) {
	var names []string
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("%w %q: want one of %s%s", ErrUnknown, name, strings.Join(names, ", "), letters.DidYouMean(name, names))
}

// DetectError reports what each detector saw.
type DetectError struct {
	File string
	Why  []string // one a format
}

func (e *DetectError) Error() string {
	return fmt.Sprintf("%s: no known log format (%s); name one with --from", e.File, strings.Join(e.Why, "; "))
}

// Detect tells the format of a file by its first bytes, cut anywhere.
func Detect(head []byte, file string) (*Format, error) {
	h := newHead(head)
	e := &DetectError{File: file}
	if h.nul {
		e.Why = append(e.Why, "it holds NUL bytes, like a binary file")
	}
	for _, f := range Formats {
		ok, why := f.detect(h)
		if ok {
			return f, nil
		}
		e.Why = append(e.Why, f.Name+": "+why)
	}
	return nil, e
}

// Record is one call as a log has it.
type Record struct {
	Call     *calllog.Call
	Evidence calllog.Evidence
	// Tool is what the log says of the tool, nil if it lists none.
	Tool *Tool
	// Sparse: the log shows states now and then, not around each call.
	Sparse bool
	// Key names the call wherever it is copied to: a second record of that key
	// is the same call. "" where the log has no such name.
	Key string
}

// Tool is an entry of a tools/list answer.
type Tool struct {
	Name        string
	Input       jsontext.Value // its input schema
	Fingerprint string
}

// Input is one log that is being read, and what there is to say of it.
type Input struct {
	Ctx   context.Context
	File  string // its name in positions
	Scope string // names sessions that have no names of their own
	Label string // what the user calls it, "" if nothing
	R     io.Reader
	// Path is the file itself, for a binary format that wants it; "" if it is
	// compressed or comes through a pipe.
	Path string
	// Emit takes a record; its call is the receiver's to keep, unless Reuse is
	// set. An error ends the reading.
	Emit func(*Record) error
	// Reuse allows readers to use a call's memory again after Emit.
	Reuse bool

	Report
	recoded    int  // lines with bytes that aren't UTF-8
	oddNumbers bool // NaN was told of
	// formatOf names the other format that a line is of, "" if it is of none.
	formatOf func(object) string
}

// Report is what there is to say of an input beside its calls.
type Report struct {
	Findings []diag.Finding
	Uses     map[string]int // lines or records by what they were, see Used
	Lines    int            // of text; 0 for a binary file
	Silent   int            // sessions that made no call
	NoArgs   int            // calls whose arguments the log doesn't hold
	NoResult int            // calls whose answer's text the log doesn't hold
}

// What a line or record can be, other than noise, which has names of its own.
const (
	Used    = "calls"    // a call, or part of one
	Faulty  = "findings" // reported as a finding
	maxFind = 10_000     // findings kept one by one, an input
)

// Binary tells whether the format is no text. Its input may be an io.ReaderAt
// with a Size.
func (f *Format) Binary() bool { return f.binary }

// Read reads the input. An error ends it early; what was reported up to then
// stands in in.Report.
func (f *Format) Read(in *Input) error {
	in.Uses = map[string]int{}
	in.formatOf = f.otherOf
	return f.read(in)
}

// otherOf names the format that a line is of; "" if it is of this one or of none.
func (f *Format) otherOf(o object) string {
	h := &Head{objs: []object{o}, first: o, kind: '{'}
	if ok, _ := f.detect(h); ok {
		return ""
	}
	for _, g := range Formats {
		if ok, _ := g.detect(h); ok {
			return g.Name
		}
	}
	return ""
}

// find reports something of a line. Beyond maxFind they are only counted.
func (in *Input) find(line int, rule, message string) {
	in.add(diag.Finding{Pos: in.pos(line), Rule: rule, Message: message})
}

// note reports something by which nothing is lost.
func (in *Input) note(line int, rule, message string) {
	in.add(diag.Finding{Pos: in.pos(line), Rule: rule, Message: message, Note: true})
}

func (in *Input) add(f diag.Finding) {
	switch n := len(in.Findings); {
	case n < maxFind:
		in.Findings = append(in.Findings, f)
	case n == maxFind:
		in.Findings = append(in.Findings, diag.Finding{Pos: f.Pos, Rule: "more", Message: fmt.Sprintf("more than %d findings: the rest of this file's are not listed", maxFind)})
	}
}

func (in *Input) pos(line int) diag.Pos { return diag.Pos{File: in.File, Line: line} }

// emit counts what a call lacks, and hands it on.
func (in *Input) emit(r *Record) error {
	if err := in.Ctx.Err(); err != nil {
		return err
	}
	if r.Call.Server == "" {
		r.Call.Server = in.Label
	}
	if r.Call.Args == nil {
		in.NoArgs++
	}
	return in.Emit(r)
}
