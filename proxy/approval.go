package proxy

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/policy"
)

// elicitsForms tells whether a client can ask a person to fill in a form: with no mode
// named it can.
func elicitsForms(capabilities jsontext.Value) bool {
	e := member(capabilities, "elicitation")
	return e.Kind() == '{' && (member(e, "form") != nil || member(e, "url") == nil)
}

// approvalState begins the state of our own requests for input.
const approvalState = "mcpg-approval:"

// inputName is what our request for input is called.
const inputName = "mcpg_approval"

// question asks for a person's approval, as elicitation/create has it.
func question(tool string, args jsontext.Value) string {
	const most = 4000
	shown := string(args)
	if len(shown) > most {
		shown = cutRunes(shown, most) + fmt.Sprintf("… and %d bytes more, not shown", len(args)-most)
	}
	words := "The agent wants to call " + tool + ", which needs a person's approval, with " + shown
	return `{"message":` + string(quote(words)) + `,"requestedSchema":{"type":"object","properties":{"approve":{"type":"string","title":"Approve",` +
		`"description":"once: this call only. session: ` + jsonEscaped(tool) + ` until the session ends.","enum":["once","session"],"enumNames":["this call only","for this session"],"default":"once"}},"required":["approve"]}}`
}

func jsonEscaped(s string) string { q := quote(s); return string(q[1 : len(q)-1]) }

func cutRunes(s string, n int) string {
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// asked asks a person for approval of a held call, and tells whether it goes on: it is
// decided then. In the era without requests to the client the answer is a question, and
// the call comes again with what the person said.
func (h *held) asked() bool {
	s := h.s
	s.mu.Lock()
	can := s.client.elicits
	s.mu.Unlock()
	if !can {
		return true // is refused
	}
	h.place.leave() // a person takes their time
	q := question(h.call.Tool, h.call.Args)
	if h.m.stateless() {
		state := approvalState + rand.Text()
		s.drop(h.r)
		s.park(state, h)
		s.answer(h.r.id, jsontext.Value(`{"resultType":"input_required","inputRequests":{"`+inputName+`":{"method":"elicitation/create","params":`+q+`}},"requestState":`+string(quote(state))+`}`))
		return false
	}
	ctx, cancel := contextUntil(s.ctx, h.gone)
	defer cancel()
	context.AfterFunc(s.heard, cancel) // nobody can answer any more
	m, err := s.askClient(ctx, "elicitation/create", []byte(q))
	if err != nil {
		return h.stillHere()
	}
	h.person(m.result)
	return h.stillHere()
}

// stillHere tells whether nobody cancelled the call.
func (h *held) stillHere() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.cancelled
}

// person decides a held call by what a person said.
func (h *held) person(said jsontext.Value) {
	s := h.s
	switch text(said, "action") {
	case "accept":
	case "decline":
		h.d.Text = "mcpg: a person declined " + h.call.Tool + "; it was not sent to the server."
		return
	default:
		h.d.Text = "mcpg: " + h.call.Tool + " needs a person's approval, and the question was dismissed; it was not sent to the server."
		return
	}
	if text(member(said, "content"), "approve") == "session" {
		s.mu.Lock()
		s.approvals[h.call.Tool] = true
		s.mu.Unlock()
	}
	// The world has gone on meanwhile: what it is now is judged.
	h.call.Time = time.Now()
	h.what = "approved"
	if h.d = s.judge.CheckApproved(&h.call); h.d.Action == policy.Forward {
		s.p.counts.approved.Add(1)
	}
}

// approval takes the call that brings a person's answer.
func (s *Session) approval(m *message, r *request, h *held) {
	if h == nil {
		s.answer(r.id, result(m, refusal("mcpg: that approval is of another call, or was used already; call "+text(m.params, "name")+" again.")))
		return
	}
	frame := without(m.frame, m.params, "inputResponses", "requestState")
	plain, _ := parse(frame)
	again := &held{s: s, m: plain, r: r, call: h.call, d: h.d, gone: make(chan struct{}), answer: make(chan message, 1), place: s.queue.join(nil)}
	r.held = again
	s.opened(r)
	s.held.Go(func() {
		again.person(member(member(m.params, "inputResponses"), inputName))
		if !again.stillHere() || !again.decided() {
			return
		}
		again.rest()
	})
}

func canonical(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Canonicalize(lenient...) // what isn't JSON is itself
	return string(v)
}

// without takes members out of an object in a frame; all else stays as it is.
func without(frame []byte, object jsontext.Value, names ...string) []byte {
	var kept []byte
	for name, v := range members(object) {
		drop := v == nil
		for _, n := range names {
			drop = drop || n == name
		}
		if drop {
			continue
		}
		if kept != nil {
			kept = append(kept, ',')
		}
		kept = append(append(append(kept, quote(name)...), ':'), v...)
	}
	at := offset(frame, object)
	out := append([]byte{}, frame[:at]...)
	out = append(append(append(out, '{'), kept...), '}')
	return append(out, frame[at+len(object):]...)
}

// contextUntil is a context that ends with a channel too.
func contextUntil(ctx context.Context, gone <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
