package agents

// readFirst is how often the asking agent reads before it writes.
const readFirst = 0.7

// asking reads what a write is about before it writes, for the most part, and leaves
// the write if the read fails; else it is a naive retrier. It pays for its reads.
type asking struct {
	brief  *Brief
	random Random
	naive
	read  bool // the last call was a read before the step
	asked bool // one was made for the step
}

func newAsking(b *Brief, random Random) Agent {
	return &asking{brief: b, random: random, naive: naive{steps: b.Plan}}
}

func (a *asking) Next(text string, isError bool) (Step, bool) {
	if a.read {
		a.read = false
		if isError {
			a.steps, a.asked = a.steps[1:], false
			return a.begin()
		}
		a.tries++
		return a.steps[0], false
	}
	if a.tries > 0 && (!isError || a.tries >= maxTries) {
		a.steps, a.tries, a.asked = a.steps[1:], 0, false
	}
	if a.tries > 0 {
		a.tries++
		return a.steps[0], false
	}
	return a.begin()
}

// begin begins the next step, by a read of what it is about perhaps.
func (a *asking) begin() (Step, bool) {
	if len(a.steps) == 0 {
		return Step{}, true
	}
	s := a.steps[0]
	if t, ok := a.brief.tool(s.Tool); ok && !t.ReadOnly && !a.asked {
		a.asked = true
		if r, ok := a.reader(s); ok && a.random("ask") < readFirst {
			a.read = true
			return r, false
		}
	}
	a.tries++
	return s, false
}

// reader is a call of a reading tool that needs one argument, which the step has: the
// first such tool.
func (a *asking) reader(s Step) (Step, bool) {
	for _, t := range a.brief.Tools {
		if !t.ReadOnly || len(t.Required) != 1 {
			continue
		}
		if v, ok := argument(s.Args, t.Required[0]); ok {
			return Step{Tool: t.Name, Args: append(append(append([]byte{'{'}, quote(t.Required[0])...), ':'), append(v, '}')...)}, true
		}
	}
	return Step{}, false
}
