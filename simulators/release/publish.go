package release

import "mcpg/simulate"

// publish checks in this order; the tests of the suite rest on it.
func (s *Server) publish(a *arguments, coin float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	if f == nil {
		f = s.publishable(a.ReleaseID, r)
	}
	if f == nil {
		f = s.unforeseeable(a.ReleaseID, coin)
	}
	if f != nil {
		return "", f
	}
	r.Status = published
	return s.put(a.ReleaseID, r)
}

// publishable is what reads can foresee.
func (s *Server) publishable(id string, r Release) *failure {
	refuse := func(check, format string, a ...any) *failure {
		return failf(check, "Release %s cannot be published: "+format, append([]any{id}, a...)...)
	}
	needsTests := s.rules() != Lenient && s.rules() != Swap
	needsNotes := s.rules() == Strict || s.rules() == Swap
	dep, hasDep := s.world.Releases[r.DependsOn]
	channel := s.world.Channels[r.Channel]
	switch {
	case r.Status != draft:
		return refuse("not_draft", "status is %s, only a DRAFT can be published", r.Status)
	case needsTests && !r.TestsPassed:
		return refuse("untested", "tests have not passed; run run_tests first")
	case len(r.ApprovedBy) < neededApprovals:
		return refuse("approvals", "it has %d of %d approvals; get one with approve_release", len(r.ApprovedBy), neededApprovals)
	case r.DependsOn != "" && !hasDep:
		return refuse("dependency_missing", "its dependency %s not found", r.DependsOn)
	case r.DependsOn != "" && dep.Status != published:
		return refuse("dependency", "its dependency %s is %s; publish that one first", r.DependsOn, dep.Status)
	case channel.Locked:
		return refuse("locked", "channel %s is locked by %s; unlock_channel opens it", r.Channel, channel.LockedBy)
	case needsNotes && r.Notes == "":
		return refuse("notes", "its notes are missing; write them with update_notes")
	}
	return nil
}

// unforeseeable is what no read shows: the freeze, and chance.
func (s *Server) unforeseeable(id string, coin float64) *failure {
	if fr := s.world.Freeze; fr != nil && s.step >= fr.From && s.step < fr.Until {
		return &failure{"freeze", simulate.Hidden, "Release " + id + " cannot be published: publishing is frozen for now; try again later"}
	}
	flipped := s.world.Flip && s.flips%2 == 0
	s.flips++
	if flipped || coin < s.world.Flaky {
		return &failure{"coin", simulate.Coin, "Release " + id + " cannot be published: the build farm turned it down this time; try again"}
	}
	return nil
}
