package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock waits for the file; closing it, or the end of the process, lets go. The
// range that is locked lies behind all content, which others may go on reading.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, at)
}

// remove closes the file first: an open one can't be removed here.
func remove(f *os.File, path string) error {
	f.Close()
	return os.Remove(path)
}
