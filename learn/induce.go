package learn

import (
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
	domains := map[string]map[domainKey]map[string]bool{}
	for k, t := range e.tools {
		g.Tools = append(g.Tools, t.derive(k))
		if domains[k.server] == nil {
			domains[k.server] = map[domainKey]map[string]bool{}
		}
		for dk, vs := range t.domains {
			if domains[k.server][dk] == nil {
				domains[k.server][dk] = map[string]bool{}
			}
			maps.Copy(domains[k.server][dk], vs)
		}
	}
	slices.SortFunc(g.Tools, (*behavior.Tool).Compare)
	for server, ds := range domains {
		for dk, vs := range ds {
			if len(vs) <= maxValues {
				g.Domains = append(g.Domains, behavior.Domain{Server: server, Class: dk.class, Field: dk.field, Values: slices.Sorted(maps.Keys(vs))})
			}
		}
	}
	slices.SortFunc(g.Domains, func(a, b behavior.Domain) int {
		return strings.Compare(a.Server+"\x00"+a.Class+"\x00"+a.Field, b.Server+"\x00"+b.Class+"\x00"+b.Field)
	})
	return g
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
	for _, key := range slices.Sorted(maps.Keys(t.cells)) {
		d.Cells = append(d.Cells, t.cells[key])
	}
	d.Guard = induceGuard(d.Cells)
	d.Effects = effects(d.Cells)
	d.Build()
	t.derived = d
	return d
}

// induceGuard derives the version space from a tool's cells, sorted by key.
func induceGuard(cells []*behavior.Cell) *behavior.Guard {
	g := &behavior.Guard{}
	allowed, wide := successes(cells)
	for p := range wide {
		g.Wide = append(g.Wide, p)
		delete(allowed, p)
	}
	slices.SortFunc(g.Wide, behavior.Path.Compare)
	for _, a := range allowed {
		g.Allowed = append(g.Allowed, a)
	}
	slices.SortFunc(g.Allowed, func(a, b *behavior.Allowed) int { return a.Path.Compare(b.Path) })
	g.Build()
	failures(g, cells)
	sets := make([]behavior.Violation, len(g.Failures))
	for i, f := range g.Failures {
		sets[i] = f.Violates
	}
	g.Minimal, g.Bounded = minimalGuards(sets)
	return g
}

// successes collects what successes had at every path that any cell has, and
// the paths of too many values.
func successes(cells []*behavior.Cell) (map[behavior.Path]*behavior.Allowed, map[behavior.Path]bool) {
	allowed := map[behavior.Path]*behavior.Allowed{}
	tokens := map[behavior.Path]map[string]bool{}
	for _, c := range cells {
		for _, s := range [2]behavior.State{c.State, c.Args} {
			for _, f := range s.Features {
				if allowed[f.Path] == nil {
					allowed[f.Path] = behavior.NewAllowed(f.Path)
					tokens[f.Path] = map[string]bool{}
				}
				if !f.IsNumber() {
					tokens[f.Path][f.Token] = true
				}
			}
		}
	}
	for _, c := range cells {
		if c.OK > 0 {
			c.All().Allow(allowed, c.OK)
		}
	}
	wide := map[behavior.Path]bool{}
	for p, ts := range tokens {
		if len(ts) > maxValues {
			wide[p] = true
		}
	}
	return allowed, wide
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
