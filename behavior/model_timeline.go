package behavior

import (
	"fmt"
	"slices"
	"strconv"

	"mcpg/calllog"
)

type timelinesJSON struct {
	From     string         `json:"from"`
	Sessions []timelineJSON `json:"sessions"`
}

type timelineJSON struct {
	Session string           `json:"session"`
	Calls   []occurrenceJSON `json:"calls"`
}

// Tool, Cell and Refused count from 0, in the model's tools, the tool's cells and
// the cell's refusals.
type occurrenceJSON struct {
	Time     int64    `json:"ts_us"`
	Tool     int      `json:"tool"`
	Outcome  string   `json:"outcome"`
	Cell     *int     `json:"cell,omitzero"`
	Refused  *int     `json:"refused,omitzero"`
	Age      int64    `json:"state_age_us,omitzero"`
	Resource string   `json:"resource,omitzero"`
	Wrote    bool     `json:"wrote,omitzero"`
	Args     string   `json:"args,omitzero"`
	State    string   `json:"state,omitzero"`
	Left     []string `json:"left,omitzero"`
}

type causeJSON struct {
	Name   string     `json:"name"`
	Detail string     `json:"detail,omitzero"`
	Calls  int        `json:"calls,omitzero"`
	Pooled bool       `json:"pooled,omitzero"`
	From   int64      `json:"from_us,omitzero"`
	To     int64      `json:"to_us,omitzero"`
	Tests  []testJSON `json:"tests,omitzero"`
}

type testJSON struct {
	Name     string  `json:"name"`
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted"`
}

type driftJSON struct {
	Server      string   `json:"server"`
	Tool        string   `json:"tool"`
	Fingerprint string   `json:"fingerprint"`
	Before      string   `json:"before,omitzero"`
	From        int64    `json:"from_us,omitzero"`
	To          int64    `json:"to_us,omitzero"`
	Retest      []string `json:"retest"`
}

func causeDoc(c *Cause) causeJSON {
	d := causeJSON{Name: c.Name, Detail: c.Detail, Calls: c.Calls, Pooled: c.Pooled, From: c.From, To: c.To}
	for _, t := range c.Tests {
		d.Tests = append(d.Tests, testJSON(t))
	}
	return d
}

func (d *causeJSON) cause() (*Cause, error) {
	if !slices.Contains([]string{CauseMissing, CauseStale, CauseDrift, CauseHidden, CauseNondeterminism, CauseUnattributed}, d.Name) {
		return nil, fmt.Errorf("cause %q of a contradiction", d.Name)
	}
	c := &Cause{Name: d.Name, Detail: d.Detail, Calls: d.Calls, Pooled: d.Pooled, From: d.From, To: d.To}
	for _, t := range d.Tests {
		c.Tests = append(c.Tests, Test(t))
	}
	return c, nil
}

func driftDocs(ds []Drift) []driftJSON {
	var out []driftJSON
	for _, d := range ds {
		doc := driftJSON{Server: d.Server, Tool: d.Tool, Fingerprint: d.Fingerprint, Before: d.Before, From: d.From, To: d.To}
		for _, e := range d.Retest {
			doc.Retest = append(doc.Retest, e.State.String())
		}
		out = append(out, doc)
	}
	return out
}

// places are where tools and cells stand in the model.
type places struct {
	tools map[*Tool]int
	cells map[*Cell]int
}

func (g *Graph) places() places {
	p := places{map[*Tool]int{}, map[*Cell]int{}}
	for i, t := range g.Tools {
		p.tools[t] = i
		for j, c := range t.Cells {
			p.cells[c] = j
		}
	}
	return p
}

func hexHash(h uint64) string {
	if h == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", h)
}

func parseHash(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.ParseUint(s, 16, 64)
}

func timelinesDoc(l *Timelines, at places) timelinesJSON {
	doc := timelinesJSON{From: hexHash(l.From)}
	for _, line := range l.Sessions {
		d := timelineJSON{Session: fmt.Sprintf("%016x", line.Session)}
		for i := range line.Calls {
			o := &line.Calls[i]
			call := occurrenceJSON{Time: o.Time, Tool: at.tools[o.Tool], Outcome: o.Outcome.String(), Age: o.Age,
				Resource: hexHash(o.Resource), Wrote: o.Wrote, Args: hexHash(o.Args), State: hexHash(o.State)}
			if o.Cell != nil {
				cell := at.cells[o.Cell]
				call.Cell = &cell
				if r := o.Cell.refusals(o.Cluster, o.Cause); o.Outcome == calllog.Rejected && r >= 0 {
					call.Refused = &r
				}
			}
			for _, f := range o.Left {
				call.Left = append(call.Left, encodeFeature(f))
			}
			d.Calls = append(d.Calls, call)
		}
		doc.Sessions = append(doc.Sessions, d)
	}
	return doc
}

func (c *Cell) refusals(cluster string, cause calllog.Cause) int {
	return slices.IndexFunc(c.Refused, func(r Refusals) bool { return r.Cluster == cluster && r.Cause == cause })
}

func (d *timelinesJSON) timelines(tools []*Tool) (Timelines, error) {
	var out Timelines
	var err error
	if out.From, err = parseHash(d.From); err != nil {
		return out, fmt.Errorf("timelines: %w", err)
	}
	for _, line := range d.Sessions {
		t := Timeline{}
		if t.Session, err = strconv.ParseUint(line.Session, 16, 64); err != nil {
			return out, fmt.Errorf("timelines: %w", err)
		}
		for i := range line.Calls {
			o, err := line.Calls[i].occurrence(tools)
			if err != nil {
				return out, fmt.Errorf("timeline of session %s, call %d: %w", line.Session, i, err)
			}
			t.Calls = append(t.Calls, o)
		}
		out.Sessions = append(out.Sessions, t)
	}
	return out, nil
}

func (d *occurrenceJSON) occurrence(tools []*Tool) (Occurrence, error) {
	o := Occurrence{Time: d.Time, Age: d.Age, Wrote: d.Wrote}
	if d.Tool < 0 || d.Tool >= len(tools) {
		return o, fmt.Errorf("tool %d of %d", d.Tool, len(tools))
	}
	o.Tool = tools[d.Tool]
	var err error
	if o.Outcome, err = calllog.ParseOutcome(d.Outcome); err != nil {
		return o, err
	}
	if d.Cell != nil {
		if *d.Cell < 0 || *d.Cell >= len(o.Tool.Cells) {
			return o, fmt.Errorf("cell %d of %d", *d.Cell, len(o.Tool.Cells))
		}
		o.Cell = o.Tool.Cells[*d.Cell]
	}
	if d.Refused != nil {
		if o.Cell == nil || *d.Refused < 0 || *d.Refused >= len(o.Cell.Refused) {
			return o, fmt.Errorf("refusals %d of a cell that has fewer", *d.Refused)
		}
		r := o.Cell.Refused[*d.Refused]
		o.Cluster, o.Cause = r.Cluster, r.Cause
	}
	if o.Resource, err = parseHash(d.Resource); err != nil {
		return o, err
	}
	if o.Args, err = parseHash(d.Args); err != nil {
		return o, err
	}
	if o.State, err = parseHash(d.State); err != nil {
		return o, err
	}
	for _, text := range d.Left {
		f, err := decodeFeature(text)
		if err != nil {
			return o, err
		}
		o.Left = append(o.Left, f)
	}
	return o, nil
}
