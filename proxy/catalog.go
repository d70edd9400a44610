package proxy

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
)

// catalog is the tools that the server listed.
type catalog struct {
	known  bool              // a list was seen to its end
	stale  bool              // the server said that it has changed
	prints map[string]string // fingerprints by tool
	next   map[string]string // of a list whose pages are still coming
	failed time.Time         // when asking for them failed last
}

// known tells whether the tools are known, and gives the adapter.
func (s *Session) known() (*adapter.Adapter, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok := s.tools.known && !s.tools.stale && (s.waited || s.p.loaded())
	if ok {
		s.begin()
	}
	return s.adapter, ok
}

// begin finds the adapter and opens the policy's session, once; s.mu is held.
func (s *Session) begin() {
	if s.judge != nil {
		return
	}
	s.adapter = s.p.Adapters.For(s.name)
	if s.adapter == nil {
		for _, a := range s.p.Adapters {
			if a.ObservationTool != "" && s.tools.prints[a.ObservationTool] != "" {
				s.adapter = a
				break
			}
		}
	}
	s.judge = s.p.Policy.Session(s.id, s.serverID(), (*reader)(s))
}

// serverID is what the server is called in logs and models: as its adapter says.
func (s *Session) serverID() string {
	if s.adapter != nil && s.adapter.ServerID != "" {
		return s.adapter.ServerID
	}
	return s.name
}

// listAgain is after how long a list that failed is asked for again.
const listAgain = 30 * time.Second

// list makes sure that the tools are known, by asking if nobody has, and tells whether
// they are.
func (s *Session) list(gone <-chan struct{}) bool {
	if _, ok := s.known(); ok {
		return true
	}
	ctx, cancel := contextUntil(s.ctx, gone)
	defer cancel()
	s.load.Do(func() { // once a session: what isn't known by then comes later
		wait, cancel := context.WithTimeout(ctx, min(s.p.ReadTimeout, 2*time.Second))
		defer cancel()
		if s.p.Loaded != nil {
			select {
			case <-s.p.Loaded:
			case <-wait.Done():
			}
		}
		s.mu.Lock()
		s.waited = true
		s.mu.Unlock()
	})
	s.listing.Lock() // one asks for all
	defer s.listing.Unlock()
	if _, ok := s.known(); ok {
		return true
	}
	s.mu.Lock()
	again := time.Since(s.tools.failed) > listAgain
	s.mu.Unlock()
	if !again {
		return false
	}
	ctx, cancel = context.WithTimeout(ctx, s.p.ReadTimeout)
	defer cancel()
	prints := map[string]string{}
	cursor := ""
	for {
		m, err := s.askServer(ctx, "tools/list", s.params("", cursor))
		if err != nil || m.result == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if err != nil && s.ctx.Err() == nil {
				s.tools.failed = time.Now()
				return false
			}
			break // it has none to list
		}
		addTools(prints, m.result)
		if cursor = text(m.result, "nextCursor"); cursor == "" {
			s.mu.Lock()
			defer s.mu.Unlock()
			break
		}
	}
	if !s.tools.known || s.tools.stale {
		s.tools.prints, s.tools.known, s.tools.stale = prints, true, false
	}
	s.begin()
	return true
}

// params are those of a request of ours: members, a cursor if there is one, and what
// the protocol wants of the client's _meta.
func (s *Session) params(members, cursor string) []byte {
	s.mu.Lock()
	meta := s.client.meta
	s.mu.Unlock()
	if cursor != "" {
		members = join(members, `"cursor":`+string(quote(cursor)))
	}
	if meta != nil {
		members = join(members, `"_meta":`+string(meta))
	}
	return []byte("{" + members + "}")
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "," + b
}

// listed learns from a page of tools, and puts ours to the last one.
func (s *Session) listed(r *request, m *message) []byte {
	tools := member(m.result, "tools")
	if tools.Kind() != '[' {
		return m.frame
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.first || s.tools.next == nil {
		s.tools.next = map[string]string{}
	}
	addTools(s.tools.next, m.result)
	if text(m.result, "nextCursor") != "" {
		return m.frame
	}
	s.tools.prints, s.tools.known, s.tools.stale, s.tools.next = s.tools.next, true, false, nil
	frame := m.frame
	if s.p.Asker == nil {
		return frame
	}
	ours := ownTools()
	for _, name := range ownNames {
		if s.tools.prints[name] != "" {
			go s.p.logf("the server has a tool %s of its own, which stays; mcpg's tools aren't added", name)
			return frame
		}
	}
	return insert(frame, tools, ours)
}

// addTools notes the fingerprints of a page.
func addTools(prints map[string]string, result jsontext.Value) {
	tools := member(result, "tools")
	if tools.Kind() != '[' {
		return
	}
	d := jsontext.NewDecoder(bytes.NewReader(tools), lenient...)
	_, _ = d.ReadToken()
	for d.PeekKind() != ']' {
		t, err := d.ReadValue()
		if err != nil {
			return
		}
		if name := text(t, "name"); name != "" {
			prints[name] = calllog.Fingerprint(name, member(t, "inputSchema"), member(t, "outputSchema"))
		}
	}
}

// reader is the session as the policy reads by it.
type reader Session

// Fingerprint is that of a tool as it was listed last.
func (r *reader) Fingerprint(tool string) string {
	s := (*Session)(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools.prints[tool]
}

// Read observes with a tool that only reads. A server that doesn't answer isn't asked
// again for a while: calls must not wait for nothing.
func (r *reader) Read(tool string, args jsontext.Value) adapter.Reading {
	s := (*Session)(r)
	s.mu.Lock()
	mute := time.Now().Before(s.mute)
	s.mu.Unlock()
	if mute {
		s.p.counts.unobserved.Add(1)
		return adapter.Reading{None: true}
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.p.ReadTimeout)
	defer cancel()
	m, err := s.askServer(ctx, "tools/call", s.params(`"name":`+string(quote(tool))+`,"arguments":`+string(args), ""))
	if err != nil {
		s.mu.Lock()
		s.mute = time.Now().Add(6 * s.p.ReadTimeout)
		s.mu.Unlock()
		s.p.counts.unobserved.Add(1)
		return adapter.Reading{None: true}
	}
	var c calllog.Call
	outcome(&c, &m)
	if c.Outcome != calllog.OK {
		return adapter.Reading{Text: c.ErrorText, Failed: true}
	}
	return adapter.Reading{Text: c.ResultText}
}
