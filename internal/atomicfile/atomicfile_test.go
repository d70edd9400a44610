package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	put := func(text string, fail error) error {
		return Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return fail
		})
	}
	if err := put("one", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := put("half of two", broken); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: something was left behind", entries, err)
	}
	if err := Write(dir, func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was written")
	}
	if err := Write(filepath.Join(dir, "none", "out"), func(io.Writer) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := Write(os.DevNull, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err != nil {
		t.Error(err)
	}
}
