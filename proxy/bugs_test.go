package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpg/policy"
)

// Each of these was reported of a proxy like this one. What isn't here has a test by its
// name elsewhere: cursor pages (TestPages), cancellation (TestCancelled), ids (TestUntouched,
// TestIDKeys), large frames (TestDifferential, TestFortyMiB), loud servers (TestLoudServer),
// orphans (TestNoOrphans), killed servers (TestKilledServer, TestEnded), split characters
// (TestSplitCharacters), equal ids (TestSameIDs), parallel calls (TestParallelCalls), events
// (TestRemoteEvents), capabilities (TestCapabilities).

// TestNotificationsIdleAndMidCall: list_changed and resources/updated arrive, whether a
// call is open, held, or none.
func TestNotificationsIdleAndMidCall(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	notes := []string{
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"n":1.0}}}` + "\n", `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"x":1e2}}}` + "\n",
	}
	w.back(notes...)
	w.client(call("1", "ship_order", `{"order_id":"a"}`))
	read := w.toServer()
	w.back(notes...) // held
	m, _ := parse([]byte(read))
	w.read(m.id, open1)
	w.toServer()
	w.back(notes...) // open
	w.server(answer("1", "shipped", false))
	read = w.toServer()
	w.back(notes...) // being observed after it
	m, _ = parse([]byte(read))
	w.read(m.id, closed)
	w.toClient()
	w.back(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
	w.quiet()
}

// TestProgressTokens: they keep their kind, and our own reads have none.
func TestProgressTokens(t *testing.T) {
	t.Parallel()
	for _, token := range []string{`7`, `"7"`, `"t-é"`, `9007199254740993`} {
		w := newWire(t, policy.Warn, nil)
		w.hello(`{}`)
		c := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":` + token + `,"vendor/x":[1.0]},"name":"ship_order","arguments":{"order_id":"a"}}}` + "\n"
		w.client(c)
		read := w.toServer()
		if strings.Contains(read, "progressToken") || strings.Contains(read, "vendor/x") {
			t.Errorf("%s", read)
		}
		m, _ := parse([]byte(read))
		w.read(m.id, open1)
		if got := w.toServer(); got != c {
			t.Errorf("%s", got)
		}
		w.back(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":0.50,"total":1}}` + "\n")
	}
}

// TestStructuredContent: it stays with a hint beside it, as does what is no text.
func TestStructuredContent(t *testing.T) {
	t.Parallel()
	w := newWire(t, policy.Warn, nil)
	w.hello(`{}`)
	w.teach()
	w.client(call("9", "ship_order", `{"order_id":"a"}`))
	w.observed(open1)
	w.toServer()
	w.server(`{"jsonrpc":"2.0","id":9,"result":{"structuredContent":{"a":[1,2.0]},"content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource_link","uri":"x"}],"_meta":{"k":null}}}` + "\n")
	w.observed(closed)
	if got := w.toClient(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":9,"result":{"structuredContent":{"a":[1,2.0]},"content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource_link","uri":"x"},{"type":"text","text":"mcpg [status=closed]`) ||
		!strings.HasSuffix(got, `"}],"_meta":{"k":null}}}`+"\n") {
		t.Errorf("%s", got)
	}
}

// TestLateInitialize: an initialize that takes 40 seconds isn't cut short.
func TestLateInitialize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, policy.Warn, nil)
		w.through(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}` + "\n")
		time.Sleep(40 * time.Second)
		w.back(`{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{}}}}` + "\n")
	})
}

// TestDiscover: a server of the older era answers server/discover with an error, not at
// all, or by ending.
func TestDiscover(t *testing.T) {
	t.Parallel()
	const probe = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}` + "\n"
	w := newWire(t, policy.Warn, nil)
	w.through(probe)
	w.back(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}` + "\n")
	w.hello(`{}`)
	w = newWire(t, policy.Warn, nil)
	w.through(probe)
	w.quiet() // silence
	w.hello(`{}`)
	w = newWire(t, policy.Warn, nil)
	w.through(probe)
	w.far.end(nil)
	w.s.End("the server has ended")
	if got := w.toClient(); !strings.Contains(got, `"id":1,"error"`) {
		t.Errorf("%s", got)
	}
}

// TestRemoteBytes: over HTTP the server gets each message as the client wrote it, and the
// client its answer, byte for byte but for the line's end.
func TestRemoteBytes(t *testing.T) {
	t.Parallel()
	ids := []string{`7`, `"7"`, `""`, `0`, `9007199254740993`, `7.5`, `"\ud800"`, `"é"`}
	heard := make(chan string, len(ids))
	odd := func(id string) string {
		return fmt.Sprintf(`  {"x":[1.50,1e3, 9007199254740993],"result" : {"content":[{"type":"text","text":"日本\u0000\ud83d"}],"unknown":null},"id":%s,"jsonrpc":"2.0"}`, id)
	}
	for _, events := range []bool{false, true} {
		w := newWeb(t, nil, func(rw http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			heard <- string(b)
			m, _ := parse(b)
			if events {
				rw.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(rw, "data:%s\n\n", odd(string(m.id)))
				return
			}
			rw.Header().Set("Content-Type", "application/json")
			io.WriteString(rw, odd(string(m.id)))
		})
		for _, id := range ids {
			frame := fmt.Sprintf(` {"method":"x" , "id": %s,"params":{"a":1.0,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"more":[]}`, id)
			w.send(frame)
			if got := <-heard; got != frame {
				t.Errorf("the server got %q\nof %q", got, frame)
			}
			if got, want := w.next(), strings.TrimSpace(odd(id))+"\n"; got != want {
				t.Errorf("the client got %q\nof %q", got, want)
			}
		}
		big := `{"id":1,"method":"x","params":"` + strings.Repeat("a", 40<<20) + `"}`
		go w.send(big)
		if got := <-heard; got != big {
			t.Errorf("%d bytes of %d", len(got), len(big))
		}
		w.next()
	}
}
