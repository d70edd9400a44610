package behavior

import (
	"cmp"
	"slices"
	"strings"

	"mcpg/internal/diag"
)

// CallRef points at a call in a log.
type CallRef struct {
	Hash uint64 // of session, arguments and state: equal calls are one
	Time int64  // microseconds since 1970, 0 if it isn't known
	ID   string
	Pos  diag.Pos
}

// String is where the call stands in its log, or its id where that isn't known.
func (r CallRef) String() string {
	if r.Pos.File == "" {
		return r.ID
	}
	return r.Pos.String()
}

// Compare orders references by hash, then time, id and place.
func (r CallRef) Compare(s CallRef) int {
	return cmp.Or(cmp.Compare(r.Hash, s.Hash), cmp.Compare(r.Time, s.Time), strings.Compare(r.ID, s.ID), strings.Compare(r.Pos.File, s.Pos.File),
		cmp.Compare(r.Pos.Line, s.Pos.Line), cmp.Compare(r.Pos.Col, s.Pos.Col))
}

// SampleSize is how many distinct calls a Sample keeps.
const SampleSize = 4

// Sample keeps the distinct calls of lowest hash, sorted: merging samples in
// any order gives the same one.
type Sample []CallRef

// Add puts a reference in.
func (s Sample) Add(r CallRef) Sample {
	i, _ := slices.BinarySearchFunc(s, r, CallRef.Compare)
	if i > 0 && s[i-1].Hash == r.Hash {
		return s
	}
	if i < len(s) && s[i].Hash == r.Hash {
		if s[i].Compare(r) > 0 {
			s[i] = r
		}
		return s
	}
	if i >= SampleSize {
		return s
	}
	s = slices.Insert(s, i, r)
	if len(s) > SampleSize {
		s = s[:SampleSize]
	}
	return s
}

// Wants tells whether a reference with the hash and time may be kept.
func (s Sample) Wants(hash uint64, time int64) bool {
	if len(s) == SampleSize && hash > s[SampleSize-1].Hash {
		return false
	}
	for i := range s {
		if s[i].Hash == hash {
			return time <= s[i].Time
		}
	}
	return true
}

// Merge puts all of t in.
func (s Sample) Merge(t Sample) Sample {
	for _, r := range t {
		s = s.Add(r)
	}
	return s
}
