package learn

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mcpg/behavior"
	"mcpg/calllog"
)

// Induce derives the model. What has not changed since the last time is not
// derived again; the graph's tools are shared with later ones and must not be
// changed.
func (e *Evidence) Induce() *behavior.Graph {
	e.settle()
	e.deriveAll()
	g := &behavior.Graph{Calls: e.calls}
	for k, t := range e.tools {
		g.Tools = append(g.Tools, t.derive(k, e.Strict))
	}
	slices.SortFunc(g.Tools, (*behavior.Tool).Compare)
	g.Domains = domains(g.Tools)
	g.Timelines = e.timelines().graph(func(t *toolEvidence) *behavior.Tool { return t.derived })
	g.Causes = causes(g)
	return g
}

// deriveAll derives the tools that have changed, on all processors: none has a part in
// another's guard.
func (e *Evidence) deriveAll() {
	var changed []*toolEvidence
	for _, t := range e.tools {
		if t.derived == nil {
			t.project()
			changed = append(changed, t)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), len(changed))
	if workers < 2 {
		return
	}
	// The largest first, so that none of them is left for one worker in the end.
	slices.SortFunc(changed, func(a, b *toolEvidence) int { return cmp.Compare(len(b.cells), len(a.cells)) })
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(changed)); i = next.Add(1) - 1 {
				changed[i].derive(changed[i].key, e.Strict)
			}
		})
	}
	wg.Wait()
}

// Tools derives the tools of one server, sorted.
func (e *Evidence) Tools(server string) []*behavior.Tool {
	e.settle()
	var out []*behavior.Tool
	for k, t := range e.tools {
		if k.server == server {
			out = append(out, t.derive(k, e.Strict))
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
	e.settle()
	k := toolKey{server, name, fingerprint}
	if t := e.tools[k]; t != nil {
		return t.derive(k, e.Strict)
	}
	return nil
}

func (t *toolEvidence) derive(k toolKey, strict bool) *behavior.Tool {
	if t.derived != nil {
		return t.derived
	}
	d := &behavior.Tool{Server: k.server, Name: k.name, Fingerprint: k.fingerprint, Counts: t.counts, Unobserved: t.unobserved, Called: t.called}
	t.project()
	d.Cells = t.sorted()
	d.Guard = induceGuard(d.Cells, strict, slices.SortedFunc(maps.Keys(t.values.Wide()), behavior.Path.Compare))
	d.Effects = effects(d.Cells)
	t.derived = d
	return d
}

func (t *toolEvidence) sorted() []*behavior.Cell {
	var out []*behavior.Cell
	for _, key := range slices.Sorted(maps.Keys(t.cells)) {
		out = append(out, t.cells[key])
	}
	return out
}

// induceGuard derives the version space from a tool's cells, sorted by key, in
// which wide paths, sorted, have no part.
func induceGuard(of []*behavior.Cell, strict bool, wide []behavior.Path) *behavior.Guard {
	cells, disputed := join(of), 0
	if !strict {
		cells, disputed = undisputed(cells)
	}
	g := &behavior.Guard{Wide: wide, Allowed: successes(cells, none), Disputed: disputed}
	g.Build()
	failures(g, cells)
	sets := make([]behavior.Violation, 0, len(g.Failures))
	for _, f := range g.Failures {
		if c, _ := g.ClusterOf(f.Cluster); c.Trusted() {
			sets = append(sets, f.Violates)
		}
	}
	g.Minimal, g.Bounded = minimalGuards(sets)
	if !strict {
		g.Conditions = conditions(g, cells)
	}
	return g
}

// tally is what successes had, by path. The zero value is of no calls.
type tally struct {
	allowed map[behavior.Path]*behavior.Allowed
	had     map[behavior.Path]int // successes that had the path, or may have had it
	parents map[behavior.Path]int // successes that had the parent
	lacked  map[behavior.Path]int // those counted as having had it absent
}

// add counts a state that calls were made in, ok of them successes, and tells
// whether that changed which atoms are left.
func (t *tally) add(all behavior.State, ok int) (changed bool) {
	if t.allowed == nil {
		*t = tally{map[behavior.Path]*behavior.Allowed{}, map[behavior.Path]int{}, map[behavior.Path]int{}, map[behavior.Path]int{}}
	}
	for i, f := range all.Features {
		a := t.allowed[f.Path]
		if a == nil {
			a = behavior.NewAllowed(f.Path)
			t.allowed[f.Path] = a
			changed = true
		}
		if ok == 0 {
			continue
		}
		changed = changed || !a.Allows(f.Value)
		a.Allow(f.Value, ok)
		if i == 0 || all.Features[i-1].Path != f.Path {
			t.had[f.Path] += ok
		}
	}
	if ok == 0 {
		return changed
	}
	for _, p := range all.Parents() {
		t.parents[p] += ok
	}
	for _, u := range all.Unknown {
		t.had[u] += ok
	}
	return changed
}

// settle counts a path as absent in those successes that had its parent and not
// itself, and tells whether that changed which atoms are left.
func (t *tally) settle() (changed bool) {
	for p, a := range t.allowed {
		n := max(0, t.parents[p.Parent()]-t.had[p])
		if n != t.lacked[p] {
			changed = a.Lacked(n-t.lacked[p]) || changed
			t.lacked[p] = n
		}
	}
	return changed
}

func (t *tally) list() []*behavior.Allowed {
	out := make([]*behavior.Allowed, 0, len(t.allowed))
	for _, a := range t.allowed {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *behavior.Allowed) int { return a.Path.Compare(b.Path) })
	return out
}

// successes collects what successes had at every path that any cell has, with those
// of one part left out if it is a part.
func successes(cells []joined, without int) []*behavior.Allowed {
	var t tally
	for _, c := range cells {
		ok := c.OK
		if int(c.fold) == without {
			ok = 0
		}
		t.add(c.all, ok)
	}
	t.settle()
	return t.list()
}

// joined is a cell with what is asked of it again and again.
type joined struct {
	*behavior.Cell
	all  behavior.State // what its calls have in common
	fold uint32         // which part its successes belong to, told by what they are
}

func join(cells []*behavior.Cell) []joined {
	out := make([]joined, len(cells))
	var key []byte
	for i, c := range cells {
		key = c.AppendKey(key[:0])
		const offset, prime = 2166136261, 16777619 // FNV-1a
		h := uint32(offset)
		for _, b := range key {
			h = (h ^ uint32(b)) * prime
		}
		out[i] = joined{c, c.All(), h % folds}
	}
	return out
}

// without is a cell as if none of its calls had worked.
func (c joined) without() joined {
	bare := *c.Cell
	bare.OK = 0
	c.Cell = &bare
	return c
}

type failureKey struct{ violates, cluster string }

// blames gathers what refused calls violate, a failure for each set of atoms and
// cluster. The zero value has none.
type blames struct {
	failures map[failureKey]*behavior.Failure
	clusters map[string]*behavior.Cluster
}

// add blames a guard's atoms for refused calls of one state; the failure is nil if
// there are none to blame.
func (b *blames) add(g *behavior.Guard, all behavior.State, r behavior.Refusals) (*behavior.Failure, *behavior.Cluster) {
	if b.failures == nil {
		*b = blames{map[failureKey]*behavior.Failure{}, map[string]*behavior.Cluster{}}
	}
	cl := b.clusters[r.Cluster]
	if cl == nil {
		cl = &behavior.Cluster{Text: r.Cluster}
		b.clusters[r.Cluster] = cl
	}
	cl.Calls += r.Calls
	v, unknown := g.Violations(all, blameOf(r.Cause))
	switch {
	case len(unknown) > 0:
		cl.Unobserved += r.Calls
		return nil, cl
	case len(v) == 0:
		cl.Unexplained += r.Calls
		return nil, cl
	}
	k := failureKey{v.Key(), r.Cluster}
	f := b.failures[k]
	if f == nil {
		f = &behavior.Failure{Violates: v, Cluster: r.Cluster, Example: r.Example}
		b.failures[k] = f
	}
	f.Calls += r.Calls
	f.Example = min(f.Example, r.Example)
	f.Distinct = f.Distinct.Merge(r.Sample)
	if cause := r.Cause.String(); !slices.Contains(f.Causes, cause) {
		f.Causes = append(slices.Clone(f.Causes), cause)
		slices.Sort(f.Causes)
	}
	return f, cl
}

// fill puts all into a guard.
func (b *blames) fill(g *behavior.Guard) {
	g.Failures, g.Clusters = g.Failures[:0], g.Clusters[:0]
	for _, f := range b.failures {
		g.Failures = append(g.Failures, *f)
	}
	slices.SortFunc(g.Failures, behavior.Failure.Compare)
	g.Changed()
	for _, text := range slices.Sorted(maps.Keys(b.clusters)) {
		g.Clusters = append(g.Clusters, *b.clusters[text])
	}
}

// failures fills in what refused calls violate.
func failures(g *behavior.Guard, cells []joined) {
	var b blames
	for _, c := range cells {
		for _, r := range c.Refused {
			b.add(g, c.all, r)
		}
	}
	b.fill(g)
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
