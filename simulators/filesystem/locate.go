package filesystem

import (
	"path"
	"regexp"
	"strings"
)

// home is the home directory of the server's process.
const home = "/srv/agent"

var drivePath = regexp.MustCompile(`^[A-Za-z]:(?:[\\/]|$)`)

// locate turns the path of a call into the path to work on, with links
// followed, or refuses it.
func (s *Server) locate(requested string) (string, *failure) {
	expanded := expandHome(requested)
	if s.dialect().refusesDrives && drivePath.MatchString(expanded) {
		return "", failf(checkAccess, "Access denied - Windows-style path received on a POSIX host: %s", requested)
	}
	absolute := s.world.absolute(expanded)
	if !s.allows(absolute) {
		return "", failf(checkAccess, "Access denied - path outside allowed directories: %s not in %s", absolute, s.world.Root)
	}
	at, code := s.disk.walk(absolute, true)
	switch {
	case code == 0:
		return at.path, s.linkTarget(at.path)
	case code != enoent:
		return "", code.of("realpath", absolute)
	case s.dialect().nearestAncestor:
		return s.fromAncestor(absolute)
	}
	return s.fromParent(absolute)
}

func expandHome(name string) string {
	if name == "~" || strings.HasPrefix(name, "~/") {
		return path.Join(home, name[1:])
	}
	return name
}

// allows reports whether a clean path lies in the root. As the server does,
// it looks past spaces and one quote around the path.
func (s *Server) allows(absolute string) bool {
	name := trimSpace(absolute)
	if strings.HasSuffix(name, `"`) || strings.HasSuffix(name, "'") {
		name = name[:len(name)-1]
	}
	return !strings.ContainsRune(name, 0) && within(path.Clean(name), s.world.Root)
}

func (s *Server) linkTarget(resolved string) *failure {
	if s.allows(resolved) {
		return nil
	}
	return failf(checkAccess, "Access denied - symlink target outside allowed directories: %s not in %s", resolved, s.world.Root)
}

// fromParent accepts a missing path whose parent is there. The path itself
// stays as it was asked for: a link that leads nowhere is not followed.
func (s *Server) fromParent(absolute string) (string, *failure) {
	parent, code := s.disk.walk(path.Dir(absolute), true)
	if code != 0 || !s.allows(parent.path) {
		return "", missingParent(absolute)
	}
	return absolute, nil
}

// fromAncestor follows a missing path as far as it exists and appends the
// rest.
func (s *Server) fromAncestor(absolute string) (string, *failure) {
	root, code := s.disk.walk(s.world.Root, true)
	if code != 0 {
		return "", missingParent(absolute)
	}
	if !within(absolute, s.world.Root) {
		return absolute, nil // a name that only its quotes brought in
	}
	at := root
	names := splitPath(strings.TrimPrefix(absolute, s.world.Root))
	for i, name := range names {
		if !at.node.isDir() {
			return "", enotdir.of("scandir", at.path)
		}
		if at.node.child(name) == nil {
			return path.Join(at.path, path.Join(names[i:]...)), nil
		}
		next := path.Join(at.path, name)
		if at, code = s.disk.walk(next, true); code == enoent {
			return "", missingParent(absolute)
		} else if code != 0 {
			return "", code.of("realpath", next)
		}
		if failed := s.linkTarget(at.path); failed != nil {
			return "", failed
		}
	}
	return at.path, nil
}

func missingParent(absolute string) *failure {
	return failf(checkParentMissing, "Parent directory does not exist: %s", path.Dir(absolute))
}
