package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"mcpg/bench"
	"mcpg/internal/rate"
)

//go:embed bench.html
var benchPage string

var benchTemplate = template.Must(template.New("bench").Funcs(template.FuncMap{
	"clean":   Clean,
	"orders":  orders,
	"percent": percent,
	"signed":  func(x float64) string { return fmt.Sprintf("%+.2f", x) },
	"share":   func(x float64) float64 { return 100 * x },
	"span":    func(lo, hi float64) float64 { return 100 * (hi - lo) },
	"changed": changedTasks,
	"p":       func(x float64) string { return fmt.Sprintf("%.3g", x) },
}).Parse(benchPage))

// benchAgent is the part of a page about one agent.
type benchAgent struct {
	Agent string
	Runs  []benchRun
	Vs    []bench.Difference
}

type benchRun struct {
	*bench.RunResult
	PerTask   float64 // invalid calls that reached the server
	Bar       float64 // of them, in percent of the agent's most
	Low, High float64 // of the tasks completed, 95 %
	Rate      float64 // of them
}

// changedPart is the first of the tasks that changed.
type changedPart struct {
	N     int
	First []bench.Change
}

// changedTasks is nil where none did.
func changedTasks(r *bench.Result, d bench.Difference) *changedPart {
	all := r.Changes(d.Agent, d.Arm, d.Against)
	if len(all) == 0 {
		return nil
	}
	return &changedPart{len(all), all[:min(len(all), maxShown)]}
}

// BenchHTML writes a result as one HTML section, with its own style and nothing that is
// loaded: for a page of its own (page), or to stand in another one.
func BenchHTML(w io.Writer, r *bench.Result, page bool) error {
	var agents []*benchAgent
	find := map[string]*benchAgent{}
	for i := range r.Results {
		x := &r.Results[i]
		a := find[x.Agent]
		if a == nil {
			a = &benchAgent{Agent: x.Agent}
			find[x.Agent] = a
			agents = append(agents, a)
		}
		n := max(x.Orders, 1)
		lo, hi := rate.Wilson((x.Completed+n/2)/n, x.Tasks/n)
		a.Runs = append(a.Runs, benchRun{RunResult: x, PerTask: float64(x.InvalidReached) / float64(max(1, x.Tasks)), Low: lo, High: hi, Rate: float64(x.Completed) / float64(max(1, x.Tasks))})
	}
	for _, a := range agents {
		most := 0.0
		for _, x := range a.Runs {
			most = max(most, x.PerTask)
		}
		for i := range a.Runs {
			if most > 0 {
				a.Runs[i].Bar = 100 * a.Runs[i].PerTask / most
			}
		}
	}
	for _, arm := range []string{bench.ArmNone, bench.ArmBreaker} {
		for _, d := range r.Against(arm) {
			find[d.Agent].Vs = append(find[d.Agent].Vs, d)
		}
	}
	return benchTemplate.Execute(w, map[string]any{"R": r, "Agents": agents, "Page": page})
}
