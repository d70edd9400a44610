package store

import (
	"context"
	"fmt"
	"iter"

	"mcpg/calllog"
)

// Row is a call as it is stored. Its position is the store and the row.
type Row struct {
	ID       int64
	Decision Decision
	Call     calllog.Call
}

// RowError says that a row holds no call.
type RowError struct {
	ID  int64
	Err error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.ID, e.Err) }
func (e *RowError) Unwrap() error { return e.Err }

// rowsAtOnce bounds how long one reading goes on: what is being read can't make room
// in the log of writes.
const rowsAtOnce = 512

// Calls gives the calls after a row, in order, as far as there are any when it
// begins. An error ends it; after a [RowError] the rows behind it can be asked for.
func (s *Store) Calls(ctx context.Context, after int64) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		var last int64
		if err := s.db.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM calls").Scan(&last); err != nil {
			yield(nil, s.fail(err))
			return
		}
		r := rowReader{s: s, code: newCodec(s.path), after: after, last: last, yield: yield}
		for r.after < r.last {
			more, err := r.some(ctx)
			if err != nil {
				yield(nil, s.fail(err))
				return
			}
			if !more {
				return
			}
		}
	}
}

type rowReader struct {
	s           *Store
	code        *codec
	after, last int64
	yield       func(*Row, error) bool
}

// some gives the next rows; false if there are none, or nobody wants more.
func (r *rowReader) some(ctx context.Context) (more bool, err error) {
	rows, err := r.s.db.QueryContext(ctx, "SELECT id, decision, call FROM calls WHERE id > ? AND id <= ? ORDER BY id LIMIT ?", r.after, r.last, rowsAtOnce)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var row Row
		var line string
		if err := rows.Scan(&row.ID, &row.Decision, &line); err != nil {
			return false, err
		}
		call, err := r.code.decode(line)
		if err != nil {
			return false, &RowError{row.ID, err}
		}
		row.Call = *call
		row.Call.Pos.Line = int(row.ID)
		r.after, more = row.ID, true
		if !r.yield(&row, nil) {
			return false, nil
		}
	}
	return more, rows.Err()
}

// Servers lists the servers that calls are of, sorted.
func (s *Store) Servers(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT DISTINCT server FROM calls ORDER BY server")
	if err != nil {
		return nil, s.fail(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, s.fail(err)
		}
		out = append(out, name)
	}
	return out, s.fail(rows.Err())
}

// Adapters gives the adapters that calls were observed with, by server.
func (s *Store) Adapters(ctx context.Context) (map[string][]byte, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT server, adapter FROM adapters ORDER BY id")
	if err != nil {
		return nil, s.fail(err)
	}
	defer rows.Close()
	last := map[string][]byte{}
	for rows.Next() {
		var server string
		var doc []byte
		if err := rows.Scan(&server, &doc); err != nil {
			return nil, s.fail(err)
		}
		last[server] = doc
	}
	return last, s.fail(rows.Err())
}
