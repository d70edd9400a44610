package report

import (
	"fmt"
	"slices"

	"mcpg/behavior"
	"mcpg/report/draw"
)

// Draw is the behaviour graph as a picture's data: a node a state, an edge for
// every tool and state that followed, or back to the state where none did.
func Draw(g *behavior.Graph) draw.Graph {
	d := &drawing{nodes: map[string]string{}}
	edges := g.Edges()
	slices.SortStableFunc(edges, func(a, b behavior.Edge) int { return b.OK + b.Rejected - a.OK - a.Rejected })
	guards := map[[3]string]string{}
	for _, t := range g.Tools {
		if len(t.Guard.Minimal) == 1 && t.OK() > 0 {
			guards[[3]string{t.Server, t.Name, t.Fingerprint}] = "needs " + t.Guard.Minimal[0].String()
		}
	}
	for _, e := range edges {
		d.edge(e, guards[[3]string{e.Server, e.Tool, e.Fingerprint}])
	}
	d.out.Title = fmt.Sprintf("%d calls, %d states, %d tools", g.Calls, len(d.out.Nodes), len(g.Tools))
	return d.out
}

type drawing struct {
	out   draw.Graph
	nodes map[string]string
}

func (d *drawing) node(server, class string, s behavior.State) string {
	key := server + "\x00" + class + "\x00" + s.Key()
	if id, ok := d.nodes[key]; ok {
		return id
	}
	id := fmt.Sprintf("s%d", len(d.nodes))
	d.nodes[key] = id
	lines := []string{}
	for _, f := range s.Features {
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
	group := class
	if server != "" {
		group = server + "/" + class
	}
	d.out.Nodes = append(d.out.Nodes, draw.Node{ID: id, Lines: lines, Group: group})
	return id
}

func (d *drawing) edge(e behavior.Edge, guard string) {
	from := d.node(e.Server, e.Class, e.State)
	label := []string{e.Tool, fmt.Sprintf("%d ok, %d refused", e.OK, e.Rejected)}
	if guard != "" && e.Rejected > 0 {
		label = append(label, guard)
	}
	tone := map[behavior.EdgeOutcome]draw.Tone{
		behavior.EdgeWorks: draw.Works, behavior.EdgeFails: draw.Fails, behavior.EdgeMixed: draw.Mixed, behavior.EdgeUntried: draw.Untried,
	}[e.Outcome]
	dashed := e.Status != behavior.ObservedSupported
	if len(e.Next) == 0 {
		d.out.Edges = append(d.out.Edges, draw.Edge{From: from, To: from, Label: label, Tone: tone, Dashed: dashed})
		return
	}
	for _, n := range e.Next {
		to := d.node(e.Server, e.Class, n.State)
		d.out.Edges = append(d.out.Edges, draw.Edge{From: from, To: to, Label: label, Tone: tone, Dashed: dashed})
	}
}
