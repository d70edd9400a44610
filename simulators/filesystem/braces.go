package filesystem

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxAlternatives bounds what the braces of a pattern expand to.
	maxAlternatives = 1000
	// maxBraces bounds how deep they may nest.
	maxBraces = 32
)

// expandBraces expands {a,b} and {1..3}. Braces with neither stay.
func expandBraces(pattern string) []string {
	done, open := []string{}, []string{pattern}
	for len(open) > 0 && len(done)+len(open) <= maxAlternatives {
		p := open[0]
		open = open[1:]
		if before, choices, after, found := firstBraces(p); found {
			for i, choice := range choices {
				choices[i] = before + choice + after
			}
			open = append(choices, open...)
			continue
		}
		done = append(done, p)
	}
	return append(done, open...)
}

// firstBraces finds the first pair of braces that expands.
func firstBraces(p string) (before string, choices []string, after string, found bool) {
	for _, at := range bracePairs(p) {
		body := p[at.start+1 : at.end]
		if choices = splitChoices(body); len(choices) < 2 {
			choices = rangeOf(body)
		}
		if len(choices) > 0 {
			return p[:at.start], choices, p[at.end+1:], true
		}
	}
	return "", nil, "", false
}

type bracePair struct{ start, end int }

// bracePairs finds the braces that close each other, by their start.
func bracePairs(p string) []bracePair {
	var pairs []bracePair
	var open []int
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			open = append(open, i)
		case '}':
			if last := len(open) - 1; last >= 0 {
				if last < maxBraces {
					pairs = append(pairs, bracePair{open[last], i})
				}
				open = open[:last]
			}
		}
	}
	slices.SortFunc(pairs, func(a, b bracePair) int { return cmp.Compare(a.start, b.start) })
	return pairs
}

// splitChoices splits at the commas outside inner braces.
func splitChoices(body string) []string {
	var choices []string
	depth, from := 0, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				choices = append(choices, body[from:i])
				from = i + 1
			}
		}
	}
	return append(choices, body[from:])
}

// rangeOf expands 1..3 and a..c.
func rangeOf(body string) []string {
	low, high, found := strings.Cut(body, "..")
	if !found {
		return nil
	}
	from, fromErr := strconv.Atoi(low)
	to, toErr := strconv.Atoi(high)
	word := strconv.Itoa
	if fromErr != nil || toErr != nil {
		if len(low) != 1 || len(high) != 1 {
			return nil
		}
		from, to = int(low[0]), int(high[0])
		word = func(n int) string { return string(rune(n)) }
	}
	by := 1
	if to < from {
		by = -1
	}
	var choices []string
	for n := from; len(choices) < maxAlternatives; n += by {
		choices = append(choices, word(n))
		if n == to {
			break
		}
	}
	return choices
}
