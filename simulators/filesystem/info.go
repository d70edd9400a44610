package filesystem

import (
	"fmt"
	"time"
)

// epoch is the time of step 0; every step takes a second.
const epoch = 1767603600 // 2026-01-05 09:00:00 UTC

const dirSize = 4096

func (n *node) size() int {
	if n.isDir() {
		return dirSize
	}
	return len(n.data)
}

// getFileInfo shows the last write as the last access: reading leaves no
// trace here.
func getFileInfo(s *Server, a arguments) (output, *failure) {
	name, failed := s.locate(a.path)
	if failed != nil {
		return output{}, failed
	}
	n, code := s.disk.stat(name)
	if code != 0 {
		return output{}, code.of("stat", name)
	}
	permissions := 0o644
	if n.isDir() {
		permissions = 0o755
	}
	return textOutput(fmt.Sprintf(
		"size: %d\ncreated: %s\nmodified: %s\naccessed: %s\nisDirectory: %t\nisFile: %t\npermissions: %o",
		n.size(), timeOf(n.created), timeOf(n.modified), timeOf(n.modified), n.isDir(), !n.isDir(), permissions))
}

func timeOf(step int) string {
	return time.Unix(epoch+int64(step), 0).UTC().Format("Mon Jan 02 2006 15:04:05 GMT-0700") +
		" (Coordinated Universal Time)"
}
