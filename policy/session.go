package policy

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// Server is what a session needs of the server: reads that change nothing, and
// the fingerprint of a tool as it is now.
type Server interface {
	Read(tool string, args jsontext.Value) adapter.Reading
	Fingerprint(tool string) string
}

// Session is one client's conversation with one server.
type Session struct {
	p      *Policy
	id     string
	name   string
	server Server
	a      *adapter.Adapter
	reads  atomic.Int64
}

// Session begins a conversation; id is the session's name in the log, name the
// server's.
func (p *Policy) Session(id, name string, server Server) *Session {
	return &Session{p: p, id: id, name: name, server: server, a: p.adapters.For(name)}
}

// Approved tells whether a tool needs no person's word.
func (s *Session) Approved(tool string) bool { return s.p.approved(s.a, tool) }

// Reads counts the observation reads that the session made.
func (s *Session) Reads() int { return int(s.reads.Load()) }

// Action is what happens to a call.
type Action uint8

const (
	Forward Action = iota
	Refuse         // predicted to fail, proven
	Hold           // wants a person's approval
)

// Decision is the policy's word on a call.
type Decision struct {
	Action  Action
	Text    string // what the client reads in place of an answer, unless forwarded
	Note    string // one sentence to add to the answer of a forwarded call
	Verdict behavior.Verdict
	Probe   bool // would have been refused; goes through to test the rule
	// Predicted tells that a failure was predicted, however thin the evidence.
	Predicted bool
}

// Check observes the state before the call, fills it into c and decides. c
// needs Tool and Args; Session, Server and Fingerprint are filled in.
func (s *Session) Check(c *calllog.Call) Decision { return s.check(c, false) }

// CheckApproved is Check for a call that a person has approved.
func (s *Session) CheckApproved(c *calllog.Call) Decision { return s.check(c, true) }

func (s *Session) check(c *calllog.Call, approved bool) Decision {
	c.Session, c.Server, c.Fingerprint = s.id, s.name, s.server.Fingerprint(c.Tool)
	if s.a != nil {
		c.Resource = s.a.Names(c)
		if !s.a.ShowsState(c.Tool) {
			c.Before = s.a.Observe(c.Tool, c.Args, s.read)
			if c.Before != nil {
				c.StateSource = calllog.Bracketed
			}
		}
	}
	approved = approved || s.p.approved(s.a, c.Tool)
	d := s.decide(c, approved)
	if d.Action == Forward && !approved {
		return s.unapproved(c, d)
	}
	return d
}

func (s *Session) read(tool string, args jsontext.Value) adapter.Reading {
	s.reads.Add(1)
	return s.server.Read(tool, args)
}

func (s *Session) key(c *calllog.Call) toolKey { return toolKey{c.Server, c.Tool, c.Fingerprint} }

func (s *Session) decide(c *calllog.Call, mayProbe bool) Decision {
	if s.p.opts.Off {
		return Decision{}
	}
	view := s.a.View(c)
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	d, pr := s.p.judge(c, view, mayProbe)
	if d.Action == Refuse {
		d.Text = s.refusal(c, view, s.p.evidence.Tool(c.Server, c.Tool, c.Fingerprint), pr)
	}
	return d
}

// judge says what happens to a call, by what is known; a refusal's text is its
// caller's. mayProbe allows a call that would be refused to go through once.
func (p *Policy) judge(c *calllog.Call, view *behavior.View, mayProbe bool) (Decision, proof) {
	g := p.evidence.Guard(c.Server, c.Tool, c.Fingerprint)
	if g == nil {
		return p.former(c, view), proof{}
	}
	d := Decision{Verdict: p.verdict(g, view.Features())}
	if d.Verdict.Outcome != behavior.Fails {
		if cell := p.evidence.Cell(c.Server, c.Tool, c.Fingerprint, likeThis(view)); p.opts.Mode != Observe && cell != nil && cell.Contradicts() {
			d.Note = contradiction(c, cell)
		}
		return d, proof{}
	}
	d.Predicted = true
	k := toolKey{c.Server, c.Tool, c.Fingerprint}
	pr := p.prove(k, g, d.Verdict, learn.Example(c))
	pr.proven = pr.proven && (!p.retest[k] || p.rule(k, pr).confirmed)
	if p.opts.Mode == Observe {
		return d, pr
	}
	d.Note = warning(c, g, pr)
	if p.opts.Mode != Block || !pr.proven {
		return d, pr
	}
	if mayProbe && (p.contests[k].about(d.Verdict) || p.probe(k, pr)) {
		d.Probe = true
		d.Note += " It is let through once, to see whether that still holds."
		return d, pr
	}
	p.rule(k, pr).refusals++
	d.Action = Refuse
	return d, pr
}

// former judges a call of a tool that has changed since it was called last, by what held
// before: that only warns.
func (p *Policy) former(c *calllog.Call, view *behavior.View) Decision {
	k := toolKey{c.Server, c.Tool, p.evidence.Former(c.Server, c.Tool, c.Fingerprint)}
	g := p.evidence.Guard(k.server, k.tool, k.fingerprint)
	if g == nil {
		return Decision{}
	}
	d := Decision{Verdict: p.verdict(g, view.Features())}
	if d.Verdict.Outcome != behavior.Fails {
		return Decision{}
	}
	d.Predicted = true
	if p.opts.Mode != Observe {
		d.Note = warning(c, g, p.prove(k, g, d.Verdict, 0)) + " That was before the server changed " + c.Tool + "."
	}
	return d
}

func likeThis(v *behavior.View) *behavior.Cell {
	return &behavior.Cell{Class: v.Class, Primary: v.Primary, State: v.State, Args: v.Args}
}

func (s *Session) unapproved(c *calllog.Call, d Decision) Decision {
	switch s.p.opts.Mode {
	case Observe:
		return d
	case Warn:
		d.Note = joinSentences(d.Note, "mcpg: "+c.Tool+" needs a person's approval; under block it would be held (--approve "+c.Tool+").")
		return d
	}
	d.Action = Hold
	d.Text = "mcpg held " + c.Tool + ": it needs a person's approval and was not sent to the server. To allow it, start mcpg with --approve " + c.Tool + "."
	return d
}

// Observe takes the outcome of a forwarded call, which the caller has filled
// into c and classified; it observes the state after it, learns, and gives the
// text to append to the answer, "" for none.
func (s *Session) Observe(c *calllog.Call, d Decision) string {
	if s.a != nil && c.After == nil && (c.Outcome == calllog.OK || c.Outcome == calllog.Rejected) {
		c.After = s.after(c)
	}
	if s.p.opts.Off {
		return d.Note // that a person's approval is wanted
	}
	view := s.a.View(c)
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.learn(s.key(c), c, view, d)
	if s.p.opts.Mode == Observe {
		return ""
	}
	hint := ""
	if !s.p.opts.NoHints && view.Resource != "" {
		hint = s.hint(c, view)
	}
	return joinLines(d.Note, hint)
}

// after reads the first resource again; a read is its own observation.
func (s *Session) after(c *calllog.Call) jsontext.Value {
	if s.a.ShowsState(c.Tool) {
		return s.a.ObserveFirst(c.Tool, c.Args, func(string, jsontext.Value) adapter.Reading {
			if c.Outcome != calllog.OK {
				return adapter.Reading{Text: cmp.Or(c.ErrorText, c.ResultText), Failed: true}
			}
			return adapter.Reading{Text: c.ResultText}
		})
	}
	return s.a.ObserveFirst(c.Tool, c.Args, s.read)
}

// learn adds a call that reached the server, and keeps the rules honest: a
// failure confirms the rules that predicted it; one that nothing predicted,
// with a text that the tool has not used before, is a drift signal.
func (p *Policy) learn(k toolKey, c *calllog.Call, v *behavior.View, d Decision) {
	if c.Outcome == calllog.Rejected {
		for _, f := range d.Verdict.By {
			if r := p.rules[ruleKey{k, f.Key()}]; r != nil {
				r.refusals, r.confirmed = 0, true
			}
		}
		text, _ := learn.Cluster(c)
		if p.says(k, text) && d.Verdict.Outcome == behavior.Works {
			p.suspect[k] = true
		}
		p.confirms(k, c, d)
	}
	if p.opts.Frozen || c.Outcome == calllog.OK && d.Verdict.Outcome == behavior.Fails && p.contested(k, c, v, d) {
		return
	}
	if c.Outcome == calllog.OK {
		p.first(k, c, v)
	}
	p.evidence.Add(c, v)
	if c.Outcome == calllog.Rejected && d.Verdict.Outcome != behavior.Fails {
		p.doubts(k, c, v)
	}
}

// Load takes in what many calls have taught, which stays as it is: faster than Learn, and
// without looking at what contradicts what.
func (p *Policy) Load(e *learn.Evidence) {
	if p.opts.Off {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.evidence.Merge(e)
}

// Learn takes a call that was made earlier, or by another process: its outcome and the
// states around it are known.
func (p *Policy) Learn(c *calllog.Call) {
	if p.opts.Off || c.Outcome != calllog.OK && c.Outcome != calllog.Rejected {
		return
	}
	view := p.adapters.View(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	k := toolKey{c.Server, c.Tool, c.Fingerprint}
	var d Decision
	if g := p.evidence.Guard(k.server, k.tool, k.fingerprint); g != nil {
		d.Verdict = p.verdict(g, view.Features())
	}
	p.learn(k, c, view, d)
}

// offers judges every tool for the resource, the adapter's reads left out.
func (s *Session) offers(class string, state behavior.State) []behavior.Offer {
	all := behavior.Offers(s.p.evidence.Tools(s.name), class, state, s.server.Fingerprint)
	return slices.DeleteFunc(all, func(o behavior.Offer) bool { return s.a.ShowsState(o.Tool) })
}
