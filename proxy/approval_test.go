package proxy

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
	"mcpg/policy"
)

// noAsker answers nothing much.
type noAsker struct{}

func (noAsker) Affordances(_ *behavior.Graph, r *Resource, _ string) (string, jsontext.Value, error) {
	return r.Name + " " + r.State.Short(), jsontext.Value(`{"resource":` + string(quote(r.Name)) + `}`), nil
}
func (noAsker) Explain(_ *behavior.Graph, known []*Resource, what string) (string, jsontext.Value, error) {
	return what, nil, nil
}
func (noAsker) Graph(*behavior.Graph, string) (string, jsontext.Value, error) { return "{}", nil, nil }

const del = `{"order_id":"a"}`

// TestHeld: without anybody to ask, a call that needs approval is refused.
func TestHeld(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Block, nil)
	w.hello(`{"elicitation":{"url":{}}}`)
	w.client(call("1", "delete_order", del))
	w.observed(open1)
	if got := w.toClient(); !strings.Contains(got, "mcpg held delete_order") || !strings.Contains(got, "--approve delete_order") {
		t.Errorf("%s", got)
	}
	w.quiet()
	if w.kept.what[0] != "held" {
		t.Errorf("%v", w.kept.what)
	}
}

// TestElicited: a person is asked where the client can; once, for the session, or not.
func TestElicited(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]struct {
		sent, again bool
		text        string
	}{
		`{"action":"accept","content":{"approve":"once"}}`:    {true, true, ""},
		`{"action":"accept","content":{"approve":"session"}}`: {true, false, ""},
		`{"action":"accept"}`:                                 {true, true, ""},
		`{"action":"decline"}`:                                {false, true, "a person declined delete_order"},
		`{"action":"cancel"}`:                                 {false, true, "the question was dismissed"},
		`null`:                                                {false, true, "the question was dismissed"},
	} {
		w := newWire(t, policy.Block, nil)
		w.hello(`{"elicitation":{}}`)
		w.client(call("1", "delete_order", del))
		w.observed(open1)
		m, ok := parse([]byte(w.toClient()))
		if !ok || m.method != "elicitation/create" || text(m.params, "message") == "" || member(m.params, "requestedSchema").Kind() != '{' {
			t.Fatalf("%s", m.frame)
		}
		w.through(call("2", "get_order", del)) // others aren't held up
		w.back(answer("2", open1, false))
		w.client(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"result":` + said + "}\n")
		if want.sent {
			w.observed(open1)
			if got := w.toServer(); got != call("1", "delete_order", del) {
				t.Errorf("%s: %s", said, got)
			}
			w.server(answer("1", "deleted", false))
			w.observed("")
			if got := w.toClient(); !strings.Contains(got, "deleted") {
				t.Errorf("%s: %s", said, got)
			}
		} else if got := w.toClient(); !strings.Contains(got, want.text) || !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: %s", said, got)
		}
		w.client(call("3", "delete_order", del))
		w.observed(open1)
		if want.again {
			if m, _ := parse([]byte(w.toClient())); m.method != "elicitation/create" {
				t.Errorf("%s: %s", said, m.frame)
			}
		} else if got := w.toServer(); got != call("3", "delete_order", del) {
			t.Errorf("%s: %s", said, got)
		}
	}
}

// TestElicitedStateless: in the era without requests of the server's the answer asks,
// and the call comes again.
func TestElicitedStateless(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
	with := func(id, args, more string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"delete_order","arguments":` + args + more + `,` + meta + "}}\n"
	}
	for said, want := range map[string]string{`{"action":"accept","content":{"approve":"once"}}`: "", `{"action":"decline"}`: "declined", `{"action":"cancel"}`: "dismissed"} {
		w := newWire(t, policy.Block, nil)
		w.hello(`{}`)
		w.client(with("1", del, ""))
		w.observed(open1)
		m, _ := parse([]byte(w.toClient()))
		state := text(m.result, "requestState")
		if text(m.result, "resultType") != "input_required" || state == "" || text(member(member(m.result, "inputRequests"), inputName), "method") != "elicitation/create" {
			t.Fatalf("%s", m.frame)
		}
		input := `,"inputResponses":{"` + inputName + `":` + said + `},"requestState":` + string(quote(state))
		w.client(with("2", del, input))
		if want == "" {
			w.observed(open1)
			if got := w.toServer(); got != with("2", del, "") {
				t.Errorf("%s", got)
			}
			w.server(answer("2", "deleted", false))
			w.observed("")
		}
		if got := w.toClient(); !strings.Contains(got, want) || (want != "") != strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: %s", said, got)
		}
		w.client(with("3", del, input)) // a state holds once
		if got := w.toClient(); !strings.Contains(got, "that approval is of another call, or was used already") {
			t.Errorf("%s", got)
		}
		w.client(with("4", del, ""))
		w.observed(open1)
		m, _ = parse([]byte(w.toClient()))
		w.client(with("5", `{"order_id":"b"}`, `,"inputResponses":{},"requestState":`+string(quote(text(m.result, "requestState")))))
		if got := w.toClient(); !strings.Contains(got, "that approval is of another call") {
			t.Errorf("%s", got)
		}
		w.quiet()
	}
}

// TestOwnTools: they are answered here, and aren't calls of the server's.
func TestOwnTools(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Block, func(o *Options) { o.Asker = noAsker{} })
	w.hello(`{}`)
	w.client(call("1", "mcpg_affordances", `{"resource_ref":"order:a"}`))
	w.observed(open1)
	if got := w.toClient(); got != `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"order:a [status=open]"}],"structuredContent":{"resource":"order:a"}}}`+"\n" {
		t.Errorf("%s", got)
	}
	w.client(call("2", "mcpg_affordances", `{"resource_ref":"a"}`))
	w.observed("")
	if got := w.toClient(); !strings.Contains(got, "[exists=false]") {
		t.Errorf("%s", got)
	}
	w.client(call("3", "mcpg_affordances", `{}`))
	if got := w.toClient(); !strings.Contains(got, `"isError":true`) {
		t.Errorf("%s", got)
	}
	w.client(call("4", "mcpg_status", `{}`))
	if got := w.toClient(); !strings.Contains(got, `"policy":"block"`) || !strings.Contains(got, `"calls":0`) {
		t.Errorf("%s", got)
	}
	for id, tool := range map[string]string{"5": "mcpg_explain", "6": "mcpg_graph"} {
		w.client(call(id, tool, `{"offer_id":"x"}`))
		w.toClient()
	}
	w.quiet()
	if len(w.kept.calls) > 0 {
		t.Errorf("%+v", w.kept.calls)
	}
}
