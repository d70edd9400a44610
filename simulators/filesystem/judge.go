package filesystem

import (
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// Check judges a call on a clone.
func (s *Server) Check(tool string, args jsontext.Value, _ float64) simulate.Truth {
	clone := *s
	got := clone.run(tool, args, true)
	if check := got.check(); check != "" {
		return simulate.Truth{Check: check, Kind: s.kind(tool, args, got), Text: got.answer().Text}
	}
	t := simulate.Truth{Valid: true}
	if s.drifted() && !got.raced && s.undrifted().run(tool, args, true).check() != "" {
		t.Kind = simulate.Drift
	}
	return t
}

// undrifted is the server with the rules before its drift.
func (s *Server) undrifted() *Server {
	old := *s
	old.after = old.before
	return &old
}

// check names the check that an outcome failed, "" where none.
func (o outcome) check() string {
	switch {
	case o.failed != nil:
		return o.failed.check
	case o.output.soft:
		return checkSoftError
	}
	return ""
}

// kind says what a failed call was about, by asking what would have let it
// pass.
func (s *Server) kind(tool string, args jsontext.Value, got outcome) simulate.Kind {
	if got.check() == checkQuota {
		return simulate.Hidden
	}
	if alone := *s; got.raced && alone.run(tool, args, false).check() == "" {
		return simulate.Stale
	}
	if s.drifted() && s.undrifted().run(tool, args, true).check() == "" {
		return simulate.Drift
	}
	return simulate.Visible
}
