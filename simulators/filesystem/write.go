package filesystem

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

func writeFile(s *Server, a arguments) (output, *failure) {
	name, failed := s.locate(a.path)
	if failed == nil {
		failed = s.create(name, a.content)
	}
	return output{text: "Successfully wrote to " + a.path}, failed
}

// create makes a file, or replaces what has its name.
func (s *Server) create(name, content string) *failure {
	at, code := s.disk.lookup(name, false)
	switch {
	case code == enoent && at.inside != nil:
		s.disk.set(at.path, newFile(content, s.disk.step))
		return nil
	case code == enoent:
		missing := enoent.of("open", name)
		missing.check = checkParentMissing
		return missing
	case code != 0:
		return code.of("open", name)
	}
	return s.replace(name, content)
}

// replace writes a file beside the one there is and renames it over that. It
// does not follow links.
func (s *Server) replace(name, content string) *failure {
	beside := name + "." + s.randomHex(name) + ".tmp"
	if _, code := s.disk.lookup(beside, false); code != 0 && code != enoent {
		return code.of("open", beside)
	}
	at, code := s.disk.lookup(name, false)
	if code == 0 && at.node.isDir() {
		code = eisdir
	}
	if code != 0 {
		return code.ofRename(beside, name)
	}
	s.disk.set(at.path, newFile(content, s.disk.step))
	return nil
}

// randomHex stands for what the server draws at random.
func (s *Server) randomHex(name string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + strconv.Itoa(s.disk.step)))
	return hex.EncodeToString(sum[:16])
}
