package report

import (
	"fmt"
	"io"
	"strconv"

	"mcpg/analyze"
)

// StatsTable writes the counts of a table of calls.
func StatsTable(w io.Writer, s *analyze.Stats) error {
	fmt.Fprintf(w, "%d calls in %d sessions; state before the call known for %d\n", s.Calls, s.Sessions, s.WithState)
	fmt.Fprintf(w, "invalid-call rate %s (rejected of ok, rejected and error); with a proven cause %s\n\n",
		percent(s.InvalidRate), percent(s.InvalidRateProven))
	cols := []column{{"server", false}, {"tool", false}, {"calls", true}, {"ok", true}, {"rejected", true}, {"state", true}, {"argument", true},
		{"unknown", true}, {"unclear", true}, {"error", true}, {"transport", true}, {"denied", true}, {"unanswered", true}, {"invalid", true}}
	var rows [][]string
	row := func(server, tool string, calls, ok, rejected int, cause map[string]int, errors, transport, denied, unanswered int, rate float64) {
		r := []string{server, tool}
		for _, n := range []int{calls, ok, rejected, cause["state"], cause["argument"], cause["unknown_tool"], cause["unclear"], errors, transport, denied, unanswered} {
			r = append(r, strconv.Itoa(n))
		}
		rows = append(rows, append(r, percent(rate)))
	}
	for _, t := range s.ByTool {
		row(t.Server, t.Tool, t.Calls, t.OK, t.Rejected, t.RejectedByCause, t.Error, t.Transport, t.Denied, t.Unanswered, t.InvalidRate)
	}
	o := s.Outcomes
	row("", "all", s.Calls, o["ok"], o["rejected"], s.RejectedByCause, o["error"], o["transport"], o["denied"], o["unanswered"], s.InvalidRate)
	return writeTable(w, cols, rows)
}

func percent(f float64) string { return strconv.FormatFloat(100*f, 'f', 1, 64) + " %" }
