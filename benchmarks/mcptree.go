package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/session"
	"mcpg/mcptree/value"
)

// mcptreeFigures measures mcptree: as a program, and its engine and store.
func mcptreeFigures(b *bench) []figure {
	self := func(name string) string { return "go run . mcptree --only " + name }
	return []figure{
		{name: "validate", about: fmt.Sprintf("validate %d nine-node trees, whole process", b.sizes.trees),
			command: "mcptree validate DIR", unit: "s", limit: atMost(0.15), measure: b.validate},
		{name: "start", about: "start-up, whole process",
			command: "mcptree --help", unit: "ms", limit: atMost(20), measure: b.start},
		{name: "engine", about: "submissions in memory, on one core",
			command: self("engine"), unit: "a second", limit: atLeast(1_000_000), measure: b.engine},
		{name: "store-first", about: fmt.Sprintf("stored submissions, the first %d of a session", b.window()),
			command: self("store-first"), unit: "a second", limit: atLeast(3_000), measure: b.stored(func(first, _ float64) float64 { return first })},
		{name: "store-last", about: fmt.Sprintf("stored submissions, %d to %d of a session", b.sizes.steps-b.window()+1, b.sizes.steps),
			command: self("store-last"), unit: "a second", limit: atLeast(3_000), measure: b.stored(func(_, last float64) float64 { return last })},
		{name: "store-ratio", about: "the last ones against the first",
			command: self("store-ratio"), unit: "times", limit: atLeast(asFast), measure: b.stored(func(first, last float64) float64 { return last / first })},
	}
}

// asFast is from which ratio on two rates count as the same: what the first
// ones' is off from one run to the next.
const asFast = 0.9

func (b *bench) validate() (sample, error) {
	dir := filepath.Join(b.dir, "trees")
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := writeTrees(dir, b.sizes.trees); err != nil {
			return sample{}, err
		}
	}
	u, err := b.process("mcptree", "validate", dir)
	return sample{u.Wall.Seconds(), &u}, err
}

func (b *bench) start() (sample, error) {
	u, err := b.process("mcptree", "--help")
	return sample{1000 * u.Wall.Seconds(), &u}, err
}

// nineNodes is a tree as teams write them, and one that nothing is said about.
const nineNodes = `mcptree: "0.2"
id: triage-%[1]d
title: Triage of service %[1]d
description: What to do when service %[1]d answers badly, from the first probe to a decision.
entry: probe
max_steps: 40

nodes:
  probe:
    type: action
    tool: http_probe
    args: {url: "https://service-%[1]d.example.com/healthz", timeout_s: 5}
    result:
      capture: probe
      schema: {type: object, required: [status]}
    next: is_up
    on_error: owner

  is_up:
    type: condition
    on: probe.status
    branches:
      - when: {all: [{gte: 200}, {lt: 300}]}
        then: closed
      - when: {gte: 500}
        then: logs
    default: reports

  reports:
    type: ask
    prompt: Service %[1]d answers {{ probe.status }}. Do customers report trouble?
    options:
      - {id: several, then: logs}
      - {id: one, then: owner}
      - {id: none, then: closed}

  logs:
    type: action
    tool: read_logs
    args: {service: "service-%[1]d", minutes: 15}
    result: {capture: logs}
    next: cause
    on_error: owner

  cause:
    type: judgment
    prompt: Which error stands out in the logs of service %[1]d?
    evidence: [probe, logs]
    require_rationale: true
    capture: cause
    options:
      - {id: memory, then: restart}
      - {id: database, then: owner}
      - {id: unclear, then: owner}

  restart:
    type: action
    tool: restart_service
    args: {service: "service-%[1]d", reason: "{{ cause }}"}
    next: restarted
    on_error: owner

  restarted: {type: terminal, outcome: mitigated, summary: "Restarted for {{ cause }}. Watch it for an hour."}
  owner: {type: terminal, outcome: escalated, summary: Call the owner of service %[1]d.}
  closed: {type: terminal, outcome: closed, summary: "The service answers {{ probe.status }}."}
`

func writeTrees(dir string, n int) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("tree%04d.yaml", i)), fmt.Appendf(nil, nineNodes, i), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// poll is a tree in which each submission passes an action and a condition,
// and leads back.
const poll = `{"mcptree":"0.2","id":"poll","title":"Poll","entry":"probe","max_steps":1000000,"nodes":{
	"probe":{"type":"action","tool":"http_probe","args":{"url":"https://example.com"},"result":{"capture":"probe"},"next":"is_up"},
	"is_up":{"type":"condition","on":"probe.status","branches":[{"when":{"eq":200},"then":"end"},{"when":{"gte":500},"then":"probe"}],"default":"end"},
	"end":{"type":"terminal","outcome":"up","summary":"It answers."}}}`

// down is what a probe reports.
var down = value.OfMap(value.Member{Name: "status", Value: value.OfInt(503)}, value.Member{Name: "body", Value: value.OfString("unavailable")})

func pollMachine() (*engine.Machine, error) {
	v, err := value.ParseJSON([]byte(poll))
	if err != nil {
		return nil, err
	}
	t, err := mcptree.FromValue(v)
	if err != nil {
		return nil, err
	}
	return engine.New(t)
}

// engine walks sessions of the usual number of steps, with their whole traces,
// while only one core is used, collecting garbage included.
func (b *bench) engine() (sample, error) {
	m, err := pollMachine()
	if err != nil {
		return sample{}, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	now := time.Now().UTC().Format(time.RFC3339)
	begun := time.Now()
	for done := 0; done < b.sizes.submissions; {
		s, trace := m.Start(now, nil)
		for range min(b.sizes.steps, b.sizes.submissions-done) {
			var reject string
			trace, reject = m.Submit(&s, &engine.Answer{Step: s.Step, Value: down, Source: engine.SourceAnswer}, now, trace)
			if reject != "" {
				return sample{}, errors.New(reject)
			}
			done++
		}
	}
	return sample{value: float64(b.sizes.submissions) / time.Since(begun).Seconds()}, nil
}

// window is how many submissions the store's rates are taken over.
func (b *bench) window() int { return min(25, b.sizes.steps/2) }

// stored measures the rates of the first and the last submissions of sessions,
// one after the other, each loaded, changed and saved.
func (b *bench) stored(value func(first, last float64) float64) func() (sample, error) {
	return func() (sample, error) {
		m, err := pollMachine()
		if err != nil {
			return sample{}, err
		}
		dir, err := os.MkdirTemp(b.dir, "sessions")
		if err != nil {
			return sample{}, err
		}
		defer os.RemoveAll(dir)
		store := session.New(dir, mcptree.FromValue, session.Options{})
		var first, last time.Duration
		for range b.sizes.sessions {
			f, l, err := b.walkStored(store, m)
			if err != nil {
				return sample{}, err
			}
			first, last = first+f, last+l
		}
		n := float64(b.sizes.sessions * b.window())
		return sample{value: value(n/first.Seconds(), n/last.Seconds())}, nil
	}
}

func (b *bench) walkStored(store *session.Store, m *engine.Machine) (first, last time.Duration, err error) {
	s, trace := m.Start(store.Now(), nil)
	ses, err := store.Create(m, s, trace)
	if err != nil {
		return 0, 0, err
	}
	for step := 1; step <= b.sizes.steps; step++ {
		begun := time.Now()
		e, err := store.Submit(ses.ID, engine.Answer{Step: step, Value: down, Source: engine.SourceAnswer})
		took := time.Since(begun)
		if err == nil && e.Error != "" {
			err = errors.New(e.Error)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("step %d: %w", step, err)
		}
		if step <= b.window() {
			first += took
		}
		if step > b.sizes.steps-b.window() {
			last += took
		}
	}
	return first, last, nil
}
