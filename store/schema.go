package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// applicationID tells stores from other databases: "mcpg" in the file's header.
const applicationID = 'm'<<24 | 'c'<<16 | 'p'<<8 | 'g'

// version is of the schema. A store of a later one isn't guessed at.
const version = 1

// schema: a call is kept as its native line; the columns before it are for
// people's SQL, and stand first so that they are found without reading the line.
const schema = `
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  ts INTEGER, -- microseconds since 1970, null if unknown
  session TEXT NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  outcome TEXT NOT NULL,
  cause TEXT NOT NULL,
  decision TEXT NOT NULL,
  call TEXT NOT NULL -- a line of the native format
) STRICT;
CREATE TABLE adapters (
  id INTEGER PRIMARY KEY,
  server TEXT NOT NULL,
  adapter TEXT NOT NULL
) STRICT;
CREATE TRIGGER calls_stay BEFORE UPDATE ON calls BEGIN SELECT RAISE(ABORT, 'calls are only ever added'); END;
CREATE TRIGGER calls_are_kept BEFORE DELETE ON calls BEGIN SELECT RAISE(ABORT, 'calls are only ever added'); END;
PRAGMA application_id = 1835233383;
PRAGMA user_version = 1;`

// Is tells whether a file that begins so is a store, of whatever version.
func Is(head []byte) bool {
	const magic, at = "SQLite format 3\x00", 68
	return len(head) >= at+4 && bytes.HasPrefix(head, []byte(magic)) && binary.BigEndian.Uint32(head[at:]) == applicationID
}

// queryer is a database or one connection to it.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// create makes the schema in a database that holds nothing yet. It is committed to
// the file itself, before writes go to a log beside it, so that the file's header
// says what it is from then on.
func (s *Store) create(ctx context.Context) error {
	fresh, err := s.fresh(ctx, s.conn)
	if err != nil {
		return err
	}
	if fresh {
		if err := s.make(ctx); err != nil {
			return s.fail(err)
		}
	}
	return s.fail(untilFree(ctx, func() error {
		_, err := s.conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
		return err
	}))
}

func (s *Store) make(ctx context.Context) (err error) {
	if _, err := s.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		end := "COMMIT"
		if err != nil {
			end = "ROLLBACK"
		}
		_, failed := s.conn.ExecContext(context.WithoutCancel(ctx), end)
		err = errors.Join(err, failed)
	}()
	fresh, err := s.fresh(ctx, s.conn)
	if err != nil || !fresh { // another process was here first
		return err
	}
	_, err = s.conn.ExecContext(ctx, schema)
	return err
}

// untilFree repeats what SQLite gives up at once where another process is at the
// same thing.
func untilFree(ctx context.Context, try func() error) error {
	const wait, most = 5 * time.Millisecond, 2000
	for n := 0; ; n++ {
		err := try()
		if codeOf(err) != busy || n == most {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// fresh tells whether a database holds nothing, or else that it is a store.
func (s *Store) fresh(ctx context.Context, q queryer) (bool, error) {
	var app, is, things int64
	err := q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`).Scan(&app, &is, &things)
	switch {
	case err != nil:
		return false, s.fail(err)
	case app == 0 && is == 0 && things == 0:
		return true, nil
	case app != applicationID:
		return false, &DamagedError{s.path, errors.New("a database of another program")}
	case is > version:
		return false, &DamagedError{s.path, fmt.Errorf("of a newer version of mcpg: its schema is %d, this program knows %d", is, version)}
	}
	return false, nil
}

// check looks at what can be looked at in no time, however large the store: its
// header, its schema, and the first and the last call.
func (s *Store) check(ctx context.Context, q queryer) error {
	fresh, err := s.fresh(ctx, q)
	switch {
	case err != nil:
		return err
	case fresh:
		return &DamagedError{s.path, errors.New("a database without anything in it")}
	}
	for _, end := range []string{"ASC", "DESC"} {
		var id int64
		var decision, line string
		err := q.QueryRowContext(ctx, "SELECT id, decision, call FROM calls ORDER BY id "+end+" LIMIT 1").Scan(&id, &decision, &line)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			continue
		case isSchema(err):
			return &DamagedError{s.path, err}
		case err != nil:
			return s.fail(err)
		}
		if _, err := newCodec(s.path).decode(line); err != nil {
			return &DamagedError{s.path, &RowError{id, err}}
		}
	}
	return nil
}
