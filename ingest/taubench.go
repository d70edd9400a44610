package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/diag"
)

var tauBenchFormat = format{
	name:   "tau-bench",
	what:   "a JSON list of tau-bench runs, each with its trajectory of messages",
	detect: detectTauBench,
	read:   readTauBench,
}

// detectTauBench wants a list whose first element has task_id and a trajectory;
// the trajectory may lie beyond the head.
func detectTauBench(head []byte) (bool, string) {
	d := newDecoder(head)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '[' {
		return false, "it isn't a JSON list"
	}
	names := topNames(d)
	if names["task_id"] && (names["traj"] || names["reward"] || names["info"]) {
		return true, ""
	}
	return false, `the first element of the list has no "task_id" with "traj", "reward" or "info"`
}

// A trajectory's messages, as far as they matter here. Content is a string, a
// list of blocks or null.
type tauMessage struct {
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content"`
	ToolCalls  []tauToolCall  `json:"tool_calls"`
	ToolCallID string         `json:"tool_call_id"`
}

type tauToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"` // a string that holds JSON; an object in some forks
	} `json:"function"`
}

type tauReader struct {
	input
	emit func(*calllog.Call) error
	reading
	sessions map[string]int
}

func readTauBench(ctx context.Context, r io.Reader, in input, emit func(*calllog.Call) error) (reading, error) {
	t := &tauReader{input: in, emit: emit, sessions: map[string]int{}}
	plain, err := calllog.Plain(r)
	if err != nil {
		return t.reading, fmt.Errorf("%s: %w", in.file, err)
	}
	lines := &lineCounter{r: plain}
	d := jsontext.NewDecoder(lines, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '[' {
		return t.reading, fmt.Errorf("%s: not a JSON list", in.file)
	}
	for d.PeekKind() != ']' {
		if err := ctx.Err(); err != nil {
			return t.reading, err
		}
		run, err := d.ReadValue()
		if err != nil {
			t.find(lines.at(d.InputOffset()), "bad-record", "the list ends here: "+strings.TrimPrefix(err.Error(), "jsontext: "))
			return t.reading, nil
		}
		if err := t.run(run, lines.at(d.InputOffset()-int64(len(run)))); err != nil {
			return t.reading, err
		}
	}
	return t.reading, nil
}

func (t *tauReader) find(line int, rule, message string) {
	t.findings = append(t.findings, diag.Finding{Pos: diag.Pos{File: t.file, Line: line}, Rule: rule, Message: message})
}

// run reads one element of the list, which begins at line.
func (t *tauReader) run(run jsontext.Value, line int) error {
	var head struct {
		TaskID jsontext.Value `json:"task_id"`
		Trial  jsontext.Value `json:"trial"`
		Traj   jsontext.Value `json:"traj"`
	}
	if err := json.Unmarshal(run, &head, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		t.find(line, "bad-record", "not a run: "+err.Error())
		return nil
	}
	if head.Traj.Kind() != '[' {
		t.find(line, "bad-record", `a run without a list in "traj"`)
		return nil
	}
	s := &tauSession{t: t, name: t.session(head.TaskID, head.Trial)}
	start := bytes.Index(run, head.Traj)
	line += bytes.Count(run[:start], []byte("\n"))
	d := newDecoder(head.Traj)
	_, _ = d.ReadToken() // the bracket seen above
	for at, counted := line, int64(0); d.PeekKind() != ']'; {
		raw, err := d.ReadValue()
		if err != nil {
			break // the value was read whole above
		}
		begin := d.InputOffset() - int64(len(raw))
		at += bytes.Count(head.Traj[counted:begin], []byte("\n"))
		counted = begin
		var m tauMessage
		if err := json.Unmarshal(raw, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			t.find(at, "bad-record", "not a message: "+err.Error())
			continue
		}
		s.message(&m, at)
	}
	return s.flush()
}

// session names a run; a task and trial that come again get a number.
func (t *tauReader) session(task, trial jsontext.Value) string {
	name := fmt.Sprintf("%s/%s.%s", t.scope, strings.Trim(string(task), `"`), strings.Trim(string(trial), `"`))
	t.sessions[name]++
	if n := t.sessions[name]; n > 1 {
		name = fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

type tauSession struct {
	t     *tauReader
	name  string
	calls []*calllog.Call
	open  []*calllog.Call // not yet answered
}

func (s *tauSession) message(m *tauMessage, line int) {
	for _, tc := range m.ToolCalls {
		c := &calllog.Call{ID: tc.ID, Session: s.name, Tool: tc.Function.Name, Outcome: calllog.Unanswered, Pos: diag.Pos{File: s.t.file, Line: line}}
		if c.Tool == "" {
			s.t.find(line, "bad-record", "a tool call without a name")
			continue
		}
		c.Args = s.arguments(tc.Function.Arguments, line)
		s.calls = append(s.calls, c)
		s.open = append(s.open, c)
	}
	if m.Role == "tool" {
		s.answer(m, line)
	}
}

// arguments takes the JSON inside the string; text that isn't JSON is kept as a
// string.
func (s *tauSession) arguments(v jsontext.Value, line int) jsontext.Value {
	if v.Kind() != '"' {
		if v == nil || v.Kind() == 'n' {
			return nil
		}
		return v.Clone()
	}
	text := unquote(v)
	inner := jsontext.Value(text)
	if inner.IsValid(jsontext.AllowDuplicateNames(true)) {
		return inner
	}
	s.t.find(line, "arguments", "the arguments are not JSON; kept as text")
	s.t.findings[len(s.t.findings)-1].Note = true
	return v.Clone()
}

// answer pairs a result with its call: by id, or by order where it has none.
func (s *tauSession) answer(m *tauMessage, line int) {
	i := 0
	if m.ToolCallID != "" {
		for i < len(s.open) && s.open[i].ID != m.ToolCallID {
			i++
		}
	}
	if i >= len(s.open) {
		s.t.find(line, "unpaired", "an answer to no open call")
		return
	}
	c := s.open[i]
	s.open = append(s.open[:i:i], s.open[i+1:]...)
	c.ResultText = contentText(m.Content)
	c.Outcome = calllog.OK
	if strings.HasPrefix(c.ResultText, "Error") {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, c.ResultText
	}
}

func (s *tauSession) flush() error {
	if len(s.calls) == 0 {
		s.t.silent++
	}
	for i, c := range s.calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("%s/%d", s.name, i)
		}
		if err := s.t.emit(c); err != nil {
			return err
		}
	}
	return nil
}

// contentText is the text of a message: a string, or blocks with texts.
func contentText(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquote(v)
	case '[':
		var blocks []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(v, &blocks); err == nil {
			var parts []string
			for _, b := range blocks {
				parts = append(parts, b.Text)
			}
			return strings.Join(parts, "\n")
		}
	case 'n', 0:
		return ""
	}
	return string(v)
}

func unquote(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil && !errors.Is(err, io.EOF) {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(b)
}

// lineCounter remembers where lines end, so that an offset has a line.
type lineCounter struct {
	r    io.Reader
	off  int64
	ends []int64
	line int // lines that ended before ends[0]
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.off+int64(i))
		}
	}
	l.off += int64(n)
	return n, err
}

// at gives the line of an offset; offsets must not fall.
func (l *lineCounter) at(off int64) int {
	i := 0
	for i < len(l.ends) && l.ends[i] < off {
		i++
	}
	l.line += i
	l.ends = l.ends[i:]
	return l.line + 1
}
