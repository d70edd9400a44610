// Package atomicfile writes files that are either whole or not there.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write calls fill with a new file beside path and puts it in path's place if
// all went well; otherwise nothing is left of it, and what was at path stays.
// The file keeps the mode of the one that it replaces, and a link stays a link.
// A path that is no ordinary file, a pipe or a device, is written in place.
func Write(path string, fill func(io.Writer) error) (err error) {
	target, mode := path, fs.FileMode(0)
	if info, statErr := os.Stat(path); statErr == nil {
		if !info.Mode().IsRegular() {
			return writeInPlace(path, info, fill)
		}
		mode = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return plain(path, err)
		}
	}
	f, err := create(target)
	if err != nil {
		return plain(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fill(f); err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) && pe.Path == f.Name() {
			return plain(path, err)
		}
		return err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return plain(path, err)
		}
	}
	if err := f.Close(); err != nil {
		return plain(path, err)
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return plain(path, err)
	}
	return nil
}

// create makes a new file beside target, with the mode that the umask gives.
func create(target string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(target), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func writeInPlace(path string, info fs.FileInfo, fill func(io.Writer) error) error {
	if info.IsDir() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("is a folder")}
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return plain(path, err)
	}
	return errors.Join(fill(f), f.Close())
}

// plain names the file that was asked for, not the one beside it.
func plain(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: "write", Path: path, Err: pe.Err}
	}
	return err
}
