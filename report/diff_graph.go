package report

import (
	"cmp"
	"fmt"
	"slices"

	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/report/draw"
)

// DrawDiff is what changed between two models as a picture's data. States are
// told apart by what guards mind, as the list of changes does: else a thousand
// states that differ in a title would all be new.
func DrawDiff(old, now *behavior.Graph, c *analyze.Comparison) draw.Graph {
	d := &diffDrawing{c: c, drawing: drawing{nodes: map[string]string{}, arrows: map[arrow]int{}},
		tools: map[[2]string][2]bool{}, moves: map[move]*moved{}, seen: map[string][2]bool{}}
	for i, g := range []*behavior.Graph{old, now} {
		for _, t := range g.Tools {
			d.tool(i, t)
		}
	}
	d.out.Edges = d.edges()
	for i, n := range d.out.Nodes {
		switch seen := d.seen[n.ID]; {
		case !seen[0]:
			d.out.Nodes[i].Mark = draw.Added
		case !seen[1]:
			d.out.Nodes[i].Mark = draw.Removed
		}
	}
	d.out.Title = "What changed: " + countChanges(c.Changes)
	if len(c.Changes) > 0 {
		d.out.Note = "green + added; red - removed; amber ~ changed; grey: as before. Arrow: works, bar: fails, diamond: both"
	}
	return draw.Near(d.out)
}

func countChanges(changes []analyze.Change) string {
	n := map[string]int{}
	for _, ch := range changes {
		n[ch.What]++
	}
	if len(changes) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, %s, %s", many(n["tool"], "tool"), many(n["guard"], "guard"), many(n["edge"], "edge"))
}

type diffDrawing struct {
	drawing
	c     *analyze.Comparison
	tools map[[2]string][2]bool // that the old and the new model have
	moves map[move]*moved
	seen  map[string][2]bool // nodes, in the old and the new model
}

// move is a tool in a state, and where it led.
type move struct{ from, to, server, tool string }

// moved is what came of it.
type moved struct {
	ok, refused [2]int // calls, in the old and the new model
	changed     bool
}

// tool adds a tool of the old (0) or new (1) model.
func (d *diffDrawing) tool(side int, t *behavior.Tool) {
	has := d.tools[[2]string{t.Server, t.Name}]
	has[side] = true
	d.tools[[2]string{t.Server, t.Name}] = has
	for _, c := range t.Cells {
		from := d.state(side, t.Server, c.Class, c.Node())
		_, changed := d.c.Edge(t, c)
		stay := d.move(move{from, from, t.Server, t.Name}, changed)
		stay.refused[side] += c.Rejected()
		rest := c.OK
		for _, n := range c.Next {
			rest -= n.Calls
			d.move(move{from, d.state(side, t.Server, c.Class, n.State), t.Server, t.Name}, changed).ok[side] += n.Calls
		}
		stay.ok[side] += rest
	}
}

func (d *diffDrawing) move(k move, changed bool) *moved {
	m := d.moves[k]
	if m == nil {
		m = &moved{}
		d.moves[k] = m
	}
	m.changed = m.changed || changed
	return m
}

// state is the node of a state without what no guard minds.
func (d *diffDrawing) state(side int, server, class string, s behavior.State) string {
	s = s.Drop(func(p behavior.Path) bool { return p.Field != "" && !d.c.Minds(server, p.Field) })
	s.Features = slices.DeleteFunc(slices.Clone(s.Features), func(f behavior.Feature) bool { return f.IsNumber() })
	id := d.node(server, class, s)
	seen := d.seen[id]
	seen[side] = true
	d.seen[id] = seen
	return id
}

// edges lists the moves, the changed ones first: they are the last to be cut.
func (d *diffDrawing) edges() []draw.Edge {
	var out []draw.Edge
	remarks := d.guards()
	for k, m := range d.moves {
		calls := m.ok[0] + m.ok[1] + m.refused[0] + m.refused[1]
		if calls == 0 {
			continue
		}
		e := draw.Edge{From: k.from, To: k.to, Scope: k.server, Name: k.tool, Calls: calls, Tone: m.tone(1)}
		has := d.tools[[2]string{k.server, k.tool}]
		is := m.ok[1]+m.refused[1] > 0
		was := m.ok[0]+m.refused[0] > 0
		switch {
		case !has[0], m.changed && !was:
			e.Mark = draw.Added
		case !has[1], m.changed && !is:
			e.Mark = draw.Removed
		case m.changed && (m.tone(0) != m.tone(1) || m.tone(0) == draw.Mixed):
			e.Mark = draw.Changed
		}
		if !is {
			e.Tone = m.tone(0)
		}
		e.Did = m.words(is, was)
		e.Label = []string{k.tool + ": " + e.Did}
		if e.Mark != draw.Unmarked {
			e.Remark = remarks[[2]string{k.server, k.tool}]
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b draw.Edge) int {
		changed := func(e draw.Edge) int { return -min(1, int(e.Mark)) }
		return cmp.Or(cmp.Compare(changed(a), changed(b)), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// guards says in a line what became of each tool's guard.
func (d *diffDrawing) guards() map[[2]string]string {
	out := map[[2]string]string{}
	for _, ch := range d.c.Changes {
		if ch.What != "guard" {
			continue
		}
		k := [2]string{ch.Server, ch.Tool}
		if out[k] != "" {
			out[k] += "; "
		}
		out[k] += guardChange(ch)
	}
	return out
}

// guardChange is a changed guard with its sign.
func guardChange(ch analyze.Change) string {
	text := ch.After
	if text == "" {
		text = "no longer " + ch.Before
	}
	return sign(ch) + " guard " + string(ch.Kind) + ": " + text
}

// sign is what a change is marked with, where colour alone would say it.
func sign(ch analyze.Change) string {
	switch ch.Kind {
	case analyze.Added:
		return draw.Added.Sign()
	case analyze.Removed:
		return draw.Removed.Sign()
	}
	return draw.Changed.Sign()
}

func (m *moved) tone(side int) draw.Tone {
	switch {
	case m.ok[side] > 0 && m.refused[side] > 0:
		return draw.Mixed
	case m.ok[side] > 0:
		return draw.Works
	}
	return draw.Fails
}

// words are the counts, after those of before where both are there and differ in kind.
func (m *moved) words(is, was bool) string {
	switch {
	case !is:
		return m.count(0)
	case was && m.tone(0) != m.tone(1):
		return m.count(0) + " -> " + m.count(1)
	}
	return m.count(1)
}

func (m *moved) count(side int) string {
	switch m.tone(side) {
	case draw.Mixed:
		return fmt.Sprintf("%d ok, %d refused", m.ok[side], m.refused[side])
	case draw.Works:
		return fmt.Sprintf("%d ok", m.ok[side])
	}
	return fmt.Sprintf("%d refused", m.refused[side])
}
