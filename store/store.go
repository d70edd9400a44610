// Package store is where live proxies keep the calls that they saw: an SQLite
// database, appended to only, which several processes may share. A call that
// [Store.Add] acknowledged is kept, whatever then happens to the process.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Store is an open store, safe for concurrent use.
type Store struct {
	path   string // as the user calls it, in errors and positions
	db     *sql.DB
	codecs sync.Pool

	mu     sync.Mutex // of what follows, the side that writes
	conn   *sql.Conn
	insert *sql.Stmt // nil in a store that is only read
}

// Open opens a store, or makes one. What is damaged (no database, a malformed
// one, one of another program or of a newer version) is moved aside, with its
// -wal and -shm, to a free name beside it, and a new store is made; moved is then
// where it is.
func Open(ctx context.Context, path string) (s *Store, moved string, err error) {
	for {
		before, _ := os.Stat(path)
		err = judge(ctx, path)
		if err == nil {
			s, err = open(ctx, path)
		}
		if !errors.As(err, new(*DamagedError)) || moved != "" {
			return s, moved, err
		}
		if moved, err = setAside(ctx, path, before, err); err != nil {
			return nil, "", err
		}
	}
}

// OpenReadOnly opens a store to read it, also while proxies write to it. A damaged
// one is a [DamagedError], and stays as it is.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	if err := present(path); err != nil {
		return nil, err
	}
	s, err := openReader(ctx, path, reading)
	if codeOf(err) == cantOpen && !exists(path+walEnding) {
		// Nobody writes, and nothing can be put beside it: a medium that is read-only.
		s, err = openReader(ctx, path, frozen)
	}
	return s, err
}

func present(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, reason(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file", path)
	case info.Size() == 0:
		return fmt.Errorf("%s: the file is empty", path)
	}
	return whole(path, info)
}

func openReader(ctx context.Context, path string, m mode) (*Store, error) {
	s, err := newStore(path, m)
	if err != nil {
		return nil, err
	}
	if err := s.check(ctx, s.db); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

// open opens a store that isn't known to be damaged, or makes it.
func open(ctx context.Context, path string) (*Store, error) {
	if err := touch(path); err != nil {
		return nil, err
	}
	s, err := newStore(path, writing)
	if err != nil {
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// touch makes the file if there is none, for its owner alone: arguments hold
// secrets. A file that is there isn't opened: closing it would end the locks that
// SQLite may have on it in this process.
func touch(path string) error {
	if exists(path) {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return f.Close()
}

// begin makes ready to write.
func (s *Store) begin(ctx context.Context) error {
	var err error
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return s.fail(err)
	}
	if err := s.create(ctx); err != nil {
		return err
	}
	if err := s.check(ctx, s.conn); err != nil {
		return err
	}
	if s.insert, err = s.conn.PrepareContext(ctx, insertCall); err != nil {
		return s.fail(err)
	}
	return nil
}

// Durable lets every later Add outlive a loss of power too, for a sync of the disk
// each. Without it such a loss may cost the last moments; a crash costs nothing.
func (s *Store) Durable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.insert == nil {
		return fmt.Errorf("%s: %w", s.path, errReadOnly)
	}
	_, err := s.conn.ExecContext(context.Background(), "PRAGMA synchronous = FULL")
	return s.fail(err)
}

// Close ends the store's use here.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.insert != nil {
		errs = append(errs, s.insert.Close())
	}
	if s.conn != nil {
		if err := s.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
			errs = append(errs, err)
		}
	}
	return s.fail(errors.Join(append(errs, s.db.Close())...))
}

// fail names the store, and tells damage from other failures.
func (s *Store) fail(err error) error {
	switch {
	case err == nil || errors.As(err, new(*DamagedError)):
		return err
	case isDamage(err):
		return &DamagedError{s.path, err}
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// realPath is the file itself, beside which SQLite puts the others.
func realPath(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	return path
}

// reason is what went wrong with a file, without its name.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
