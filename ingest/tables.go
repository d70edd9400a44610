package ingest

import (
	"fmt"

	"mcpg/ingest/table"
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
		head, err := headOf(s.path, 64)
		if err != nil {
			continue // the reading says so
		}
		if _, is := table.Detect(head); !is {
			continue
		}
		t, err := table.Open(s.path)
		if err != nil {
			return err
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
