package modellint

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/mcptree"
)

// releaseModel is learnt from made-up calls of a release server: publishing
// works for tested drafts, run_tests makes a draft tested.
func releaseModel(t *testing.T) *Model {
	t.Helper()
	set, err := adapter.LoadSet([]string{"release"})
	if err != nil {
		t.Fatal(err)
	}
	var e learn.Evidence
	i := 0
	add := func(tool, status string, tested bool, after, refused string) {
		i++
		c := &calllog.Call{ID: fmt.Sprint(i), Session: fmt.Sprint(i), Server: "release", Tool: tool, Args: jsontext.Value(`{"release_id":"r"}`),
			Before: jsontext.Value(fmt.Sprintf(`{"release":{"status":%q,"tests_passed":%t,"approvals":2,"has_notes":true,"channel":"beta"},"channel":{"locked":false}}`, status, tested))}
		if after != "" {
			c.After = jsontext.Value(fmt.Sprintf(`{"release":{"status":%q,"tests_passed":true,"approvals":2,"has_notes":true}}`, after))
		}
		if refused != "" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, refused
		}
		e.Add(c, set.View(c))
	}
	for range 6 {
		add("publish_release", "DRAFT", true, "PUBLISHED", "")
		add("run_tests", "DRAFT", false, "DRAFT", "")
		add("run_tests", "DRAFT", true, "DRAFT", "")
		add("publish_release", "DRAFT", false, "", "tests have not passed")
	}
	add("publish_release", "PUBLISHED", true, "", "status is PUBLISHED")
	add("archive_release", "PUBLISHED", true, "ARCHIVED", "")
	var b bytes.Buffer
	if err := e.Induce().Write(&b); err != nil {
		t.Fatal(err)
	}
	g, err := behavior.Read(&b) // as validate reads it
	if err != nil {
		t.Fatal(err)
	}
	return &Model{Graph: g, Adapters: set}
}

const head = "mcptree: \"0.2\"\nid: t\ntitle: T\nentry: a\nnodes:\n  z: {type: terminal, outcome: done, summary: s}\n  e: {type: terminal, outcome: failed, summary: s}\n"

func TestCheck(t *testing.T) {
	t.Parallel()
	m := releaseModel(t)
	read := "  a: {type: action, tool: get_release, args: {release_id: r1}, result: {capture: rel}, next: b, on_error: e}\n"
	publish := "  p: {type: action, tool: publish_release, args: {release_id: r1}, next: z, on_error: e}\n"
	check := func(on, when, then, otherwise string) string {
		return fmt.Sprintf("  b: {type: condition, on: %s, branches: [{when: %s, then: %s}], default: %s}\n", on, when, then, otherwise)
	}
	status := "  c: {type: condition, on: rel.status, branches: [{when: {eq: DRAFT}, then: p}], default: e}\n"
	for name, c := range map[string]struct {
		nodes string
		want  []string // rule: part of the message
	}{
		"safe": {read + check("rel.tests_passed", "{eq: true}", "c", "e") + status + publish, nil},
		"unread": {"  a: {type: action, tool: publish_release, args: {release_id: r1}, next: z, on_error: e}\n",
			[]string{"model-guard: tests_passed=true", "model-guard: status is not PUBLISHED"}},
		"half": {read + "  b: {type: condition, on: rel.status, branches: [{when: {eq: DRAFT}, then: p}], default: e}\n" + publish,
			[]string{"model-guard: tests_passed=true"}},
		"proven to fail": {read + check("rel.tests_passed", "{eq: false}", "p", "e") + publish,
			[]string{"model-fails: on every way to it, publish_release is in a state in which it was refused 6 times", "model-guard: tests_passed=true", "model-guard: status"}},
		"the edge tells": {read + check("rel.tests_passed", "{eq: false}", "d", "c") +
			"  d: {type: action, tool: run_tests, args: {release_id: r1}, next: c, on_error: e}\n" + status + publish, nil},
		"another one": {read + check("rel.tests_passed", "{eq: true}", "c", "e") + status +
			"  p: {type: action, tool: publish_release, args: {release_id: r2}, next: z, on_error: e}\n",
			[]string{"model-guard: tests_passed=true", "model-guard: status"}},
		"forgotten by a write": {read + check("rel.status", "{eq: PUBLISHED}", "d", "e") +
			"  d: {type: action, tool: push_commit, args: {release_id: r1}, next: f, on_error: e}\n  f: {type: action, tool: archive_release, args: {release_id: r1}, next: z, on_error: e}\n",
			[]string{"model-tool: the model has no call of a tool 'push_commit'"}},
		"no on_error": {read + check("rel.tests_passed", "{eq: true}", "c", "e") + status + "  p: {type: action, tool: publish_release, args: {release_id: r1}, next: z}\n",
			[]string{"model-on-error: publish_release failed in 7 of 13 recorded calls"}},
		"unknown": {"  a: {type: action, tool: publish-release, args: {release_id: r1}, next: z, on_error: e}\n",
			[]string{"model-tool: did you mean 'publish_release'?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mcptree.Parse("t.yaml", []byte(head+c.nodes))
			if d.Errors() {
				t.Fatal(d.Reason())
			}
			Check(d, m)
			var got []string
			for _, f := range d.Findings {
				if f.Rule == RuleTool && strings.Contains(f.Message, "'get_release'") {
					continue // the model has no reads
				}
				got = append(got, f.Rule+": "+f.Message)
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i, w := range c.want {
				rule, text, _ := strings.Cut(w, ": ")
				if !strings.Contains(strings.Join(got, "\n"), text) || !strings.Contains(strings.Join(got, "\n"), rule) {
					t.Errorf("%d: got %q, want %q", i, got, w)
				}
			}
		})
	}
}
