package format

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

var bfclFormat = Format{
	Name:   "bfcl",
	What:   "results of the Berkeley Function Calling Leaderboard, v3 and v4: a line a test",
	detect: detectBFCL,
	read:   readBFCL,
}

func detectBFCL(h *Head) (bool, string) {
	if h.first != nil && isBFCL(h.first) || h.line(isBFCL) {
		return true, ""
	}
	return false, "no line with an id, a result and an inference log or token counts"
}

// isBFCL knows lines of result and of score files. Long ones are cut before
// their inference log, which comes last.
func isBFCL(o object) bool {
	if !o.has("id") || o.has("jsonrpc") {
		return false
	}
	if o.has("result") {
		return o.hasAny("inference_log", "input_token_count", "traceback") || bfclFailed(o)
	}
	return o.has("test_category", "valid", "error")
}

// bfclFailed tells whether inference failed, so that there is no result.
func bfclFailed(o object) bool {
	r := o.get("result")
	return r.Kind() == '"' && (o.has("traceback") || strings.HasPrefix(unquote(r), "Error during inference"))
}

// maxOddNames bounds the odd names that are remembered as already told of.
const maxOddNames = 1000

type bfclReader struct {
	in       *Input
	odd      map[string]bool
	score    bool
	noLog    int // records whose calls have no log of their answers
	noLogAt  int // the line of the first one
	noLogAll int // their calls
}

func readBFCL(in *Input) error {
	b := bfclReader{in: in, odd: map[string]bool{}}
	err := in.eachObject(b.record)
	if b.noLog > 0 {
		in.find(b.noLogAt, "no-answers", fmt.Sprintf("%d records, of which this is the first, hold no log of inference: their %d calls have no answers; "+
			"only tests of several turns log them, in inference_log", b.noLog, b.noLogAll))
	}
	return err
}

// record takes one line: a test, which is a session.
func (b *bfclReader) record(n int, _ []byte, o object) (string, error) {
	if o.has("accuracy", "total_count") && !o.has("id") {
		return "score summary", nil
	}
	if !o.hasAny("result", "inference_log", "model_result_raw", "model_result", "model_result_decoded") {
		b.in.find(n, "bad-record", "neither a result nor a log of inference")
		return Faulty, nil
	}
	if o.has("test_category", "valid") && !b.score {
		b.score = true
		b.in.note(n, "score-file", "this is a score file: only tests that the model failed are in it")
	}
	s := &bfclSession{bfclReader: b, line: n, name: b.in.Scope + "/" + firstString(o.str("id"), strconv.Itoa(n))}
	if !s.log(o.get("inference_log")) {
		if bfclFailed(o) {
			b.in.find(n, "bad-record", "inference failed here: there is no log of it")
			return Faulty, nil
		}
		s.results(o.firstOf("result", "model_result_raw", "model_result"), 0)
		if len(s.records) > 0 {
			b.unlogged(n, len(s.records))
		}
	}
	for _, r := range s.records {
		r.Sparse = r.Call.Before != nil
		if err := b.in.emit(r); err != nil {
			return "", err
		}
	}
	switch {
	case len(s.records) > 0:
		return Used, nil
	case s.faulty:
		return Faulty, nil
	}
	b.in.Silent++
	return "tests without calls", nil
}

func (b *bfclReader) unlogged(line, calls int) {
	if b.noLog == 0 {
		b.noLogAt = line
	}
	b.noLog++
	b.noLogAll += calls
}

// nameNote tells once of a tool's name that has marks which names don't have: a
// model's control tokens get into them.
func (b *bfclReader) nameNote(line int, name string) {
	if !strings.ContainsFunc(name, oddInName) || b.odd[name] || len(b.odd) >= maxOddNames {
		return
	}
	b.odd[name] = true
	b.in.note(line, "odd-name", "the tool's name holds marks that are no part of a name; it is kept as it is")
}

func oddInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:", r)
}

// bfclSession is one test on its way.
type bfclSession struct {
	*bfclReader
	line    int
	name    string
	records []*Record
	before  jsontext.Value // the last snapshot
	since   int            // calls after it
	last    *Record        // the last call after it
	faulty  bool
}

// bfclCall is a call as a step has it.
type bfclCall struct {
	name  string
	args  jsontext.Value
	noted string
}

// log takes the log of inference: snapshots, which are lists, between turns,
// which are objects. It tells whether there were any turns.
func (s *bfclSession) log(v jsontext.Value) bool {
	turns := false
	eachElement(v, func(_ int, e jsontext.Value) {
		switch e.Kind() {
		case '[':
			s.snapshot(e)
		case '{':
			for _, m := range objectOf(e) {
				if strings.HasPrefix(m.name, "step_") {
					turns = true
					s.step(m.value)
				}
			}
		}
	})
	return turns
}

// snapshot takes the states of all classes. It is what the call before it left
// behind, and what the calls after it found.
func (s *bfclSession) snapshot(v jsontext.Value) {
	var classes []member
	at := map[string]int{}
	eachElement(v, func(_ int, e jsontext.Value) {
		o := objectOf(e)
		if o.str("role") != "state_info" || !o.has("class_name", "content") {
			return
		}
		m := member{name: o.str("class_name"), value: o.get("content")}
		if i, ok := at[m.name]; ok {
			classes[i] = m
			return
		}
		at[m.name] = len(classes)
		classes = append(classes, m)
	})
	if classes == nil {
		return
	}
	s.before, s.since = makeObject(classes...), 0
	if s.last != nil {
		s.last.Call.After, s.last = s.before, nil
	}
}

// step takes one answer of the model, and pairs its calls with what the tools
// said, which comes in the same order.
func (s *bfclSession) step(v jsontext.Value) {
	var calls []bfclCall
	var decoded jsontext.Value
	var answers []string
	eachElement(v, func(_ int, e jsontext.Value) {
		o := objectOf(e)
		switch o.str("role") {
		case "assistant":
			content := o.get("content")
			calls = append(calls, bfclCalls(content)...)
			eachElement(content, func(_ int, e jsontext.Value) { calls = append(calls, bfclCalls(e)...) })
		case "handler_log":
			if d := o.get("model_response_decoded"); d.Kind() == '[' {
				decoded = d
			}
		case "tool":
			answers = append(answers, bfclText(o.get("content")))
		}
	})
	if calls == nil { // the model wrote text, which was decoded
		calls = bfclDecoded(decoded)
	}
	for i, c := range calls {
		r := s.call(c)
		if r != nil && i < len(answers) {
			r.words(answers[i])
			if says := objectOf(jsontext.Value(answers[i])).get("error"); says.Kind() == '"' && unquote(says) != "" {
				r.flagged(true, answers[i]) // {"booking_status": false, "error": …}
			}
		}
	}
	for range len(answers) - len(calls) {
		s.fault("unpaired", "an answer to no call of its step")
	}
}

func (s *bfclSession) fault(rule, message string) {
	s.faulty = true
	s.in.find(s.line, rule, message)
}

// call adds a call without an answer; nil if it has no name.
func (s *bfclSession) call(c bfclCall) *Record {
	if c.name == "" {
		s.fault("bad-record", "a tool call without a name")
		return nil
	}
	s.nameNote(s.line, c.name)
	if c.noted != "" {
		s.in.note(s.line, "arguments", c.noted)
	}
	r := &Record{Call: &calllog.Call{ID: s.name + "/" + strconv.Itoa(len(s.records)), Session: s.name, Server: "bfcl", Tool: c.name,
		Args: c.args, Outcome: calllog.Unanswered, Pos: s.in.pos(s.line)}}
	if s.before != nil {
		r.Call.Before, r.Call.StateSource, r.Call.StateCalls = s.before, calllog.Snapshot, s.since
	}
	s.since++
	s.last = r
	s.records = append(s.records, r)
	return r
}

// results takes the model's answers where nothing else was logged: calls in
// lists of steps in lists of turns, or not in lists at all. Text that is no
// list of calls is what the model said.
func (s *bfclSession) results(v jsontext.Value, depth int) {
	switch v.Kind() {
	case '[':
		if depth > 3 {
			return
		}
		eachElement(v, func(_ int, e jsontext.Value) { s.results(e, depth+1) })
	case '{':
		for _, c := range bfclCalls(v) {
			s.call(c)
		}
	case '"':
		calls, _ := pythonCalls(unquote(v))
		for _, c := range calls {
			s.call(bfclCall{name: c.name, args: c.args})
		}
	}
}

// bfclCalls lists the calls of an object {fn: arguments}.
func bfclCalls(v jsontext.Value) []bfclCall {
	if v.Kind() != '{' {
		return nil
	}
	o := objectOf(v)
	if args := o.firstOf("arguments", "parameters"); len(o) == 2 && args != nil && o.get("name").Kind() == '"' {
		o = object{{name: o.str("name"), value: args}}
	}
	var calls []bfclCall
	for _, m := range o {
		args, noted := arguments(m.value)
		calls = append(calls, bfclCall{m.name, args, noted})
	}
	return calls
}

// bfclDecoded lists the calls that were run: texts, or objects.
func bfclDecoded(v jsontext.Value) []bfclCall {
	var calls []bfclCall
	eachElement(v, func(_ int, e jsontext.Value) {
		if e.Kind() == '"' {
			calls = append(calls, bfclRun(unquote(e)))
			return
		}
		calls = append(calls, bfclCalls(e)...)
	})
	return calls
}

// bfclRun reads the text of a call. One that isn't Python, as where a
// model's tokens got into the name, keeps its name: the answers are paired by
// place.
func bfclRun(text string) bfclCall {
	if name, args, ok := pythonCall(text); ok {
		return bfclCall{name: name, args: args}
	}
	name, _, _ := strings.Cut(text, "(")
	return bfclCall{name: strings.TrimSpace(name), noted: "the call is not written in Python that can be read; its arguments are left out"}
}

// bfclText is what a tool said: text, or else JSON as it is.
func bfclText(v jsontext.Value) string {
	if v.Kind() == '"' {
		return unquote(v)
	}
	return string(keep(v))
}
