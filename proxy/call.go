package proxy

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/store"
)

// held is a call of a tool on its way.
type held struct {
	s    *Session
	m    message // the client's
	r    *request
	call calllog.Call
	d    policy.Decision
	what store.Decision

	place  *place       // in the lines of its resources; nil if it reads nothing
	answer chan message // nil if its answer is handled where it is read
	gone   chan struct{}
	once   sync.Once // closes gone

	unjudged bool // the tools aren't known

	mu        sync.Mutex
	sent      bool
	cancelled bool
}

// call judges a call of a tool and passes it on, or answers it.
func (s *Session) call(m *message, r *request) {
	tool := text(m.params, "name")
	if s.isOwn(tool) {
		s.held.Go(func() { s.own(m, tool) })
		return
	}
	if state := text(m.params, "requestState"); state != "" || member(m.params, "inputResponses") != nil {
		if s.resumed(m, r, state) {
			return
		}
	}
	h := &held{s: s, m: *m, r: r, gone: make(chan struct{}), call: calllog.Call{
		ID: s.id + "/" + strconv.FormatInt(s.p.counts.calls.Add(1), 10), Time: time.Now(), Session: s.id, Tool: tool, Args: member(m.params, "arguments")}}
	r.held = h
	s.opened(r)
	ad, known := s.known()
	if known && !observes(ad, tool, h.call.Args) && s.approved(tool) {
		h.d = s.judge.CheckApproved(&h.call)
		h.decided()
		return
	}
	var resources []string
	if known && ad != nil && ad.Writes(tool) {
		for _, ref := range ad.Refs(tool, h.call.Args) {
			resources = append(resources, ref.String())
		}
	}
	h.answer = make(chan message, 1)
	h.place = s.queue.join(resources)
	s.held.Go(h.run)
}

// observes tells whether a call is judged by what is read around it.
func observes(a *adapter.Adapter, tool string, args jsontext.Value) bool {
	return a != nil && !a.ShowsState(tool) && (len(a.Ambient) > 0 || len(a.Refs(tool, args)) > 0)
}

// approved tells whether a tool needs no person's word, or has it.
func (s *Session) approved(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.approvals[tool] || s.judge.Approved(tool)
}

// run brings a call that is observed to its end.
func (h *held) run() {
	defer h.place.leave()
	s := h.s
	wait := time.NewTimer(s.p.QueueTimeout)
	defer wait.Stop()
	select {
	case <-h.place.ready:
	case <-wait.C:
		s.p.counts.unobserved.Add(1)
	case <-h.gone:
		return
	}
	if !h.stillHere() { // both came at once: nothing is read for nobody
		return
	}
	if !s.list(h.gone) { // what the tools are can't be found out: it goes as it is
		h.unjudged = true
		h.decided()
		h.rest()
		return
	}
	if s.approved(h.call.Tool) {
		h.d = s.judge.CheckApproved(&h.call)
	} else {
		h.d = s.judge.Check(&h.call)
	}
	if h.d.Action == policy.Hold && !h.asked() {
		return
	}
	if h.decided() {
		h.rest()
	}
}

// rest waits for the answer.
func (h *held) rest() {
	select {
	case m := <-h.answer:
		h.finish(&m)
	case <-h.gone:
		h.unanswered()
	}
}

// decided does what was decided, and tells whether the call has gone to the server.
func (h *held) decided() bool {
	s := h.s
	h.mu.Lock()
	cancelled := h.cancelled
	h.sent = !cancelled && h.d.Action == policy.Forward
	h.mu.Unlock()
	if cancelled {
		return false
	}
	switch h.d.Action {
	case policy.Refuse:
		s.p.counts.refused.Add(1)
		h.refuse("refused")
	case policy.Hold:
		s.p.counts.held.Add(1)
		h.refuse("held")
	default:
		switch {
		case h.d.Probe:
			h.what = "probe"
			s.p.counts.probes.Add(1)
		case h.d.Note != "" && h.what == "":
			h.what = "warned"
			s.p.counts.warned.Add(1)
		}
		s.send(h.m.frame)
	}
	return h.sent
}

// refuse answers in the server's place.
func (h *held) refuse(what store.Decision) {
	h.s.drop(h.r)
	h.call.Outcome, h.call.ErrorText = calllog.Denied, h.d.Text
	h.s.p.record(&h.call, what)
	h.s.answer(h.r.id, result(&h.m, refusal(h.d.Text)))
}

// refusal is a result that models read.
func refusal(words string) jsontext.Value {
	return jsontext.Value(`{"content":[{"type":"text","text":` + string(quote(words)) + `}],"isError":true}`)
}

// drop forgets a request that the server won't answer.
func (s *Session) drop(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := idKey(r.id)
	s.open[k] = slices.DeleteFunc(s.open[k], func(o *request) bool { return o == r })
	if len(s.open[k]) == 0 {
		delete(s.open, k)
	}
}

// answered takes the server's answer.
func (h *held) answered(m message) {
	if h.answer == nil {
		h.finish(&m)
		return
	}
	h.mu.Lock()
	cancelled := h.cancelled
	h.mu.Unlock()
	if cancelled { // it is at its end already; the answer is the client's all the same
		h.s.toClient(m.frame)
		return
	}
	h.answer <- m
}

// finish learns from an answer, records the call and gives the client the answer.
func (h *held) finish(m *message) {
	s := h.s
	if state := text(m.result, "requestState"); text(m.result, "resultType") == "input_required" || state != "" {
		s.park(state, h)
		s.toClient(m.frame)
		return
	}
	h.call.Latency = time.Since(h.call.Time)
	frame := m.frame
	if content := member(m.result, "content"); m.fault == nil && content.Kind() != '[' && member(m.result, "structuredContent") == nil {
		h.call.Outcome = calllog.Unanswered // a task, or nothing that says how the call went
	} else {
		ev := outcome(&h.call, m)
		adapter.Classify(&h.call, ev, s.adapter)
		if note := h.observe(); note != "" && content.Kind() == '[' {
			frame = insert(frame, content, []byte(`{"type":"text","text":`+string(quote(note))+`}`))
		}
	}
	s.p.record(&h.call, h.what)
	s.toClient(frame)
}

// observe lets the policy learn of the call, and gives what is to be said.
func (h *held) observe() string {
	if h.unjudged {
		h.call.Server = h.s.serverID()
		return ""
	}
	return h.s.judge.Observe(&h.call, h.d)
}

// outcome fills in how a call ended, by its answer.
func outcome(c *calllog.Call, m *message) (ev calllog.Evidence) {
	if m.fault != nil {
		ev.Code, _ = strconv.Atoi(string(member(m.fault, "code")))
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, text(m.fault, "message")
		return ev
	}
	c.Result = member(m.result, "structuredContent")
	c.ResultText = texts(m.result)
	if c.ResultText == "" {
		c.ResultText = string(c.Result)
	}
	if string(bytes.TrimSpace(member(m.result, "isError"))) == "true" {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, c.ResultText
	}
	return ev
}

// texts joins the text blocks of a result.
func texts(result jsontext.Value) string {
	var out []string
	content := member(result, "content")
	if content.Kind() != '[' {
		return ""
	}
	d := jsontext.NewDecoder(bytes.NewReader(content), lenient...)
	_, _ = d.ReadToken()
	for d.PeekKind() != ']' {
		block, err := d.ReadValue()
		if err != nil {
			break
		}
		if text(block, "type") == "text" {
			out = append(out, text(block, "text"))
		}
	}
	return strings.Join(out, "\n")
}

// abandon ends a call that no answer will come to.
func (h *held) abandon() {
	h.once.Do(func() { close(h.gone) })
	if h.answer == nil {
		h.unanswered()
	}
}

func (h *held) unanswered() {
	h.call.Outcome, h.call.Latency = calllog.Unanswered, time.Since(h.call.Time)
	h.s.p.record(&h.call, h.what)
}

// cancelled takes the client's word that it waits no more, and tells whether that was
// of a call that the server hasn't seen.
func (s *Session) cancelled(m *message) bool {
	id := member(m.params, "requestId")
	if id == nil {
		return false
	}
	s.mu.Lock()
	var h *held
	var r *request
	if list := s.open[idKey(id)]; len(list) > 0 {
		r = list[0]
		h = r.held
	}
	s.mu.Unlock()
	if h == nil || h.answer == nil {
		return false
	}
	h.mu.Lock()
	h.cancelled = true
	sent := h.sent
	h.mu.Unlock()
	if !sent {
		s.drop(r)
	}
	h.once.Do(func() { close(h.gone) })
	return !sent
}

// maxWaiting is how many calls may wait for the client's input; older ones are given up.
const maxWaiting = 256

// parked is a call whose client was asked for input: what it sends then, with the same
// state, is the same call.
type parked struct {
	state string
	call  *held
}

func (s *Session) park(state string, h *held) {
	s.mu.Lock()
	s.waiting = append(s.waiting, parked{state, h})
	var old *held
	if len(s.waiting) > maxWaiting {
		old = s.waiting[0].call
		s.waiting = slices.Delete(s.waiting, 0, 1)
	}
	s.mu.Unlock()
	if old != nil {
		old.unanswered()
	}
}

// unpark finds the call that a message goes on with.
func (s *Session) unpark(state string, m *message) *held {
	tool, args := text(m.params, "name"), canonical(member(m.params, "arguments"))
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.waiting {
		if w.state == state && w.call.call.Tool == tool && canonical(w.call.call.Args) == args {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			return w.call
		}
	}
	return nil
}

// resumed takes a call that answers a request for input; false if it is of none that is
// known, and so a call like any other.
func (s *Session) resumed(m *message, r *request, state string) bool {
	h := s.unpark(state, m)
	if strings.HasPrefix(state, approvalState) {
		s.approval(m, r, h)
		return true
	}
	if h == nil {
		return false
	}
	// Judged before; only its answer is new.
	again := &held{s: s, m: *m, r: r, call: h.call, d: h.d, what: h.what, gone: make(chan struct{}), answer: make(chan message, 1), sent: true, place: s.queue.join(nil)}
	r.held = again
	s.opened(r)
	s.send(m.frame)
	s.held.Go(again.rest)
	return true
}
