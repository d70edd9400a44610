package report

import (
	"slices"
	"strings"

	"mcpg/behavior"
)

// mostValues is how many values of a field a label names.
const mostValues = 3

// shortGuard is a guard as short as a label wants it: of up to three conditions,
// or, of one field that must not be this and that, what it was where calls
// worked. Else it is empty.
func shortGuard(t *behavior.Tool) string {
	if len(t.Guard.Minimal) != 1 || t.OK() == 0 || len(t.Guard.Minimal[0]) == 0 {
		return ""
	}
	m := t.Guard.Minimal[0]
	if len(m) <= 3 {
		return "needs " + m.String()
	}
	path := m[0].Path
	if slices.ContainsFunc(m, func(a behavior.Atom) bool { return a.Path != path }) {
		return ""
	}
	var worked []string
	for _, v := range t.ByValue(path) {
		if v.OK > 0 {
			worked = append(worked, v.Value.String())
		}
	}
	if len(worked) == 0 || len(worked) > mostValues {
		return ""
	}
	return "seen working only at " + path.String() + "=" + strings.Join(worked, " or ")
}
