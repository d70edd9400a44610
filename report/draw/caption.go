package draw

import (
	"fmt"
	"slices"
	"strings"
)

// begin notes how many states there were before the first cut.
func (g Graph) begin() Graph {
	if g.States == 0 {
		g.States = g.shown()
	}
	return g
}

// say adds a rule to those that cut g.
func (g Graph) say(rule string) Graph {
	g.Cuts = append(slices.Clip(g.Cuts), rule)
	return g
}

// shown counts the states that g's nodes stand for.
func (g Graph) shown() int {
	n := 0
	for _, node := range g.Nodes {
		n += node.counts()
	}
	return n
}

// Stated says what was cut: "cut: 41 states of 212 shown, support >= 3". It is
// empty where nothing was.
func (g Graph) Stated() string {
	if len(g.Cuts) == 0 {
		return ""
	}
	g.Nodes = whole(g).Nodes
	shown := g.shown()
	states := "states"
	if shown == 1 {
		states = "state"
	}
	s := fmt.Sprintf("cut: %d %s of %d shown", shown, states, g.States)
	if n := len(g.Nodes); n != shown {
		s += fmt.Sprintf(" in %d boxes", n)
	}
	return s + ", " + strings.Join(g.Cuts, ", ")
}

// caption is what stands above the picture.
func (g Graph) caption() []string {
	var lines []string
	for _, s := range []string{g.Title, g.Note, g.Stated()} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return lines
}
