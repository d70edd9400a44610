package format

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/store"
)

var storeFormat = Format{
	Name:   "store",
	What:   "the store of mcpg wrap, an SQLite database",
	detect: detectStore,
	read:   readStore,
	binary: true,
}

func detectStore(h *Head) (bool, string) {
	if store.Is(h.bytes) {
		return true, ""
	}
	return false, "not a database of mcpg"
}

func readStore(in *Input) error {
	path := in.Path
	if path == "" {
		var err error
		if path, err = spool(in); err != nil {
			return err
		}
		defer os.Remove(path)
	}
	s, err := store.OpenReadOnly(in.Ctx, path)
	if err == nil {
		err = errors.Join(in.rows(s), s.Close())
	}
	var damaged *store.DamagedError
	if errors.As(err, &damaged) { // without the path, which may be a temporary file's
		return fmt.Errorf("not a store that can be used: %w", damaged.Err)
	}
	return err
}

// rows reads a store row by row, past those that are no call.
func (in *Input) rows(s *store.Store) error {
	for after := int64(0); ; {
		err := in.rowsAfter(s, after)
		var bad *store.RowError
		if !errors.As(err, &bad) {
			return err
		}
		in.Uses[Faulty]++
		in.find(int(bad.ID), "bad-row", bad.Err.Error())
		after = bad.ID
	}
}

func (in *Input) rowsAfter(s *store.Store, after int64) error {
	for row, err := range s.Calls(in.Ctx, after) {
		if err != nil {
			return err
		}
		in.Uses[Used]++
		c := &row.Call
		c.Pos.File = in.File
		if c.Session == "" {
			c.Session = in.Scope
		}
		if row.Decision != store.Passed {
			c.Extra = withDecision(c.Extra, row.Decision)
		}
		if err := in.emit(&Record{Call: c}); err != nil {
			return err
		}
	}
	return nil
}

// withDecision adds what the policy did to the members that no column holds.
func withDecision(extra jsontext.Value, d store.Decision) jsontext.Value {
	b, _ := jsontext.AppendQuote([]byte(`{"decision":`), string(d)) // as it was read, it is valid
	if len(extra) < 3 {
		return append(b, '}')
	}
	return append(append(b, ','), extra[1:]...)
}

// spool writes a store that is compressed, or comes through a pipe, to a temporary
// file: SQLite wants one.
func spool(in *Input) (path string, err error) {
	f, err := os.CreateTemp("", "store-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, contextReader{in.Ctx, in.R})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
