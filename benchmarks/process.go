package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// root of the module whose programs are measured.
const root = ".."

// build builds a program of the project, once.
func (b *bench) build(name string) (string, error) {
	if bin := b.built[name]; bin != "" {
		return bin, nil
	}
	bin := filepath.Join(b.dir, name+".exe") // Windows wants the ending; others don't mind
	cmd := exec.CommandContext(b.ctx, "go", "build", "-o", bin, "./cmd/"+name)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	b.built[name] = bin
	return bin, nil
}

// usage is what a process took. A process can't show a lower peak of memory
// than that of the one that started it, which its system counts as well; then
// Bound is set and the peak is at most Peak.
type usage struct {
	Wall  time.Duration
	CPU   time.Duration
	Peak  int64 // bytes; 0 if the system doesn't tell
	Bound bool
}

// process runs a program from its start to its end, with its output thrown
// away; an exit code other than 0 is an error.
func (b *bench) process(name string, arg ...string) (usage, error) {
	bin, err := b.build(name)
	if err != nil {
		return usage{}, err
	}
	return finish(name, exec.CommandContext(b.ctx, bin, arg...))
}

// self starts this program again as one of its hidden commands, for a process of
// DuckDB's own.
func (b *bench) self(hidden, in, out string) (usage, error) {
	bin, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	return finish(hidden, exec.CommandContext(b.ctx, bin, hidden, in, out))
}

// finish runs a command to its end.
func finish(name string, cmd *exec.Cmd) (usage, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	begun := time.Now()
	err := cmd.Run()
	took := time.Since(begun)
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", name, err, errs.Bytes())
	}
	s := cmd.ProcessState
	peak := peakOf(s)
	return usage{Wall: took, CPU: s.UserTime() + s.SystemTime(), Peak: peak, Bound: peak <= ownPeak()}, nil
}
