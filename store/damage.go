package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// DamagedError says that a file is no store that this program can use.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: not a store that can be used: %v", e.Path, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// judge tells whether what stands at path is damaged, and leaves it as it is: a
// connection that writes would put the log beside a damaged file into it. What
// can't be judged so isn't an error here.
func judge(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: %w", path, reason(err))
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file", path)
	case err != nil || info.Size() == 0:
		// SQLite would take the log of a file without content for a leftover.
		if log, err := os.Stat(realPath(path) + walEnding); err == nil && log.Size() > 0 {
			return &DamagedError{path, errors.New("the file is empty, but calls stand in the log beside it")}
		}
		return nil
	}
	if err := whole(path, info); err != nil {
		return err
	}
	s, err := newStore(path, reading)
	if err != nil {
		return err
	}
	defer s.db.Close()
	fresh, err := s.fresh(ctx, s.db)
	if err == nil && !fresh {
		err = s.check(ctx, s.db)
	}
	if errors.As(err, new(*DamagedError)) {
		return err
	}
	return ctx.Err()
}

// smallest is the size of SQLite's smallest page: all files are of whole pages.
const smallest = 512

// whole tells whether a file ends where it can end. Beside a log of writes it need
// not: what is missing may be there.
func whole(path string, info os.FileInfo) error {
	if log, err := os.Stat(realPath(path) + walEnding); err == nil && log.Size() > 0 || info.Size()%smallest == 0 {
		return nil
	}
	return &DamagedError{path, fmt.Errorf("not a database, or one that was cut off: %d bytes", info.Size())}
}

// setAside moves a damaged store, the file that was found so, to a free name.
// Processes do so one after the other, and look whether it is still there, so that
// none moves what another has just made.
func setAside(ctx context.Context, path string, found os.FileInfo, why error) (moved string, err error) {
	file := realPath(path)
	unlock, err := lock(ctx, file+"-lock")
	if err != nil && ctx.Err() == nil && !stands(path, found) {
		return "", nil // another process has moved it, and the lock is gone
	}
	if err != nil {
		return "", fmt.Errorf("%w; it can't be moved aside: %w", why, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if !stands(path, found) {
		return "", nil
	}
	name, err := freeName(file)
	if err != nil {
		return "", fmt.Errorf("%w; it can't be moved aside: %w", why, err)
	}
	for _, ending := range []string{walEnding, shmEnding, ""} { // a log that stays behind would be deleted
		if err := os.Rename(file+ending, name+ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%w; it can't be moved aside: %w", why, reason(err))
		}
	}
	return filepath.Join(filepath.Dir(path), filepath.Base(name)), nil
}

// stands tells whether the file that was found at path, nil for none, is still there.
func stands(path string, found os.FileInfo) bool {
	now, _ := os.Stat(path)
	if now == nil || found == nil {
		return now == nil && found == nil
	}
	return os.SameFile(now, found)
}

// freeName takes a name that nothing has.
func freeName(path string) (string, error) {
	for n := 1; ; n++ {
		name := path + ".damaged"
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if exists(name+walEnding) || exists(name+shmEnding) {
			continue
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return name, f.Close()
	}
}

// lock holds a lock between processes, which ends with the process: SQLite's, on
// an empty database.
func lock(ctx context.Context, path string) (unlock func() error, err error) {
	db, err := sql.Open("sqlite", address(path, locking))
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = conn.ExecContext(ctx, "BEGIN EXCLUSIVE")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return func() error {
		err := errors.Join(conn.Close(), db.Close())
		// Who waits for it then sees another store. If it can't be removed, or
		// another process did so, nothing is lost.
		_ = os.Remove(path)
		return err
	}, nil
}
