// Package letters tells how far apart two words are, for those that were mistyped.
package letters

import "strings"

// Distance is how many letters must be put in, taken out or changed. It takes time in
// the product of the lengths: bound them.
func Distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// longest is over how many letters nobody's word is compared.
const longest = 64

// Meant gives the word that somebody may have meant who wrote another: the nearest of
// those that differ in a third of the letters at most, the first of equals; "" if none
// is near, or if it is the word itself.
func Meant(word string, known []string) string {
	w := []rune(strings.ToLower(word))
	if len(w) == 0 || len(w) > longest {
		return ""
	}
	best, least := "", max(1, len(w)/3)+1
	for _, k := range known {
		r := []rune(strings.ToLower(k))
		if k == word || len(r) > longest {
			continue
		}
		if d := Distance(w, r); d < least {
			best, least = k, d
		}
	}
	return best
}

// DidYouMean is Meant as the end of a sentence; "" without one.
func DidYouMean(word string, known []string) string {
	if m := Meant(word, known); m != "" {
		return "; did you mean " + m + "?"
	}
	return ""
}
