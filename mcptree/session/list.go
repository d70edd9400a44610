package session

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

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
