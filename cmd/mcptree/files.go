package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mcpg/internal/diag"
	"mcpg/mcptree"
)

// treeFiles lists the tree files of a path: itself, or of a folder those that
// end in .yaml or .yml, sorted.
func treeFiles(path string) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".yaml" || ext == ".yml" || strings.HasPrefix(e.Name(), ".y") && (e.Name() == ".yaml" || e.Name() == ".yml") {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	slices.Sort(out)
	return out, nil
}

// load reads documents, in parallel, in the order of the files.
func (a *app) load(files []string, check func(*mcptree.Document)) []*mcptree.Document {
	docs := make([]*mcptree.Document, len(files))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				docs[i] = a.loadOne(files[i])
				if check != nil {
					check(docs[i])
				}
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	return docs
}

func (a *app) loadOne(file string) *mcptree.Document {
	name := file
	var src []byte
	var err error
	if file == "-" {
		name = "stdin"
		src, err = io.ReadAll(a.in)
	} else {
		src, err = os.ReadFile(file)
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		d := &mcptree.Document{File: name}
		d.Findings = append(d.Findings, mcptree.Finding{Finding: diag.Finding{Pos: diag.Pos{File: name}, Rule: "read", Message: "cannot read file: " + err.Error()}})
		return d
	}
	return mcptree.Parse(name, src)
}
