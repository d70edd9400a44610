package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/internal/atomicfile"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/walk"
)

// testFlags are the flags of test.
type testFlags struct {
	update, verbose, explore bool
	least, output            string
}

func (a *app) testCommand() *cobra.Command {
	var f testFlags
	c := &cobra.Command{
		Use:   "test PATH…",
		Short: "Run scripted walks",
		Long: `Run scripted walks: YAML files that name a tree and give answers, with the nodes that
must be waiting, and the outcome, end and path that must come of them. Of a folder the
scripts in it are run, or those in its folder tests. Prints how much of each tree the
walks cover. Exits with 1 if a walk went otherwise or the coverage is too low.

With --explore the paths are trees: inputs are sought that take every way, and ways that
none takes are reported. -o writes the walks as a script to start from.`,
		Example: "  mcptree test trees/\n  mcptree test --update trees/tests/incident.yaml\n  mcptree test --min-coverage 90% -v trees/\n  mcptree test --explore trees/incident.yaml -o trees/tests/incident.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !f.explore {
				if f.output != "" {
					return usage("--output goes with --explore")
				}
				return a.test(&f, args)
			}
			if f.update || f.least != "" {
				return usage("--explore goes with neither --update nor --min-coverage")
			}
			return a.explore(c.Context(), &f, args)
		},
	}
	c.Flags().BoolVar(&f.update, "update", false, "write outcome, end and path of each walk into the scripts")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "list the nodes and ways that no walk takes")
	c.Flags().StringVar(&f.least, "min-coverage", "", "share of ways that the walks of a tree must take, as 90%")
	c.Flags().BoolVar(&f.explore, "explore", false, "seek inputs that take every way of the trees")
	c.Flags().StringVarP(&f.output, "output", "o", "", "with --explore: write the walks to this file")
	return c
}

func (a *app) test(f *testFlags, args []string) error {
	least, err := parsePercent(f.least)
	if err != nil {
		return err
	}
	r := &tester{app: a, flags: f, covered: map[string]*walk.Coverage{}}
	for _, path := range args {
		if info, err := os.Stat(filepath.Join(path, "tests")); err == nil && info.IsDir() {
			path = filepath.Join(path, "tests")
		}
		files, err := treeFiles(path)
		if err != nil || len(files) == 0 {
			fmt.Fprintf(a.out, "no scripts found in %s\n", path)
			a.code = codeFindings
			continue
		}
		for _, file := range files {
			if err := r.script(file); err != nil {
				return err
			}
		}
	}
	r.coverage(least)
	return nil
}

func parsePercent(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	text, ok := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil || !(f >= 0 && f <= 100) {
		return 0, usage("--min-coverage %q: want a percentage like 90%%", s)
	}
	return f / 100, nil
}

type tester struct {
	*app
	flags   *testFlags
	covered map[string]*walk.Coverage // by the tree's file
	order   []string
}

func (r *tester) script(file string) error {
	src, err := r.read(file)
	if err != nil {
		return err
	}
	s, findings := walk.Parse(file, src)
	if s == nil {
		fmt.Fprintf(r.out, "FAIL %s: not a script\n", file)
		for _, f := range findings {
			fmt.Fprintf(r.out, "  %s: %s [%s]\n", f.Pos, printable(f.Message), f.Rule)
		}
		r.code = codeFindings
		return nil
	}
	treeFile := filepath.Join(filepath.Dir(file), s.Tree)
	d := r.loadOne(treeFile)
	if d.Tree == nil {
		fmt.Fprintf(r.out, "FAIL %s: its tree %s: %s\n", file, treeFile, printable(d.Reason()))
		r.code = codeFindings
		return nil
	}
	m, err := engine.New(d.Tree)
	if err != nil {
		return err
	}
	results := make([]*walk.Result, len(s.Walks))
	failed := 0
	c := r.coverageOf(treeFile, d.Tree)
	for i := range s.Walks {
		w := s.Walks[i]
		if r.flags.update {
			w.Outcome, w.EndsAt, w.Path = nil, nil, nil
		}
		results[i] = walk.Run(m, &w)
		c.Add(results[i])
		if len(results[i].Failures) > 0 {
			failed++
		}
	}
	r.print(file, results, failed)
	if !r.flags.update || failed > 0 {
		return nil
	}
	out, err := walk.Update(src, results)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return atomicfile.Write(file, func(w io.Writer) error { _, err := w.Write(out); return err })
}

func (a *app) read(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(file)
}

func (r *tester) print(file string, results []*walk.Result, failed int) {
	if failed == 0 {
		fmt.Fprintf(r.out, "ok   %s (%d walks)\n", file, len(results))
		return
	}
	r.code = codeFindings
	fmt.Fprintf(r.out, "FAIL %s: %d of %d walks\n", file, failed, len(results))
	for _, res := range results {
		for _, f := range res.Failures {
			fmt.Fprintf(r.out, "  %s: %s [%s]\n", f.Pos, printable(f.Message), f.Rule)
		}
	}
}

func (r *tester) coverageOf(file string, t *mcptree.Tree) *walk.Coverage {
	if r.covered[file] == nil {
		r.covered[file] = walk.NewCoverage(t)
		r.order = append(r.order, file)
	}
	return r.covered[file]
}

// coverage prints how much was walked of each tree.
func (r *tester) coverage(least float64) {
	for _, file := range r.order {
		c := r.covered[file]
		nodes, allNodes, ways, allWays := c.Counts()
		fmt.Fprintf(r.out, "     %s: %d of %d nodes, %d of %d ways\n", file, nodes, allNodes, ways, allWays)
		if float64(ways) < least*float64(allWays) {
			fmt.Fprintf(r.out, "FAIL %s: the walks take %.1f %% of the ways, less than %.1f %%\n", file, 100*float64(ways)/float64(allWays), 100*least)
			r.code = codeFindings
		}
		if r.flags.verbose {
			for _, m := range c.Missing() {
				fmt.Fprintf(r.out, "     not taken: %s\n", printable(m))
			}
		}
	}
}
