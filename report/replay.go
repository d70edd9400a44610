package report

import (
	"fmt"
	"io"
	"strconv"

	"mcpg/analyze"
)

// ReplayTable writes what a policy would have made of calls.
func ReplayTable(w io.Writer, r *analyze.ReplayResult) error {
	fmt.Fprintf(w, "%d calls: of %d invalid ones %d would have been blocked (%s) and %d warned of; of %d valid ones %d blocked wrongly (%s) and %d warned of\n",
		r.Calls, r.Invalid.Attempts, r.Invalid.Blocked, share(r.Invalid.Blocked, r.Invalid.Attempts), r.Invalid.Warned,
		r.Valid.Attempts, r.Valid.Blocked, share(r.Valid.Blocked, r.Valid.Attempts), r.Valid.Warned)
	if r.Probes > 0 {
		fmt.Fprintf(w, "%d calls went through to test a rule\n", r.Probes)
	}
	fmt.Fprintln(w)
	cols := []column{{"server", false}, {"tool", false}, {"invalid", true}, {"blocked", true}, {"warned", true}, {"open", true},
		{"valid", true}, {"blocked", true}, {"warned", true}, {"open", true}}
	var rows [][]string
	row := func(server, tool string, invalid, valid analyze.Judged) {
		cells := []string{server, tool}
		for _, j := range []analyze.Judged{invalid, valid} {
			for _, n := range []int{j.Attempts, j.Blocked, j.Warned, j.Undetermined} {
				cells = append(cells, strconv.Itoa(n))
			}
		}
		rows = append(rows, cells)
	}
	for _, t := range r.ByTool {
		row(t.Server, t.Tool, t.Invalid, t.Valid)
	}
	row("", "all", r.Invalid, r.Valid)
	if err := writeTable(w, cols, rows); err != nil {
		return err
	}
	if err := misjudged(w, "Valid calls that would have been blocked", r.Wronged); err != nil {
		return err
	}
	return misjudged(w, "Invalid calls that would have reached the server", r.Passed)
}

// mostMisjudged is how many reasons are listed.
const mostMisjudged = 20

func misjudged(w io.Writer, title string, list []analyze.Misjudged) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for i, m := range list {
		if i == mostMisjudged {
			fmt.Fprintf(w, "  … and %d kinds more\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "  %d %s: %s", m.Calls, Clean(m.Tool), clip(Clean(m.Text), 200))
		if m.Example != "" {
			fmt.Fprintf(w, ", e.g. %s", Clean(m.Example))
		}
		fmt.Fprintln(w)
	}
	return nil
}

func share(n, of int) string {
	if of == 0 {
		return "none"
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 2, 64) + " %"
}
