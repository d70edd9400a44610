// Package synth makes calls of any number, for benchmarks and tests of scale: as many
// tools, states and features as are asked for, and rules by which the tools fail.
package synth

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/ingest/table"
	"mcpg/internal/diag"
)

// Shape is what calls are like. The zero value of a number is its default.
type Shape struct {
	Tools    int // 4
	States   int // 24 distinct ones
	Features int // 4 of each state, with four values each
	Names    int // 5,000 ids that calls are about
	Seed     uint64
}

func (s Shape) filled() Shape {
	for at, n := range map[*int]int{&s.Tools: 4, &s.States: 24, &s.Features: 4, &s.Names: 5000} {
		if *at == 0 {
			*at = n
		}
	}
	return s
}

// perSession is how many calls a session has.
const perSession = 40

// maxKept is how many states are kept as text.
const maxKept = 1 << 16

// value is a feature's value in a state.
func value(state, feature int) int {
	h := uint64(state)*0x9e3779b97f4a7c15 + uint64(feature)*0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return int(h >> 62)
}

// fails is the rule of a tool: one value of one feature, and of every third tool a
// second one with it.
func fails(tool, state, features int) bool {
	first := value(state, tool%features) == tool%4
	if tool%3 != 2 || features == 1 {
		return first
	}
	return first && value(state, (tool+1)%features) == (tool+2)%4
}

func (s Shape) state(n int) jsontext.Value {
	var b strings.Builder
	b.WriteString(`{"item":{`)
	for f := range s.Features {
		if f > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"part%d":"%s"`, f, [...]string{"open", "held", "closed", "waiting"}[value(n, f)])
	}
	b.WriteString(`}}`)
	return jsontext.Value(b.String())
}

// Calls yields the first n calls: the same ones for the same shape. A call is good
// until the next one.
func (s Shape) Calls(n int) iter.Seq[*calllog.Call] {
	s = s.filled()
	return func(yield func(*calllog.Call) bool) {
		r := rand.New(rand.NewPCG(s.Seed, 17))
		begun := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
		states := make([]jsontext.Value, min(s.States, maxKept))
		tools := make([]string, s.Tools)
		for i := range tools {
			tools[i] = fmt.Sprintf("tool%d", i)
		}
		var args []byte
		c := &calllog.Call{Server: "desk", StateSource: calllog.Snapshot, Pos: diag.Pos{File: "synthetic"}}
		for i := range n {
			tool, state := r.IntN(s.Tools), r.IntN(s.States)
			args = fmt.Appendf(args[:0], `{"id":"T-%06d","force":%t}`, r.IntN(s.Names), r.IntN(2) == 0)
			c.ID, c.Tool, c.Args, c.Pos.Line = fmt.Sprintf("c%d", i), tools[tool], args, i+1
			c.Time = begun.Add(time.Duration(i) * 100 * time.Millisecond)
			if i%perSession == 0 {
				c.Session = fmt.Sprintf("s%d", i/perSession)
			}
			if state < len(states) {
				if states[state] == nil {
					states[state] = s.state(state)
				}
				c.Before = states[state]
			} else {
				c.Before = s.state(state)
			}
			c.Outcome, c.Cause, c.ErrorText, c.ResultText = calllog.OK, 0, "", "done"
			switch {
			case fails(tool, state, s.Features):
				c.Outcome, c.Cause, c.ErrorText, c.ResultText = calllog.Rejected, calllog.Unclear, "the item is not ready for "+c.Tool, ""
			case r.IntN(500) == 0:
				c.Outcome, c.ErrorText, c.ResultText = calllog.Transport, "connection reset", ""
			}
			if !yield(c) {
				return
			}
		}
	}
}

// Write writes the first n calls as a table.
func (s Shape) Write(w io.Writer, n int) error {
	out, err := table.NewWriter(w, table.Parquet)
	if err != nil {
		return err
	}
	for c := range s.Calls(n) {
		if err := out.Write(c); err != nil {
			return err
		}
	}
	return out.Close()
}
