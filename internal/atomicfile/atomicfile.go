// Package atomicfile writes files that are either whole or not there.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write calls fill with a new file beside path and puts it in path's place if
// all went well; otherwise nothing is left of it, and what was at path stays.
// A path that is no ordinary file, a pipe or a device, is written in place.
func Write(path string, fill func(io.Writer) error) (err error) {
	if info, statErr := os.Stat(path); statErr == nil && !info.Mode().IsRegular() {
		return writeInPlace(path, info, fill)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
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
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return plain(path, err)
	}
	if err := f.Close(); err != nil {
		return plain(path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return plain(path, err)
	}
	return nil
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
