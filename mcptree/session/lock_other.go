//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package session

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }

func remove(_ *os.File, path string) error { return os.Remove(path) }
