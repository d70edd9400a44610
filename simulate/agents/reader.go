package agents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// repairSkill is the share of errors that the error reader understands.
const repairSkill = 0.8

// errorReader goes through its plan; on an error that it understands it does
// what the text calls for, else it tries again.
type errorReader struct {
	brief  *Brief
	random Random
	stack  []*task // the next one last
	last   *task
}

// task is a step with what was tried for it.
type task struct {
	step  Step
	tries int
	tried []*Repair
	names map[string]jsontext.Value // captured so far, shared with its plan or repair
}

func newErrorReader(b *Brief, random Random) Agent {
	e := &errorReader{brief: b, random: random}
	names := map[string]jsontext.Value{}
	for _, s := range slices.Backward(b.Plan) {
		e.stack = append(e.stack, &task{step: s, names: names})
	}
	return e
}

func (e *errorReader) Next(text string, isError bool) (Step, bool) {
	if e.last != nil {
		e.take(e.last, text, isError)
	}
	for len(e.stack) > 0 {
		t := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		step := t.step
		args, ok := fill(step.Args, func(n string) (jsontext.Value, bool) { v, has := t.names[n]; return v, has })
		if !ok {
			continue // what it needs was not found
		}
		t.step.Args, t.tries = args, t.tries+1
		e.last = t
		return t.step, false
	}
	return Step{}, true
}

func (e *errorReader) take(t *task, text string, isError bool) {
	e.last = nil
	e.capture(t, text)
	for _, r := range e.brief.Repairs {
		groups := r.matches(t.step.Tool, text, isError)
		if groups == nil || slices.Contains(t.tried, r) {
			continue
		}
		t.tried = append(t.tried, r)
		if e.random("repair") >= repairSkill {
			break
		}
		e.repair(t, r, groups)
		return
	}
	if isError && t.tries < maxTries {
		e.stack = append(e.stack, t)
	}
}

func (e *errorReader) capture(t *task, text string) {
	if t.step.Capture == "" {
		return
	}
	re, err := regexp.Compile(t.step.Capture)
	if err != nil {
		return
	}
	m := re.FindStringSubmatch(text)
	for i, name := range re.SubexpNames() {
		if name != "" && m != nil {
			t.names[name] = quote(m[i])
		}
	}
}

// repair puts what the text calls for on the stack. Names that answers will
// bring are filled in when their step comes.
func (e *errorReader) repair(t *task, r *Repair, groups []string) {
	names := map[string]jsontext.Value{}
	early := func(s Step) Step {
		s.Args, _ = fill(s.Args, func(n string) (jsontext.Value, bool) {
			if v, ok := e.value(n, t, groups); ok {
				return v, true
			}
			return quote("${" + n + "}"), true
		})
		if strings.Contains(s.Capture, "${know.anchor}") {
			s.Capture = strings.ReplaceAll(s.Capture, "${know.anchor}", regexp.QuoteMeta(e.brief.Knows["anchor"]))
		}
		return s
	}
	switch {
	case r.Swap != nil:
		e.stack = append(e.stack, &task{step: early(*r.Swap), tried: t.tried, names: names})
	case r.Then == "retry":
		t.tries = min(t.tries, maxTries-1)
		e.stack = append(e.stack, t)
	}
	for _, s := range slices.Backward(r.Do) {
		e.stack = append(e.stack, &task{step: early(s), names: names})
	}
}

func (e *errorReader) value(name string, t *task, groups []string) (jsontext.Value, bool) {
	switch {
	case strings.HasPrefix(name, "arg."):
		return argument(t.step.Args, name[len("arg."):])
	case strings.HasPrefix(name, "know."):
		v, ok := e.brief.Knows[name[len("know."):]]
		return quote(v), ok
	case len(name) == 1 && name[0] >= '0' && name[0] <= '9' && int(name[0]-'0') < len(groups):
		return quote(groups[name[0]-'0']), true
	}
	return nil, false
}
