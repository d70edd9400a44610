package proxy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpg/calllog"
	"mcpg/policy"
)

// TestUntouched: what isn't a call of a tool goes through as it is, whatever it is.
func TestUntouched(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.Observe, policy.Block} {
		w := newWire(t, mode, nil)
		w.hello(`{}`)
		for i, id := range []string{`7`, `"7"`, `""`, `0`, `9007199254740993`, `7.5`, `-1`, `"mcpg"`, `1e3`} {
			w.through(fmt.Sprintf("{\"jsonrpc\":\"2.0\" , \"id\": %s,\"method\":\"ping\",\"params\":{\"_meta\":{\"progressToken\":%d,\"x\":[1.0,1e2]}}}\r\n", id, i))
			w.back(fmt.Sprintf("  {\"result\":{ \"_meta\":{\"a\":1.50}},\"id\":%s,\"jsonrpc\":\"2.0\",\"unknown\":null}\r\n", id))
		}
		w.through("junk from the client\n", "\n", "[]\n", "\xff\xfe\n", `{"method":"notifications/made/up","params":{"big":9007199254740993}}`+"\n", `{"id":5,"method":"made/up"}`+"\n")
		w.back("Server listening on stdio\n", "\r\n", "{\"broken\":\n", "{\"id\":99,\"result\":{}}\n", `{"method":"notifications/resources/updated","params":{"uri":"a://b"}}`+"\n",
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`+"\n", `{"id":5,"error":{"code":-32601,"message":"no"}}`+"\n")
		w.quiet()
	}
}

// TestSameIDs: a request of the server's may have the id of an open one of the client's.
func TestSameIDs(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{"elicitation":{},"sampling":{},"roots":{}}`)
	w.client(call("1", "count", `{}`))
	w.toServer()
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
		w.back(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{}}` + "\n")
		w.through(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}` + "\n")
	}
	w.back(answer("1", "done", false))
	// Two open requests with one id, and ids that only look alike.
	w.client(call(`"1"`, "count", `{}`))
	w.client(call("1", "count", `{}`))
	w.client(call("1", "count", `{}`))
	for range 3 {
		w.toServer()
	}
	w.back(answer("1", "a", false), answer(`"1"`, "b", false), answer("1", "c", false))
	if n := len(w.kept.calls); n != 4 {
		t.Errorf("%d calls are recorded", n)
	}
}

// TestHint: a hint is one more text; all else of the answer stays.
func TestHint(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.teach()
	w.client(call("9", "ship_order", `{"order_id":"e"}`))
	w.observed(closed)
	w.toServer()
	before := `{"jsonrpc":"2.0","id":9,"result":{"_meta":{"x":1.0},"content":[{"type":"text","text":"` + no + `","annotations":{"priority":0.10}}`
	after := `],"structuredContent":{"n":9007199254740993},"isError":true},"extra":[1]}` + "\r\n"
	w.server(before + after)
	w.observed(closed)
	got := w.toClient()
	added, ok := strings.CutPrefix(got, before)
	added, ok2 := strings.CutSuffix(added, after)
	if !ok || !ok2 || !strings.HasPrefix(added, `,{"type":"text","text":"mcpg: ship_order was refused 2 times in such a state: it seems to need status is not closed.`) {
		t.Errorf("%s", got)
	}
	if c := w.kept.calls[4]; c.Outcome != calllog.Rejected || string(c.Before) != `{"order":{"status":"closed"}}` || c.StateSource != calllog.Bracketed || w.kept.what[4] != "warned" || c.Fingerprint == "" || c.Server != "shop" {
		t.Errorf("%+v %s", c, w.kept.what[4])
	}
	// What has no content, or says that it isn't at its end, gets no hint.
	for _, result := range []string{`{"resultType":"input_required","inputRequests":{},"requestState":"s"}`, `{"task":{"taskId":"1"}}`, `{"structuredContent":{"a":1}}`} {
		w.client(call("10", "ship_order", `{"order_id":"e"}`))
		w.observed(closed)
		w.toServer()
		w.server(`{"jsonrpc":"2.0","id":10,"result":` + result + "}\n")
		if strings.Contains(result, "structured") {
			w.observed(closed)
		}
		if got := w.toClient(); got != `{"jsonrpc":"2.0","id":10,"result":`+result+"}\n" {
			t.Errorf("%s", got)
		}
	}
	w.client(call("11", "ship_order", `{"order_id":"e"}`))
	w.observed(closed)
	w.toServer()
	w.server(`{"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"no"}}` + "\n")
	w.observed(closed)
	if got := w.toClient(); got != `{"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"no"}}`+"\n" {
		t.Errorf("%s", got)
	}
}

// TestObserveSaysNothing: with the policy observe no byte is added.
func TestObserveSaysNothing(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Observe, nil)
	w.hello(`{}`)
	for i := range 4 {
		id := fmt.Sprint(i)
		if got := w.ship(id, "c", closed, no, true); got != answer(id, no, true) {
			t.Errorf("%s", got)
		}
	}
}

// TestRefused: what is proven to fail is answered by us, and recorded as denied.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Block, nil)
	w.hello(`{}`)
	w.teach()
	w.client(call(`"r"`, "ship_order", `{"order_id":"e"}`))
	w.observed(closed)
	got := w.toClient()
	if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"r","result":{"content":[{"type":"text","text":"mcpg refused ship_order; it was not sent to the server. In state [status=closed]`) || !strings.HasSuffix(got, `"}],"isError":true}}`+"\n") {
		t.Errorf("%s", got)
	}
	last := len(w.kept.calls) - 1
	if c := w.kept.calls[last]; c.Outcome != calllog.Denied || w.kept.what[last] != "refused" {
		t.Errorf("%+v", c)
	}
	// In the era in which requests say their version, so do answers.
	w.client(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"ship_order","arguments":{"order_id":"e"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":1,"other":2}}}` + "\n")
	read := w.toServer()
	if !strings.Contains(read, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`) {
		t.Errorf("our own read lacks the protocol's version, or has too much: %s", read)
	}
	m, _ := parse([]byte(read))
	w.read(m.id, closed)
	if got := w.toClient(); !strings.Contains(got, `"isError":true,"resultType":"complete"}`) {
		t.Errorf("%s", got)
	}
	w.quiet()
}

// TestReadsAreTheirOwnObservation: nothing is read around a read of the resource.
func TestReadsAreTheirOwnObservation(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.through(call("1", "get_order", `{"order_id":"a"}`))
	w.back(answer("1", open1, false))
	w.through(call("2", "count", `{}`))
	w.back(answer("2", "3", false))
	w.quiet()
}

// TestOneResourceAtATime: calls on one order wait for each other, others don't.
func TestOneResourceAtATime(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.client(call("1", "ship_order", `{"order_id":"a"}`))
	w.observed(open1)
	w.toServer()
	w.client(call("2", "ship_order", `{"order_id":"a"}`))
	w.client(call("3", "ship_order", `{"order_id":"b"}`))
	w.observed(open1) // of b
	if got := w.toServer(); !strings.Contains(got, `"id":3`) {
		t.Fatalf("%s", got)
	}
	w.through(call("4", "count", `{}`))
	w.quiet()
	w.server(answer("1", "shipped", false))
	w.observed(closed)
	w.toClient()
	w.observed(closed) // now the second's
	if got := w.toServer(); !strings.Contains(got, `"id":2`) {
		t.Fatalf("%s", got)
	}
}

// TestCancelled: a cancellation reaches the server with its id; of a call that the
// server hasn't seen it ends the call.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	cancel := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"x"}}` + "\n"
	}
	w.client(call("1", "ship_order", `{"order_id":"a"}`))
	w.observed(open1)
	w.toServer()
	w.client(call("2", "ship_order", `{"order_id":"a"}`)) // waits
	w.client(cancel("2"))
	w.through(cancel("1"))
	w.through(cancel("77"), cancel(`"1"`))
	w.client(call("3", "ship_order", `{"order_id":"a"}`)) // goes at once: nobody is before it
	w.observed(open1)
	if got := w.toServer(); !strings.Contains(got, `"id":3`) {
		t.Fatalf("%s", got)
	}
	w.back(answer("1", "too late, but the client's", false))
	w.server(answer("3", "shipped", false))
	w.observed(closed)
	w.toClient()
	w.quiet()
	// A call that is being observed.
	w.client(call("4", "ship_order", `{"order_id":"a"}`))
	read := w.toServer()
	w.client(cancel("4"))
	m, _ := parse([]byte(read))
	w.read(m.id, open1)
	w.through(call("5", "count", `{}`))
	w.quiet()
}

// TestPages: pages of tools stay as they are; ours are on the last one.
func TestPages(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, func(o *Options) { o.Asker = noAsker{} })
	for i, page := range []struct{ cursor, tools, next string }{
		{"", `{"name":"a","title":"A","icons":[{"src":"x"}],"annotations":{"idempotentHint":true},"unknown":1.0}`, `,"nextCursor":"2"`},
		{`,"params":{"cursor":"2"}`, `{"name":"b"}`, `,"nextCursor":"3"`},
		{`,"params":{"cursor":"3"}`, ``, ``},
	} {
		w.through(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"%s}`+"\n", i, page.cursor))
		sent := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]%s,"_meta":{"k":1}}}`+"\n", i, page.tools, page.next)
		w.server(sent)
		want := sent
		if page.next == "" {
			want = strings.Replace(sent, "[]", "["+string(ownTools())+"]", 1)
		}
		if got := w.toClient(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if len(w.s.tools.prints) != 2 {
		t.Errorf("%v", w.s.tools.prints)
	}
	// A server with a tool of our name keeps it.
	w.through(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}` + "\n")
	w.back(`{"jsonrpc":"2.0","id":9,"result":{"tools":[{"name":"mcpg_status"}]}}` + "\n")
	w.through(call("10", "mcpg_status", `{}`))
}

// TestCapabilities: only a missing capability tools is added.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	for caps, want := range map[string]string{
		`{"tools":{"listChanged":true},"x":1.0}`: `{"tools":{"listChanged":true},"x":1.0}`,
		`{ "prompts":{} }`:                       `{ "prompts":{} ,"tools":{}}`,
		`{}`:                                     `{"tools":{}}`,
	} {
		for _, method := range []string{"initialize", "server/discover"} {
			w := newWire(t, policy.Warn, func(o *Options) { o.Asker = noAsker{} })
			w.through(`{"jsonrpc":"2.0","id":0,"method":"` + method + `","params":{}}` + "\n")
			w.server(`{"jsonrpc":"2.0","id":0,"result":{"capabilities":` + caps + `,"serverInfo":{"name":"n"}}}` + "\n")
			if got := w.toClient(); got != `{"jsonrpc":"2.0","id":0,"result":{"capabilities":`+want+`,"serverInfo":{"name":"n"}}}`+"\n" {
				t.Errorf("%s", got)
			}
			if !strings.Contains(caps, "tools") {
				w.client(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
				if got := w.toClient(); !strings.Contains(got, `"mcpg_status"`) {
					t.Errorf("%s", got)
				}
			}
			w.quiet()
		}
	}
	// An error, and silence, are passed on as such.
	w := newWire(t, policy.Warn, func(o *Options) { o.Asker = noAsker{} })
	w.through(`{"jsonrpc":"2.0","id":"probe","method":"server/discover"}` + "\n")
	w.back(`{"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"Method not found"}}` + "\n")
	w.through(`{"jsonrpc":"2.0","id":"probe2","method":"server/discover"}` + "\n")
	w.quiet()
}

// TestEnded: every open request is answered when the server is gone.
func TestEnded(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.client(call("1", "ship_order", `{"order_id":"a"}`))
	w.observed(open1)
	w.toServer()
	w.client(call("2", "ship_order", `{"order_id":"b"}`)) // is being observed
	w.toServer()
	w.through(`{"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n", call("3", "count", `{}`))
	w.far.end(errors.New("killed"))
	w.s.End("the server ended: killed")
	var got []string
	for range 4 {
		m, ok := parse([]byte(w.toClient()))
		if !ok || text(m.fault, "message") != "mcpg: the server ended: killed" {
			t.Errorf("%s", m.frame)
		}
		got = append(got, string(m.id))
	}
	if slices.Sort(got); strings.Join(got, " ") != `"p" 1 2 3` {
		t.Errorf("answered %v", got)
	}
	w.s.held.Wait()
	unanswered := 0
	for _, c := range w.kept.calls {
		if c.Outcome == calllog.Unanswered {
			unanswered++
		}
	}
	if unanswered != 3 {
		t.Errorf("%d calls are recorded as unanswered", unanswered)
	}
}

// TestReadFails: an observation that fails or doesn't come leaves the call alone.
func TestReadFails(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Block, func(o *Options) { o.ReadTimeout = 200 * time.Millisecond })
	w.hello(`{}`)
	w.client(call("1", "ship_order", `{"order_id":"a"}`))
	read := w.toServer()
	if got := w.toServer(); !strings.Contains(got, "notifications/cancelled") || !strings.Contains(got, w.s.prefix) { // after the time
		t.Fatalf("%s", got)
	}
	if got := w.toServer(); !strings.Contains(got, `"id":1,`) {
		t.Fatalf("%s", got)
	}
	m, _ := parse([]byte(read))
	w.read(m.id, open1)                     // too late, and nobody's business
	w.server(answer("1", "shipped", false)) // nothing is read after it, for a while
	if got := w.toClient(); got != answer("1", "shipped", false) {
		t.Errorf("%s", got)
	}
	if c := w.kept.calls[0]; c.Outcome != calllog.OK || strings.Contains(string(c.Before), "open") {
		t.Errorf("%+v", c)
	}
	w.quiet()
}

// TestChangedTools: after list_changed the tools are asked for before the next call.
func TestChangedTools(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.back(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
	w.client(call("1", "count", `{}`))
	m, _ := parse([]byte(w.toServer()))
	if m.method != "tools/list" || !strings.HasPrefix(unquote(m.id), ourPrefix) {
		t.Fatalf("%s", m.frame)
	}
	w.server(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"result":{"tools":[{"name":"count","inputSchema":{"x":1}}],"nextCursor":"z"}}` + "\n")
	m, _ = parse([]byte(w.toServer()))
	if text(m.params, "cursor") != "z" {
		t.Fatalf("%s", m.frame)
	}
	was := w.s.tools.prints["count"]
	w.server(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"result":{"tools":[{"name":"more"}]}}` + "\n")
	if got := w.toServer(); got != call("1", "count", `{}`) {
		t.Errorf("%s", got)
	}
	w.back(answer("1", "ok", false))
	if len(w.s.tools.prints) != 2 || w.kept.calls[0].Fingerprint == was {
		t.Errorf("%v", w.s.tools.prints)
	}
}

// TestInput: a call that the server wants input for is judged, observed and recorded once.
func TestInput(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.client(call("1", "ship_order", `{"order_id":"a"}`))
	w.observed(open1)
	w.toServer()
	w.back(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"q":{}},"requestState":"abc"}}` + "\n")
	again := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ship_order","arguments":{"order_id":"a"},"inputResponses":{"q":{"action":"accept"}},"requestState":"abc"}}` + "\n"
	w.through(again)
	w.server(answer("2", "shipped", false))
	w.observed(closed)
	w.toClient()
	if n := len(w.kept.calls); n != 1 || w.kept.calls[0].Outcome != calllog.OK {
		t.Errorf("%d calls are recorded: %+v", n, w.kept.calls)
	}
	// With a state that nobody gave, or of another call, it is a call like any other.
	w.client(call("3", "ship_order", `{"order_id":"a"}`))
	w.observed(open1)
	w.toServer()
	w.back(`{"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"q":{}},"requestState":"same"}}` + "\n")
	for _, forged := range []string{strings.Replace(again, "abc", "unknown", 1), strings.Replace(strings.Replace(again, "abc", "same", 1), `"order_id":"a"`, `"order_id":"b"`, 1)} {
		w.client(forged)
		w.observed(closed)
		if got := w.toServer(); got != forged {
			t.Errorf("%s", got)
		}
		w.server(answer("2", no, true))
		w.observed(closed)
		w.toClient()
	}
	w.quiet()
	if n := len(w.kept.calls); n != 3 || w.kept.calls[2].Outcome != calllog.Rejected || string(w.kept.calls[2].Args) != `{"order_id":"b"}` {
		t.Errorf("%d calls are recorded: %+v", n, w.kept.calls)
	}
}

// TestRecorderFails: calls go on, and it is said once.
func TestRecorderFails(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w := newWire(t, policy.Warn, func(o *Options) { o.Log = &log })
	w.kept.fail = errors.New("disk is full")
	w.hello(`{}`)
	for i := range 3 {
		w.through(call(fmt.Sprint(i), "count", `{}`))
		w.back(answer(fmt.Sprint(i), "1", false))
	}
	if got := log.String(); strings.Count(got, "disk is full") != 1 {
		t.Errorf("%q", got)
	}
}

// TestRedact: what is kept has no secrets, what is sent has.
func TestRedact(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, func(o *Options) { o.Redact = func(c *calllog.Call) { c.Args = nil } })
	w.hello(`{}`)
	w.through(call("1", "count", `{"password":"x"}`))
	w.back(answer("1", "1", false))
	if c := w.kept.calls[0]; c.Args != nil {
		t.Errorf("%s", c.Args)
	}
}

// TestLongFrames: a frame that is too long is answered, and the next one goes through.
func TestLongFrames(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.s.FromClient([]byte(`{"jsonrpc":"2.0","id":"big","method":"x","params":{"a":"aaaa`), true)
	if got := w.toClient(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"big","error":`) {
		t.Errorf("%s", got)
	}
	w.through(call("5", "count", `{}`))
	w.far.deliver([]byte(`{"result":{"content":[{"text":"aaaa`+`aaa"}]},"jsonrpc":"2.0","id":5}`+"\n"), true)
	if got := w.toClient(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":5,"error":`) {
		t.Errorf("%s", got)
	}
	w.through(call("6", "count", `{}`))
	w.back(answer("6", "1", false))
}
