package filesystem

import (
	"path"
	"strings"
)

// searchFiles finds names that match relative to the given directory. It does
// not go into links, passes over what it may not see, and takes a pattern
// that it cannot read for one that matches nothing.
func searchFiles(s *Server, a arguments) (output, *failure) {
	root, entries, failed := s.list(a.path)
	if failed != nil {
		return output{}, failed
	}
	wanted, unreadable := compileGlobs([]string{a.pattern})
	excluded, unreadableExclusion := compileGlobs(a.exclude)
	var found []string
	if unreadable == nil && unreadableExclusion == nil {
		found = s.search(root, entries, "", wanted, excluded)
	}
	if len(found) == 0 {
		return textOutput("No matches found")
	}
	return textOutput(strings.Join(found, "\n"))
}

func (s *Server) search(root string, entries []entry, below string, wanted, excluded globs) (found []string) {
	for _, e := range entries {
		name := below + e.name
		full := path.Join(root, name)
		if _, failed := s.locate(full); failed != nil || excluded.match(name) {
			continue
		}
		if wanted.match(name) {
			found = append(found, full)
		}
		if e.node.isDir() {
			found = append(found, s.search(root, e.node.entries, name+"/", wanted, excluded)...)
		}
	}
	return found
}
