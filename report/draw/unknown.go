package draw

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	near "mcpg/internal/letters"
)

// UnknownFocus says that a graph has nothing of a name.
type UnknownFocus struct {
	Want  string
	Near  []string // names that it has, the nearest first
	Apart bool     // each part is there, but no state has them all
}

func (e *UnknownFocus) Error() string {
	if e.Apart {
		return fmt.Sprintf("no state has all of %q", shortLine(e.Want))
	}
	names := make([]string, len(e.Near))
	for i, n := range e.Near {
		names[i] = fmt.Sprintf("%q", shortLine(n))
	}
	if len(names) == 0 {
		return fmt.Sprintf("no tool and no state is %q: the graph is empty", shortLine(e.Want))
	}
	return fmt.Sprintf("no tool and no state is %q; there is, the nearest first: %s", shortLine(e.Want), strings.Join(names, ", "))
}

// mostNear is how many near names are told.
const mostNear = 5

// unknownFocus finds the names near part of want: states where it is
// field=value, else tools first.
func unknownFocus(g Graph, want, part string, lines map[string]bool) *UnknownFocus {
	names := map[string]bool{}
	for _, e := range g.Edges {
		if e.Name != "" {
			names[e.Name] = true
		}
	}
	if strings.Contains(part, "=") {
		names = lines
	}
	if _, tool, ok := strings.Cut(part, "/"); ok && !names[part] {
		part = tool
	}
	near := slices.Sorted(maps.Keys(names))
	far := map[string]int{}
	for _, n := range near {
		far[n] = distance(part, n)
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return &UnknownFocus{Want: want, Near: near[:min(len(near), mostNear)]}
}

// distance is the number of letters to change, in lower case; of long names the
// first 100 letters count.
func distance(a, b string) int { return near.Distance(letters(a), letters(b)) }

func letters(s string) []rune {
	r := []rune(strings.ToLower(s[:min(len(s), 400)]))
	return r[:min(len(r), 100)]
}
