package adapter

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Probe makes up to n calls of tools that their annotations call read-only, to see
// how those answer that a draft takes states from: they are called with values that
// were in answers, to begin with of tools that need no argument. It gives the answers
// that are successes, by tool.
func Probe(tools []Tool, n int, call func(tool string, args jsontext.Value) (text string, failed bool, err error)) (map[string][]string, error) {
	p := &prober{answers: map[string][]string{}, made: map[string]bool{}}
	asked := telling(tools)
	for len(p.made) < n {
		tool, args, ok := p.next(asked)
		if !ok {
			break
		}
		p.made[tool+" "+string(args)] = true
		text, failed, err := call(tool, args)
		if err != nil {
			return p.answers, err
		}
		if !failed {
			p.answers[tool] = append(p.answers[tool], text)
		}
	}
	return p.answers, nil
}

type prober struct {
	answers map[string][]string
	made    map[string]bool
}

// telling lists the tools that are worth a call: the readers of things, and what may
// list those; none where nothing is read.
func telling(tools []Tool) []Tool {
	d := &drafter{tools: tools, common: commonWords(tools), out: Adapter{EffectClasses: map[string]string{}}}
	d.effects()
	d.findKinds()
	if len(d.kinds) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool {
		reader := slices.ContainsFunc(d.kinds, func(k *kind) bool { return k.reader.Name == t.Name })
		return t.ReadOnly == nil || !*t.ReadOnly || len(t.required()) > 0 && !reader
	})
}

// probesEach is how many answers of one tool are worth a call.
const probesEach = 3

// next finds a call that wasn't made: of the tool with the fewest answers.
func (p *prober) next(tools []Tool) (tool string, args jsontext.Value, ok bool) {
	order := slices.Clone(tools)
	slices.SortStableFunc(order, func(a, b Tool) int {
		if d := len(a.required()) - len(b.required()); d != 0 {
			return d
		}
		return len(p.answers[a.Name]) - len(p.answers[b.Name])
	})
	for i := range order {
		t := &order[i]
		if len(p.answers[t.Name]) >= probesEach {
			continue
		}
		for _, args := range p.arguments(t) {
			if !p.made[t.Name+" "+string(args)] {
				return t.Name, args, true
			}
		}
	}
	return "", nil, false
}

// arguments lists what a tool may be given.
func (p *prober) arguments(t *Tool) []jsontext.Value {
	needed := t.required()
	switch len(needed) {
	case 0:
		return []jsontext.Value{jsontext.Value("{}")}
	case 1:
		if !idNameOf(needed[0].Path).mayBeID() || needed[0].Enum {
			return nil
		}
		var out []jsontext.Value
		name, list := strings.CutSuffix(needed[0].Path, "[]")
		for _, v := range p.values(t, &needed[0]) {
			if list {
				v = slices.Concat(jsontext.Value("["), v, jsontext.Value("]"))
			}
			out = append(out, object([]entry{{name, v}}))
		}
		return out
	}
	return nil
}

// values lists values that answers had under the argument's name.
func (p *prober) values(t *Tool, param *Param) []jsontext.Value {
	var out []jsontext.Value
	id := idNameOf(param.Path)
	of := nouns(t.Name, 0)
	var tools []string
	for tool := range p.answers {
		tools = append(tools, tool)
	}
	slices.Sort(tools)
	for _, tool := range tools {
		about := len(of) > 0 && slices.Contains(singularWords(tool), of[len(of)-1])
		for _, text := range p.answers[tool] {
			if v := jsontext.Value(strings.TrimSpace(text)); v.IsValid() {
				harvest(v, func(key string, v jsontext.Value) {
					k := idNameOf(key)
					if v.Kind() == param.Kind && (k.equal(id) || k.tail == id.tail && (len(k.noun) == 0 && about || len(id.noun) == 0)) {
						out = append(out, v)
					}
				})
			} else if id.tail == "path" {
				out = append(out, pathsIn(text)...)
			}
		}
	}
	return out
}

// harvest walks the members of a JSON value, however deep.
func harvest(v jsontext.Value, yield func(key string, v jsontext.Value)) {
	for name, m := range members(v) {
		yield(name, m)
		harvest(m, yield)
	}
	for _, e := range elements(v) {
		harvest(e, yield)
	}
}

// pathsIn lists the lines of a text that are absolute paths.
func pathsIn(text string) []jsontext.Value {
	var out []jsontext.Value
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		drive := len(line) > 3 && line[1] == ':' && line[2] == '\\'
		if (strings.HasPrefix(line, "/") || drive) && !strings.Contains(line, ": ") {
			out = append(out, quote(line))
		}
	}
	return out
}
