package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpg/behavior"
	"mcpg/report/draw"
)

// Draw is the behaviour graph as a picture's data: a node a state; an arrow to
// each state that followed successes, and back to the state for what was refused
// or whose next state isn't known.
func Draw(g *behavior.Graph) draw.Graph {
	d := &drawing{nodes: map[string]string{}, arrows: map[arrow]int{}}
	needs := map[[3]string]string{}
	for _, t := range g.Tools {
		needs[[3]string{t.Server, t.Name, t.Fingerprint}] = shortGuard(t)
	}
	for _, e := range g.Edges() {
		d.edge(e, needs[[3]string{e.Server, e.Tool, e.Fingerprint}])
	}
	d.out.Edges = d.edges()
	d.out.Title = fmt.Sprintf("%s, %s, %s", calls(g.Calls), many(len(d.out.Nodes), "state"), many(len(g.Tools), "tool"))
	if len(d.arrows) > 0 {
		d.out.Note = legend
	}
	return d.out
}

// legend says what the arrows' looks mean, for who has the picture alone.
const legend = "green arrow: works; red bar: fails; amber diamond: both; dashed: thin, arguments decide, or contradicted"

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type drawing struct {
	out    draw.Graph
	nodes  map[string]string
	arrows map[arrow]int // calls
}

// arrow is one tool's from a state to another.
type arrow struct {
	from, to, server, tool string
	tone                   draw.Tone
	status                 behavior.Status
	did, needs             string
}

func (d *drawing) node(server, class string, s behavior.State) string {
	key := server + "\x00" + class + "\x00" + s.Key()
	if id, ok := d.nodes[key]; ok {
		return id
	}
	id := fmt.Sprintf("s%d", len(d.nodes))
	d.nodes[key] = id
	d.out.Nodes = append(d.out.Nodes, draw.Node{ID: id, Lines: stateLines(s), Group: groupName(server, class)})
	return id
}

// groupName is what states of a class are framed by.
func groupName(server, class string) string {
	if class == "" || server == "" {
		return cmp.Or(server, class)
	}
	return server + "/" + class
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

func (d *drawing) edge(e behavior.Edge, needs string) {
	from := d.node(e.Server, e.Class, e.State)
	a := arrow{from: from, to: from, server: e.Server, tool: e.Tool, tone: tones[e.Outcome], status: e.Status, did: "ok"}
	if e.Status == behavior.Contradicted {
		a.did = "ok, contradicted"
	}
	known := 0
	for _, n := range e.Next {
		known += n.Calls
		there := a
		there.to = d.node(e.Server, e.Class, n.State)
		d.arrows[there] += n.Calls
	}
	if rest := e.OK - known; rest > 0 {
		d.arrows[a] += rest
	}
	if e.Rejected > 0 {
		a.did, a.needs = strings.Replace(a.did, "ok", "refused", 1), needs
		d.arrows[a] += e.Rejected
	}
}

var tones = map[behavior.EdgeOutcome]draw.Tone{
	behavior.EdgeWorks: draw.Works, behavior.EdgeFails: draw.Fails, behavior.EdgeMixed: draw.Mixed, behavior.EdgeUntried: draw.Untried,
}

// edges lists the arrows, those of most calls first.
func (d *drawing) edges() []draw.Edge {
	out := make([]draw.Edge, 0, len(d.arrows))
	for a, n := range d.arrows {
		out = append(out, draw.Edge{From: a.from, To: a.to, Scope: a.server, Name: a.tool, Calls: n, Did: a.did, Remark: a.needs,
			Tone: a.tone, Status: string(a.status), Dashed: a.status != behavior.ObservedSupported})
	}
	slices.SortFunc(out, func(a, b draw.Edge) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Tone, b.Tone), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Did, b.Did), cmp.Compare(a.Remark, b.Remark))
	})
	return out
}
