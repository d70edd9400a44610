package behavior

import (
	"slices"
	"strings"
	"unicode"
)

// Named tells whether the text of a failure names one of the atoms that it violates:
// "tests have not passed" names tests_passed. Such a text is about it, and not about
// something that nothing shows.
func (f *Failure) Named() bool { return f.names(func(Path) bool { return true }) }

// NamedState tells it of atoms of the state alone: what isn't observed may have
// changed when the same arguments come again.
func (f *Failure) NamedState() bool { return f.names(Path.NamesState) }

func (f *Failure) names(which func(Path) bool) bool {
	return slices.ContainsFunc(f.NamedPaths(), which)
}

// NamedPaths are the paths of those atoms that the text names, sorted.
func (f *Failure) NamedPaths() []Path {
	said := map[string]bool{}
	for _, w := range words(placeholderNames.Replace(f.Example)) {
		said[w] = true
	}
	var out []Path
	for _, a := range f.Violates {
		if a.named(said) || a.printed(f.Example) {
			out = append(out, a.Path)
		}
	}
	return slices.Compact(out)
}

// printed tells whether the text has the value that stood at the atom's path: its
// example says ‹release.status› there.
func (a *Atom) printed(example string) bool {
	for _, part := range strings.Split(example, "‹")[1:] {
		if place, _, ok := strings.Cut(part, "›"); ok && (strings.HasSuffix(place, "."+a.Path.Field) || a.Path.Role != "" && place == a.Path.String()) {
			return true
		}
	}
	return false
}

// placeholderNames takes the names of values out of an example: their words are not
// the text's.
var placeholderNames = strings.NewReplacer("‹", " \x00", "›", "\x00 ")

// named tells whether the words have one of the atom's own: of its path, or its
// value, if that is a name.
func (a *Atom) named(said map[string]bool) bool {
	if strings.HasSuffix(a.Path.Field, "exists") || a.Token == Absent {
		for _, w := range []string{"exist", "found", "such", "missing", "unknown", "ENOENT"} {
			if said[stem(w)] {
				return true
			}
		}
	}
	own := words(a.Path.Field)
	switch a.Token {
	case True, False, Absent, Object, Text:
	default:
		own = append(own, words(a.Token)...)
	}
	for _, w := range own {
		if said[w] && !common[w] {
			return true
		}
	}
	return false
}

// common are words of paths that any text may have.
var common = map[string]bool{"arg": true, "is": true, "has": true, "of": true, "one": true, "in": true, "all": true, "are": true, "to": true, "by": true, "equal": true,
	"name": true, "id": true, "type": true, "value": true, "length": true, "a": true, "the": true, "most": true, "least": true, "at": true, "with": true, "key": true, "long": true, "as": true, "no": true, "not": true}

// words are a text's words, at borders of any kind, also between small and large
// letters, by their stems. What stands between marks of placeholders is left out.
func words(s string) []string {
	var out []string
	for i, part := range strings.Split(s, "\x00") {
		if i%2 == 1 {
			continue
		}
		start, last := -1, rune(0)
		end := func(j int) {
			if start >= 0 {
				out = append(out, stem(part[start:j]))
			}
			start = -1
		}
		for j, r := range part {
			switch {
			case !unicode.IsLetter(r):
				end(j)
			case start < 0:
				start = j
			case unicode.IsLower(last) && unicode.IsUpper(r):
				end(j)
				start = j
			}
			last = r
		}
		end(len(part))
	}
	return out
}

// stem takes the commonest English endings off, so that "locked" and "locks" are one.
func stem(w string) string {
	w = strings.ToLower(w)
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 3 {
			return strings.TrimSuffix(base, "e")
		}
	}
	return strings.TrimSuffix(w, "e")
}
