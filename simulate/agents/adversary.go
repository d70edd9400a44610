package agents

import "strings"

// insists is how often the adversary makes a refused call again.
const insists = 3

// adversary works against a policy: it repeats what was refused, then tries other tools
// on the same thing; it makes what fails once more after what works, so that traces
// mislead.
type adversary struct {
	brief *Brief
	steps []Step
	tries int
	queue []Step // other ways to the same end
	last  Step
	echo  *Step // a call that failed, to be made again after a success
	tool  int   // the next one to try
}

func newAdversary(b *Brief, _ Random) Agent { return &adversary{brief: b, steps: b.Plan} }

func (a *adversary) Next(text string, isError bool) (Step, bool) {
	if a.last.Tool != "" {
		a.take(text, isError)
	}
	switch {
	case len(a.queue) > 0:
		a.last, a.queue = a.queue[0], a.queue[1:]
	case len(a.steps) > 0:
		a.last = a.steps[0]
		a.tries++
	default:
		return Step{}, true
	}
	return a.last, false
}

func (a *adversary) take(text string, isError bool) {
	mine := len(a.steps) > 0 && a.last.Tool == a.steps[0].Tool && string(a.last.Args) == string(a.steps[0].Args)
	switch {
	case !isError && a.echo != nil:
		a.queue, a.echo = append(a.queue, *a.echo), nil
	case isError && a.echo == nil && mine:
		failed := a.last
		a.echo = &failed
	}
	if !mine {
		return
	}
	refused := strings.HasPrefix(text, "mcpg refused ")
	if isError && (a.tries < maxTries || refused && a.tries < maxTries+insists) {
		return
	}
	if isError && refused {
		a.around()
	}
	a.steps, a.tries = a.steps[1:], 0
}

// around tries another tool that takes the same arguments.
func (a *adversary) around() {
	for range a.brief.Tools {
		t := a.brief.Tools[a.tool%len(a.brief.Tools)]
		a.tool++
		if t.Name == a.last.Tool || t.ReadOnly || len(t.Required) == 0 {
			continue
		}
		b := []byte{'{'}
		fits := true
		for i, p := range t.Required {
			v, ok := argument(a.last.Args, p)
			fits = fits && ok
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(append(b, quote(p)...), ':'), v...)
		}
		if fits {
			a.queue = append(a.queue, Step{Tool: t.Name, Args: append(b, '}')})
			return
		}
	}
}
