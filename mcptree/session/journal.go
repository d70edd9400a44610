package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

const mark = `{"mcptree_session":1,`

const block = 4096

// header is a file's first line.
type header struct {
	text    []byte // with its end
	created string
	machine *engine.Machine
}

// maxHeaders bounds what the store remembers.
const maxHeaders = 512

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
		_ = f.Truncate(end) // a full disk: a part of a line would be passed over anyway
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
