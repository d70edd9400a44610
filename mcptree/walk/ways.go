package walk

import (
	"fmt"
	"slices"
	"strings"

	"mcpg/internal/diag"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// exit is a way out of a node: the place of an option or branch, or one of
// those below.
type exit struct {
	node string
	at   int
}

const (
	onward  = -1 // next, or default
	onError = -2
)

// way is an exit with where it is written.
type way struct {
	at   int
	pos  diag.Pos
	text string
}

// exits lists the ways out of a node, in the order of the document.
func exits(n *mcptree.Node) []way {
	var out []way
	add := func(at int, pos diag.Pos, to, label string) {
		if pos.Line == 0 {
			pos = n.Pos
		}
		out = append(out, way{at, pos, strings.TrimSuffix(fmt.Sprintf("%s -> %s (%s)", n.ID, to, label), " ()")})
	}
	for i, b := range n.Branches {
		add(i, b.Pos, b.Then, "when "+b.When.String())
	}
	for i, o := range n.Options {
		add(i, o.Pos, o.Then, o.ID)
	}
	switch {
	case n.Type == mcptree.Condition:
		add(onward, n.Pos, n.Default, "default")
	case n.Type == mcptree.Action || n.Type == mcptree.Ask && len(n.Options) == 0:
		add(onward, n.Pos, n.Next, "")
	}
	if n.OnError != "" {
		add(onError, n.Pos, n.OnError, "on_error")
	}
	return out
}

// leaving appends the ways that trace entries took. step is what was answered
// before them, facts are those since: conditions change none.
func leaving(out []exit, t *mcptree.Tree, trace []engine.Entry, facts value.Value, step *Step) []exit {
	for i := range trace {
		n := t.Node(trace[i].Node)
		e := exit{n.ID, onward}
		switch {
		case n.Type == mcptree.Terminal:
			continue
		case n.Type == mcptree.Condition:
			v, found := value.Lookup(facts, n.OnPath...)
			if i := slices.IndexFunc(n.Branches, func(b mcptree.Branch) bool { return engine.Matches(b.When, v, found) }); i >= 0 {
				e.at = i
			}
		case len(n.Options) > 0:
			e.at = slices.IndexFunc(n.Options, func(o mcptree.Option) bool { return o.ID == trace[i].Input.Str })
		case step != nil && step.IsError:
			e.at = onError
		}
		out = append(out, e)
	}
	return out
}
