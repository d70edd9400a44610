package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/session"
	"mcpg/mcptree/value"
)

// target is the session that a call is about: one that is, or one to be.
type target interface {
	// peek walks on from the session as it is, and stores nothing.
	peek(answers []engine.Answer) (m *engine.Machine, s engine.State, reject string, err error)
	// commit does the same and stores it: all answers up to one that is
	// rejected.
	commit(answers []engine.Answer) (engine.Envelope, error)
}

type newWalk struct {
	h       *host
	machine *engine.Machine
}

func (w *newWalk) peek(answers []engine.Answer) (*engine.Machine, engine.State, string, error) {
	s, _, reject := w.begin(answers)
	return w.machine, s, reject, nil
}

func (w *newWalk) begin(answers []engine.Answer) (engine.State, []engine.Entry, string) {
	now := w.h.store.Now()
	s, trace := w.machine.Start(now, nil)
	trace, reject := submit(w.machine, &s, answers, now, trace)
	return s, trace, reject
}

func (w *newWalk) commit(answers []engine.Answer) (engine.Envelope, error) {
	s, trace, reject := w.begin(answers)
	ses, err := w.h.store.Create(w.machine, s, trace)
	if err != nil {
		return engine.Envelope{}, err
	}
	w.h.begun(ses.ID)
	return ses.Envelope(reject), nil
}

type oldWalk struct {
	h  *host
	id string
}

func (w *oldWalk) peek(answers []engine.Answer) (*engine.Machine, engine.State, string, error) {
	ses, err := w.h.store.Load(w.id)
	if err != nil {
		return nil, engine.State{}, "", err
	}
	_, reject := submit(ses.Machine, &ses.State, answers, "", nil)
	return ses.Machine, ses.State, reject, nil
}

func (w *oldWalk) commit(answers []engine.Answer) (e engine.Envelope, err error) {
	err = w.h.store.Update(w.id, func(ses *session.Session) ([]engine.Entry, error) {
		trace, reject := submit(ses.Machine, &ses.State, answers, w.h.store.Now(), nil)
		e = ses.Envelope(reject)
		return trace, nil
	})
	return e, err
}

func submit(m *engine.Machine, s *engine.State, answers []engine.Answer, now string, trace []engine.Entry) ([]engine.Entry, string) {
	for i := range answers {
		var reject string
		if trace, reject = m.Submit(s, &answers[i], now, trace); reject != "" {
			return trace, reject
		}
	}
	return trace, ""
}

// walk puts a call's answers to its session. While this leads to an ask, the
// client's human is asked first, and nothing is stored before it is known what
// becomes of that: the answers known so far are kept in the call or, in the
// protocol without server requests, in the state that the client sends back.
func (h *host) walk(ctx context.Context, req *mcp.CallToolRequest, t target, answers []engine.Answer) (*mcp.CallToolResult, error) {
	way := h.way(req)
	given := len(answers)
	var reply *mcp.ElicitResult
	if way == byResult && req.Params.RequestState != "" {
		elicited, err := h.seal.open(req)
		if err != nil {
			return nil, err
		}
		answers = append(answers, elicited...)
		reply, _ = req.Params.InputResponses[question(len(elicited))].(*mcp.ElicitResult)
	}
	for asked := len(answers) - given; way != none; asked++ {
		m, s, reject, err := t.peek(answers)
		if err != nil {
			return nil, err
		}
		if s.Done || reject != "" || m.Node(&s).Type != mcptree.Ask {
			break
		}
		if reply == nil {
			params := form(m, &s)
			if way == byResult {
				if asked == maxRounds {
					break
				}
				return h.seal.ask(req, asked, params, answers[given:])
			}
			if reply, err = elicit(ctx, req.Session, params); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				break // the client can't after all
			}
		}
		v, ok := accepted(reply)
		if !ok {
			break
		}
		answers = append(answers, engine.Answer{Step: s.Step, Value: v, Source: engine.SourceElicitation})
		reply = nil
	}
	e, err := t.commit(answers)
	if err != nil {
		return nil, err
	}
	return envelope(e), nil
}

// ways to ask the client's human.
type way uint8

const (
	none      way = iota
	byRequest     // the server sends elicitation/create
	byResult      // the call's result says what is asked, and the client calls again
)

// stateless is the first revision in which servers send no requests.
const stateless = "2026-07-28"

// maxRounds is how often one call asks for input by its result: clients give up
// at ten.
const maxRounds = 8

func (h *host) way(req *mcp.CallToolRequest) way {
	caps := req.ClientCapabilities()
	if !h.elicit || caps == nil || caps.Elicitation == nil || caps.Elicitation.Form == nil && caps.Elicitation.URL != nil {
		return none
	}
	_, perRequest := req.Params.Meta[mcp.MetaKeyProtocolVersion]
	init := req.Session.InitializeParams()
	switch {
	case init != nil && init.ProtocolVersion < stateless:
		return byRequest
	case perRequest:
		return byResult
	}
	return none // a handshake with a revision that has none
}

// field is the form's only one.
const field = "value"

func form(m *engine.Machine, s *engine.State) *mcp.ElicitParams {
	e := m.Envelope("", s, "")
	input := []value.Member{{Name: "type", Value: value.OfString("string")}}
	if options, ok := e.Expects.Get("options"); ok {
		var distinct []value.Value
		for _, o := range options.List {
			if !value.Contains(value.OfList(distinct...), o) {
				distinct = append(distinct, o)
			}
		}
		input = append(input, value.Member{Name: "enum", Value: value.OfList(distinct...)})
	}
	schema := value.OfMap(
		value.Member{Name: "type", Value: value.OfString("object")},
		value.Member{Name: "properties", Value: value.OfMap(value.Member{Name: field, Value: value.OfMap(input...)})},
		value.Member{Name: "required", Value: value.OfList(value.OfString(field))})
	return &mcp.ElicitParams{Mode: "form", Message: e.Instruction, RequestedSchema: json.RawMessage(value.AppendJSON(nil, schema))}
}

type replyKey struct{}

// keepReply keeps a reply for elicit before the library holds it against the
// form: the engine does that, and words the rejection as the protocol has it.
func keepReply(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if kept, ok := ctx.Value(replyKey{}).(**mcp.ElicitResult); ok {
			if reply, ok := res.(*mcp.ElicitResult); ok && err == nil {
				*kept = reply
			}
		}
		return res, err
	}
}

func elicit(ctx context.Context, s *mcp.ServerSession, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	var kept *mcp.ElicitResult
	reply, err := s.Elicit(context.WithValue(ctx, replyKey{}, &kept), params)
	if err != nil && kept != nil && ctx.Err() == nil {
		return kept, nil
	}
	return reply, err
}

// accepted gives the answer of a reply, if it is one.
func accepted(reply *mcp.ElicitResult) (value.Value, bool) {
	content, ok := reply.Content[field]
	if reply.Action != "accept" || !ok {
		return value.Value{}, false
	}
	text, err := json.Marshal(content)
	if err != nil {
		return value.Value{}, false
	}
	if f, ok := content.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return value.OfInt(int64(f)), true
	}
	v, err := value.ParseJSON(text)
	return v, err == nil
}

// seal makes the states that clients carry between the calls of one walk, and
// knows its own again.
type seal struct{ key []byte }

func newSeal() seal {
	key := make([]byte, sha256.Size)
	rand.Read(key)
	return seal{key}
}

func question(n int) string { return fmt.Sprintf("ask-%d", n+1) }

// ask is the result that asks for input.
func (s seal) ask(req *mcp.CallToolRequest, asked int, params *mcp.ElicitParams, elicited []engine.Answer) (*mcp.CallToolResult, error) {
	list := make([]value.Value, len(elicited))
	for i, a := range elicited {
		list[i] = value.OfList(value.OfInt(int64(a.Step)), a.Value)
	}
	state := value.AppendCompact(nil, value.OfList(list...))
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{question(asked): params},
		RequestState:  base64.RawURLEncoding.EncodeToString(append(s.sum(req, state), state...)),
	}, nil
}

// sum binds a state to the call that it belongs to.
func (s seal) sum(req *mcp.CallToolRequest, state []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	for _, part := range [][]byte{[]byte(req.Params.Name), canonical(req.Params.Arguments), state} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// canonical spells arguments in one way: a client may write them anew.
func canonical(args json.RawMessage) []byte {
	v, err := value.ParseJSON(args)
	if err != nil {
		return args
	}
	return value.AppendCanonical(nil, v)
}

var errState = errors.New("requestState isn't one that this server gave for this call; call the tool again without it")

func (s seal) open(req *mcp.CallToolRequest) ([]engine.Answer, error) {
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(req.Params.RequestState))
	if err != nil || len(text) < sha256.Size {
		return nil, errState
	}
	state := text[sha256.Size:]
	if !hmac.Equal(text[:sha256.Size], s.sum(req, state)) {
		return nil, errState
	}
	v, err := value.ParseJSON(state)
	if err != nil {
		return nil, errState
	}
	var elicited []engine.Answer
	for _, a := range v.List {
		elicited = append(elicited, engine.Answer{Step: int(a.List[0].Int), Value: a.List[1], Source: engine.SourceElicitation})
	}
	return elicited, nil
}
