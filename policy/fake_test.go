package policy

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
)

// fake is a server of releases whose outcomes the test decides.
type fake struct {
	states       map[string]string // by release: what get_release answers; ! is a refusal
	fingerprints map[string]string
	reads        []string
}

func (f *fake) Read(tool string, args jsontext.Value) adapter.Reading {
	f.reads = append(f.reads, tool+" "+string(args))
	for id, state := range f.states {
		if strings.Contains(string(args), `"`+id+`"`) {
			if refusal, failed := strings.CutPrefix(state, "!"); failed {
				return adapter.Reading{Text: refusal, Failed: true}
			}
			return adapter.Reading{Text: state}
		}
	}
	return adapter.Reading{Text: "Release not found", Failed: true}
}

func (f *fake) Fingerprint(tool string) string { return f.fingerprints[tool] }

const (
	untested = `{"status":"DRAFT","tests_passed":false}`
	tested   = `{"status":"DRAFT","tests_passed":true}`
	shipped  = `{"status":"PUBLISHED","tests_passed":true}`
	archived = `{"status":"ARCHIVED","tests_passed":true}`
)

const releaseAdapter = `{
  "server_id": "release", "resource_class": "release", "observation_tool": "get_release", "id_param": "release_id",
  "effect_classes": {"archive_release": "DESTRUCTIVE"}, "approval_required": ["lock_release"], "argument_features": {"*": []}
}`

// table is one session with a fake server.
type table struct {
	t *testing.T
	f *fake
	p *Policy
	s *Session
	n int
}

func newTable(t *testing.T, opts Options) *table {
	t.Helper()
	a, err := adapter.Parse([]byte(releaseAdapter))
	if err != nil {
		t.Fatal(err)
	}
	b := &table{t: t, f: &fake{states: map[string]string{}, fingerprints: map[string]string{}}, p: New(adapter.Set{a}, opts)}
	b.s = b.p.Session("s1", "release", b.f)
	return b
}

// check asks for a call on a fresh release in the state.
func (b *table) check(tool, state string) (*calllog.Call, Decision) {
	b.n++
	id := "r" + strconv.Itoa(b.n)
	b.f.states[id] = state
	c := &calllog.Call{ID: strconv.Itoa(b.n), Tool: tool, Args: jsontext.Value(`{"release_id":"` + id + `"}`)}
	return c, b.s.Check(c)
}

// end gives the call its outcome: "" is a success, after which the release is in
// the state then; else the text of a refusal.
func (b *table) end(c *calllog.Call, d Decision, refusal, then string) string {
	if refusal != "" {
		c.Outcome, c.Cause, c.ErrorText, c.ResultText = calllog.Rejected, calllog.Unclear, refusal, refusal
	} else {
		c.ResultText = "done"
		if then != "" {
			b.f.states["r"+c.ID] = then
		}
	}
	return b.s.Observe(c, d)
}

// try makes a call and ends it if it is forwarded.
func (b *table) try(tool, state, refusal, then string) (Decision, string) {
	c, d := b.check(tool, state)
	if d.Action != Forward {
		return d, d.Text
	}
	return d, b.end(c, d, refusal, then)
}

// teach lets calls through whatever is known.
func (b *table) teach(tool, state, refusal, then string, times int) {
	mode := b.p.opts.Mode
	b.p.opts.Mode = Observe
	for range times {
		b.try(tool, state, refusal, then)
	}
	b.p.opts.Mode = mode
}

const needsTests = "Release cannot be published: tests have not passed"

// know teaches what publishing needs, from n failures.
func (b *table) know(n int) {
	b.teach("publish_release", tested, "", shipped, 2)
	b.teach("publish_release", untested, needsTests, "", n)
}
