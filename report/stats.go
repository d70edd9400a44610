package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mcpg/analyze"
)

// statsColumns are the counts of a group of calls.
var statsColumns = []column{{"calls", true}, {"ok", true}, {"rejected", true}, {"state", true}, {"argument", true}, {"unknown", true},
	{"unclear", true}, {"error", true}, {"transport", true}, {"denied", true}, {"unanswered", true}}

// statsRows are the keys of the groups, and a row each with its counts and rates,
// as numbers in CSV and for people else.
func statsRows(s *analyze.Stats, rate func(float64) string) (cols []column, rows [][]string) {
	keys, groups := s.By, s.Groups
	if len(keys) == 0 {
		keys = []analyze.Key{"server", "tool"}
		for _, t := range s.ByTool {
			groups = append(groups, analyze.Group{Values: []string{t.Server, t.Tool}, Counts: t.Counts})
		}
	}
	for _, k := range keys {
		cols = append(cols, column{string(k), false})
	}
	cols = append(append(cols, statsColumns...), column{"invalid", true}, column{"proven", true})
	for _, g := range groups {
		row := append([]string{}, g.Values...)
		c := g.RejectedByCause
		for _, n := range []int{g.Calls, g.OK, g.Rejected, c["state"], c["argument"], c["unknown_tool"], c["unclear"], g.Error, g.Transport, g.Denied, g.Unanswered} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, rate(g.InvalidRate), rate(g.InvalidRateProven)))
	}
	return cols, rows
}

// statsTotal is the row of all calls.
func statsTotal(s *analyze.Stats, keys int) []string {
	row := make([]string, keys)
	row[keys-1] = "all"
	o, c := s.Outcomes, s.RejectedByCause
	for _, n := range []int{s.Calls, o["ok"], o["rejected"], c["state"], c["argument"], c["unknown_tool"], c["unclear"], o["error"], o["transport"], o["denied"], o["unanswered"]} {
		row = append(row, strconv.Itoa(n))
	}
	return append(row, percent(s.InvalidRate), percent(s.InvalidRateProven))
}

// StatsTable writes the counts of calls for people.
func StatsTable(w io.Writer, s *analyze.Stats) error {
	statsHead(w, s)
	cols, rows := statsRows(s, percent)
	rows = append(rows, statsTotal(s, len(cols)-len(statsColumns)-2))
	return writeTable(w, cols, rows)
}

func statsHead(w io.Writer, s *analyze.Stats) {
	fmt.Fprintf(w, "%d calls in %d sessions; state before the call known for %d\n", s.Calls, s.Sessions, s.WithState)
	fmt.Fprintf(w, "invalid-call rate %s (rejected of ok, rejected and error); with a proven cause %s\n\n",
		percent(s.InvalidRate), percent(s.InvalidRateProven))
}

// StatsMarkdown writes them as a Markdown page.
func StatsMarkdown(w io.Writer, s *analyze.Stats) error {
	statsHead(w, s)
	cols, rows := statsRows(s, percent)
	rows = append(rows, statsTotal(s, len(cols)-len(statsColumns)-2))
	return markdownTable(w, cols, rows)
}

// StatsCSV writes the groups as CSV, rates as fractions.
func StatsCSV(w io.Writer, s *analyze.Stats) error {
	cols, rows := statsRows(s, func(f float64) string { return strconv.FormatFloat(f, 'f', 6, 64) })
	c := csv.NewWriter(w)
	head := make([]string, len(cols))
	for i, col := range cols {
		head[i] = col.head
	}
	if err := c.Write(head); err != nil {
		return err
	}
	for _, row := range rows {
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// markdownTable writes a table whose cells may hold anything.
func markdownTable(w io.Writer, cols []column, rows [][]string) error {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + markdownCell(c) + " ")
		}
		b.WriteString("|\n")
	}
	head, rule := make([]string, len(cols)), ""
	for i, c := range cols {
		head[i] = c.head
		if c.right {
			rule += "|--:"
		} else {
			rule += "|---"
		}
	}
	line(head)
	b.WriteString(rule + "|\n")
	for _, r := range rows {
		line(r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownEscaper keeps text from being markup.
var markdownEscaper = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`)

func markdownCell(s string) string { return markdownEscaper.Replace(Clean(s)) }

func percent(f float64) string { return strconv.FormatFloat(100*f, 'f', 1, 64) + " %" }
