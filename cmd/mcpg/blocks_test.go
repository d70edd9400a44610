package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestCommandBlocks: every command of ours in a shell block of the documents is one that
// there is, with flags that there are. Console blocks are run besides, by TestDocs.
func TestCommandBlocks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	workflows, err := filepath.Glob("../../examples/ci/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```(?:sh|console|yaml)?\n(.*?)^```")
	n := 0
	for _, page := range append(append(pages, workflows...), "../../README.md", "../../CONTRIBUTING.md") {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if strings.HasSuffix(page, ".md") {
			var blocks []string
			for _, m := range block.FindAllStringSubmatch(text, -1) {
				blocks = append(blocks, m[1])
			}
			text = strings.Join(blocks, "\n")
		}
		text = strings.ReplaceAll(text, "\\\n", " ")
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, " # ")
			for _, command := range regexp.MustCompile(`&&|\||;`).Split(line, -1) {
				words := shellWords(command)
				for len(words) > 0 && words[0] != "mcpg" && (words[0] == "$" || words[0] == "-" || words[0] == "run:" || words[0] == ">") {
					words = words[1:]
				}
				if len(words) < 2 || words[0] != "mcpg" || strings.HasSuffix(words[1], ":") {
					continue
				}
				n++
				if why := unknown(words[1:]); why != "" {
					t.Errorf("%s: %s: %s", filepath.Base(page), strings.TrimSpace(command), why)
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("%d commands only", n)
	}
	for command, known := range map[string]bool{"stats calls --by tool": true, "stats --buy tool": false, "statistics": false, "graph export m -o x": true, "graph export m -q x": false, "wrap -- any --thing": true} {
		if got := unknown(strings.Fields(command)) == ""; got != known {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// shellWords takes a command apart, quotes and what they hold being one word.
func shellWords(s string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s"']+`).FindAllString(s, -1) {
		out = append(out, strings.Trim(m, `"'`))
	}
	return out
}

// unknown says what of a command there isn't.
func unknown(args []string) string {
	for i, a := range args {
		if a == "--" {
			args = args[:i]
			break
		}
	}
	root := (&app{}).root()
	root.InitDefaultCompletionCmd()
	c, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	if c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return "no such command"
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	for _, a := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		var f *pflag.Flag
		switch {
		case strings.HasPrefix(a, "--"):
			f = c.Flags().Lookup(name)
		case strings.HasPrefix(a, "-") && len(a) == 2:
			f = c.Flags().ShorthandLookup(name)
		default:
			continue
		}
		if f == nil {
			return "no flag " + a
		}
	}
	return ""
}
