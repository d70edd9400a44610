package format

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// langfuseFormat is an export of Langfuse traces or observations.
var langfuseFormat = Format{
	Name:   "langfuse",
	What:   "Langfuse exports: {\"trace\", \"observations\"}, or observations as a list or lines",
	detect: detectLangfuse,
	read:   readLangfuse,
}

func detectLangfuse(h *Head) (bool, string) {
	ok := h.record(func(o object) bool {
		if o.has("trace", "observations") {
			return true
		}
		if o.has("trace") || o.has("observations") { // the other may be cut off
			return bytes.Contains(h.bytes, []byte(`"projectId"`)) || bytes.Contains(h.bytes, []byte(`"parentObservationId"`))
		}
		return o.has("traceId") && o.hasAny("type", "parentObservationId") &&
			o.hasAny("parentObservationId", "statusMessage", "level", "projectId")
	})
	if ok {
		return true, ""
	}
	return false, "no observations"
}

func readLangfuse(in *Input) error {
	t := &langfuseReader{in: in, spans: newSpanStore(in, "observations")}
	err := in.document().each(nil, nil, func(line int, rec jsontext.Value) error {
		t.lines, t.err = cursor{text: rec, line: line}, nil
		t.record(rec)
		return t.err
	})
	if err != nil {
		return err
	}
	return t.spans.end()
}

type langfuseReader struct {
	in    *Input
	spans *spanStore
	lines cursor // of the record that is being read
	err   error
}

// record takes a trace with its observations, or one observation. A trace's own
// list of observations is a second copy.
func (t *langfuseReader) record(rec jsontext.Value) {
	o := objectOf(rec)
	list, trace := o.member("observations"), o.obj("trace")
	if own := o.member("trace"); list.value.Kind() != '[' && trace != nil {
		list = trace.member("observations").from(own.at)
	}
	switch {
	case list.value.Kind() == '[':
		if trace == nil {
			trace = o // as the API gives one trace
		}
		t.trace(list, trace)
	case trace != nil:
		t.in.Uses["traces without observations"]++
		t.in.Silent++
	default:
		t.observation(0, rec, nil)
	}
}

func (t *langfuseReader) trace(list member, trace object) {
	n, calls := 0, 0
	eachElement(list.value, func(at int, v jsontext.Value) {
		n++
		if t.observation(list.at+at, v, trace) {
			calls++
		}
	})
	if n == 0 {
		t.in.Uses["traces without observations"]++
	}
	if calls == 0 {
		t.in.Silent++
	}
}

// observation takes one observation, and tells whether it is of a call.
func (t *langfuseReader) observation(at int, v jsontext.Value, trace object) bool {
	if t.err != nil {
		return false
	}
	line := t.lines.of(at)
	o := objectOf(v)
	if o == nil || !o.hasAny("type", "name", "traceId") {
		t.bad(line, "no observation, which has a type and a name")
		return false
	}
	meta := o.obj("metadata")
	a := attributesOf(meta.get("attributes"))
	f, ok := factsOf(a, o.str("name"))
	if a.noCall() || !ok && !strings.EqualFold(o.str("type"), "tool") {
		t.in.Uses["other observations"]++
		return false
	}
	t.ownMembers(o, &f)
	f.session = firstString(f.session, trace.str("sessionId"), o.str("sessionId"))
	if f.server == "" && f.mcp {
		f.server = a.address()
	}
	if f.tool == "" {
		t.bad(line, "a tool's observation without the tool's name")
		return false
	}
	traceID := firstString(o.str("traceId"), trace.str("id"))
	if ev, ok := toolEventOf(o.str("name")); ok {
		t.event(ev, o, f, traceID, a, line)
	} else {
		t.add(t.span(o, f, traceID, line))
	}
	return true
}

func (t *langfuseReader) bad(line int, message string) {
	t.in.find(line, "bad-record", message)
	t.in.Uses[Faulty]++
}

func (t *langfuseReader) add(s *toolSpan) {
	use, err := t.spans.add(s)
	t.in.Uses[use]++
	t.err = err
}

// ownMembers takes what an observation says beside its attributes. Attributes
// hold the rest where input or output is empty.
func (t *langfuseReader) ownMembers(o object, f *toolFacts) {
	if v := unwrapInput(o.get("input")); !emptyValue(v) || f.args == nil {
		f.args = v
	} else {
		f.args = unwrapInput(f.args)
	}
	if v := unwrapOutput(o.get("output")); !emptyValue(v) || f.result == nil && v.Kind() == '{' {
		f.result = v
	}
	if strings.EqualFold(o.str("level"), "ERROR") {
		f.failed = true
	}
	f.text = firstString(o.str("statusMessage"), f.text)
	f.tool = firstString(f.tool, toolOfSpan(o.str("name")))
}

func emptyValue(v jsontext.Value) bool {
	switch v.Kind() {
	case 0, 'n':
		return true
	case '"':
		s := strings.TrimSpace(unquote(v))
		return s == "" || s == "null" || emptyObject(v)
	}
	return emptyObject(v)
}

func (t *langfuseReader) span(o object, f toolFacts, trace string, line int) *toolSpan {
	s := newToolSpan(t.in, f, line)
	s.trace, s.id, s.parent = strings.ToLower(trace), o.str("id"), o.str("parentObservationId")
	if s.id != "" {
		s.Key = "langfuse\x00" + s.id
	}
	s.Call.Time, s.end = timeOf(o.get("startTime")), timeOf(o.get("endTime"))
	s.answered = s.answered || !s.end.IsZero()
	return s
}

// toolEvent is an observation that a framework wrote for one step of a call:
// tool.NAME.start-7, .success-7 or .error-7, and .finish-7.
type toolEvent struct {
	tool, step string
	run        string // the number, which the steps of one call share
}

func toolEventOf(name string) (ev toolEvent, ok bool) {
	rest, ok := strings.CutPrefix(name, "tool.")
	dash := strings.LastIndexByte(rest, '-')
	if !ok || dash < 0 {
		return ev, false
	}
	if _, err := strconv.ParseUint(rest[dash+1:], 10, 64); err != nil {
		return ev, false
	}
	dot := strings.LastIndexByte(rest[:dash], '.')
	if dot <= 0 {
		return ev, false
	}
	ev = toolEvent{tool: rest[:dot], step: rest[dot+1 : dash], run: rest[dash+1:]}
	switch ev.step {
	case "start", "success", "error", "retry", "finish":
		return ev, true
	}
	return ev, false
}

// event joins the steps of a call. Such observations end with the whole trace,
// so that a call lasts from its first step to its last.
func (t *langfuseReader) event(ev toolEvent, o object, f toolFacts, trace string, a attributes, line int) {
	f.tool = firstString(a.str("tool.name"), ev.tool)
	f.failed = f.failed || ev.step == "error"
	s := t.span(o, f, trace, line)
	s.answered, s.end = false, s.Call.Time
	s.recovered = ev.step == "success"
	switch ev.step {
	case "success", "error", "finish":
		s.answered = true
	case "start":
		s.end = time.Time{}
	}
	key := strings.Join([]string{"event", s.parent, ev.tool, ev.run}, "\x00")
	held := t.spans.find(s.trace, key)
	if held == nil {
		s.callID, s.id = firstString(s.callID, s.id), key
		t.add(s)
		return
	}
	t.in.Uses[Used]++
	held.join(s, ev.step == "start")
	t.spans.bytes += s.size
	held.size += s.size
}

// join adds a step to a call; the first one names it.
func (s *toolSpan) join(step *toolSpan, first bool) {
	if first {
		s.Key, s.callID, s.Call.Pos = step.Key, firstString(step.callID, step.id), step.Call.Pos
	}
	if at := step.Call.Time; first || !at.IsZero() && at.Before(s.Call.Time) {
		s.Call.Time = at
	}
	if step.end.After(s.end) {
		s.end = step.end
	}
	step.callID = ""
	s.take(step)
}
