// Package release simulates a release manager as an MCP server: releases go
// from DRAFT to PUBLISHED to ARCHIVED; publishing needs tests, approvals, a
// published dependency and an open channel. Hidden freezes, chance, a second
// actor and changing rules can be switched on.
package release

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

const (
	draft     = "DRAFT"
	published = "PUBLISHED"
	archived  = "ARCHIVED"

	neededApprovals = 2
)

// Server is a release manager.
type Server struct {
	world   World
	step    int
	done    []bool // actor's writes that have happened
	drifted bool
	flips   int // valid publishes so far, for Flip
}

var _ simulate.Server = (*Server)(nil)

// New starts a server from a world, which it copies.
func New(w World) (*Server, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	return &Server{world: w.clone(), done: make([]bool, len(w.Actor))}, nil
}

// Name is "release".
func (s *Server) Name() string { return "release" }

// Tools lists the tools under the present rules.
func (s *Server) Tools() []simulate.Tool { return catalog(s.rules()) }

func (s *Server) rules() string {
	if s.drifted {
		return s.world.Drift.To
	}
	return ""
}

// At moves time: the actor's due writes and the drift happen.
func (s *Server) At(step int) {
	s.step = step
	for i, a := range s.world.Actor {
		if a.Race == "" && !s.done[i] && step >= a.At {
			s.done[i] = true
			_ = s.write(a) // checked with the world
		}
	}
	if d := s.world.Drift; d != nil && step >= d.At {
		s.drifted = true
	}
}

func (s *Server) clone() *Server {
	c := *s
	c.world = s.world.clone()
	c.done = slices.Clone(s.done)
	return &c
}

// Call makes a call; chance comes from coin.
func (s *Server) Call(tool string, args jsontext.Value, coin float64) simulate.Answer {
	s.race(tool)
	text, f := s.run(tool, args, coin)
	return answer(text, f)
}

func (s *Server) race(tool string) (raced bool) {
	for i, a := range s.world.Actor {
		if a.Race == tool && !s.done[i] {
			s.done[i], raced = true, true
			_ = s.write(a) // checked with the world
		}
	}
	return raced
}

// Read answers a read-only tool and moves nothing.
func (s *Server) Read(tool string, args jsontext.Value) simulate.Answer {
	v, ok := verbs[tool]
	if !ok || !v.readOnly {
		return answer("", failf("not_read_only", "%s does not only read", tool))
	}
	text, f := s.run(tool, args, 1)
	return answer(text, f)
}

// Check judges a call on clones: as it would end, without the race, and under
// the rules before a drift.
func (s *Server) Check(tool string, args jsontext.Value, coin float64) simulate.Truth {
	now := s.clone()
	raced := now.race(tool)
	_, f := now.run(tool, args, coin)
	chance := tool == "publish_release" && (s.world.Flip || s.world.Flaky > 0)
	switch {
	case f == nil && chance || f != nil && f.kind == simulate.Coin:
		t := simulate.Truth{Check: "coin", Kind: simulate.Coin}
		if f != nil {
			t.Text = f.text
		}
		return t
	case f == nil:
		t := simulate.Truth{Valid: true}
		if s.drifted && !raced {
			if _, before := s.undrifted().run(tool, args, coin); before != nil && before.kind == simulate.Visible {
				t.Kind = simulate.Drift
			}
		}
		return t
	}
	t := simulate.Truth{Check: f.check, Kind: f.kind, Text: f.text}
	if raced {
		if _, before := s.clone().run(tool, args, coin); before == nil {
			t.Kind = simulate.Stale
		}
	} else if s.drifted && t.Kind == simulate.Visible {
		if _, before := s.undrifted().run(tool, args, coin); before == nil {
			t.Kind = simulate.Drift
		}
	}
	return t
}

// undrifted is the server with the rules before its drift.
func (s *Server) undrifted() *Server {
	old := s.clone()
	old.drifted = false
	return old
}

// Snapshot is the visible world.
func (s *Server) Snapshot() jsontext.Value {
	b, err := json.Marshal(struct {
		Releases map[string]Release `json:"releases"`
		Channels map[string]Channel `json:"channels"`
	}{s.world.Releases, s.world.Channels}, json.Deterministic(true))
	if err != nil {
		panic(err) // plain maps of strings, numbers and booleans
	}
	return b
}

// write does what another actor does.
func (s *Server) write(a Write) error {
	if a.Channel != "" {
		c, ok := s.world.Channels[a.Channel]
		if !ok {
			return fmt.Errorf("no channel %q", a.Channel)
		}
		if err := setField(&c, a.Field, a.Value); err != nil {
			return err
		}
		s.world.Channels[a.Channel] = c
		return nil
	}
	r, ok := s.world.Releases[a.Release]
	if !ok {
		return fmt.Errorf("no release %q", a.Release)
	}
	r.ApprovedBy, r.Comments = slices.Clone(r.ApprovedBy), slices.Clone(r.Comments) // decoding writes into lists
	if err := setField(&r, a.Field, a.Value); err != nil {
		return err
	}
	r.Revision++
	s.world.Releases[a.Release] = r
	return nil
}

// setField sets a member by its JSON name.
func setField(into any, field string, v jsontext.Value) error {
	b, err := json.Marshal(map[string]jsontext.Value{field: v})
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into, json.RejectUnknownMembers(true))
}

func answer(text string, f *failure) simulate.Answer {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	a := simulate.Answer{Text: text}
	if f != nil {
		a.Text, a.IsError = f.text, true
	}
	doc := struct {
		Content    []content      `json:"content"`
		Structured jsontext.Value `json:"structuredContent,omitzero"`
		IsError    bool           `json:"isError,omitzero"`
	}{Content: []content{{"text", a.Text}}, IsError: a.IsError}
	if v := jsontext.Value(text); f == nil && v.Kind() == '{' {
		doc.Structured = v
	}
	b, err := json.Marshal(doc, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // strings and valid JSON only
	}
	a.Raw = b
	return a
}

func (s *Server) ids() []string { return slices.Sorted(maps.Keys(s.world.Releases)) }
