package filesystem

// moveFile looks at the destination before the source. Links are followed on
// both sides, so that moving a link moves what it leads to.
func moveFile(s *Server, a arguments) (output, *failure) {
	source, failed := s.locate(a.source)
	if failed != nil {
		return output{}, failed
	}
	destination, failed := s.locate(a.destination)
	if failed != nil {
		return output{}, failed
	}
	if s.dialect().keepsDestination {
		failed = s.unoccupied(destination)
	}
	if failed == nil {
		failed = s.rename(source, destination)
	}
	return output{text: "Successfully moved " + a.source + " to " + a.destination}, failed
}

func (s *Server) unoccupied(destination string) *failure {
	at, code := s.disk.lookup(destination, false)
	switch {
	case code == enoent:
		return nil
	case code != 0:
		return code.of("lstat", destination)
	case at.node != nil:
		return failf(checkDestinationExists, "Destination already exists: %s", destination)
	}
	return nil
}

func (s *Server) rename(source, destination string) *failure {
	code := s.disk.rename(source, destination)
	if code == 0 {
		return nil
	}
	failed := code.ofRename(source, destination)
	if _, missing := s.disk.stat(source); code == enoent && missing == 0 {
		failed.check = checkParentMissing
	}
	return failed
}
