package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/internal/diag"
	"mcpg/internal/golden"
	"mcpg/learn"
	"mcpg/report/draw"
)

// desk is calls of a made-up server: row by row tool, status before and after,
// and whether it was refused.
func desk(rows [][4]string, shuffle bool) *behavior.Graph {
	var calls []*calllog.Call
	for i, r := range slices.Concat(rows, rows) {
		c := &calllog.Call{ID: fmt.Sprint(i), Session: fmt.Sprint("s", i), Server: "desk", Tool: r[0], Args: jsontext.Value(`{}`),
			StateSource: calllog.Snapshot, Pos: diag.Pos{File: "log", Line: i + 1}}
		state := func(s string) jsontext.Value {
			text, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "?"))
			if err != nil {
				panic(err)
			}
			return jsontext.Value(`{"ticket":{"status":` + string(text) + `}}`)
		}
		c.Before = state(r[1])
		if r[2] != "" {
			c.After = state(r[2])
		}
		if r[3] != "" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, r[3]
		}
		calls = append(calls, c)
	}
	if shuffle {
		slices.Reverse(calls)
	}
	e := &learn.Evidence{}
	for _, c := range calls {
		e.Add(c, adapter.Set(nil).View(c))
	}
	return e.Induce()
}

var deskOld = [][4]string{
	{"close", "open", "closed", ""}, {"close", "closed", "", "it is closed"}, {"close", "held", "closed", ""},
	{"hold", "open", "held", ""}, {"hold", "closed", "", "it is closed"}, {"drop", "open", "gone", ""}, {"read", "open", "", ""}, {"read", "far", "", ""},
}

var deskNew = [][4]string{
	{"close", "open", "closed", ""}, {"close", "closed", "", "it is closed"}, {"close", "held", "", "it is held"},
	{"hold", "open", "held", ""}, {"hold", "closed", "", "it is closed"}, {"reopen", "closed", "open", ""}, {"read", "open", "", ""}, {"read", "far", "", ""},
}

// diffFormats are the formats that have golden files.
var diffFormats = map[string]func(io.Writer, draw.Graph, []analyze.Change) error{
	"html": func(w io.Writer, g draw.Graph, c []analyze.Change) error {
		return DiffHTML(context.Background(), w, g, c)
	},
	"md":  DiffMarkdown,
	"svg": func(w io.Writer, g draw.Graph, _ []analyze.Change) error { return draw.SVG(context.Background(), w, g) },
	"mmd": func(w io.Writer, g draw.Graph, _ []analyze.Change) error { return draw.Mermaid(w, g) },
	"dot": func(w io.Writer, g draw.Graph, _ []analyze.Change) error { return draw.DOT(w, g) },
}

func diffOf(t *testing.T, format string, old, now *behavior.Graph) []byte {
	t.Helper()
	c := analyze.Compare(old, now)
	var b bytes.Buffer
	if err := diffFormats[format](&b, DrawDiff(old, now, c), c.Changes); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDiffFormats(t *testing.T) {
	t.Parallel()
	for format := range diffFormats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			got := diffOf(t, format, desk(deskOld, false), desk(deskNew, false))
			golden.Check(t, "diff."+format, got)
			if !bytes.Equal(got, diffOf(t, format, desk(deskOld, true), desk(deskNew, true))) {
				t.Error("calls in another order give another result")
			}
			same := string(diffOf(t, format, desk(deskOld, false), desk(deskOld, false)))
			if !strings.Contains(same, "nothing") {
				t.Errorf("nothing changed, and it says %s", same)
			}
		})
	}
}

// TestDiffMarks: every edge in the list is marked in the picture.
func TestDiffMarks(t *testing.T) {
	t.Parallel()
	old, now := desk(deskOld, false), desk(deskNew, false)
	c := analyze.Compare(old, now)
	g := DrawDiff(old, now, c)
	marked := map[string]bool{}
	for _, e := range g.Edges {
		if e.Mark != draw.Unmarked {
			marked[e.Name] = true
		} else if !e.Pale {
			t.Errorf("%s is neither marked nor pale", e.Name)
		}
		if e.Name == "read" && e.From != g.Nodes[0].ID && slices.Contains(g.Nodes[0].Lines, "far") {
			t.Error("what is far is drawn")
		}
	}
	for _, ch := range c.Changes {
		if !marked[ch.Tool] {
			t.Errorf("%s %s of %s isn't marked", ch.What, ch.Kind, ch.Tool)
		}
	}
	if marked["read"] || marked["hold"] {
		t.Error("what didn't change is marked")
	}
}

// TestDiffHostile: a log can't steer who reads what changed.
func TestDiffHostile(t *testing.T) {
	t.Parallel()
	bad := "\x1b[31m`|<script>alert(1)</script>\u202e@here ![x](http://e.vil/x)" + strings.Repeat("y", 10_000)
	now := slices.Clone(deskNew)
	for i := range now {
		now[i][1] += bad
		now[i][0] = strings.TrimSuffix(now[i][0]+bad, "y")
	}
	for format := range diffFormats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			out := string(diffOf(t, format, desk(deskOld, false), desk(now, false)))
			if strings.ContainsAny(out, "\x1b\u202e") {
				t.Error("control characters")
			}
			if (format == "html" || format == "svg") && (strings.Contains(out, "<script") || strings.Contains(out, "<img src=\"http")) {
				t.Error("markup of the log")
			}
			if format == "html" && !strings.Contains(out, "default-src &#39;none&#39;") {
				t.Error("no policy")
			}
			if format == "md" && utf8.RuneCountInString(out) > maxComment {
				t.Errorf("%d characters", utf8.RuneCountInString(out))
			}
		})
	}
}

// TestDiffMarkdownCut: thousands of changes fit a comment, and the rest is counted.
func TestDiffMarkdownCut(t *testing.T) {
	t.Parallel()
	var changes []analyze.Change
	for i := range 5000 {
		changes = append(changes, analyze.Change{Kind: analyze.Added, What: "edge", Server: "s", Tool: fmt.Sprint("tool_", i/7), State: "[status=é" + fmt.Sprint(i) + "]", After: "works", Calls: i})
	}
	var b bytes.Buffer
	if err := DiffMarkdown(&b, draw.Graph{}, changes); err != nil {
		t.Fatal(err)
	}
	n := utf8.RuneCount(b.Bytes())
	listed := strings.Count(b.String(), "\n- ")
	if n > maxComment || n < maxComment-500 || !strings.Contains(b.String(), fmt.Sprintf("and %d changes more", 5000-listed)) {
		t.Errorf("%d characters, %d changes listed", n, listed)
	}
}

func TestCodeSpan(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a": "`a`", "a`b": "``a`b``", "`a": "`` `a ``", "```": "```` ``` ````", "": "`  `"} {
		if got := codeSpan(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestFullDiskDiff(t *testing.T) {
	t.Parallel()
	old, now := desk(deskOld, false), desk(deskNew, false)
	c := analyze.Compare(old, now)
	for format, f := range diffFormats {
		if err := f(&full{10}, DrawDiff(old, now, c), c.Changes); err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}
