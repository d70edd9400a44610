package adapter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpg/behavior"
)

// Draft is an adapter that was proposed, to be put right by who knows the server.
type Draft struct {
	Adapter *Adapter
	JSON    []byte
	Said    []string // what was decided and what couldn't be, a line each
}

// Propose drafts the adapter of a server from its tools and from answers of theirs,
// by tool, of which there may be none.
func Propose(server string, tools []Tool, answers map[string][]string) (*Draft, error) {
	d := &drafter{tools: tools, answers: answers, common: commonWords(tools), out: Adapter{
		ServerID: cmp.Or(strings.ToValidUTF8(server, "\uFFFD"), "server"), EffectClasses: map[string]string{},
	}}
	d.effects()
	d.findKinds()
	d.claim()
	d.write()
	text, err := d.out.encode()
	if err != nil {
		return nil, fmt.Errorf("writing the draft: %w", err)
	}
	a, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the draft doesn't load: %w", err)
	}
	d.showStates(a)
	return &Draft{Adapter: a, JSON: text, Said: d.said}, nil
}

// drafter is a draft in the making.
type drafter struct {
	tools   []Tool
	answers map[string][]string
	common  int // words that all tools' names begin with
	kinds   []*kind
	things  []things
	out     Adapter
	said    []string
}

// kind is a kind of thing: what becomes a class.
type kind struct {
	name   string
	id     idName
	reader *Tool
	param  string // of the reader
	params []string
	users  int // tools that may change one
	score  int
}

func (d *drafter) say(format string, a ...any) { d.said = append(d.said, fmt.Sprintf(format, a...)) }

// effects gives each tool its class: by annotation, else by name.
func (d *drafter) effects() {
	var byName, unsure []string
	for _, t := range d.tools {
		class := Mutating
		destroys := t.Destructive != nil && *t.Destructive || t.Destructive == nil && destroyingName(t.Name)
		switch {
		case t.ReadOnly != nil && *t.ReadOnly, t.ReadOnly == nil && t.Destructive == nil && (readingName(t.Name) || showingName(t.Name)):
			class = ReadOnly
		case destroys:
			class = Destructive
			d.out.ApprovalRequired = append(d.out.ApprovalRequired, t.Name)
		}
		if t.ReadOnly == nil && t.Destructive == nil {
			byName = append(byName, t.Name)
			if class == Mutating && !mutatingName(t.Name) {
				unsure = append(unsure, t.Name)
			}
		}
		d.out.EffectClasses[t.Name] = class
	}
	if len(byName) > 0 {
		d.say("%s without annotations: told by name what changes something", amount(len(byName), "tool"))
	}
	if len(unsure) > 0 {
		d.say("not told by name either, taken to change something: %s", strings.Join(unsure, ", "))
	}
	if len(d.out.ApprovalRequired) > 0 {
		d.say("held until a person approves, since they destroy: %s", strings.Join(d.out.ApprovalRequired, ", "))
	}
}

func amount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (d *drafter) reads(t *Tool) bool { return d.out.EffectClasses[t.Name] == ReadOnly }

// findKinds finds the tools that show how one thing stands, the best for each
// way to name one.
func (d *drafter) findKinds() {
	for i := range d.tools {
		t := &d.tools[i]
		if k := d.kindOf(t); k != nil {
			d.propose(k)
		}
	}
	for _, k := range d.kinds {
		d.count(k)
	}
	d.kinds = slices.DeleteFunc(d.kinds, func(k *kind) bool {
		if k.users == 0 {
			d.say("%s reads by %s, which no tool that changes something takes: left out", k.reader.Name, k.param)
		}
		return k.users == 0
	})
	slices.SortStableFunc(d.kinds, func(a, b *kind) int { return b.users - a.users })
	names := map[string]bool{}
	for _, k := range d.kinds {
		for base, n := k.name, 2; names[k.name]; n++ {
			k.name = fmt.Sprint(base, n)
		}
		names[k.name] = true
	}
}

// kindOf gives what a tool reads one of, nil if it doesn't.
func (d *drafter) kindOf(t *Tool) *kind {
	if !d.reads(t) {
		return nil
	}
	needed := t.required()
	if len(needed) > 1 && slices.ContainsFunc(needed, func(p Param) bool { return idNameOf(p.Path).tail != "" }) && len(nouns(t.Name, d.common)) > 0 && d.shared(needed) {
		d.say("%s needs %s together: an adapter names a thing by one argument", t.Name, paths(needed))
	}
	if len(needed) != 1 {
		return nil
	}
	p := needed[0]
	id := idNameOf(p.Path)
	if p.Enum || p.Kind != '"' && p.Kind != '0' || !id.mayBeID() {
		return nil
	}
	of := nouns(t.Name, d.common)
	name := strings.Join(id.noun, "_")
	if id.tail == "path" || name == "" { // a path's own words say less than the tool's
		name = cmp.Or(strings.Join(of, "_"), name, "resource")
	} else if len(of) > 0 && !slices.Contains(of, id.noun[len(id.noun)-1]) {
		return nil // reads something else of it: get_next_task by request_id
	}
	return &kind{name: name, id: id, reader: t, param: p.Path, score: d.score(t, of, name)}
}

// shared tells whether a tool that changes something needs all of the arguments.
func (d *drafter) shared(ps []Param) bool {
	return slices.ContainsFunc(d.tools, func(t Tool) bool {
		return !d.reads(&t) && !slices.ContainsFunc(ps, func(p Param) bool { return t.param(p.Path) == nil })
	})
}

func paths(ps []Param) string {
	var out []string
	for _, p := range ps {
		out = append(out, p.Path)
	}
	return strings.Join(out, ", ")
}

// score tells how well a tool shows the state of a thing.
func (d *drafter) score(t *Tool, of []string, name string) int {
	words := singularWords(t.Name)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	n := 0
	for _, s := range []struct {
		is bool
		n  int
	}{
		{strings.Join(of, "_") == name, 3}, {has(stateWords), 2}, {has(strings.Fields("get show describe view inspect stat")), 1},
		{has(listWords), -4}, {strings.Contains(strings.ToLower(t.Description), "deprecated"), -2},
		{strings.Contains(t.required()[0].Path, "[]"), -2}, {len(t.Output) > 1, 1}, {slices.ContainsFunc(d.answers[t.Name], isObject), 2},
	} {
		if s.is {
			n += s.n
		}
	}
	return n - len(of)
}

// propose keeps the best reader of each kind.
func (d *drafter) propose(k *kind) {
	for i, other := range d.kinds {
		if !other.id.equal(k.id) {
			continue
		}
		if k.score > other.score {
			d.kinds[i] = k
		}
		return
	}
	d.kinds = append(d.kinds, k)
}

// count counts who may change one of a kind.
func (d *drafter) count(k *kind) {
	for i := range d.tools {
		t := &d.tools[i]
		if !d.reads(t) && slices.ContainsFunc(t.Params, func(p Param) bool { return k.takes(&p, t.Name) }) {
			k.users++
		}
	}
}

// takes tells whether an argument names one of the kind.
func (k *kind) takes(p *Param, tool string) bool {
	if p.Kind != '"' && p.Kind != '0' || p.Enum {
		return false
	}
	id := idNameOf(p.Path)
	return id.equal(k.id) || id.fits(k.id, k.name, tool)
}

// claimed is an argument with the kind that it names.
type claimed struct {
	p     *Param
	k     *kind
	exact bool
}

// claim finds the things of every tool that changes something.
func (d *drafter) claim() {
	for _, k := range d.kinds {
		k.params = []string{k.param}
	}
	var without []string
	for i := range d.tools {
		t := &d.tools[i]
		cs := d.claims(t)
		switch {
		case d.reads(t):
			if len(cs) == 1 && cs[0].exact {
				cs[0].k.alias(cs[0].p.Path)
			}
		case len(cs) == 0:
			without = append(without, t.Name)
		case len(cs) == 1:
			cs[0].k.alias(cs[0].p.Path)
		default:
			d.declare(t, cs)
		}
	}
	if len(d.kinds) > 0 && len(without) > 0 {
		d.say("change something, but no argument of theirs names a thing that can be read: %s", strings.Join(without, ", "))
	}
}

func (k *kind) alias(path string) {
	if path == k.params[0] {
		return
	}
	path = strings.TrimSuffix(path, "[]") // a list of ids gives one thing each without saying so
	if !slices.Contains(k.params, path) {
		k.params = append(k.params, path)
	}
}

// claims lists the arguments of a tool that name things.
func (d *drafter) claims(t *Tool) []claimed {
	var out []claimed
	for i := range t.Params {
		p := &t.Params[i]
		best := claimed{p: p}
		for _, k := range d.kinds {
			exact := idNameOf(p.Path).equal(k.id)
			if k.takes(p, t.Name) && (best.k == nil || exact && !best.exact) {
				best.k, best.exact = k, exact
			}
		}
		if best.k != nil {
			out = append(out, best)
		}
	}
	return out
}

// declare gives each thing of a tool that has several a role, but for the one
// that the tool is about.
func (d *drafter) declare(t *Tool, cs []claimed) {
	words := singularWords(t.Name)
	slices.SortStableFunc(cs, func(a, b claimed) int { return b.weight(words) - a.weight(words) })
	taken := map[string]bool{}
	for _, k := range d.kinds {
		taken[k.name] = k == cs[0].k
	}
	var rs []Resource
	for i, c := range cs {
		r := Resource{Param: strings.TrimSuffix(c.p.Path, "[]"), Class: c.k.name}
		if i > 0 || !c.exact {
			r.Role = roleOf(c.p.Path, taken)
		}
		rs = append(rs, r)
	}
	for i := range d.things {
		if slices.EqualFunc(d.things[i].of, rs, func(a, b Resource) bool { return a.Param == b.Param && a.Role == b.Role && a.Class == b.Class }) {
			d.things[i].tools = append(d.things[i].tools, t.Name)
			return
		}
	}
	d.things = append(d.things, things{[]string{t.Name}, rs})
}

// things are what tools with several have, in the same arguments.
type things struct {
	tools []string
	of    []Resource
}

func (c claimed) weight(tool []string) int {
	n := 0
	if c.exact {
		n++
	}
	if c.p.Required {
		n += 2
	}
	if slices.Contains(tool, c.k.name) {
		n += 2
	}
	return n
}

// roleOf makes a role of an argument's name.
func roleOf(path string, taken map[string]bool) string {
	id := idNameOf(path)
	role := strings.Join(id.noun, "_")
	if len(id.noun) == 0 || taken[role] {
		role = strings.Trim(strings.NewReplacer("[]", "", ".", "_").Replace(path), "_")
	}
	role = strings.Map(func(r rune) rune {
		if strings.ContainsRune(":.=# ", r) {
			return '_'
		}
		return r
	}, role)
	if role == "" || role == behavior.ArgsRole || role == behavior.RelationRole {
		role = "the_" + role
	}
	for base, n := role, 2; taken[role]; n++ {
		role = fmt.Sprint(base, n)
	}
	taken[role] = true
	return role
}

// write puts the kinds into the adapter, the one that most tools change first.
func (d *drafter) write() {
	if len(d.kinds) == 0 {
		d.say("no tool reads one thing that others change: the draft has no states; name one in observation_tool and id_param")
		return
	}
	for i, k := range d.kinds {
		format := d.format(k)
		d.say("%s: read by %s, named by %s", k.name, k.reader.Name, strings.Join(k.params, ", "))
		if i == 0 {
			d.out.ResourceClass, d.out.ObservationTool, d.out.ObservationFormat = k.name, k.reader.Name, format
			d.out.IDParam, d.out.IDParamAliases = k.param, append([]string(nil), k.params[1:]...)
			continue
		}
		d.out.Classes = append(d.out.Classes, Class{Name: k.name, Params: k.params, Observations: []Observation{{Tool: k.reader.Name, Format: format}}})
	}
	for _, t := range d.things {
		var told []string
		for _, r := range t.of {
			what := r.Param + " (class " + r.Class
			if r.Role != "" {
				what += ", role " + r.Role
			}
			told = append(told, what+")")
			r.Tools = t.tools
			d.out.Resources = append(d.out.Resources, r)
		}
		d.say("%s: %s", strings.Join(t.tools, ", "), strings.Join(told, " and "))
	}
}
