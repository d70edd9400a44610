package format

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// langsmithFormat is an export of LangSmith runs: call and answer in one
// record.
var langsmithFormat = Format{
	Name:   "langsmith",
	What:   "LangSmith run exports: a list, lines or {\"runs\": […]}",
	detect: detectLangSmith,
	read:   readLangSmith,
}

func detectLangSmith(h *Head) (bool, string) {
	isRun := func(o object) bool {
		return o.has("run_type") && o.hasAny("trace_id", "dotted_order", "session_id", "parent_run_id", "inputs")
	}
	runs := h.first.has("runs") && (h.first.get("runs") == nil || runListed(h.first.get("runs"), isRun))
	if h.record(isRun) || runs && bytes.Contains(h.bytes, []byte(`"run_type"`)) {
		return true, ""
	}
	return false, "no runs with run_type"
}

// runListed tells whether a list begins with a run.
func runListed(v jsontext.Value, isRun func(object) bool) bool {
	list := elements(v)
	return len(list) > 0 && isRun(objectOf(list[0]))
}

func readLangSmith(in *Input) error {
	t := &langsmithReader{in: in, spans: newSpanStore(in, "runs")}
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

type langsmithReader struct {
	in    *Input
	spans *spanStore
	lines cursor // of the record that is being read
	err   error
}

// record takes a run or an object with a list of runs.
func (t *langsmithReader) record(rec jsontext.Value) {
	o := objectOf(rec)
	runs := o.member("runs")
	if runs.value.Kind() != '[' || o.has("run_type") {
		t.run(0, rec, 0)
		return
	}
	n := 0
	eachElement(runs.value, func(at int, v jsontext.Value) {
		n++
		t.run(runs.at+at, v, 0)
	})
	if n == 0 {
		t.in.Uses["no runs"]++
	}
}

// run takes a run, and those that it holds.
func (t *langsmithReader) run(at int, v jsontext.Value, depth int) {
	if t.err != nil {
		return
	}
	line := t.lines.of(at)
	o := objectOf(v)
	if o == nil || !o.has("run_type") || depth > maxNested {
		t.in.find(line, "bad-record", "no run, which has a run_type")
		t.in.Uses[Faulty]++
		return
	}
	if o.str("run_type") == "tool" {
		t.tool(o, line)
	} else {
		t.in.Uses["other runs"]++
	}
	children := o.member("child_runs")
	eachElement(children.value, func(in int, v jsontext.Value) { t.run(at+children.at+in, v, depth+1) })
}

// tool takes a run of a tool.
func (t *langsmithReader) tool(o object, line int) {
	f := toolFacts{tool: o.str("name"), args: unwrapInput(o.get("inputs")), result: unwrapOutput(o.get("outputs"))}
	if f.tool == "" {
		t.in.find(line, "bad-record", "a tool's run without the tool's name")
		t.in.Uses[Faulty]++
		return
	}
	if call := objectOf(f.args); call.str("type") == "tool_call" && call.has("args") {
		f.args, f.id = call.get("args"), call.str("id")
	}
	message := lcMessage(f.result)
	f.id = firstString(f.id, message.str("tool_call_id"))
	if content := message.get("content"); len(message) == 1 && content.Kind() == '"' {
		f.result = content
	}
	meta := o.obj("extra").obj("metadata")
	f.session = meta.str2("thread_id", "session_id", "conversation_id")
	f.server = meta.str2("mcp_server_name", "mcp_server")
	if err := o.get("error"); err != nil && err.Kind() != 'n' && !(err.Kind() == '"' && unquote(err) == "") {
		f.failed, f.text = true, contentText(err)
	}
	status := o.str("status")
	f.failed = f.failed || status == "error"
	if emptyObject(f.result) && (f.failed || status == "pending") { // nothing came out
		f.result = nil
	}
	s := newToolSpan(t.in, f, line)
	s.trace, s.id, s.parent = o.str("trace_id"), o.str("id"), o.str("parent_run_id")
	if s.id != "" {
		s.Key = "langsmith\x00" + s.id
	}
	s.Call.Time, s.end = timeOf(o.get("start_time")), timeOf(o.get("end_time"))
	s.answered = s.failed || status != "pending" && (s.hasResult || !s.end.IsZero())
	use, err := t.spans.add(s)
	t.in.Uses[use]++
	t.err = err
}

// lcMessage gives the message that a result is written as, which may be in
// LangChain's own notation.
func lcMessage(v jsontext.Value) object {
	o := objectOf(v)
	if kw := o.obj("kwargs"); kw != nil {
		return kw
	}
	return o
}
