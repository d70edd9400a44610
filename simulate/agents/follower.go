package agents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What the hint follower makes of a hint.
const (
	comprehension = 0.9
	compliance    = 0.8
)

// hintFollower is a naive retrier that reads hints: a tool that the last hint on
// the same thing says no to isn't called; what the hint says leads on is called
// first.
type hintFollower struct {
	brief    *Brief
	random   Random
	steps    []Step
	tries    int
	inserted int             // calls put in for hints, bounded
	hints    map[string]hint // by the first argument of the call
	last     *Step
}

type hint struct {
	no    []string
	leads []string // tools that change what stands in the way
}

func newHintFollower(b *Brief, random Random) Agent {
	return &hintFollower{brief: b, random: random, steps: slices.Clone(b.Plan), hints: map[string]hint{}}
}

// maxInserted bounds the calls that hints bring in.
const maxInserted = 4

func (h *hintFollower) Next(text string, isError bool) (Step, bool) {
	if h.last != nil {
		h.read(*h.last, text)
		h.advance(isError)
	}
	for len(h.steps) > 0 {
		s := h.steps[0]
		if next, heeded := h.heed(s); heeded {
			if next == nil {
				h.steps, h.tries = h.steps[1:], 0
				continue
			}
			h.steps, h.tries = slices.Insert(h.steps, 0, *next), 0
			s = *next
		}
		h.tries++
		h.last = &s
		return s, false
	}
	return Step{}, true
}

// advance goes on after a success, or after the last try.
func (h *hintFollower) advance(isError bool) {
	if !isError || h.tries >= maxTries {
		h.steps, h.tries = h.steps[1:], 0
	}
}

var leadsOn = regexp.MustCompile(`\bto [^|:]+: (\w+)`)

// read takes the last line of mcpg's in an answer, if it has one.
func (h *hintFollower) read(s Step, text string) {
	i := strings.LastIndex(text, "mcpg [")
	if j := strings.LastIndex(text, "mcpg refused "); j > i {
		i = j
	}
	if i < 0 || h.random("comprehend") >= comprehension {
		return
	}
	line := text[i:]
	var got hint
	if tool, ok := strings.CutPrefix(line, "mcpg refused "); ok {
		name, _, _ := strings.Cut(tool, ";")
		got.no = []string{name}
	}
	for _, part := range strings.Split(line, " | ") {
		if list, ok := strings.CutPrefix(part, "no: "); ok {
			got.no = append(got.no, strings.Split(strings.TrimSpace(list), "; ")...)
		}
	}
	for _, m := range leadsOn.FindAllStringSubmatch(line, -1) {
		got.leads = append(got.leads, m[1])
	}
	h.hints[firstArgument(s.Args)] = got
}

// heed applies the hint on what the step is about: a call to make before it, or
// nil to give it up.
func (h *hintFollower) heed(s Step) (*Step, bool) {
	about := firstArgument(s.Args)
	got, ok := h.hints[about]
	if !ok || !slices.Contains(got.no, s.Tool) || h.random("comply") >= compliance {
		return nil, false
	}
	delete(h.hints, about)
	for _, name := range got.leads {
		if step, ok := h.build(name, s); ok && h.inserted < maxInserted {
			h.inserted++
			return &step, true
		}
	}
	return nil, true
}

// build makes a call of a tool about the same thing: its required arguments
// come from the step or from what the agent knows.
func (h *hintFollower) build(name string, s Step) (Step, bool) {
	t, ok := h.brief.tool(name)
	if !ok {
		return Step{}, false
	}
	b := []byte{'{'}
	for i, p := range t.Required {
		v, ok := argument(s.Args, p)
		if !ok {
			known, has := h.brief.Knows[p]
			if !has {
				return Step{}, false
			}
			v = quote(known)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(p)...), ':'), v...)
	}
	return Step{Tool: name, Args: append(b, '}')}, true
}

// firstArgument is the first string among the arguments.
func firstArgument(args jsontext.Value) string {
	d := jsontext.NewDecoder(strings.NewReader(string(args)))
	if _, err := d.ReadToken(); err != nil {
		return ""
	}
	for d.PeekKind() == '"' {
		if _, err := d.ReadToken(); err != nil {
			return ""
		}
		v, err := d.ReadValue()
		if err != nil {
			return ""
		}
		if v.Kind() == '"' {
			return string(v)
		}
	}
	return ""
}
