package learn

import (
	"cmp"
	"fmt"
	"slices"

	"mcpg/behavior"
	"mcpg/calllog"
)

// row is a call of a contradicted cell and what was before it.
type row struct {
	place  int // among all calls, in the order of time
	time   int64
	failed bool
	age    int64
	write  bool // another session wrote to the resource since the state was read

	args    uint64 // hashes of all that the arguments and the state are
	state   uint64
	before  [2]string // the session's calls before: the last one, and the one before that
	exactly string    // the last one, with its arguments
	gap     float64   // microseconds since it
	tied    bool      // the call before or after has the same time: which was first isn't known
	lastErr string    // the last failure of the tool in the session
	earlier []string  // tools that had worked in the session, sorted
	left    []behavior.Feature
}

// group is the rows of one cell, in the order of time.
type group struct {
	cell *behavior.Cell
	rows []row
}

// gather fills groups with their calls and the history of each.
func gather(lines *behavior.Timelines, groups map[*behavior.Cell]*group) {
	type at struct {
		session int
		call    *behavior.Occurrence
		tied    bool // with the session's call before or after
	}
	var order []at
	for i := range lines.Sessions {
		calls := lines.Sessions[i].Calls
		for j := range calls {
			tied := j > 0 && calls[j-1].Time == calls[j].Time || j+1 < len(calls) && calls[j+1].Time == calls[j].Time
			order = append(order, at{i, &calls[j], tied})
		}
	}
	slices.SortStableFunc(order, func(a, b at) int { return cmp.Compare(a.call.Time, b.call.Time) })
	histories := make([]history, len(lines.Sessions))
	writes := map[uint64][]write{}
	for place, o := range order {
		h := &histories[o.session]
		c := o.call
		if gr := groups[c.Cell]; gr != nil && (c.Outcome == calllog.OK || c.Cause != calllog.ArgumentCause) {
			gr.rows = append(gr.rows, row{place: place, time: c.Time, failed: c.Outcome != calllog.OK, age: c.Age,
				write: writtenSince(writes[c.Resource], o.session, c.Time-c.Age), before: h.before, exactly: h.exactly, gap: float64(c.Time - h.time),
				tied: o.tied, lastErr: h.lastErr[c.Tool], earlier: h.earlier, left: c.Left, args: c.Args, state: c.State})
		}
		h.add(c)
		if c.Wrote && c.Resource != 0 {
			writes[c.Resource] = append(writes[c.Resource], write{c.Time, o.session})
		}
	}
	for _, gr := range groups {
		gr.thin()
	}
}

type write struct {
	time    int64
	session int
}

func writtenSince(ws []write, session int, since int64) bool {
	for i := len(ws) - 1; i >= 0 && ws[i].time > since; i-- {
		if ws[i].session != session {
			return true
		}
	}
	return false
}

// history is what a session did so far.
type history struct {
	before  [2]string
	exactly string
	time    int64
	lastErr map[*behavior.Tool]string
	earlier []string // not changed in place
}

func (h *history) add(c *behavior.Occurrence) {
	h.before = [2]string{c.Tool.Name + " " + c.Outcome.String(), h.before[0]}
	h.exactly, h.time = fmt.Sprint(h.before[0], " ", c.Args), c.Time
	if h.lastErr == nil {
		h.lastErr = map[*behavior.Tool]string{}
	}
	switch c.Outcome {
	case calllog.OK:
		delete(h.lastErr, c.Tool)
		if i, ok := slices.BinarySearch(h.earlier, c.Tool.Name); !ok {
			h.earlier = slices.Insert(slices.Clone(h.earlier), i, c.Tool.Name)
		}
	case calllog.Rejected:
		h.lastErr[c.Tool] = c.Cluster
	default:
		h.lastErr[c.Tool] = c.Outcome.String()
	}
}

// thin takes evenly spaced calls of each outcome where there are many.
func (gr *group) thin() {
	var n [2]int
	for _, r := range gr.rows {
		n[sideOf(r.failed)]++
	}
	var seen [2]int
	gr.rows = slices.DeleteFunc(gr.rows, func(r row) bool {
		k := sideOf(r.failed)
		i := seen[k]
		seen[k]++
		return n[k] > maxRows && i*maxRows/n[k] == (i+1)*maxRows/n[k]
	})
}

func sideOf(failed bool) int {
	if failed {
		return 1
	}
	return 0
}
