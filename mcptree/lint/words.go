package lint

import "mcpg/internal/letters"

// closest gives the name that is at most two letters away, the nearest and then
// the first in order; "" where none is.
func closest(name string, among []string) string {
	best, found := 3, ""
	for _, a := range among {
		if d := distance(name, a); d < best && d < len([]rune(a)) || d == best && d < 3 && a < found {
			best, found = d, a
		}
	}
	return found
}

// distance is how many letters must be put in, taken out or changed.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return 64
	}
	return letters.Distance(x, y)
}
