package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// TestRetest: the rules of a tool that changed only warn, until a failure confirms
// them.
func TestRetest(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	call := func(i int, status string, failed bool) *calllog.Call {
		c := &calllog.Call{ID: fmt.Sprint("c", i), Session: fmt.Sprint("s", i), Server: "srv", Tool: "ship", Time: start.Add(time.Duration(i) * time.Minute),
			Args: jsontext.Value(`{}`), Before: jsontext.Value(fmt.Sprintf(`{"order":{"status":%q}}`, status)), StateSource: calllog.Snapshot}
		if failed {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "an order that is "+status+" can't be shipped"
		}
		return c
	}
	view := func(c *calllog.Call) *behavior.View { return adapter.Set(nil).View(c) }
	for _, changed := range []bool{false, true} {
		var e learn.Evidence
		for i := range 60 {
			for _, c := range []*calllog.Call{call(2*i, "open", changed && i >= 40), call(2*i+1, "held", true)} {
				e.Add(c, view(c))
			}
		}
		g := e.Induce()
		if got := len(g.Drifts()) > 0; got != changed {
			t.Fatalf("changed %t: %d drifts", changed, len(g.Drifts()))
		}
		p := New(nil, Options{Mode: Block})
		p.know(g)
		held := call(1000, "held", true)
		d, _ := p.judge(held, view(held), false)
		if want := map[bool]Action{false: Refuse, true: Forward}[changed]; d.Action != want || !d.Predicted {
			t.Errorf("changed %t: %+v, want action %d", changed, d, want)
		}
		p.learn(toolKey{"srv", "ship", ""}, held, view(held), d)
		if d, _ := p.judge(held, view(held), false); d.Action != Refuse {
			t.Errorf("changed %t, confirmed: %+v", changed, d)
		}
	}
}

// TestChangedTool: what held before a tool's schema changed only warns, and is forgotten
// with the first call that tells of the new one.
func TestChangedTool(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Mode: Block})
	b.f.fingerprints = map[string]string{"publish_release": "old"}
	b.know(3)
	b.publishing(t, "before the change", Refuse, false)
	b.f.fingerprints["publish_release"] = "new"
	c, d := b.check("publish_release", untested)
	if d.Action != Forward || !d.Predicted || !strings.HasSuffix(d.Note, "That was before the server changed publish_release.") {
		t.Errorf("%+v", d)
	}
	if _, d := b.check("publish_release", tested); d.Action != Forward || d.Note != "" {
		t.Errorf("%+v", d)
	}
	b.end(c, d, "", shipped)
	if _, d := b.check("publish_release", untested); d.Action != Forward || d.Note != "" {
		t.Errorf("after a success: %+v", d)
	}
	b.f.fingerprints["publish_release"] = "old" // as before
	b.publishing(t, "the old one again", Refuse, false)
}
