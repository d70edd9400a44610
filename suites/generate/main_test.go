package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"mcpg/suites"
)

// TestGenerated draws the tasks anew: what is checked in must be what the
// templates and the seed give.
func TestGenerated(t *testing.T) {
	src, err := os.ReadFile("../stateful-v1/templates.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := generate(src)
	if err != nil {
		t.Fatal(err)
	}
	s, err := suites.Load("stateful-v1")
	if err != nil {
		t.Fatal(err)
	}
	if string(tasks) != string(s.Tasks) {
		t.Error("tasks.jsonl isn't what the templates give: run go generate ./suites")
	}
	sum := sha256.Sum256(s.Tasks)
	if hex.EncodeToString(sum[:]) != s.SHA256 {
		t.Error("tasks.sha256 isn't the hash of tasks.jsonl")
	}
}
