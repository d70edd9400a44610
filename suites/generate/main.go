// Command generate draws the tasks of stateful-v1 from its templates, by a
// fixed seed, and writes tasks.jsonl and its SHA-256.
//
// The short forms of templates.yaml:
//
//	releases: {a: DRAFT tested 2ok dep=b ch=ch2 noted}  status, tests, approvals,
//	          dependency, channel (ch), notes (noted, bare, else by chance)
//	channels: {ch: locked o1}   or open
//	plan:     [test a, publish a]  or "edit PATH|old|new" on files
//	actor:    [at 1 a tests_passed false, race publish_release a … ,
//	          "at 1 move P Q", "race edit_file move P Q", "at 1 write P|text"]
//	goal:     [a is PUBLISHED, a notes x, a commented, a revision over 3, ch open,
//	          "file P has x", "file P gone", "dir P"]
//	anchor:   how the line begins that an edit is about: the agent knows it
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"go.yaml.in/yaml/v3"

	"mcpg/bench"
)

// seed of the checked-in tasks.
const seed = 1

func main() {
	dir := flag.String("dir", "stateful-v1", "folder of the suite")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(3)
	}
}

func run(dir string) error {
	src, err := os.ReadFile(filepath.Join(dir, "templates.yaml"))
	if err != nil {
		return err
	}
	tasks, err := generate(src)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(tasks)
	if err := os.WriteFile(filepath.Join(dir, "tasks.jsonl"), tasks, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tasks.sha256"), []byte(hex.EncodeToString(sum[:])+"\n"), 0o644)
}

// generate draws all tasks, ordered by class and template.
func generate(src []byte) ([]byte, error) {
	var templates []template
	d := yaml.NewDecoder(bytes.NewReader(src))
	d.KnownFields(true)
	if err := d.Decode(&templates); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	numbers := map[string]int{}
	for _, class := range bench.Classes {
		for i := range templates {
			t := &templates[i]
			if t.Class != class {
				continue
			}
			for n := range t.N {
				numbers[class]++
				task, err := t.draw(fmt.Sprintf("%s-%03d", class, numbers[class]), n)
				if err != nil {
					return nil, fmt.Errorf("template %s: %w", t.ID, err)
				}
				b, err := json.Marshal(task, json.Deterministic(true))
				if err != nil {
					return nil, err
				}
				out.Write(append(b, '\n'))
			}
		}
	}
	return out.Bytes(), nil
}
