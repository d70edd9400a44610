package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

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
