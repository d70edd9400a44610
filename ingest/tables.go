package ingest

import (
	"fmt"
	"os"

	"mcpg/ingest/table"
	"mcpg/internal/input"
)

// Tables opens those of the inputs that are tables and would be read, one after
// the other. Stdin and pipes are left alone.
func Tables(inputs []string, f func(name string, t *table.Reader) error) error {
	list, err := findSources(inputs)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.size == 0 || s.found && !s.matched {
			continue
		}
		t, err := tableOf(&s)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		if err := f(s.name, t); err != nil {
			t.Close()
			return err
		}
		if err := t.Close(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// tableOf opens a source that is a table, compressed or not; nil if it is none.
func tableOf(s *source) (*table.Reader, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil // the reading says so
	}
	defer f.Close()
	in, err := input.Plain(f)
	if err != nil {
		return nil, nil // likewise
	}
	head, _ := in.Peek(64)
	if _, is := table.Detect(head); !is {
		return nil, nil
	}
	t, err := openTable(s, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return t, nil
}
