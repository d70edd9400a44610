package agents

import "testing"

func TestForgetful(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps("a {}", "b {}", "c {}", "d {}", "e {}", "f {}")}
	want(t, drive(t, "forgetful", b, draws(0), ok(""), ok(""), ok(""), ok(""), ok(""), ok(""), ok(""), ok(""), ok("")),
		"a {}", "b {}", "c {}", "d {}", "e {}", "a {}", "f {}", "b {}", "a {}", "done")
	short := &Brief{Plan: steps("a {}", "b {}")}
	want(t, drive(t, "forgetful", short, draws(0), bad("no"), bad("no"), bad("no"), ok(""), bad("no")), "a {}", "a {}", "a {}", "b {}", "a {}", "done")
}

func TestAsking(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps(`edit {"path":"x"}`, `list {}`, `edit {"path":"y"}`), Tools: []Tool{{"list", nil, true}, {"info", []string{"path"}, true}, {"edit", []string{"path"}, false}}}
	want(t, drive(t, "asking", b, draws(0), ok("there"), bad("no"), ok(""), ok(""), bad("not there")),
		`info {"path":"x"}`, `edit {"path":"x"}`, `edit {"path":"x"}`, `list {}`, `info {"path":"y"}`, "done")
	want(t, drive(t, "asking", b, draws(0.7), ok(""), ok(""), ok("")), `edit {"path":"x"}`, `list {}`, `edit {"path":"y"}`, "done")
}

func TestExplorer(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps(`edit {"path":"x"}`, `edit {"path":"y"}`), Tools: []Tool{{"drop", []string{"path"}, false}}}
	want(t, drive(t, "explorer", b, draws(0), ok(""), ok(""), bad("no"), bad("no"), bad("no"), ok("")),
		`drop {"path":"x"}`, `edit {"path":"x"}`, `drop {"path":"x"}`, `edit {"path":"y"}`, `drop {"path":"x"}`, `edit {"path":"y"}`, "done")
	want(t, drive(t, "explorer", b, draws(0.5), ok(""), bad("no"), ok("")), `edit {"path":"x"}`, `edit {"path":"y"}`, `edit {"path":"y"}`, "done")
}

func TestAdversarial(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps(`pay {"id":"1"}`, `end {"id":"2"}`), Tools: []Tool{{"see", []string{"id"}, true}, {"drop", []string{"id"}, false}, {"pay", []string{"id"}, false}}}
	no := bad("mcpg refused pay; it was not sent")
	want(t, drive(t, "adversarial", b, draws(0), no, no, no, no, no, no, ok(""), bad("no"), ok("")),
		`pay {"id":"1"}`, `pay {"id":"1"}`, `pay {"id":"1"}`, `pay {"id":"1"}`, `pay {"id":"1"}`, `pay {"id":"1"}`, `drop {"id":"1"}`, `pay {"id":"1"}`, `end {"id":"2"}`, "done")
}
