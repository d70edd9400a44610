// Package docpage holds documents against the programs that they speak of.
package docpage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpg/internal/golden"
)

// Run gives what a command of the program prints; args are those after the
// program's name.
type Run func(args []string) string

// Check runs the console blocks of a page, lines that begin with "$ program" or
// "$ go run ./cmd/program", and fills its tables, those between <!-- name -->
// and <!-- /name -->. The page must hold just that, or is written with -update.
// Blocks of other programs are left alone.
func Check(t *testing.T, page, program string, run Run, tables map[string]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	got := blocks(string(text), program, run)
	for name, table := range tables {
		got = fill(got, name, table)
	}
	switch {
	case got == string(text):
	case golden.Updating():
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s isn't what %s prints: run the test with -update and read the change", filepath.Base(page), program)
	}
}

func blocks(page, program string, run Run) string {
	var out strings.Builder
	inBlock, ours := false, false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock, ours = strings.HasPrefix(line, "```console"), false
		case inBlock && strings.HasPrefix(line, "$ "):
			args := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(line, "$ "), "go run ./cmd/"))
			if ours = len(args) > 0 && args[0] == program; ours {
				out.WriteString(line)
				for printed := range strings.Lines(run(args[1:])) {
					out.WriteString(strings.TrimRight(printed, " \n") + "\n")
				}
				continue
			}
		case inBlock && ours:
			continue // what was printed before
		}
		out.WriteString(line)
	}
	return out.String()
}

// fill puts text between <!-- name --> and <!-- /name -->.
func fill(page, name, text string) string {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return page
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return page
	}
	return before + begin + text + end + after
}
