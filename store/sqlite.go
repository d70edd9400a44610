package store

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// Endings of the files that SQLite keeps beside a database.
const (
	walEnding = "-wal"
	shmEnding = "-shm"
)

// mode is how a database is opened.
type mode string

const (
	writing mode = "mode=rw" // and never made: SQLite would make it for everybody to read
	reading mode = "mode=ro&_query_only=true"
	frozen  mode = reading + "&immutable=1"
	locking mode = "mode=rwc"
)

// settings: processes wait for each other for ten seconds; commits outlive the
// process, and all but the last the loss of power; the log of writes shrinks again
// after a large call; what a file's schema says isn't trusted.
const settings = "_busy_timeout=2000&_synchronous=NORMAL&_defensive=true" +
	"&_pragma=journal_size_limit(67108864)&_pragma=trusted_schema(OFF)&_pragma=cell_size_check(ON)"

func newStore(path string, m mode) (*Store, error) {
	db, err := sql.Open("sqlite", address(path, m))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Store{path: path, db: db}
	s.codecs.New = func() any { return newCodec(path) }
	return s, nil
}

func address(path string, m mode) string {
	p := filepath.ToSlash(realPath(path))
	if !strings.HasPrefix(p, "/") { // C:/…
		p = "/" + p
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: string(m) + "&" + settings}
	return u.String()
}

// Codes of errors that are looked at.
const (
	busy     = codes.SQLITE_BUSY
	cantOpen = codes.SQLITE_CANTOPEN
)

// codeOf is SQLite's primary code, 0 if the error isn't SQLite's.
func codeOf(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func isDamage(err error) bool {
	code := codeOf(err)
	return code == codes.SQLITE_NOTADB || code == codes.SQLITE_CORRUPT || code == codes.SQLITE_FORMAT
}

// isSchema tells whether a statement didn't fit what is in the database.
func isSchema(err error) bool { return codeOf(err) == codes.SQLITE_ERROR }

// IsLocked tells whether an error says that another program has the store locked.
func IsLocked(err error) bool {
	code := codeOf(err)
	return code == busy || code == codes.SQLITE_LOCKED
}
