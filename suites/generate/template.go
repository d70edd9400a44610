package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"mcpg/bench"
	"mcpg/simulate"
	"mcpg/simulate/agents"
)

type template struct {
	ID, Class string
	N         int
	HeldOut   bool              `yaml:"held_out"`
	Belief    float64           // chance of a wrong belief
	Releases  map[string]string // by name: a, b
	Channels  map[string]string
	Freeze    []int
	Flaky     float64
	Flip      bool
	Drift     []string
	FSDrift   []string `yaml:"fs_drift"`
	Files     map[string]string
	Dirs      []string
	Quota     int
	Actor     []string
	Anchor    string
	Plan      []string
	Wrong     []string
	Oracle    []string
	Goal      []string
	Minefield []string `yaml:"minefields"`
	Untouched []string
}

// Names for drawing. Held-out templates draw from pools of their own, so that
// nothing can be remembered from training by name.
var pools = map[bool]map[string][]string{
	false: {
		"release":  {"demo", "atlas", "kestrel", "orbit", "maple", "quartz"},
		"channel":  {"stable", "beta", "nightly", "canary"},
		"reviewer": {"ana", "bo", "chen", "dara", "eli", "fay"},
		"owner":    {"ops", "infra", "relteam", "sre"},
		"dir":      {"docs", "notes", "src", "conf", "data", "work"},
		"file":     {"guide", "plan", "report", "todo", "index", "draft", "list", "main"},
	},
	true: {
		"release":  {"lumen", "pike", "sable", "tundra", "vesper", "zephyr"},
		"channel":  {"lts", "edge", "preview", "internal"},
		"reviewer": {"gil", "hana", "ivo", "jun", "kim", "lea"},
		"owner":    {"platform", "security", "buildteam", "core"},
		"dir":      {"archive", "papers", "lib", "etc", "sets", "jobs"},
		"file":     {"manual", "agenda", "summary", "tasks", "readme", "sketch", "items", "entry"},
	},
}

const root = "/srv/files"

// drawing is one task in the making.
type drawing struct {
	t    *template
	r    *rand.Rand
	vars map[string]string // a → demo-3-1, ch → stable, d → /srv/files/docs
}

func (t *template) draw(id string, n int) (*bench.Task, error) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", seed, t.ID, n)
	d := &drawing{t: t, r: rand.New(rand.NewPCG(h.Sum64(), seed)), vars: map[string]string{}}
	d.names()
	task := &bench.Task{
		ID: id, Class: t.Class, Template: t.ID, HeldOut: t.HeldOut, Budget: 16, Belief: d.r.Float64() < t.Belief,
		Minefields: []simulate.Predicate{}, Untouched: [][]string{}, Knows: d.knows(),
	}
	var err error
	if t.Files != nil {
		task.Server = "filesystem"
		task.World, err = d.files()
	} else {
		task.Server = "release"
		task.World, err = d.world()
	}
	if err != nil {
		return nil, err
	}
	right := t.Plan
	plan := right
	if task.Belief {
		plan = t.Wrong
	}
	if len(plan) == 0 {
		return nil, fmt.Errorf("a wrong belief without a wrong plan")
	}
	oracle := t.Oracle
	if oracle == nil {
		oracle = right
	}
	if task.Plan, err = d.steps(plan); err != nil {
		return nil, err
	}
	if task.Oracle, err = d.steps(oracle); err != nil {
		return nil, err
	}
	for _, g := range t.Goal {
		p, err := d.predicate(g)
		if err != nil {
			return nil, err
		}
		task.Goal = append(task.Goal, p)
	}
	for _, g := range t.Minefield {
		p, err := d.predicate(g)
		if err != nil {
			return nil, err
		}
		task.Minefields = append(task.Minefields, p)
	}
	d.bystanders(task)
	return task, nil
}

// names draws what every short name stands for.
func (d *drawing) names() {
	pool := pools[d.t.HeldOut]
	pick := func(kind string, names []string, form func(word string) string) {
		words := slices.Clone(pool[kind])
		d.r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		for i, n := range names {
			d.vars[n] = form(words[i])
		}
	}
	pick("release", []string{"a", "b", "c", "x", "y"}, func(w string) string {
		return fmt.Sprintf("%s-%d-%d", w, d.r.IntN(10), d.r.IntN(30))
	})
	same := func(w string) string { return w }
	pick("channel", []string{"ch", "ch2"}, same)
	pick("reviewer", []string{"r1", "r2", "r3", "r4", "r5"}, same)
	pick("owner", []string{"o1", "o2"}, same)
	pick("dir", []string{"d", "e"}, func(w string) string { return root + "/" + w })
	pick("file", []string{"p", "q", "s", "u", "v"}, same)
}

// expand puts names in for ${…}.
func (d *drawing) expand(s string) string {
	for name, v := range d.vars {
		s = strings.ReplaceAll(s, "${"+name+"}", v)
	}
	return s
}

func (d *drawing) knows() map[string]string {
	k := map[string]string{"root": root, "reviewer": d.vars["r4"], "second_reviewer": d.vars["r5"], "notes": "see the log", "owner": d.vars["o1"]}
	if d.t.Anchor != "" {
		k["anchor"] = d.t.Anchor
	}
	return k
}

// bystanders must not be touched: the distractors, and what the template names.
func (d *drawing) bystanders(task *bench.Task) {
	if task.Server == "filesystem" {
		task.Untouched = append(task.Untouched, []string{"files", d.bystanderFile()})
		return
	}
	names := append([]string{"x", "y"}, d.t.Untouched...)
	for _, n := range names {
		task.Untouched = append(task.Untouched, []string{"releases", d.vars[n]})
	}
}

func (d *drawing) bystanderFile() string { return d.expand("${e}/${v}.keep") }

func (d *drawing) steps(plan []string) ([]agents.Step, error) {
	var out []agents.Step
	for _, line := range plan {
		once := strings.HasPrefix(line, "once ")
		s, err := d.step(d.expand(strings.TrimPrefix(line, "once ")))
		if err != nil {
			return nil, err
		}
		s.Once = once
		out = append(out, s)
	}
	return out, nil
}
