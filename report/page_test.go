package report

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/calllog"
	"mcpg/internal/golden"
	"mcpg/learn"
)

// TestPage: the page of a few calls, byte by byte, and twice the same.
func TestPage(t *testing.T) {
	t.Parallel()
	keys, err := analyze.ParseKeys([]string{"day"})
	if err != nil {
		t.Fatal(err)
	}
	var n analyze.Counter
	days := analyze.NewGrouper(keys)
	for i := range 60 {
		c := &calllog.Call{ID: "c", Session: "s", Server: "srv", Tool: "publish", Time: time.Date(2026, 3, 1+i%5, 0, 0, 0, 0, time.UTC)}
		if i%4 == 0 {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "no"
		}
		n.Add(c)
		days.Add(c, nil)
	}
	stats := n.Stats()
	stats.By, stats.Groups = keys, days.Groups()
	page := func() string {
		var b bytes.Buffer
		p := &Page{Title: "A week", Source: "60 calls", Stats: stats, Graph: sample().Induce()}
		if err := p.HTML(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := page()
	golden.Check(t, "page.html", []byte(got))
	if page() != got {
		t.Error("twice, and not the same")
	}
	if strings.Contains(got, "connect-src") {
		t.Error("a file may ask for something")
	}
}

// TestPageBounds: a page of very many tools and states says what it leaves out.
func TestPageBounds(t *testing.T) {
	t.Parallel()
	e := &learn.Evidence{}
	var n analyze.Counter
	for i := range 2000 {
		state := string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		c := &calllog.Call{ID: state, Session: state, Server: "srv", Tool: "tool_" + state[:2], StateSource: calllog.Snapshot,
			Before: []byte(`{"thing":{"a":"` + state[:1] + `","b":"` + state[1:2] + `","c":"` + state[2:] + `"}}`)}
		if i%3 == 0 {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "state "+state
		}
		n.Add(c)
		e.Add(c, adapter.Set(nil).View(c))
	}
	var b bytes.Buffer
	p := &Page{Title: "Many", Stats: n.Stats(), Graph: e.Induce()}
	if err := p.HTML(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 3<<20 {
		t.Errorf("%d bytes", b.Len())
	}
	for _, want := range []string{"tools more aren&#39;t shown", "more tools had refusals"} {
		if !strings.Contains(b.String(), want) && !strings.Contains(b.String(), strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("it doesn't say %q", want)
		}
	}
}
