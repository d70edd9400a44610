package report

import (
	"fmt"
	"io"

	"mcpg/analyze"
)

// mostEdges is how many edges of one tool are listed.
const mostEdges = 20

// DiffTable writes what changed between two models.
func DiffTable(w io.Writer, changes []analyze.Change) error {
	p := &printer{w: w}
	if len(changes) == 0 {
		p.printf("no change\n")
	}
	tool, edges := "", 0
	for _, c := range changes {
		name := Clean(c.Tool)
		if c.Server != "" {
			name = Clean(c.Server) + "/" + name
		}
		if name != tool {
			p.more(edges)
			tool, edges = name, 0
			p.printf("%s\n", name)
		}
		if c.What == "edge" {
			if edges++; edges > mostEdges {
				continue
			}
		}
		p.printf("  %s %s", c.What, c.Kind)
		switch {
		case c.What == "edge":
			p.printf(": %s in %s", became(c.Before, c.After), clip(Clean(c.State), 300))
		case c.After != "":
			p.printf(": it %s; e.g. in %s", clip(Clean(c.After), 300), clip(Clean(c.State), 300))
		case c.What == "guard" && c.Before != "":
			p.printf(": no longer %s; e.g. in %s", clip(Clean(c.Before), 300), clip(Clean(c.State), 300))
		}
		p.printf(" (%s)\n", calls(c.Calls))
	}
	p.more(edges)
	return p.err
}

func (p *printer) more(edges int) {
	if edges > mostEdges {
		p.printf("  … and %d edges more\n", edges-mostEdges)
	}
}

func became(before, after string) string {
	switch {
	case before == "":
		return after
	case after == "":
		return "no longer seen, " + before + " before,"
	}
	return fmt.Sprintf("%s, %s before,", after, before)
}
