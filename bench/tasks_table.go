package bench

import (
	"io"

	"mcpg/ingest/table"
)

// TasksTable is the name of the table that WriteTasks writes.
const TasksTable = "mcpg.bench.tasks"

// WriteTasks writes a row a task, agent and arm as Parquet: the counts of all orders.
func (r *Result) WriteTasks(w io.Writer) error {
	var names [6][]string // suite, agent, arm, task, class, template
	counts := map[string][]int64{}
	number := func(name string, n int) { counts[name] = append(counts[name], int64(n)) }
	for i := range r.Results {
		x := &r.Results[i]
		for _, t := range x.ByTask.All() {
			for k, s := range []string{r.Suite, x.Agent, x.Arm, t.ID, t.Class, t.Template} {
				names[k] = append(names[k], s)
			}
			for name, n := range t.columns() {
				number(name, n)
			}
		}
	}
	var columns []table.Series
	for k, name := range []string{"suite", "agent", "arm", "task", "class", "template"} {
		if names[k] == nil {
			names[k] = []string{}
		}
		columns = append(columns, table.Series{Name: name, Texts: names[k]})
	}
	for _, name := range taskColumns {
		columns = append(columns, table.Series{Name: name, Numbers: counts[name]})
	}
	return table.WriteSeries(w, TasksTable, columns)
}

// taskColumns are the counts, in order.
var taskColumns = []string{"orders", "valid_attempts", "invalid_reached", "invalid_blocked", "valid_blocked", "valid_blocked_poisoned", "valid_warned", "coin_attempts",
	"probes", "wasted_steps", "extra_reads", "completed", "minefields", "decisions", "hidden", "stale", "chance", "drift", "learning", "probed", "error", "floor"}

func (c *Counts) columns() map[string]int {
	g := &c.Regret
	return map[string]int{"orders": c.Tasks, "valid_attempts": c.ValidAttempts, "invalid_reached": c.InvalidReached, "invalid_blocked": c.InvalidBlocked,
		"valid_blocked": c.ValidBlocked, "valid_blocked_poisoned": c.ValidBlockedPoi, "valid_warned": c.ValidWarned, "coin_attempts": c.CoinAttempts,
		"probes": c.Probes, "wasted_steps": c.WastedSteps, "extra_reads": c.ExtraReads, "completed": c.Completed, "minefields": c.Minefields, "decisions": c.Decisions,
		"hidden": g.Hidden, "stale": g.Stale, "chance": g.Chance, "drift": g.Drift, "learning": g.Learning, "probed": g.Probed, "error": g.Error, "floor": g.Floor}
}
