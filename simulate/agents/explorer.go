package agents

import "slices"

// wander is how often the explorer makes a call of its own.
const wander = 0.2

// explorer is a naive retrier that now and then calls any tool, with arguments that its
// plan and its facts have.
type explorer struct {
	brief  *Brief
	random Random
	naive
	own bool // the last call was one of its own
}

func newExplorer(b *Brief, random Random) Agent {
	return &explorer{brief: b, random: random, naive: naive{steps: b.Plan}}
}

func (e *explorer) Next(text string, isError bool) (Step, bool) {
	if e.own {
		e.own = false
		text, isError = "", true // the plan's step is where it was
		if e.tries == 0 {
			return e.naive.Next(text, isError)
		}
		e.tries--
		return e.naive.Next(text, isError)
	}
	if len(e.steps) > 0 && e.random("wander") < wander {
		if s, ok := e.call(); ok {
			if e.tries > 0 && (!isError || e.tries >= maxTries) {
				e.steps, e.tries = e.steps[1:], 0
			}
			if len(e.steps) > 0 {
				e.own = true
				return s, false
			}
		}
	}
	return e.naive.Next(text, isError)
}

// call is a call of any tool whose arguments it can fill.
func (e *explorer) call() (Step, bool) {
	if len(e.brief.Tools) == 0 {
		return Step{}, false
	}
	t := e.brief.Tools[int(e.random("tool")*float64(len(e.brief.Tools)))]
	b := []byte{'{'}
	for i, p := range t.Required {
		var values [][]byte
		for _, s := range e.brief.Plan {
			if v, ok := argument(s.Args, p); ok && !slices.ContainsFunc(values, func(w []byte) bool { return string(w) == string(v) }) {
				values = append(values, v)
			}
		}
		if known, ok := e.brief.Knows[p]; ok {
			values = append(values, quote(known))
		}
		if len(values) == 0 {
			return Step{}, false
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(p)...), ':'), values[int(e.random("value "+p)*float64(len(values)))]...)
	}
	return Step{Tool: t.Name, Args: append(b, '}')}, true
}
