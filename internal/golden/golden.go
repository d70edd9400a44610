// Package golden compares what a test got with a file, or writes the file.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating tells whether files are to be written.
func Updating() bool { return *update }

// Check compares got with testdata/name.
func Check(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; run the test with -update and read the change\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}
