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
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// UnknownError is an id that names no session.
type UnknownError struct {
	ID    string
	Known []string // some that do; none for an id that isn't formed as one
}

func (e *UnknownError) Error() string {
	switch {
	case !IsID(e.ID):
		return fmt.Sprintf("unknown session %q: an id is ses_ and 12 lowercase hexadecimal digits", e.ID)
	case len(e.Known) == 0:
		return fmt.Sprintf("unknown session %q; no sessions are stored", e.ID)
	}
	return fmt.Sprintf("unknown session %q; known sessions: %s", e.ID, strings.Join(e.Known, ", "))
}

// CorruptError is a file that doesn't hold a session. It is left as it is.
type CorruptError struct {
	File string
	Line int
	Err  error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("session file %s is damaged, and was left as it is: line %d: %v", e.File, e.Line, e.Err)
}
func (e *CorruptError) Unwrap() error { return e.Err }

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

// header is a file's first line.
type header struct {
	text    []byte // with its end
	created string
	machine *engine.Machine
}

// maxHeaders bounds what the store remembers.
const maxHeaders = 512

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

const mark = `{"mcptree_session":1,`

func headerLine(id, created string, t *mcptree.Tree) []byte {
	line := append([]byte(mark), `"id":`...)
	line = value.AppendQuoted(line, id)
	line = value.AppendQuoted(append(line, `,"created":`...), created)
	line = value.AppendQuoted(append(line, `,"tree_id":`...), t.ID)
	line = value.AppendQuoted(append(line, `,"tree_hash":`...), t.Hash)
	line = value.AppendCompact(append(line, `,"document":`...), t.Document)
	return append(line, "}\n"...)
}

func appendChange(line []byte, m *engine.Machine, state *engine.State, trace []engine.Entry) []byte {
	line = value.AppendCompact(line, m.StateValue(state))
	line = append(line[:len(line)-1], `,"trace":[`...)
	for i := range trace {
		if i > 0 {
			line = append(line, ',')
		}
		line = value.AppendCompact(line, trace[i].Value())
	}
	return append(line, "]}\n"...)
}

// write puts a whole file in place at once.
func (s *Store) write(path string, text []byte) (err error) {
	f, err := os.CreateTemp(s.dir, "."+filepath.Base(path)+".*.tmp") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err != nil {
		return err
	}
	if s.opts.Sync {
		if err = f.Sync(); err != nil {
			return err
		}
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil || !s.opts.Sync {
		return err
	}
	return syncDir(s.dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		err = nil // not every system can
	}
	return errors.Join(err, d.Close())
}

func (s *Store) remember(id string, h *header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.headers) >= maxHeaders {
		clear(s.headers)
	}
	s.headers[id] = h
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

// append writes a line at end, over what a crash may have left there.
func (s *Store) append(f *os.File, end int64, line []byte) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size > end {
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt(line, end); err != nil {
		f.Truncate(end) // a full disk: a part of a line would be passed over anyway
		return err
	}
	if s.opts.Sync {
		return f.Sync()
	}
	return nil
}

// last reads the first and the last line, and where the last one ends.
func (s *Store) last(f *os.File, id string) (*Session, int64, error) {
	h, err := s.header(f, id)
	if err != nil {
		return nil, 0, err
	}
	line, end, err := lastLine(f, int64(len(h.text)))
	if err != nil {
		return nil, 0, err
	}
	state, _, err := readChange(h.machine, line, false)
	if err != nil {
		return nil, 0, &CorruptError{s.file(id), s.lineAt(f, end), err}
	}
	return &Session{ID: id, Created: h.created, Machine: h.machine, State: state}, end, nil
}

// lineAt counts the lines up to end, for a message.
func (s *Store) lineAt(f *os.File, end int64) int {
	text, _ := io.ReadAll(io.NewSectionReader(f, 0, end))
	return max(2, bytes.Count(text, []byte("\n")))
}

const block = 4096

// header reads the first line, and what it pins if that isn't known yet.
func (s *Store) header(f *os.File, id string) (*header, error) {
	s.mu.Lock()
	known := s.headers[id]
	s.mu.Unlock()
	if known != nil {
		text := make([]byte, len(known.text))
		if _, err := f.ReadAt(text, 0); err == nil && bytes.Equal(text, known.text) {
			return known, nil
		}
	}
	var text []byte
	for at := -1; at < 0; {
		part := make([]byte, max(block, len(text)))
		n, err := f.ReadAt(part, int64(len(text)))
		from := len(text)
		text = append(text, part[:n]...)
		if at = bytes.IndexByte(text[from:], '\n'); at >= 0 {
			text = text[:from+at+1]
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil {
			return nil, &CorruptError{s.file(id), 1, errors.New("it has no whole line")}
		}
	}
	h, err := s.readHeader(text, id)
	if err != nil {
		return nil, &CorruptError{s.file(id), 1, err}
	}
	s.remember(id, h)
	return h, nil
}

func (s *Store) readHeader(text []byte, id string) (*header, error) {
	if !bytes.HasPrefix(text, []byte(mark)) {
		return nil, errors.New("it isn't the beginning of a session")
	}
	v, err := value.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	if got, _ := v.Get("id"); got.Str != id {
		return nil, fmt.Errorf("it is session %q's", got.Str)
	}
	document, _ := v.Get("document")
	tree, err := s.read(document)
	if err != nil {
		return nil, fmt.Errorf("its tree: %w", err)
	}
	if hash, _ := v.Get("tree_hash"); hash.Str != tree.Hash {
		return nil, fmt.Errorf("its tree has the hash %s, not %s", tree.Hash, hash.Str)
	}
	m, err := engine.New(tree)
	if err != nil {
		return nil, err
	}
	created, _ := v.Get("created")
	return &header{text: text, created: created.Str, machine: m}, nil
}

// lastLine reads the last whole line after from.
func lastLine(f *os.File, from int64) (line []byte, end int64, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	for want := int64(block); ; want *= 4 {
		start := max(from, size-want)
		tail := make([]byte, max(0, size-start))
		if n, err := f.ReadAt(tail, start); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		} else {
			tail = tail[:n]
		}
		if stop := bytes.LastIndexByte(tail, '\n'); stop >= 0 {
			begin := bytes.LastIndexByte(tail[:stop], '\n') + 1
			if begin > 0 || start == from {
				return tail[begin : stop+1], start + int64(stop) + 1, nil
			}
		}
		if start == from {
			return nil, from, nil
		}
	}
}

func readChange(m *engine.Machine, line []byte, withTrace bool) (engine.State, []engine.Entry, error) {
	if len(line) == 0 {
		return engine.State{}, nil, errors.New("it is missing")
	}
	v, err := value.ParseJSON(line)
	if err != nil {
		return engine.State{}, nil, err
	}
	state, err := m.ReadState(v)
	if err != nil || !withTrace {
		return state, nil, err
	}
	list, _ := v.Get("trace")
	var trace []engine.Entry
	for _, item := range list.List {
		e, err := engine.ReadEntry(item)
		if err != nil {
			return state, nil, fmt.Errorf("trace: %w", err)
		}
		trace = append(trace, e)
	}
	return state, trace, nil
}

// Trace reads a session with its whole trace.
func (s *Store) Trace(id string) (*Session, []engine.Entry, error) {
	f, err := s.open(id, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	h, err := s.header(f, id)
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(f, int64(len(h.text)), 1<<62))
	if err != nil {
		return nil, nil, err
	}
	ses := &Session{ID: id, Created: h.created, Machine: h.machine}
	var trace []engine.Entry
	n := 1
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		n++
		state, more, err := readChange(h.machine, line, true)
		if err == nil && state.Seq != len(trace)+len(more) {
			err = fmt.Errorf("seq is %d after %d entries", state.Seq, len(trace)+len(more))
		}
		if err != nil {
			return nil, nil, &CorruptError{s.file(id), n, err}
		}
		ses.State = state
		trace = append(trace, more...)
	}
	if n == 1 {
		return nil, nil, &CorruptError{s.file(id), 2, errors.New("it is missing")}
	}
	return ses, trace, nil
}

// TraceValue is what tree_trace gives.
func TraceValue(ses *Session, trace []engine.Entry) value.Value {
	list := make([]value.Value, len(trace))
	for i := range trace {
		list[i] = trace[i].Value()
	}
	var outcome value.Value
	if ses.State.Done {
		outcome = value.OfString(ses.State.Outcome)
	}
	return value.OfMap(
		value.Member{Name: "session_id", Value: value.OfString(ses.ID)},
		value.Member{Name: "tree_id", Value: value.OfString(ses.Tree().ID)},
		value.Member{Name: "tree_hash", Value: value.OfString(ses.Tree().Hash)},
		value.Member{Name: "outcome", Value: outcome},
		value.Member{Name: "trace", Value: value.OfList(list...)},
	)
}

// Export writes a session with its tree and trace as one JSON document.
func (s *Store) Export(id string, w io.Writer) error {
	ses, trace, err := s.Trace(id)
	if err != nil {
		return err
	}
	v := TraceValue(ses, trace)
	v.Members = append(v.Members,
		value.Member{Name: "created", Value: value.OfString(ses.Created)},
		value.Member{Name: "state", Value: ses.Machine.StateValue(&ses.State)},
		value.Member{Name: "document", Value: ses.Tree().Document})
	_, err = w.Write(append(value.AppendJSON(nil, v), '\n'))
	return err
}

// Delete removes a session, damaged or not.
func (s *Store) Delete(id string) error {
	f, err := s.locked(id)
	if err != nil {
		return err
	}
	defer f.Close()
	s.mu.Lock()
	delete(s.headers, id)
	s.mu.Unlock()
	return remove(f, s.file(id))
}

// Known gives up to limit ids of stored sessions, sorted.
func (s *Store) Known(limit int) ([]string, error) {
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), suffix); ok && IsID(id) && len(ids) < limit {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// Info is a line of List.
type Info struct {
	*Session // nil if Err says why
	ID       string
	Changed  time.Time
	Err      error
}

// List reads all sessions, those changed last first. One that can't be read
// doesn't hide the others.
func (s *Store) List() ([]Info, error) {
	ids, err := s.Known(1 << 62)
	var list []Info
	for _, id := range ids {
		info := Info{ID: id}
		if st, err := os.Stat(s.file(id)); err == nil {
			info.Changed = st.ModTime()
		}
		info.Session, info.Err = s.Load(id)
		var unknown *UnknownError
		if !errors.As(info.Err, &unknown) { // deleted meanwhile
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b Info) int { return b.Changed.Compare(a.Changed) })
	return list, err
}
