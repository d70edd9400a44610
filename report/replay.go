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
	return writeTable(w, cols, rows)
}

func share(n, of int) string {
	if of == 0 {
		return "none"
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 2, 64) + " %"
}
