package main

import (
	"fmt"
	"os"

	"mcpg/internal/synth"
)

// growthFigures measure how learning grows with one thing at a time: each is a point
// of a curve. Calls of fixed states must cost no more each as they get more.
func growthFigures(b *bench) []figure {
	var out []figure
	add := func(what string, at, calls int, s synth.Shape, max limit) {
		name, about := fmt.Sprintf("%s-%d", what, at), fmt.Sprintf("learn from %d calls", calls)
		if what != "calls" {
			about += fmt.Sprintf(": %d %s", at, what)
		}
		out = append(out, figure{name: name, about: about,
			command: "go run . growth --only " + name, unit: "s", limit: max, once: true, measure: b.grown(name, s, calls)})
	}
	n := b.sizes.growth
	for _, calls := range []int{n / 1000, n / 100, n / 10, n} {
		add("calls", calls, calls, synth.Shape{}, told)
	}
	out = append(out, figure{name: "calls-linear", about: fmt.Sprintf("time a call at %d calls, against that at a tenth", n),
		command: "go run . growth --only calls-linear", unit: "times", limit: atMost(1.1), once: true, measure: b.linear(n)})
	out = append(out, figure{name: "calls-memory", about: fmt.Sprintf("highest memory at %d calls", n),
		command: "go run . growth --only calls-memory", unit: "MiB", limit: atMost(4096), once: true, measure: b.grownMemory(n)})
	some := n / 100
	for _, features := range []int{4, 8, 16, 32, 64} {
		add("features", features, some/5, synth.Shape{Features: features, States: 200}, told)
	}
	for _, tools := range []int{10, 100, 1000, 10_000} {
		add("tools", tools, some, synth.Shape{Tools: tools}, told)
	}
	for _, states := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		add("states", states, some, synth.Shape{States: states, Features: 12}, told)
	}
	return out
}

// calls are kept from point to point, tables of other shapes aren't.
func (b *bench) grown(name string, s synth.Shape, calls int) func() (sample, error) {
	return func() (sample, error) {
		table, err := b.synthetic(name, s, calls)
		if err != nil {
			return sample{}, err
		}
		u, err := b.learnOnce(table)
		if s != (synth.Shape{}) {
			os.Remove(table)
		}
		return sample{u.Wall.Seconds(), &u}, err
	}
}

func (b *bench) grownMemory(n int) func() (sample, error) {
	return func() (sample, error) {
		one, err := b.grown(fmt.Sprint("calls-", n), synth.Shape{}, n)()
		if err != nil {
			return sample{}, err
		}
		return sample{float64(one.usage.Peak) / (1 << 20), one.usage}, nil
	}
}

func (b *bench) linear(n int) func() (sample, error) {
	return func() (sample, error) {
		var cpu []float64
		for _, calls := range []int{n / 10, n} {
			one, err := b.grown(fmt.Sprint("calls-", calls), synth.Shape{}, calls)()
			if err != nil {
				return sample{}, err
			}
			cpu = append(cpu, one.usage.CPU.Seconds()/float64(calls))
		}
		return sample{value: cpu[1] / cpu[0]}, nil
	}
}
