package learn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mcpg/behavior"
	"mcpg/calllog"
)

// Induce derives the model. What has not changed since the last time is not
// derived again; the graph's tools are shared with later ones and must not be
// changed.
func (e *Evidence) Induce() *behavior.Graph {
	g := &behavior.Graph{Calls: e.calls}
	for k, t := range e.tools {
		g.Tools = append(g.Tools, t.derive(k))
	}
	slices.SortFunc(g.Tools, (*behavior.Tool).Compare)
	g.Domains = domains(g.Tools)
	return g
}

// Tools derives the tools of one server, sorted.
func (e *Evidence) Tools(server string) []*behavior.Tool {
	var out []*behavior.Tool
	for k, t := range e.tools {
		if k.server == server {
			out = append(out, t.derive(k))
		}
	}
	slices.SortFunc(out, (*behavior.Tool).Compare)
	return out
}

type domainKey struct{ server, class, field string }

// domains collects the tokens that the fields of a class were seen to have,
// around calls of any tool.
func domains(tools []*behavior.Tool) []behavior.Domain {
	seen := map[domainKey]map[string]bool{}
	add := func(t *behavior.Tool, class string, s behavior.State) {
		for _, f := range s.Features {
			k := domainKey{t.Server, class, f.Field}
			if f.IsNumber() || len(seen[k]) > behavior.MaxValues {
				continue
			}
			if seen[k] == nil {
				seen[k] = map[string]bool{}
			}
			seen[k][f.Token] = true
		}
	}
	for _, t := range tools {
		for _, c := range t.Cells {
			add(t, c.Class, c.Node())
			for _, n := range c.Next {
				add(t, c.Class, n.State)
			}
		}
	}
	var out []behavior.Domain
	for k, vs := range seen {
		if len(vs) <= behavior.MaxValues {
			out = append(out, behavior.Domain{Server: k.server, Class: k.class, Field: k.field, Values: slices.Sorted(maps.Keys(vs))})
		}
	}
	slices.SortFunc(out, func(a, b behavior.Domain) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Class, b.Class), strings.Compare(a.Field, b.Field))
	})
	return out
}

// Tool derives one tool, nil if no call of it was seen.
func (e *Evidence) Tool(server, name, fingerprint string) *behavior.Tool {
	k := toolKey{server, name, fingerprint}
	if t := e.tools[k]; t != nil {
		return t.derive(k)
	}
	return nil
}

func (t *toolEvidence) derive(k toolKey) *behavior.Tool {
	if t.derived != nil {
		return t.derived
	}
	d := &behavior.Tool{Server: k.server, Name: k.name, Fingerprint: k.fingerprint, Counts: t.counts, Unobserved: t.unobserved}
	t.project()
	for _, key := range slices.Sorted(maps.Keys(t.cells)) {
		d.Cells = append(d.Cells, t.cells[key])
	}
	d.Guard = induceGuard(d.Cells, slices.SortedFunc(maps.Keys(t.values.Wide()), behavior.Path.Compare))
	d.Effects = effects(d.Cells)
	d.Build()
	t.derived = d
	return d
}

// induceGuard derives the version space from a tool's cells, sorted by key, in
// which wide paths, sorted, have no part.
func induceGuard(cells []*behavior.Cell, wide []behavior.Path) *behavior.Guard {
	g := &behavior.Guard{Wide: wide, Allowed: successes(cells)}
	g.Build()
	failures(g, cells)
	sets := make([]behavior.Violation, 0, len(g.Failures))
	for _, f := range g.Failures {
		if c, _ := g.ClusterOf(f.Cluster); c.Trusted() {
			sets = append(sets, f.Violates)
		}
	}
	g.Minimal, g.Bounded = minimalGuards(sets)
	g.Conditions = conditions(g, cells)
	return g
}

// successes collects what successes had at every path that any cell has. A path
// was absent in those successes that had its parent and not itself.
func successes(cells []*behavior.Cell) []*behavior.Allowed {
	allowed := map[behavior.Path]*behavior.Allowed{}
	had := map[behavior.Path]int{}     // successes that had the path, or may have had it
	parents := map[behavior.Path]int{} // successes that had the parent
	for _, c := range cells {
		all := c.All()
		for i, f := range all.Features {
			a := allowed[f.Path]
			if a == nil {
				a = behavior.NewAllowed(f.Path)
				allowed[f.Path] = a
			}
			if c.OK == 0 {
				continue
			}
			a.Allow(f.Value, c.OK)
			if i == 0 || all.Features[i-1].Path != f.Path {
				had[f.Path] += c.OK
			}
		}
		if c.OK == 0 {
			continue
		}
		for _, p := range all.Parents() {
			parents[p] += c.OK
		}
		for _, u := range all.Unknown {
			had[u] += c.OK
		}
	}
	out := make([]*behavior.Allowed, 0, len(allowed))
	for p, a := range allowed {
		if n := parents[p.Parent()] - had[p]; n > 0 {
			a.Lacked(n)
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *behavior.Allowed) int { return a.Path.Compare(b.Path) })
	return out
}

type failureKey struct{ violates, cluster string }

// failures fills in what refused calls violate, a failure for each set of atoms
// and cluster.
func failures(g *behavior.Guard, cells []*behavior.Cell) {
	found := map[failureKey]*behavior.Failure{}
	clusters := map[string]*behavior.Cluster{}
	for _, c := range cells {
		for _, r := range c.Refused {
			cl := clusters[r.Cluster]
			if cl == nil {
				cl = &behavior.Cluster{Text: r.Cluster}
				clusters[r.Cluster] = cl
			}
			cl.Calls += r.Calls
			v, unknown := g.Violations(c.All(), blameOf(r.Cause))
			switch {
			case len(unknown) > 0:
				cl.Unobserved += r.Calls
				continue
			case len(v) == 0:
				cl.Unexplained += r.Calls
				continue
			}
			k := failureKey{v.Key(), r.Cluster}
			f := found[k]
			if f == nil {
				f = &behavior.Failure{Violates: v, Cluster: r.Cluster, Example: r.Example}
				found[k] = f
			}
			f.Calls += r.Calls
			f.Example = min(f.Example, r.Example)
			f.Distinct = f.Distinct.Merge(r.Sample)
			if cause := r.Cause.String(); !slices.Contains(f.Causes, cause) {
				f.Causes = append(f.Causes, cause)
				slices.Sort(f.Causes)
			}
		}
	}
	for _, f := range found {
		g.Failures = append(g.Failures, *f)
	}
	slices.SortFunc(g.Failures, behavior.Failure.Compare)
	for _, text := range slices.Sorted(maps.Keys(clusters)) {
		g.Clusters = append(g.Clusters, *clusters[text])
	}
}

func blameOf(c calllog.Cause) behavior.Blame {
	switch c {
	case calllog.ArgumentCause:
		return behavior.BlameArguments
	case calllog.StateCause:
		return behavior.BlameState
	}
	return behavior.BlameAny
}

// effects finds the fields that every success left at one value and that at
// least one success changed.
func effects(cells []*behavior.Cell) []behavior.Effect {
	type tally struct {
		calls   int
		changed bool
	}
	seen := map[behavior.Feature]*tally{}
	total := 0
	for _, c := range cells {
		before := c.Node()
		for _, n := range c.Next {
			total += n.Calls
			for _, f := range n.State.Features {
				if seen[f] == nil {
					seen[f] = &tally{}
				}
				seen[f].calls += n.Calls
				seen[f].changed = seen[f].changed || len(before.Features) > 0 && !slices.Contains(before.Features, f)
			}
		}
	}
	var out []behavior.Effect
	for f, t := range seen {
		if t.changed && t.calls == total {
			out = append(out, behavior.Effect{Field: f.Field, To: f.Value, Calls: total})
		}
	}
	slices.SortFunc(out, func(a, b behavior.Effect) int { return strings.Compare(a.Field, b.Field) })
	return out
}
