package filesystem

import (
	"regexp"
	"slices"
	"strings"
)

const (
	// maxPattern is the server's own bound.
	maxPattern = 65536
	// maxSegments bounds the work: a pattern of more names matches nothing.
	maxSegments = 256
)

// globs match a path that one of them matches.
type globs []glob

// glob is a pattern with its braces expanded. Unlike shells it takes names
// that begin with a dot for any other.
type glob struct {
	negated      bool
	alternatives [][]segment
}

// segment matches one name of a path; the zero value is "**".
type segment struct {
	re      *regexp.Regexp
	literal string
	plain   bool
}

func compileGlobs(patterns []string) (globs, *failure) {
	gs := make(globs, len(patterns))
	for i, p := range patterns {
		if len(p) > maxPattern {
			return nil, failf(checkPattern, "pattern is too long")
		}
		gs[i] = compileGlob(p)
	}
	return gs, nil
}

func compileGlob(pattern string) glob {
	var g glob
	if strings.HasPrefix(pattern, "#") {
		return g // a comment
	}
	for strings.HasPrefix(pattern, "!") {
		g.negated = !g.negated
		pattern = pattern[1:]
	}
	for _, one := range expandBraces(pattern) {
		if segments := compileSegments(one); len(segments) <= maxSegments {
			g.alternatives = append(g.alternatives, segments)
		}
	}
	return g
}

// slashes in a row are one.
var slashes = regexp.MustCompile(`/+`)

func compileSegments(pattern string) []segment {
	var parts []string
	for _, part := range slashes.Split(pattern, -1) {
		last := len(parts) - 1
		if part == ".." && last >= 0 && !slices.Contains([]string{"", ".", "..", "**"}, parts[last]) {
			parts = parts[:last] // the name before goes with it
			continue
		}
		if part == "**" && last >= 0 && parts[last] == "**" {
			continue
		}
		parts = append(parts, part)
	}
	segments := make([]segment, len(parts))
	for i, part := range parts {
		if part != "**" {
			segments[i] = compileSegment(part)
		}
	}
	return segments
}

func (gs globs) match(name string) bool {
	names := strings.Split(name, "/")
	for _, g := range gs {
		if g.match(names) {
			return true
		}
	}
	return false
}

func (g glob) match(names []string) bool {
	for _, segments := range g.alternatives {
		if matchSegments(segments, names) {
			return !g.negated
		}
	}
	return g.negated
}

// matchSegments keeps, for each beginning of the segments, the lengths of the
// beginnings of names that it matches, so that no pattern is slow.
func matchSegments(segments []segment, names []string) bool {
	if len(segments) != len(names) && !slices.ContainsFunc(segments, segment.anyDepth) {
		return false
	}
	reached, next := make([]bool, len(names)+1), make([]bool, len(names)+1)
	reached[0] = true
	for i, s := range segments {
		alive := false
		for n := range reached {
			switch {
			case !s.anyDepth():
				next[n] = n > 0 && reached[n-1] && s.match(names[n-1])
			case i == len(segments)-1:
				// At the end "**" stands for at least one name.
				next[n] = n > 0 && (next[n-1] || reached[n-1])
			default:
				next[n] = reached[n] || n > 0 && next[n-1]
			}
			alive = alive || next[n]
		}
		if !alive {
			return false
		}
		reached, next = next, reached
	}
	return reached[len(names)]
}

func (s segment) anyDepth() bool { return s.re == nil && !s.plain }

func (s segment) match(name string) bool {
	if s.plain {
		return name == s.literal
	}
	return s.re.MatchString(name)
}
