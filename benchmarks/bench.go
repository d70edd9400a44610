package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// sizes are how much is measured.
type sizes struct {
	runs        int
	trees       int // that are validated
	submissions int // in memory, a run
	sessions    int // that are stored, a run
	steps       int // of each
	logBytes    int64
	narrow      int  // calls in few states
	wide        int  // calls in wide nested states
	protocol    bool // the bench's full one
	growth      int  // calls at the end of the curve; a tenth of that at each step before it
}

// full are the sizes that the limits are about.
var full = sizes{runs: 9, trees: 1000, submissions: 500_000, sessions: 40, steps: 500, logBytes: 1 << 30, narrow: 10_000_000, wide: 100_000, protocol: true, growth: 100_000_000}

// bench is one invocation: what its figures share.
type bench struct {
	ctx   context.Context
	sizes sizes
	dir   string // for anything; removed at the end
	built map[string]string
}

// figure is one number that can be measured.
type figure struct {
	name    string
	about   string
	command string // what is run, for those who would run it themselves
	unit    string
	limit   limit
	once    bool // it takes long, and is a point of a curve: it is measured once, without a warm-up
	measure func() (sample, error)
}

// limit that a figure must keep.
type limit struct {
	value   float64
	atLeast bool
}

// told is the limit of what is measured to be known, not to be kept.
var told = atLeast(0)

func atMost(v float64) limit  { return limit{v, false} }
func atLeast(v float64) limit { return limit{v, true} }

func (l limit) keeps(v float64) bool {
	if l.atLeast {
		return v >= l.value
	}
	return v <= l.value
}

// sample is what one measurement gave.
type sample struct {
	value float64
	usage *usage // of a process
}

type unknownFigure struct {
	name  string
	known []string
}

func (e unknownFigure) Error() string {
	return fmt.Sprintf("no figure %q: want one of %s", e.name, strings.Join(e.known, ", "))
}

// measure measures the figures one after the other. Those of processes should
// come first: see usage.
func (c *command) measure(ctx context.Context, only string, s sizes) (*report, error) {
	dir, err := os.MkdirTemp("", "benchmarks")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	figures := c.figures(&bench{ctx: ctx, sizes: s, dir: dir, built: map[string]string{}})
	if only != "" {
		var known []string
		for _, f := range figures {
			known = append(known, f.name)
		}
		if !slices.Contains(known, only) {
			return nil, unknownFigure{only, known}
		}
		figures = slices.DeleteFunc(figures, func(f figure) bool { return f.name != only })
	}
	r := newReport(c.name)
	for _, f := range figures {
		runs := s.runs
		if f.once {
			runs = 1
		} else if _, err := f.measure(); err != nil { // warms caches up
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		var all []sample
		for range runs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			one, err := f.measure()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			all = append(all, one)
		}
		r.add(f, all)
	}
	return r, nil
}

// median of numbers, of which there is at least one.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
