package ingest

import (
	"cmp"
	"container/list"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
)

// Bounds of the answers that are remembered: the session that was idle longest
// forgets its first, and one that alone is too large its oldest.
const (
	maxShown      = 200_000
	maxShownBytes = 64 << 20
	maxReading    = 4 << 20 // a longer answer is no state
)

// tracker reconstructs the state before a call from what earlier calls of the
// session showed.
type tracker struct {
	sessions  map[string]*list.Element
	idle      *list.List // front: used last
	shown     int
	bytes     int
	forgotten int // readings that were dropped for want of room
}

// session is what one session has shown.
type session struct {
	key   string
	calls int
	shown map[string]*shown            // by read: tool and canonical arguments
	of    map[string]map[string]*shown // by resource and read
	order []*shown                     // as they came, those that were replaced too
	spoil int                          // the last call that may have changed everything
	wrote int                          // the last call that may have changed anything
}

// shown is the last answer of one read.
type shown struct {
	reading adapter.Reading
	key     string
	refs    []string
	call    int // its number in the session
	time    time.Time
	dirty   bool // something may have changed it since
}

func (sh *shown) size() int { return len(sh.reading.Text) + 2*len(sh.key) + 200 }

func newTracker() *tracker {
	return &tracker{sessions: map[string]*list.Element{}, idle: list.New()}
}

func (t *tracker) session(c *calllog.Call) *session {
	key := c.Server + "\x00" + c.Session
	if base, _, _ := strings.Cut(filepath.Base(c.Pos.File), "."); strings.HasPrefix(c.Session, base) || strings.HasPrefix(c.Session, c.Pos.File) {
		key += "\x00" + c.Pos.File // a name that another file may have too
	}
	if e := t.sessions[key]; e != nil {
		t.idle.MoveToFront(e)
		return e.Value.(*session)
	}
	s := &session{key: key, shown: map[string]*shown{}, of: map[string]map[string]*shown{}}
	t.sessions[key] = t.idle.PushFront(s)
	t.shown++ // it takes room before it has shown anything
	t.room()
	return s
}

// put remembers a reading of a session.
func (t *tracker) put(s *session, sh *shown) {
	if old := s.shown[sh.key]; old != nil {
		t.drop(s, old)
	}
	s.shown[sh.key] = sh
	s.order = append(s.order, sh)
	for _, r := range sh.refs {
		if s.of[r] == nil {
			s.of[r] = map[string]*shown{}
		}
		s.of[r][sh.key] = sh
	}
	t.shown++
	t.bytes += sh.size()
	if len(s.order) > 2*len(s.shown)+16 {
		s.order = slices.DeleteFunc(s.order, func(sh *shown) bool { return s.shown[sh.key] != sh })
	}
	t.room()
}

// drop forgets a reading.
func (t *tracker) drop(s *session, sh *shown) {
	if s.shown[sh.key] != sh {
		return
	}
	delete(s.shown, sh.key)
	for _, r := range sh.refs {
		if s.of[r][sh.key] == sh {
			delete(s.of[r], sh.key)
			if len(s.of[r]) == 0 {
				delete(s.of, r)
			}
		}
	}
	t.shown--
	t.bytes -= sh.size()
}

// room forgets what there is no room for.
func (t *tracker) room() {
	for t.shown > maxShown || t.bytes > maxShownBytes {
		last := t.idle.Back()
		s := last.Value.(*session)
		if t.idle.Len() == 1 {
			for _, sh := range s.order[:(len(s.order)+1)/2] {
				if s.shown[sh.key] == sh {
					t.forgotten++
					t.drop(s, sh)
				}
			}
			s.order = slices.Clone(s.order[(len(s.order)+1)/2:])
			if len(s.order) == 0 {
				return
			}
			continue
		}
		t.forgotten += len(s.shown)
		for _, sh := range s.order {
			t.drop(s, sh)
		}
		t.shown--
		delete(t.sessions, s.key)
		t.idle.Remove(last)
	}
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
	t.remember(s, c, a)
}

// reconstruct answers the adapter's reads from what was shown.
func (s *session) reconstruct(c *calllog.Call, a *adapter.Adapter) {
	found := false
	var oldest time.Time
	before := a.Observe(c.Tool, c.Args, func(tool string, args jsontext.Value) adapter.Reading {
		sh := s.shown[readKey(tool, args)]
		if sh == nil || !c.Time.IsZero() && sh.time.After(c.Time) { // a log that isn't in order shows what is to come
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
	if len(c.ResultText) > maxReading {
		return false
	}
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

func (t *tracker) remember(s *session, c *calllog.Call, a *adapter.Adapter) {
	if !shows(c, a) {
		return
	}
	put := func(key string) {
		sh := &shown{reading: answerOf(c), key: key, call: s.calls, time: c.Time}
		sh.reading.Text = strings.Clone(sh.reading.Text) // its call may be used again
		for _, r := range a.Refs(c.Tool, c.Args) {
			sh.refs = append(sh.refs, r.String())
		}
		t.put(s, sh)
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
