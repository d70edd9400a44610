package behavior

// tokens is a small set of texts, of which a question compares one or few.
type tokens struct {
	list []string
	// at is a place where texts of one length have different bytes; -1 if there is
	// none, and then all are compared.
	at    int
	place [64]int8 // by length and byte: 1 + place in list
}

// mostTokens is how many a set may have.
const mostTokens = 32

func newTokens(list []string) *tokens {
	t := &tokens{list: list, at: -1}
	shortest := 1 << 30
	for _, s := range list {
		shortest = min(shortest, len(s))
	}
	for at := min(shortest, 32) - 1; at >= 0; at-- {
		t.at, t.place = at, [64]int8{}
		fits := true
		for i, s := range list {
			p := &t.place[t.slot(s)]
			fits = fits && *p == 0
			*p = int8(i + 1)
		}
		if fits {
			return t
		}
	}
	t.at = -1
	return t
}

func (t *tokens) slot(s string) uint { return (uint(s[t.at]) + 7*uint(len(s))) & 63 }

func (t *tokens) has(s string) bool {
	if t.at >= 0 {
		if len(s) <= t.at {
			return false
		}
		p := t.place[t.slot(s)]
		return p > 0 && t.list[p-1] == s
	}
	for _, have := range t.list {
		if have == s {
			return true
		}
	}
	return false
}
