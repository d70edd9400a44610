package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// places checks that s is the schema of a table of calls and returns at which
// of its fields each of our columns is.
func places(s *arrow.Schema) ([]int, error) {
	if err := checkMetadata(s.Metadata()); err != nil {
		return nil, err
	}
	at := make([]int, numColumns)
	var missing []string
	for i, c := range Columns {
		found := s.FieldIndices(c.Name)
		switch {
		case len(found) == 0:
			missing = append(missing, c.Name)
			continue
		case len(found) > 1:
			return nil, fmt.Errorf("%w: %d columns named %s", ErrForeign, len(found), c.Name)
		}
		at[i] = found[0]
		if have := s.Field(at[i]).Type; !arrow.TypeEqual(have, c.Type) {
			return nil, fmt.Errorf("%w: column %s is %s, want %s", ErrForeign, c.Name, have, c.Type)
		}
	}
	return at, missingError(missing)
}

func missingError(names []string) error {
	switch len(names) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%w: no column %s", ErrForeign, names[0])
	}
	return fmt.Errorf("%w: no column %s, nor %d others", ErrForeign, names[0], len(names)-1)
}

// checkMetadata refuses what says that it is something else, or newer.
func checkMetadata(md arrow.Metadata) error {
	if name, ok := md.GetValue(schemaKey); ok && name != schemaName {
		return fmt.Errorf("%w: it says that it holds %q", ErrForeign, name)
	}
	text, ok := md.GetValue(versionKey)
	if !ok {
		return nil
	}
	version, err := strconv.Atoi(text)
	switch {
	case err != nil || version < 1:
		return fmt.Errorf("%w: its version is %q", ErrForeign, text)
	case version > Version:
		return fmt.Errorf("%w: its version is %d, the newest known is %d", ErrNewer, version, Version)
	}
	return nil
}

// columnsNamed returns the columns with the given names, all for none.
func columnsNamed(names []string) ([]int, error) {
	if len(names) == 0 {
		return allColumns(), nil
	}
	cols := make([]int, len(names))
	for i, name := range names {
		cols[i] = slices.IndexFunc(Columns, func(c Column) bool { return c.Name == name })
		if cols[i] < 0 {
			return nil, fmt.Errorf("calls table: no column %s", name)
		}
	}
	return cols, nil
}
