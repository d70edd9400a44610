package report

import (
	"cmp"
	"fmt"
	"slices"

	"mcpg/behavior"
	"mcpg/report/draw"
)

// Draw is the behaviour graph as a picture's data: a node a state; an arrow to
// each state that followed successes, and back to the state for what was
// refused or whose next state isn't known. Tools that go the same way with the
// same outcome share an arrow.
func Draw(g *behavior.Graph) draw.Graph {
	d := &drawing{nodes: map[string]string{}, arrows: map[arrow]*bundle{}}
	guards := map[[3]string]string{}
	for _, t := range g.Tools {
		if m := t.Guard.Minimal; len(m) == 1 && t.OK() > 0 && len(m[0]) <= 3 {
			guards[[3]string{t.Server, t.Name, t.Fingerprint}] = "needs " + m[0].String()
		}
	}
	for _, e := range g.Edges() {
		d.edge(e, guards[[3]string{e.Server, e.Tool, e.Fingerprint}])
	}
	d.out.Edges = d.edges()
	d.out.Title = fmt.Sprintf("%d calls, %d states, %d tools", g.Calls, len(d.out.Nodes), len(g.Tools))
	return d.out
}

type drawing struct {
	out    draw.Graph
	nodes  map[string]string
	arrows map[arrow]*bundle
}

// arrow is what tools share that are drawn as one.
type arrow struct {
	from, to string
	tone     draw.Tone
	dashed   bool
}

type bundle struct {
	lines []string
	calls int
}

func (d *drawing) node(server, class string, s behavior.State) string {
	key := server + "\x00" + class + "\x00" + s.Key()
	if id, ok := d.nodes[key]; ok {
		return id
	}
	id := fmt.Sprintf("s%d", len(d.nodes))
	d.nodes[key] = id
	group := class
	if group == "" || server == "" {
		group = cmp.Or(server, class)
	} else {
		group = server + "/" + class
	}
	d.out.Nodes = append(d.out.Nodes, draw.Node{ID: id, Lines: stateLines(s), Group: group})
	return id
}

func stateLines(s behavior.State) []string {
	var lines []string
	for _, f := range s.Features {
		if len(s.Features) > 1 && f.Field == "exists" && f.Token == behavior.True {
			continue
		}
		lines = append(lines, f.String())
	}
	for _, u := range s.Unknown {
		if u.Field == "" {
			lines = append(lines, "state not observed")
		} else {
			lines = append(lines, u.Field+"=?")
		}
	}
	if len(lines) == 0 {
		lines = []string{"no state"}
	}
	return lines
}

func (d *drawing) edge(e behavior.Edge, guard string) {
	from := d.node(e.Server, e.Class, e.State)
	tone := map[behavior.EdgeOutcome]draw.Tone{
		behavior.EdgeWorks: draw.Works, behavior.EdgeFails: draw.Fails, behavior.EdgeMixed: draw.Mixed, behavior.EdgeUntried: draw.Untried,
	}[e.Outcome]
	dashed := e.Status != behavior.ObservedSupported
	known := 0
	for _, n := range e.Next {
		known += n.Calls
		d.add(arrow{from, d.node(e.Server, e.Class, n.State), tone, dashed}, n.Calls, fmt.Sprintf("%s: %d ok", e.Tool, n.Calls))
	}
	if rest := e.OK - known; rest > 0 {
		d.add(arrow{from, from, tone, dashed}, rest, fmt.Sprintf("%s: %d ok", e.Tool, rest))
	}
	if e.Rejected > 0 {
		lines := []string{fmt.Sprintf("%s: %d refused", e.Tool, e.Rejected)}
		if guard != "" {
			lines = append(lines, "("+guard+")")
		}
		d.add(arrow{from, from, tone, dashed}, e.Rejected, lines...)
	}
}

func (d *drawing) add(a arrow, calls int, lines ...string) {
	b := d.arrows[a]
	if b == nil {
		b = &bundle{}
		d.arrows[a] = b
	}
	b.calls += calls
	b.lines = append(b.lines, lines...)
}

// edges lists the arrows, those of most calls first.
func (d *drawing) edges() []draw.Edge {
	keys := make([]arrow, 0, len(d.arrows))
	for a := range d.arrows {
		keys = append(keys, a)
	}
	slices.SortFunc(keys, func(a, b arrow) int {
		dashed := 0
		if a.dashed != b.dashed {
			dashed = -1
			if a.dashed {
				dashed = 1
			}
		}
		return cmp.Or(cmp.Compare(d.arrows[b].calls, d.arrows[a].calls), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.tone, b.tone), dashed)
	})
	out := make([]draw.Edge, 0, len(keys))
	for _, a := range keys {
		out = append(out, draw.Edge{From: a.from, To: a.to, Label: d.arrows[a].lines, Tone: a.tone, Dashed: a.dashed})
	}
	return out
}
