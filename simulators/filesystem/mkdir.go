package filesystem

// createDirectory makes parents too and is content with a directory that is
// there. What it made before an error stays.
func createDirectory(s *Server, a arguments) (output, *failure) {
	name, failed := s.locate(a.path)
	if failed != nil {
		return output{}, failed
	}
	if code := s.disk.makeDirs(name); code != 0 {
		return output{}, code.of("mkdir", name)
	}
	return textOutput("Successfully created directory " + a.path)
}
