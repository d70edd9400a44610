package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/mcptree"
	"mcpg/mcptree/lint"
	"mcpg/mcptree/modellint"
)

// validateFlags are the flags of validate.
type validateFlags struct {
	format   string
	ignore   []string
	strict   bool
	model    string
	adapters []string
	server   string
}

func (a *app) validateCommand() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate PATH…",
		Short: "Check trees: what the protocol rejects, and what will surprise",
		Long: `Check trees, of files, of folders (.yaml and .yml in them) or of stdin (-). A line a tree,
OK or FAIL, then its findings with place, rule and the line itself. What the protocol
rejects is an error; a warning names a tree that loads and will surprise. Exits with 1 if
a tree failed or none was found; with --strict warnings fail too.

Rules: ` + strings.Join(ruleNames(), ", ") + `.`,
		Example: "  mcptree validate trees/\n  mcptree validate --strict --ignore one-option trees/*.yaml\n  mcptree validate --format sarif trees/ > mcptree.sarif",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.validate(&f, args) },
	}
	c.Flags().StringVar(&f.format, "format", "text", "text, json, sarif or github")
	c.Flags().StringArrayVar(&f.ignore, "ignore", nil, "a rule whose warnings to leave out; may be given several times")
	c.Flags().StringVar(&f.model, "model", "", "a model.json from mcpg learn: hold every action against what was seen of its tool")
	c.Flags().StringArrayVar(&f.adapters, "adapter", nil, "with --model: the adapters of the servers, by name or file")
	c.Flags().StringVar(&f.server, "server", "", "with --model: the server whose tools the trees call")
	c.Flags().BoolVar(&f.strict, "strict", false, "warnings fail")
	return c
}

// loadModel reads the model to check against, nil for none.
func loadModel(f *validateFlags) (*modellint.Model, error) {
	if f.model == "" {
		if len(f.adapters) > 0 || f.server != "" {
			return nil, usage("--adapter and --server go with --model")
		}
		return nil, nil
	}
	adapters, err := adapter.LoadSet(f.adapters)
	if errors.Is(err, adapter.ErrUnknown) {
		return nil, &usageError{err}
	}
	if err != nil {
		return nil, err
	}
	in, err := os.Open(f.model)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	g, err := behavior.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.model, err)
	}
	return &modellint.Model{Graph: g, Adapters: adapters, Server: f.server}, nil
}

func ruleNames() []string {
	var out []string
	for _, r := range lint.Rules() {
		out = append(out, r.Name)
	}
	for _, r := range modellint.Rules() {
		out = append(out, r[0])
	}
	return out
}

func (a *app) validate(f *validateFlags, args []string) error {
	write, ok := formats[f.format]
	if !ok {
		return usage("unknown format %q: want one of text, json, sarif, github", f.format)
	}
	for _, name := range f.ignore {
		if !slices.Contains(ruleNames(), name) {
			return usage("unknown rule %q: want one of %s", name, strings.Join(ruleNames(), ", "))
		}
	}
	model, err := loadModel(f)
	if err != nil {
		return err
	}
	// What reading a document leaves is dead soon: collecting less often saves time.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	seen := map[string]bool{} // a folder, and a file in it
	var docs []*mcptree.Document
	for _, path := range args {
		files, err := treeFiles(path)
		if err != nil || len(files) == 0 {
			fmt.Fprintf(a.out, "no trees found in %s\n", path)
			a.code = codeFindings
			continue
		}
		files = slices.DeleteFunc(files, func(file string) bool {
			at, err := filepath.Abs(file)
			again := err == nil && file != "-" && seen[at]
			seen[at] = true
			return again
		})
		docs = append(docs, a.load(files, func(d *mcptree.Document) {
			lint.Check(d)
			if model != nil {
				modellint.Check(d, model)
			}
			d.Trim()
		})...)
	}
	lint.CheckAll(docs)
	for _, d := range docs {
		d.Findings = slices.DeleteFunc(d.Findings, func(x mcptree.Finding) bool {
			return x.Severity == mcptree.Warning && slices.Contains(f.ignore, x.Rule)
		})
		if d.Errors() || f.strict && len(d.Findings) > 0 {
			a.code = codeFindings
		}
	}
	return write(a.out, docs, f.strict)
}
