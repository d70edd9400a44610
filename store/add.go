package store

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"mcpg/calllog"
)

// Decision says in a word what the policy did with a call.
type Decision string

const (
	Passed   Decision = ""
	Warned   Decision = "warned"
	Probe    Decision = "probe"
	Refused  Decision = "refused"
	Held     Decision = "held"
	Approved Decision = "approved"
)

var errReadOnly = errors.New("the store is open to be read only")

const insertCall = `INSERT INTO calls (ts, session, server, tool, outcome, cause, decision, call) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

// Add appends a call and returns once it is committed. A call that no reader could
// read again is refused: one without a tool, or an [ErrTooLarge].
func (s *Store) Add(c *calllog.Call, d Decision) error {
	code := s.codecs.Get().(*codec)
	line, err := code.encode(c)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if code.small() {
		s.codecs.Put(code)
	}
	var ts any
	if !c.Time.IsZero() {
		ts = c.Time.UnixMicro()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.insert == nil {
		return fmt.Errorf("%s: %w", s.path, errReadOnly)
	}
	_, err = s.insert.ExecContext(context.Background(), ts, valid(c.Session), valid(c.Server), valid(c.Tool),
		c.Outcome.String(), c.Cause.String(), valid(string(d)), line)
	return s.fail(err)
}

// valid is a text as the line has it.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// KeepAdapter remembers the adapter that a server's calls are observed with, so that
// readers need not be told. The last one counts; one that is known isn't added again.
func (s *Store) KeepAdapter(server string, doc []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.insert == nil {
		return fmt.Errorf("%s: %w", s.path, errReadOnly)
	}
	_, err := s.conn.ExecContext(context.Background(), `INSERT INTO adapters (server, adapter) SELECT ?1, ?2
		WHERE ?2 IS NOT (SELECT adapter FROM adapters WHERE server = ?1 ORDER BY id DESC LIMIT 1)`, valid(server), valid(string(doc)))
	return s.fail(err)
}
