package format

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestPages: every format has its page, and no page is of none.
func TestPages(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	var pages, names []string
	for _, m := range regexp.MustCompile(`(?m)^### (\S+)$`).FindAllSubmatch(page, -1) {
		pages = append(pages, string(m[1]))
	}
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	slices.Sort(pages)
	slices.Sort(names)
	if !slices.Equal(pages, names) {
		t.Errorf("docs/formats.md has pages of %q, formats are %q", pages, names)
	}
}
