package format

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

var inspectFormat = Format{
	Name:   "inspect",
	What:   "logs of Inspect AI, .json: one document with the samples of a run",
	detect: detectInspect,
	read:   readInspect,
}

func detectInspect(h *Head) (bool, string) {
	if h.first != nil && isInspect(h.first) {
		return true, ""
	}
	return false, "no document with a version and an eval"
}

func isInspect(o object) bool {
	if !o.has("version", "eval") {
		return false
	}
	eval := o.get("eval") // nil where the head is cut
	return eval == nil || objectOf(eval).hasAny("run_id", "task_id", "task")
}

// inspectRun is what a log says of the whole run.
type inspectRun struct{ id string }

func inspectRunOf(eval jsontext.Value) inspectRun {
	o := objectOf(eval)
	return inspectRun{id: firstString(o.str("eval_id"), o.str("run_id"))} // a run may be of several tasks
}

func readInspect(in *Input) error {
	var run inspectRun
	d := in.document()
	return d.each([]string{"samples"}, func(name string, v jsontext.Value) {
		switch {
		case name == "eval":
			run = inspectRunOf(v)
		case name == "samples" && v.Kind() != 'n':
			d.report("bad-record", "samples is a "+calllog.KindName(v.Kind())+", not a list")
		}
	}, func(line int, rec jsontext.Value) error { return in.inspectSample(run, line, rec) })
}

// inspectSample takes one sample, which is a session.
func (in *Input) inspectSample(run inspectRun, line int, rec jsontext.Value) error {
	o, err := parseObject(rec)
	if err != nil {
		in.Uses[Faulty]++
		in.find(line, "bad-record", err.Error())
		return nil
	}
	if !o.hasAny("messages", "events") {
		in.Uses[Faulty]++
		in.find(line, "bad-record", "neither messages nor events: this is no sample")
		return nil
	}
	name := o.str("id") + "/" + o.str("epoch")
	p := newPairing(in)
	s := &inspectSession{conversation: in.conversation(p, firstString(run.id, in.Scope)+"/"+name, ""), rec: rec, line: line,
		byID: map[string][]int{}, tools: map[string]*Tool{}, attachments: map[string]jsontext.Value{}, budget: maxRecord}
	s.fail, s.text = inspectFail, s.contentText
	for _, m := range o.obj("attachments") {
		s.attachments[m.name] = m.value
	}
	s.readEvents(o.member("events"))
	used := s.messages(o.member("messages"))
	talked := s.calls > 0
	if !talked {
		used = s.eventCalls() || used
	}
	s.complete()
	if talked {
		s.otherCalls()
	}
	if !used {
		in.Uses["samples without messages"]++
	}
	if run.id != "" {
		s.keys(strings.Join([]string{"inspect", run.id, o.str("id"), o.str("epoch")}, "\x00"))
	}
	s.end()
	return p.end()
}

// inspectSession is one sample on its way. Nothing is handed on before its end:
// events tell when calls were made.
type inspectSession struct {
	*conversation
	rec         jsontext.Value
	line        int
	events      []inspectEvent   // of tools
	byID        map[string][]int // the events of a call's id that no call has taken
	tools       map[string]*Tool
	attachments map[string]jsontext.Value
	budget      int // bytes of attachments that may still be put in
}

type inspectEvent struct {
	o    object
	line int
}

// readEvents looks for tools, and for events of their calls.
func (s *inspectSession) readEvents(m member) {
	at := cursor{text: s.rec, line: s.line}
	eachElement(m.value, func(i int, e jsontext.Value) {
		o := objectOf(e)
		switch o.str("event") {
		case "model":
			s.readTools(o.get("tools"))
		case "tool":
			s.byID[o.str("id")] = append(s.byID[o.str("id")], len(s.events))
			s.events = append(s.events, inspectEvent{o, at.of(m.at + i)})
		}
	})
}

func (s *inspectSession) readTools(v jsontext.Value) {
	eachElement(v, func(_ int, e jsontext.Value) {
		o := objectOf(e)
		name := o.str("name")
		if input := o.get("parameters"); name != "" && s.tools[name] == nil && input.Kind() == '{' {
			s.tools[name] = &Tool{Name: name, Input: keep(input), Fingerprint: calllog.Fingerprint(name, input)}
		}
	})
}

// messages takes the conversation; false if there are none.
func (s *inspectSession) messages(m member) bool {
	at := cursor{text: s.rec, line: s.line}
	any := false
	eachElement(m.value, func(i int, e jsontext.Value) {
		any = true
		line := at.of(m.at + i)
		if o := objectOf(e); o != nil {
			s.in.Uses[s.inspectMessage(o, line)]++
			return
		}
		s.in.Uses[Faulty]++
		s.in.find(line, "bad-record", "a "+calllog.KindName(e.Kind())+" where a message is wanted")
	})
	return any
}

// inspectMessage makes of a message what the conversation knows.
func (s *inspectSession) inspectMessage(o object, line int) string {
	if o.str("role") == "tool" {
		if e := o.firstOf("error"); e != nil {
			o = o.with("content", quote(s.errorText(e, o.get("content"))))
		}
		return s.message(o, line)
	}
	hosted := ""
	if content := o.get("content"); content.Kind() == '[' {
		if hosted = s.hostedCalls(content, line); hosted != "" {
			o = o.with("content", jsontext.Value("null"))
		}
	}
	use := s.message(o, line)
	if hosted == "" || use == Faulty {
		return use
	}
	return hosted
}

// with gives the object with a member that has another value.
func (o object) with(name string, v jsontext.Value) object {
	out := make(object, 0, len(o)+1)
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		}
	}
	return append(out, member{name: name, value: v})
}

// hostedCalls takes calls that the model's host ran itself: call and answer in
// one block, told from Anthropic's by the name of its arguments. "" if there are
// none.
func (s *inspectSession) hostedCalls(content jsontext.Value, line int) (use string) {
	eachElement(content, func(_ int, e jsontext.Value) {
		o := objectOf(e)
		if o.str("type") != "tool_use" || o.has("input") {
			return
		}
		errv := o.get("error")
		if errv.Kind() == '"' && unquote(errv) == "" {
			errv = nil
		}
		use = s.item("mcp_call", object{{name: "id", value: o.get("id")}, {name: "name", value: o.get("name")}, {name: "arguments", value: o.get("arguments")},
			{name: "output", value: o.get("result")}, {name: "error", value: errv}, {name: "server_label", value: o.get("context")}}, line, time.Time{})
	})
	return use
}

// inspectFail reads the flag of a tool's message: an error that is there.
func inspectFail(m object) (kind string, failed, known bool) {
	e := m.firstOf("error")
	return objectOf(e).str("type"), e != nil, true
}

// errorText is what an error says, and then the answer, if it says more.
func (s *inspectSession) errorText(e, content jsontext.Value) string {
	text, said := contentText(e), s.contentText(content)
	if o := objectOf(e); o != nil {
		text = s.attached(o.str("message"))
	}
	switch {
	case strings.Contains(text, said):
		return text
	case strings.Contains(said, text):
		return said
	}
	return text + "\n" + said
}

// eventCalls takes calls from the events alone, where messages hold none.
func (s *inspectSession) eventCalls() bool {
	for _, e := range s.events {
		pr := s.call(e.o.str("id"), e.o.str("function"), e.o.get("arguments"), e.line, time.Time{})
		if pr == nil {
			s.in.Uses[Faulty]++
			continue
		}
		s.in.Uses[Used]++
	}
	return len(s.events) > 0
}

// otherCalls takes the calls that only events tell of: those of sub-agents, or of
// messages that were dropped on the way. An event that was written twice is one.
func (s *inspectSession) otherCalls() {
	left := map[int]bool{}
	for _, list := range s.byID {
		for _, i := range list {
			left[i] = true
		}
	}
	known := map[string]bool{}
	for i, e := range s.events {
		what := e.o.str("id") + "\x00" + e.o.str("function") + "\x00" + calllog.Canonical(e.o.get("arguments")) + "\x00" + e.o.str("timestamp")
		if again := known[what]; again || !left[i] {
			known[what] = true
			continue
		}
		known[what] = true
		id := e.o.str("id")
		if id != "" && s.p.named[s.key(id)] != nil {
			id += "/" + strconv.Itoa(i) // the id is another call's too
		}
		if pr := s.call(id, e.o.str("function"), e.o.get("arguments"), e.line, time.Time{}); pr != nil {
			s.fromEvent(pr, e.o)
			pr.Call.Args, pr.Tool = s.expand(pr.Call.Args), s.tools[pr.Call.Tool]
			s.in.Uses[Used]++
		} else {
			s.in.Uses[Faulty]++
		}
	}
}

// complete adds to every call what is known beside the messages.
func (s *inspectSession) complete() {
	for _, pr := range s.p.queue {
		for _, id := range []string{pr.Call.ID, ""} {
			if id == "" && !s.generated(pr) {
				continue
			}
			i := slices.IndexFunc(s.byID[id], func(i int) bool { return firstString(s.events[i].o.str("function"), pr.Call.Tool) == pr.Call.Tool })
			if i >= 0 {
				s.fromEvent(pr, s.events[s.byID[id][i]].o)
				s.byID[id] = slices.Delete(s.byID[id], i, i+1)
				break
			}
		}
		pr.Call.Args = s.expand(pr.Call.Args)
		pr.Tool = s.tools[pr.Call.Tool]
	}
}

// generated tells whether a call's id was made up for lack of one.
func (s *inspectSession) generated(pr *pair) bool {
	return strings.HasPrefix(pr.Call.ID, s.session+"/")
}

// fromEvent gives a call the time of its event, and the answer if messages have
// none.
func (s *inspectSession) fromEvent(pr *pair, o object) {
	at := timeOf(o.get("timestamp"))
	if !at.IsZero() {
		pr.Call.Time = at
	}
	pr.Call.Latency = between(at, timeOf(o.get("completed")))
	e, result := o.firstOf("error"), o.get("result")
	pending, _ := boolOf(o.get("pending"))
	if pr.done || pending || e == nil && (result == nil || result.Kind() == 'n' && !o.has("completed")) {
		return
	}
	s.p.forget(pr)
	pr.done = true
	if e == nil {
		pr.flagged(false, s.contentText(result))
		return
	}
	pr.flagged(true, s.errorText(e, result))
	pr.Evidence.Kind = objectOf(e).str("type")
}

// keys names the calls. Some models give several calls of a sample one id.
func (s *inspectSession) keys(prefix string) {
	seen := map[string]int{}
	for _, pr := range s.p.queue {
		pr.Key = prefix + "\x00" + pr.Call.ID
		if n := seen[pr.Call.ID]; n > 0 {
			pr.Key += "\x00" + strconv.Itoa(n)
		}
		seen[pr.Call.ID]++
	}
}

const attachment = "attachment://"

// contentText is the text of an answer, with the attachments that it stands for.
func (s *inspectSession) contentText(v jsontext.Value) string {
	if v.Kind() != '[' {
		return s.attached(contentText(v))
	}
	var parts []string
	eachElement(v, func(_ int, e jsontext.Value) { parts = append(parts, s.attached(blockText(e))) })
	return strings.Join(parts, "\n")
}

// attached gives the text that is kept apart: long ones are, once for all that
// say them. So many mentions of a long one could be more than memory holds.
func (s *inspectSession) attached(text string) string {
	hash, ok := strings.CutPrefix(text, attachment)
	if !ok {
		return text
	}
	v := s.attachments[hash]
	if v.Kind() != '"' || len(v) > s.budget {
		return text
	}
	s.budget -= len(v)
	return unquote(v)
}

// expand puts attachments into arguments.
func (s *inspectSession) expand(args jsontext.Value) jsontext.Value {
	if !bytes.Contains(args, []byte(attachment)) {
		return args
	}
	var out bytes.Buffer
	d, e := newDecoder(args), jsontext.NewEncoder(&out, lenient...)
	for {
		tok, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes())
		}
		if err != nil {
			return args
		}
		if tok.Kind() == '"' {
			tok = jsontext.String(s.attached(tok.String()))
		}
		if err := e.WriteToken(tok); err != nil {
			return args
		}
	}
}
