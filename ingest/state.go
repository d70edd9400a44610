package ingest

import (
	"cmp"
	"container/list"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
)

// maxSessions bounds how many sessions' answers are remembered; the one that
// was idle longest is forgotten first.
const maxSessions = 4096

// tracker reconstructs the state before a call from what earlier calls of the
// session showed.
type tracker struct {
	sessions map[string]*list.Element
	idle     *list.List // front: used last
}

// session is what one session has shown.
type session struct {
	key   string
	calls int
	shown map[string]*shown            // by read: tool and canonical arguments
	of    map[string]map[string]*shown // by resource and read
	spoil int                          // the last call that may have changed everything
	wrote int                          // the last call that may have changed anything
}

// shown is the last answer of one read.
type shown struct {
	reading adapter.Reading
	call    int // its number in the session
	time    time.Time
	dirty   bool // something may have changed it since
}

func newTracker() *tracker {
	return &tracker{sessions: map[string]*list.Element{}, idle: list.New()}
}

func (t *tracker) session(c *calllog.Call) *session {
	key := c.Server + "\x00" + c.Session
	if e := t.sessions[key]; e != nil {
		t.idle.MoveToFront(e)
		return e.Value.(*session)
	}
	s := &session{key: key, shown: map[string]*shown{}, of: map[string]map[string]*shown{}}
	t.sessions[key] = t.idle.PushFront(s)
	if t.idle.Len() > maxSessions {
		last := t.idle.Back()
		delete(t.sessions, last.Value.(*session).key)
		t.idle.Remove(last)
	}
	return s
}

func readKey(tool string, args jsontext.Value) string {
	return tool + "\x00" + calllog.Canonical(args)
}

// observe fills in Before, After and where they come from, then remembers what
// the call shows and spoils. In a sparse log the state is of some calls before.
func (t *tracker) observe(c *calllog.Call, a *adapter.Adapter, sparse bool) {
	if a == nil && !sparse {
		return
	}
	s := t.session(c)
	s.calls++
	s.judgeSnapshot(c)
	if a == nil {
		s.write(c, a)
		return
	}
	if c.Before == nil {
		s.reconstruct(c, a)
	}
	if c.After == nil {
		c.After = s.ownAnswer(c, a)
	}
	s.write(c, a)
	s.remember(c, a)
}

// reconstruct answers the adapter's reads from what was shown.
func (s *session) reconstruct(c *calllog.Call, a *adapter.Adapter) {
	found := false
	var oldest time.Time
	before := a.Observe(c.Tool, c.Args, func(tool string, args jsontext.Value) adapter.Reading {
		sh := s.shown[readKey(tool, args)]
		if sh == nil {
			return adapter.Reading{None: true}
		}
		found = true
		c.StateCalls = max(c.StateCalls, s.calls-sh.call-1)
		c.StateDirty = c.StateDirty || sh.dirty || sh.call <= s.spoil
		if oldest.IsZero() || sh.time.Before(oldest) {
			oldest = sh.time
		}
		return sh.reading
	})
	if !found {
		return
	}
	c.Before, c.StateSource = before, calllog.Reconstructed
	if !oldest.IsZero() && !c.Time.IsZero() {
		c.StateAge = max(0, c.Time.Sub(oldest))
	}
}

// judgeSnapshot says whether a call since the log's own snapshot may have changed
// what it shows.
func (s *session) judgeSnapshot(c *calllog.Call) {
	if c.StateSource == calllog.Snapshot && c.StateCalls > 0 {
		c.StateDirty = c.StateDirty || s.wrote >= s.calls-c.StateCalls
	}
}

// shows tells whether the call's answer is the state of its resource: it is a
// read of it, or its answer returns it.
func shows(c *calllog.Call, a *adapter.Adapter) bool {
	if c.Outcome == calllog.OK {
		return a.IsRead(c.Tool) || slices.Contains(a.Returns, c.Tool)
	}
	return c.Outcome == calllog.Rejected && a.IsRead(c.Tool)
}

// ownAnswer is the state that the call itself showed.
func (s *session) ownAnswer(c *calllog.Call, a *adapter.Adapter) jsontext.Value {
	if !shows(c, a) || a.IsRead(c.Tool) && !a.ShowsState(c.Tool) {
		return nil
	}
	return a.ObserveFirst(c.Tool, c.Args, func(tool string, args jsontext.Value) adapter.Reading {
		if a.IsRead(c.Tool) && readKey(tool, args) != readKey(c.Tool, c.Args) {
			return adapter.Reading{None: true}
		}
		return answerOf(c)
	})
}

// answerOf is the call's answer as a reading.
func answerOf(c *calllog.Call) adapter.Reading {
	if c.Outcome != calllog.OK {
		return adapter.Reading{Text: cmp.Or(c.ErrorText, c.ResultText), Failed: true}
	}
	return adapter.Reading{Text: c.ResultText}
}

// write marks what a write may have changed: the readings of the resources that
// it names, or all of them if it names none.
func (s *session) write(c *calllog.Call, a *adapter.Adapter) {
	if !a.Writes(c.Tool) || c.Outcome == calllog.Rejected || c.Outcome == calllog.Denied {
		return
	}
	s.wrote = s.calls
	if a == nil {
		return
	}
	refs := a.Refs(c.Tool, c.Args)
	if len(refs) == 0 {
		s.spoil = s.calls
	}
	for _, r := range refs {
		for _, sh := range s.of[r.String()] {
			sh.dirty = true
		}
		delete(s.of, r.String()) // dirty for good; a new reading comes in its place
	}
}

func (s *session) remember(c *calllog.Call, a *adapter.Adapter) {
	if !shows(c, a) {
		return
	}
	put := func(key string) {
		sh := &shown{reading: answerOf(c), call: s.calls, time: c.Time}
		sh.reading.Text = strings.Clone(sh.reading.Text) // its call may be used again
		s.shown[key] = sh
		for _, r := range a.Refs(c.Tool, c.Args) {
			if s.of[r.String()] == nil {
				s.of[r.String()] = map[string]*shown{}
			}
			s.of[r.String()][key] = sh
		}
	}
	if a.IsRead(c.Tool) {
		put(readKey(c.Tool, c.Args))
		return
	}
	a.ObserveFirst(c.Tool, c.Args, func(tool string, args jsontext.Value) adapter.Reading {
		put(readKey(tool, args))
		return adapter.Reading{None: true}
	})
}
