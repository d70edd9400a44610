package ingest

import (
	"cmp"
	"fmt"
	"os"
	"slices"

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

// Apart tells whether the inputs are tables of which no two can have the same call: all
// calls have times, and the tables' times don't overlap. One table is apart.
func Apart(inputs []string) (bool, error) {
	list, err := findSources(inputs)
	if err != nil {
		return false, err
	}
	var spans []table.Span
	for i := range list {
		s := &list[i]
		if s.size == 0 || s.found && !s.matched {
			return false, nil
		}
		t, err := tableOf(s)
		if err != nil || t == nil {
			return false, err
		}
		span, ok := t.Times()
		n := t.NumRows()
		if err := t.Close(); err != nil {
			return false, fmt.Errorf("%s: %w", s.name, err)
		}
		if n <= 0 || !ok && len(list) > 1 { // it has no calls, or doesn't say how many
			return false, nil
		}
		spans = append(spans, span)
	}
	slices.SortFunc(spans, func(a, b table.Span) int { return cmp.Compare(a.First, b.First) })
	for i := 1; i < len(spans); i++ {
		if spans[i].First <= spans[i-1].Last {
			return false, nil
		}
	}
	return len(spans) > 0, nil
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
