package behavior

// Span is from when to when something was, in microseconds since 1970. The zero value
// is of nothing.
type Span struct {
	First, Last int64
	Known       bool
}

// Add widens the span to a time.
func (s *Span) Add(at int64) {
	if !s.Known {
		*s = Span{at, at, true}
		return
	}
	s.First, s.Last = min(s.First, at), max(s.Last, at)
}

// Merge widens it to another one.
func (s *Span) Merge(o Span) {
	if o.Known {
		s.Add(o.First)
		s.Add(o.Last)
	}
}
