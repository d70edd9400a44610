// Package modellint holds trees against learnt behaviour: what an action's tool
// was seen to need, in the states in which the tree can come to it.
package modellint

import (
	"fmt"
	"slices"
	"strings"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// Model is what is known of the tools.
type Model struct {
	Graph    *behavior.Graph
	Adapters adapter.Set
	Server   string // of the tools; "" where tool names are unique in the model
}

// Names of the rules.
const (
	RuleTool      = "model-tool"
	RuleArguments = "model-arguments"
	RuleFails     = "model-fails"
	RuleGuard     = "model-guard"
	RuleOnError   = "model-on-error"
)

// Rules lists the names with a line each.
func Rules() [][2]string {
	return [][2]string{
		{RuleArguments, "An action gives an argument that no recorded call of the tool had."},
		{RuleFails, "An action is reached in a state in which its tool was only seen failing."},
		{RuleGuard, "An action needs something that no way to it establishes."},
		{RuleOnError, "An action has no on_error although its tool fails often."},
		{RuleTool, "An action calls a tool that the model doesn't know."},
	}
}

// often is the share of failures from which on a tool should have on_error, of
// at least fewest calls.
const (
	often  = 0.10
	fewest = 5
)

type checker struct {
	d *mcptree.Document
	m *Model
}

// Check adds findings about a document's actions; nil trees are left alone.
func Check(d *mcptree.Document, m *Model) {
	if d.Tree == nil {
		return
	}
	c := &checker{d, m}
	walk := explore(d.Tree, c)
	for _, n := range d.Tree.Nodes {
		if n.Type == mcptree.Action {
			c.action(n, walk[n.ID])
		}
	}
}

func (c *checker) warn(rule string, n *mcptree.Node, at *yamlx.Node, format string, a ...any) {
	c.d.Add(mcptree.Warning, rule, n.ID, at, format, a...)
}

// tools finds the model's tools of a name, one a fingerprint, and why not.
func (c *checker) tools(name string) (found []*behavior.Tool, problem string) {
	servers := map[string]bool{}
	for _, t := range c.m.Graph.Tools {
		if t.Name == name && (c.m.Server == "" || t.Server == c.m.Server) {
			found = append(found, t)
			servers[t.Server] = true
		}
	}
	if len(servers) > 1 {
		return nil, fmt.Sprintf("%d servers have a tool '%s': name one with --server", len(servers), name)
	}
	if len(found) == 0 {
		return nil, fmt.Sprintf("the model has no call of a tool '%s'%s", name, c.nearest(name))
	}
	return found, ""
}

func (c *checker) nearest(name string) string {
	var near []string
	for _, t := range c.m.Graph.Tools {
		if strings.EqualFold(t.Name, name) || strings.ReplaceAll(t.Name, "-", "_") == strings.ReplaceAll(name, "-", "_") {
			near = append(near, t.Name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.Sort(near)
	return "; did you mean '" + near[0] + "'?"
}

func (c *checker) action(n *mcptree.Node, envs []env) {
	at := mcptree.Member(c.d.NodeAt(n), "tool")
	found, problem := c.tools(n.Tool)
	if problem != "" {
		c.warn(RuleTool, n, at, "%s", problem)
		return
	}
	t := newest(found)
	c.arguments(n, t)
	c.onError(n, t, at)
	if len(envs) > 0 {
		c.fails(n, t, at, envs)
		c.guard(n, t, at, envs)
	}
}

// newest is the fingerprint with the most calls: which one is in use isn't known.
func newest(ts []*behavior.Tool) *behavior.Tool {
	return slices.MaxFunc(ts, func(a, b *behavior.Tool) int { return a.OK() + a.Rejected() - b.OK() - b.Rejected() })
}

func (c *checker) arguments(n *mcptree.Node, t *behavior.Tool) {
	seen := map[string]bool{}
	for _, a := range t.Guard.Allowed {
		if a.Path.Role == behavior.ArgsRole {
			seen[mcptree.FirstSegment(a.Path.Field)] = true
		}
	}
	if len(seen) == 0 {
		return // the adapter leaves arguments out: nothing can be said
	}
	ids := c.idArguments(t, n)
	for _, m := range n.Args.Members {
		if !seen[m.Name] && !ids[m.Name] {
			at := mcptree.Member(mcptree.Member(c.d.NodeAt(n), "args"), m.Name)
			c.warn(RuleArguments, n, at, "no recorded call of %s had an argument '%s' (%s)", n.Tool, m.Name, counts(t))
		}
	}
}

// idArguments are those that name resources: the model doesn't hold their values.
func (c *checker) idArguments(t *behavior.Tool, n *mcptree.Node) map[string]bool {
	out := map[string]bool{}
	a := c.m.Adapters.For(t.Server)
	if a == nil {
		return out
	}
	for _, m := range n.Args.Members {
		one := value.OfMap(m)
		if len(a.Refs(n.Tool, value.AppendJSON(nil, one))) > 0 {
			out[m.Name] = true
		}
	}
	return out
}

func counts(t *behavior.Tool) string {
	return fmt.Sprintf("%d worked, %d refused", t.OK(), t.Rejected())
}

func (c *checker) onError(n *mcptree.Node, t *behavior.Tool, at *yamlx.Node) {
	failed := t.Rejected() + t.Failed()
	all := t.OK() + failed
	if n.OnError == "" && all >= fewest && float64(failed) >= often*float64(all) {
		c.warn(RuleOnError, n, at, "%s failed in %d of %d recorded calls, and this action has no on_error: a failure can't be reported", n.Tool, failed, all)
	}
}

// fails looks for ways on which the state proves a failure.
func (c *checker) fails(n *mcptree.Node, t *behavior.Tool, at *yamlx.Node, envs []env) {
	bad := 0
	var proof behavior.Failure
	var state string
	for _, e := range envs {
		r, ok := e.about(c, n, t)
		if !ok {
			continue
		}
		if v := t.Guard.Judge(r.state(t)); v.Outcome == behavior.Fails {
			bad++
			proof, state = v.By[0], r.text()
		}
	}
	if bad == 0 {
		return
	}
	ways := "on every way to it"
	if bad < len(envs) {
		ways = fmt.Sprintf("on %d of %d ways to it", bad, len(envs))
	}
	c.warn(RuleFails, n, at, "%s, %s is in a state in which it was refused %d times (%q): %s", ways, n.Tool, proof.Calls, proof.Cluster, state)
}

// guard looks for a condition of the tool that no way makes sure of.
func (c *checker) guard(n *mcptree.Node, t *behavior.Tool, at *yamlx.Node, envs []env) {
	if len(t.Guard.Minimal) != 1 {
		return
	}
	for _, atom := range t.Guard.Minimal[0] {
		if atom.Op != behavior.Not || atom.Path.Role != t.Role() || atom.Path.NamesArgument() {
			continue
		}
		established := slices.ContainsFunc(envs, func(e env) bool {
			r, ok := e.about(c, n, t)
			return ok && r.rulesOut(atom.Path.Field, atom.Token)
		})
		if !established {
			c.warn(RuleGuard, n, at, "%s needs %s (%s), and no way to it makes sure of that: read the %s and branch on %s", n.Tool, atom, counts(t), t.Class(), atom.Path.Field)
		}
	}
}
