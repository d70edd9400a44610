package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcpg/internal/atomicfile"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/walk"
)

// explore reports which ways of trees no input can take, and writes walks that
// take all others.
func (a *app) explore(ctx context.Context, f *testFlags, args []string) error {
	var files []string
	for _, path := range args {
		found, err := treeFiles(path)
		if err != nil || len(found) == 0 {
			fmt.Fprintf(a.out, "no trees found in %s\n", path)
			a.code = codeFindings
		}
		files = append(files, found...)
	}
	if f.output != "" && len(files) != 1 {
		return usage("--output takes the walks of one tree, these are %d", len(files))
	}
	for _, file := range files {
		if err := a.exploreTree(ctx, f, file); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) exploreTree(ctx context.Context, f *testFlags, file string) error {
	d := a.loadOne(file)
	if d.Tree == nil {
		fmt.Fprintf(a.out, "FAIL %s: %s\n", d.File, printable(d.Reason()))
		a.code = codeFindings
		return nil
	}
	m, err := engine.New(d.Tree)
	if err != nil {
		return err
	}
	e, err := walk.Explore(ctx, m)
	if err != nil {
		return err
	}
	mark := "ok  "
	if len(e.Unreached) > 0 {
		mark = "FAIL"
		a.code = codeFindings
	}
	report := a.out
	if f.output == "-" {
		report = a.err
	}
	fmt.Fprintf(report, "%s %s: %d of %d ways taken by %d walks\n", mark, d.File, e.Reached, e.Ways, len(e.Walks))
	for _, u := range e.Unreached {
		u.Pos.File = d.File
		why := "no input takes it"
		switch {
		case u.Budget:
			why = fmt.Sprintf("it takes more than max_steps, %d, to come there", d.Tree.MaxSteps)
		case !e.Complete:
			why = "found no input that takes it; there may be one, the inputs are too many to try all"
		}
		fmt.Fprintf(report, "  %s: %s: %s\n", u.Pos, printable(u.Text), why)
	}
	if f.output == "" {
		return nil
	}
	if f.output != "-" {
		if src, err := os.ReadFile(f.output); err == nil {
			if s, _ := walk.Parse(f.output, src); s == nil {
				return usage("%s is there and is no script: it stays as it is", f.output)
			}
		}
	}
	tree, err := relative(f.output, file)
	if err != nil {
		return err
	}
	out, err := walk.Write(tree, m, e.Walks)
	if err != nil {
		return fmt.Errorf("the walks of %s: %w", file, err)
	}
	if f.output == "-" {
		_, err := a.out.Write(out)
		return err
	}
	return atomicfile.Write(f.output, func(w io.Writer) error { _, err := w.Write(out); return err })
}

// relative gives a tree's path from the folder of a script.
func relative(script, tree string) (string, error) {
	from, err := filepath.Abs(filepath.Dir(script))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(tree)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	return filepath.ToSlash(rel), err
}
