package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"mcpg/internal/synth"
)

// beamFigures measures scale on Prism, in one process, against mcpg learn on the same
// table.
func beamFigures(b *bench) []figure {
	about := func(what string) string { return fmt.Sprintf("%s, %d calls", what, b.sizes.narrow) }
	return []figure{
		{name: "prism", about: about("learn on Beam's Prism runner, whole process"), command: "scale --input calls.parquet --model model.json", unit: "s", limit: told, measure: b.prism},
		{name: "prism-ratio", about: about("its CPU against that of mcpg learn; the models are compared byte for byte"), command: "go run . beam --only prism-ratio", unit: "times", limit: told, measure: b.prismRatio},
	}
}

func (b *bench) prism() (sample, error) {
	u, err := b.scaled()
	return sample{u.Wall.Seconds(), &u}, err
}

func (b *bench) scaled() (usage, error) {
	calls, err := b.synthetic("beam", synth.Shape{}, b.sizes.narrow)
	if err != nil {
		return usage{}, err
	}
	bin := filepath.Join(b.dir, "scale.exe")
	if _, err := os.Stat(bin); errors.Is(err, os.ErrNotExist) {
		cmd := exec.CommandContext(b.ctx, "go", "build", "-o", bin, ".")
		cmd.Dir = filepath.Join(root, "scale")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return usage{}, fmt.Errorf("building scale: %w\n%s", err, out)
		}
	}
	return finish("scale", exec.CommandContext(b.ctx, bin, "--input", calls, "--model", filepath.Join(b.dir, "beam.json")))
}

func (b *bench) prismRatio() (sample, error) {
	theirs, err := b.scaled()
	if err != nil {
		return sample{}, err
	}
	calls, err := b.synthetic("beam", synth.Shape{}, b.sizes.narrow)
	if err != nil {
		return sample{}, err
	}
	ours, err := b.learnOnce(calls)
	if err != nil {
		return sample{}, err
	}
	one, err1 := os.ReadFile(filepath.Join(b.dir, "model.json"))
	two, err2 := os.ReadFile(filepath.Join(b.dir, "beam.json"))
	if err := errors.Join(err1, err2); err != nil {
		return sample{}, err
	}
	if !bytes.Equal(one, two) {
		return sample{}, errors.New("another model was learnt on Beam")
	}
	return sample{theirs.CPU.Seconds() / ours.CPU.Seconds(), &theirs}, nil
}
