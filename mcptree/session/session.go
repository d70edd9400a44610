// Package session keeps walks through decision trees in files, one a session,
// safe against crashes and against other processes.
//
// A file is a journal of JSON lines. The first line pins the tree: its whole
// document. Every line after it holds the state that a change led to and the
// trace entries that it added, so that going on needs the first line and the
// last only. Lines are added with one write each under a lock on the file; a
// last line without its end is what a crash left, and counts as not written.
package session

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// Session is one walk as it was read.
type Session struct {
	ID      string
	Created string
	Machine *engine.Machine
	State   engine.State
}

// Tree is the tree that the session is pinned to.
func (s *Session) Tree() *mcptree.Tree { return s.Machine.Tree() }

// Envelope is the session's envelope, with the rejection of an answer or "".
func (s *Session) Envelope(reject string) engine.Envelope {
	return s.Machine.Envelope(s.ID, &s.State, reject)
}

// Options of a store. The zero value is right.
type Options struct {
	Sync bool             // wait for the disk after every change: safe against power cuts too
	Now  func() time.Time // time.Now if nil
}

// Store is the sessions of one directory.
type Store struct {
	dir  string
	read func(value.Value) (*mcptree.Tree, error)
	opts Options

	mu      sync.Mutex
	headers map[string]*header // by id; only to save parsing
}

// New makes a store. read makes a tree of its document, as mcptree.FromValue
// does. Nothing is created before the first session is.
func New(dir string, read func(value.Value) (*mcptree.Tree, error), opts Options) *Store {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Store{dir: dir, read: read, opts: opts, headers: map[string]*header{}}
}

// DefaultDir is ~/.mcptree/sessions.
func DefaultDir() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".mcptree", "sessions"), nil
}

// Dir is the store's directory.
func (s *Store) Dir() string { return s.dir }

// Now is the store's clock as traces have it.
func (s *Store) Now() string {
	return s.opts.Now().UTC().Format("2006-01-02T15:04:05.000000+00:00")
}

const (
	prefix   = "ses_"
	idDigits = 12
	suffix   = ".json"
)

// IsID tells whether id has the form of a session's.
func IsID(id string) bool {
	digits, ok := strings.CutPrefix(id, prefix)
	return ok && len(digits) == idDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

func (s *Store) file(id string) string { return filepath.Join(s.dir, id+suffix) }

// Create stores a new session: a walk as the machine started it, and perhaps
// went on with it.
func (s *Store) Create(m *engine.Machine, state engine.State, trace []engine.Entry) (*Session, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	created := s.Now()
	for {
		var random [idDigits / 2]byte
		rand.Read(random[:])
		id := prefix + hex.EncodeToString(random[:])
		if _, err := os.Lstat(s.file(id)); err == nil {
			continue
		}
		h := &header{text: headerLine(id, created, m.Tree()), created: created, machine: m}
		if err := s.write(s.file(id), appendChange(bytes.Clone(h.text), m, &state, trace)); err != nil {
			return nil, err
		}
		s.remember(id, h)
		return &Session{ID: id, Created: created, Machine: m, State: state}, nil
	}
}

// open opens a session's file. The error is UnknownError if there is none.
func (s *Store) open(id string, flag int) (*os.File, error) {
	if !IsID(id) {
		return nil, &UnknownError{ID: id}
	}
	// Opening a pipe would wait for whoever writes to it.
	if info, err := os.Stat(s.file(id)); err == nil && !info.Mode().IsRegular() {
		return nil, &CorruptError{s.file(id), 1, errors.New("it is no regular file")}
	}
	f, err := os.OpenFile(s.file(id), flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		known, _ := s.Known(shownKnown)
		return nil, &UnknownError{ID: id, Known: known}
	}
	return f, err
}

// shownKnown is how many ids an UnknownError names.
const shownKnown = 20

// Load reads a session.
func (s *Store) Load(id string) (*Session, error) {
	f, err := s.open(id, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ses, _, err := s.last(f, id)
	return ses, err
}

// Update changes a session while no one else can. change gets it as it is, may
// walk on with its State, and gives the entries that this added to the trace;
// without any, or with an error, nothing is stored.
func (s *Store) Update(id string, change func(*Session) ([]engine.Entry, error)) error {
	f, err := s.locked(id)
	if err != nil {
		return err
	}
	defer f.Close() // lets go of the lock
	ses, end, err := s.last(f, id)
	if err != nil {
		return err
	}
	trace, err := change(ses)
	if err != nil || len(trace) == 0 {
		return err
	}
	return s.append(f, end, appendChange(nil, ses.Machine, &ses.State, trace))
}

// Submit puts one answer to a session.
func (s *Store) Submit(id string, a engine.Answer) (engine.Envelope, error) {
	var e engine.Envelope
	err := s.Update(id, func(ses *Session) (trace []engine.Entry, err error) {
		var reject string
		trace, reject = ses.Machine.Submit(&ses.State, &a, s.Now(), nil)
		e = ses.Envelope(reject)
		return trace, nil
	})
	return e, err
}

// locked opens a session's file and locks it, so that it is still the
// session's: whoever held the lock may have deleted it.
func (s *Store) locked(id string) (*os.File, error) {
	for {
		f, err := s.open(id, os.O_RDWR)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", s.file(id), err)
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if there, err := os.Stat(s.file(id)); err == nil && os.SameFile(mine, there) {
			return f, nil
		}
		f.Close()
	}
}
