package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpg/adapter"
	"mcpg/calllog"
)

const deskAdapter = `{"server_id":"desk","resource_class":"ticket","observation_tool":"get_ticket","id_param":"ticket_id",
 "returns":["assign_ticket"],"effect_classes":{"note":"READ_ONLY"}}`

// TestReconstruction: the last answer of the session's own reads, its age, and
// whether a write came in between.
func TestReconstruction(t *testing.T) {
	a, err := adapter.Parse([]byte(deskAdapter))
	if err != nil {
		t.Fatal(err)
	}
	line := func(sec int, session, tool, id, text string, failed bool) string {
		return fmt.Sprintf(`{"ts":"2026-01-01T00:00:%02dZ","session":%q,"tool":%q,"args":{"ticket_id":%q},"is_error":%v,"result_text":%q}`, sec, session, tool, id, failed, text)
	}
	log := strings.Join([]string{
		line(0, "a", "get_ticket", "1", `{"open":true}`, false),
		line(1, "b", "close_ticket", "1", `done`, false),          // another session has seen nothing
		line(2, "a", "note", "1", `noted`, false),                 // reads only
		line(5, "a", "close_ticket", "1", `no`, true),             // refused: nothing changed
		line(6, "a", "close_ticket", "1", `done`, false),          // still fresh
		line(7, "a", "close_ticket", "1", `closed already`, true), // the write before makes the reading doubtful
		line(8, "a", "assign_ticket", "1", `{"open":false}`, false),
		line(9, "a", "close_ticket", "1", `closed already`, true), // shown by the answer before
		line(10, "a", "get_ticket", "9", `ticket 9 not found`, true),
		line(11, "a", "close_ticket", "9", `ticket 9 not found`, true),
		`{"session":"a","tool":"purge_all","is_error":false,"result_text":"ok"}`, // names nothing: spoils all
		line(12, "a", "close_ticket", "9", `x`, true),
	}, "\n")
	var got []string
	_, err = Run(context.Background(), []string{write(t, "log.jsonl", log)}, Options{Adapters: adapter.Set{a}}, func(c *calllog.Call) error {
		if c.Tool == "close_ticket" {
			got = append(got, fmt.Sprintf("%s %s %d %s dirty=%v", c.Before, c.StateSource, c.StateCalls, c.StateAge, c.StateDirty))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`null  0 0s dirty=false`,
		`{"ticket":{"open":true}} reconstructed 1 5s dirty=false`,
		`{"ticket":{"open":true}} reconstructed 2 6s dirty=false`,
		`{"ticket":{"open":true}} reconstructed 3 7s dirty=true`,
		`{"ticket":{"open":false}} reconstructed 0 1s dirty=false`,
		`{"ticket":{"exists":false}} reconstructed 0 1s dirty=false`,
		`{"ticket":{"exists":false}} reconstructed 2 2s dirty=true`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRoom: what is remembered is bounded by number and bytes, and what is dropped
// for it is counted.
func TestRoom(t *testing.T) {
	a, err := adapter.Parse([]byte(deskAdapter))
	if err != nil {
		t.Fatal(err)
	}
	read := func(session, id, text string) *calllog.Call {
		return &calllog.Call{Session: session, Tool: "get_ticket", Args: []byte(`{"ticket_id":"` + id + `"}`), ResultText: text}
	}
	for name, tt := range map[string]struct {
		sessions, reads int
		text            string
	}{
		"many sessions": {maxShown, 1, `{"open":true}`}, "many reads in one": {1, maxShown + 100, `{"open":true}`}, "long answers": {20, 20, `{"text":"` + strings.Repeat("x", 1<<18) + `"}`},
	} {
		tr := newTracker()
		last := ""
		for i := range tt.sessions {
			for j := range tt.reads {
				last = fmt.Sprint(i)
				tr.observe(read(last, fmt.Sprint(j), tt.text), a, false)
			}
		}
		if tr.shown > maxShown || tr.bytes > maxShownBytes || tr.forgotten == 0 {
			t.Errorf("%s: %d readings of %d bytes are held, %d forgotten", name, tr.shown, tr.bytes, tr.forgotten)
		}
		// What was shown last is still known.
		c := read(last, fmt.Sprint(tt.reads-1), "")
		c.Tool = "close_ticket"
		if tr.observe(c, a, false); c.StateSource != calllog.Reconstructed {
			t.Errorf("%s: the last reading is forgotten", name)
		}
		shown, bytes := 0, 0
		for e := tr.idle.Front(); e != nil; e = e.Next() {
			shown++
			for _, sh := range e.Value.(*session).shown {
				shown++
				bytes += sh.size()
			}
		}
		if shown != tr.shown || bytes != tr.bytes {
			t.Errorf("%s: %d of %d, %d of %d bytes", name, shown, tr.shown, bytes, tr.bytes)
		}
	}
}

// TestFromTheFuture: a log that isn't in order gives no state of a later time.
func TestFromTheFuture(t *testing.T) {
	a, err := adapter.Parse([]byte(deskAdapter))
	if err != nil {
		t.Fatal(err)
	}
	at := func(min int) time.Time { return time.Date(2026, 1, 1, 10, min, 0, 0, time.UTC) }
	tr := newTracker()
	tr.observe(&calllog.Call{Session: "s", Tool: "get_ticket", Args: []byte(`{"ticket_id":"1"}`), ResultText: `{"open":false}`, Time: at(30)}, a, false)
	c := &calllog.Call{Session: "s", Tool: "close_ticket", Args: []byte(`{"ticket_id":"1"}`), Time: at(1)}
	if tr.observe(c, a, false); c.Before != nil {
		t.Errorf("before the call was %s, which was read after it", c.Before)
	}
}
