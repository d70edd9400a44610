package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/internal/atomicfile"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
	"mcpg/mcptree/viz"
)

// drawings are the formats of viz.
var drawings = map[string]func(io.Writer, *mcptree.Tree, []viz.Step) error{
	"mermaid": viz.Mermaid,
	"dot":     viz.DOT,
	"svg":     viz.SVG,
	"png":     viz.PNG,
	"html": func(w io.Writer, t *mcptree.Tree, path []viz.Step) error {
		var svg bytes.Buffer
		if err := viz.SVG(&svg, t, path); err != nil {
			return err
		}
		return viz.HTML(w, t, svg.Bytes(), path)
	},
}

// vizFlags are the flags of viz.
type vizFlags struct {
	format, out, trace, sessions string
}

func (a *app) vizCommand() *cobra.Command {
	var f vizFlags
	c := &cobra.Command{
		Use:   "viz [FILE]",
		Short: "Draw a tree, and the path that a session took",
		Long: `Draw a tree as Mermaid text, as a picture, or as a page of HTML that loads nothing. With
--trace the path that a stored session took stands out; without FILE the tree is the one
that the session is pinned to. A tree that the protocol rejects prints FAIL, exit code 1.`,
		Example: "  mcptree viz trees/incident.yaml\n  mcptree viz trees/incident.yaml --format html -o incident.html\n  mcptree viz --trace ses_0123456789ab --format svg -o path.svg",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.viz(&f, args) },
	}
	c.Flags().StringVar(&f.format, "format", "mermaid", "mermaid, dot, svg, png or html")
	c.Flags().StringVarP(&f.out, "output", "o", "-", "the drawing; - is stdout")
	c.Flags().StringVar(&f.trace, "trace", "", "the session whose path to show")
	c.Flags().StringVar(&f.sessions, "sessions", "", "folder of the sessions (default ~/.mcptree/sessions)")
	return c
}

func (a *app) viz(f *vizFlags, args []string) error {
	drawing, ok := drawings[f.format]
	if !ok {
		return usage("unknown format %q: want one of %s", f.format, strings.Join(slices.Sorted(maps.Keys(drawings)), ", "))
	}
	if len(args) == 0 && f.trace == "" {
		return usage("no tree: name a file, - for stdin, or a session with --trace; see mcptree viz --help")
	}
	var tree *mcptree.Tree
	if len(args) > 0 {
		d := a.loadOne(args[0])
		if d.Errors() {
			a.code = codeFindings
			_, err := fmt.Fprintf(a.out, "FAIL %s: %s\n", d.File, printable(d.Reason()))
			return err
		}
		tree = d.Tree
	}
	var path []viz.Step
	if f.trace != "" {
		pinned, steps, err := walked(f.sessions, f.trace)
		if err != nil {
			return err
		}
		if tree != nil && tree.Hash != pinned.Hash {
			return fmt.Errorf("%s is not the tree that %s walked: its hash is %s, the session's %s; without a file the session's tree is drawn", tree.File, f.trace, tree.Hash, pinned.Hash)
		}
		tree, path = pinned, steps
	}
	if n := len(viz.NewGraph(tree, nil).Edges); f.format == "mermaid" && n > viz.MaxEdges {
		fmt.Fprintf(a.err, "mcptree: %d edges: Mermaid draws more than %d only where maxEdges is set\n", n, viz.MaxEdges)
	}
	fill := func(w io.Writer) error { return drawing(w, tree, path) }
	if f.out == "-" {
		return fill(a.out)
	}
	return atomicfile.Write(f.out, fill)
}

// walked gives the tree of a stored session and the path that it took.
func walked(dir, id string) (*mcptree.Tree, []viz.Step, error) {
	s, err := store(dir)
	if err != nil {
		return nil, nil, err
	}
	ses, trace, err := s.Trace(id)
	if err != nil {
		return nil, nil, known(err)
	}
	var path []viz.Step
	for i := range trace {
		path = append(path, stepOf(ses.Tree(), &trace[i]))
	}
	if here := ses.Machine.Node(&ses.State); !ses.State.Done && here != nil {
		path = append(path, viz.Step{Node: here.ID})
	}
	return ses.Tree(), path, nil
}

func stepOf(t *mcptree.Tree, e *engine.Entry) viz.Step {
	s := viz.Step{Node: e.Node, Source: e.Source}
	if e.Branch != nil {
		s.To = *e.Branch
	}
	if e.Rationale != nil {
		s.Rationale = *e.Rationale
	}
	if e.Source != "" {
		s.Input = string(value.AppendJSON(nil, e.Input))
	}
	if n := t.Node(e.Node); n != nil && len(n.Options) > 0 && e.Input.Kind == value.String {
		s.Label = e.Input.Str
	}
	return s
}
