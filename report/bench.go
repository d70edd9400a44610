package report

import (
	"fmt"
	"io"
	"strconv"

	"mcpg/bench"
	"mcpg/internal/rate"
)

// BenchTable writes a result, a table an agent.
func BenchTable(w io.Writer, r *bench.Result, byClass bool) error {
	p := &printer{w: w}
	p.printf("%s: %d tasks, seed %d, evidence %s\n", Clean(r.Suite), r.Tasks, r.Seed, r.Evidence)
	agent := ""
	var rows [][]string
	flush := func() {
		if len(rows) > 0 {
			p.printf("\n%s\n", Clean(agent))
			if p.err == nil {
				p.err = writeTable(w, benchColumns, rows)
			}
		}
		rows = nil
	}
	for _, x := range r.Results {
		if x.Agent != agent {
			flush()
			agent = x.Agent
		}
		rows = append(rows, benchRow(x.Arm, x.Counts, x.Orders))
		if byClass {
			for _, c := range x.ByClass {
				rows = append(rows, benchRow("  "+c.Class, c.Counts, x.Orders))
			}
		}
	}
	flush()
	for i := range r.Results {
		if x := &r.Results[i]; x.Turns > 0 {
			p.printf("%s under %s: %d turns, %d tokens in and %d out; %d tasks said to be done that weren't\n", x.Agent, x.Arm, x.Turns, x.PromptTokens, x.CompletionTokens, x.FalseClaims)
		}
	}
	p.printf("\nInvalid calls are labelled by the simulator's own check at the time of the call; poisoned are valid calls blocked\n"+
		"after a failure of the same tool that nobody could foresee. Intervals are 95 %% Wilson: they speak of other tasks.\n"+
		"verdict: %s\n", paint(w, verdictTone(r.Verdict), r.Verdict))
	for _, reason := range r.Reasons {
		p.printf("  %s\n", reason)
	}
	return p.err
}

var benchColumns = []column{{"arm", false}, {"invalid reached a task", true}, {"reached", true}, {"invalid blocked", true}, {"valid blocked", true},
	{"poisoned", true}, {"of valid", true}, {"valid warned", true}, {"probes", true}, {"wasted steps", true}, {"extra reads", true}, {"completed", true}, {"95 %", false}}

func benchRow(arm string, c bench.Counts, orders int) []string {
	row := []string{arm, strconv.FormatFloat(float64(c.InvalidReached)/float64(max(1, c.Tasks)), 'f', 2, 64)}
	for _, n := range []int{c.InvalidReached, c.InvalidBlocked, c.ValidBlocked, c.ValidBlockedPoi, c.ValidAttempts, c.ValidWarned, c.Probes, c.WastedSteps, c.ExtraReads} {
		row = append(row, strconv.Itoa(n))
	}
	orders = max(orders, 1) // orders of the same tasks say nothing more of other tasks
	lo, hi := rate.Wilson((c.Completed+orders/2)/orders, c.Tasks/orders)
	return append(row, fmt.Sprintf("%d/%d", c.Completed, c.Tasks), fmt.Sprintf("[%.3f, %.3f]", lo, hi))
}

func verdictTone(verdict string) string {
	if verdict == bench.Trustworthy {
		return toneGood
	}
	return toneBad
}

// GateTable writes what a gate found.
func GateTable(w io.Writer, v *bench.GateVerdict) error {
	p := &printer{w: w}
	for _, f := range v.Failures {
		p.printf("%s %s\n", paint(w, toneBad, "FAIL"), f)
	}
	for _, f := range v.Notes {
		p.printf("     %s\n", f)
	}
	if len(v.Failures) == 0 {
		p.printf("%s %d checks\n", paint(w, toneGood, "PASS"), v.Checks)
	}
	return p.err
}
