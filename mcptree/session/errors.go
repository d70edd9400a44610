package session

import (
	"fmt"
	"strings"
)

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
