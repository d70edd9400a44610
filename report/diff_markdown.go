package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mcpg/analyze"
	"mcpg/report/draw"
)

// Characters that a comment on a pull request takes (GitHub's limit is 65,536), and
// of them the picture.
const (
	maxComment = 60_000
	maxPicture = 20_000
)

// DiffMarkdown writes what changed for a pull request: the list, and the picture
// as Mermaid. What doesn't fit is counted.
func DiffMarkdown(w io.Writer, g draw.Graph, changes []analyze.Change) error {
	var picture bytes.Buffer
	if len(changes) > 0 {
		if err := draw.Mermaid(&picture, g); err != nil {
			return err
		}
	}
	tail := ""
	switch n := utf8.RuneCount(picture.Bytes()); {
	case n > maxPicture:
		tail = fmt.Sprintf("\nThe picture is left out: it has %d characters. `mcpg graph diff --format svg` draws it.\n", n)
	case n > 0:
		tail = "\n<details><summary>The graph around the changes</summary>\n\n```mermaid\n" + picture.String() + "```\n\n</details>\n"
	}
	head := "### What changed: " + countChanges(changes) + "\n"
	if len(changes) > 0 {
		head += "\n`+` added, `-` removed, `~` tightened or relaxed.\n"
	}
	const cut = "\n… and %d changes more: this is cut to fit a comment.\n"
	room := maxComment - utf8.RuneCountInString(head+tail) - len(cut) - 20
	var list strings.Builder
	tool := ""
	for i, ch := range changes {
		lines := ""
		if name := toolName(ch); name != tool {
			tool = name
			lines = "\n**" + codeSpan(clip(name, 200)) + "**\n"
		}
		lines += "- " + changeMarkdown(ch) + "\n"
		if room -= utf8.RuneCountInString(lines); room < 0 {
			fmt.Fprintf(&list, cut, len(changes)-i)
			break
		}
		list.WriteString(lines)
	}
	_, err := io.WriteString(w, head+list.String()+tail)
	return err
}

func toolName(c analyze.Change) string {
	if c.Server == "" {
		return Clean(c.Tool)
	}
	return Clean(c.Server) + "/" + Clean(c.Tool)
}

func changeMarkdown(c analyze.Change) string {
	s := fmt.Sprintf("`%s` %s %s", sign(c), c.What, c.Kind)
	if text := changeText(c); text != "" {
		s += ": " + codeSpan(text)
	}
	if c.State != "" {
		s += " " + changeWhere(c) + " " + codeSpan(clip(Clean(c.State), 300))
	}
	return s + " (" + calls(c.Calls) + ")"
}

// changeText is what a change says, without where.
func changeText(c analyze.Change) string {
	switch {
	case c.What == "edge" && c.Before == "":
		return c.After
	case c.What == "edge" && c.After == "":
		return c.Before + " before"
	case c.What == "edge":
		return c.Before + " -> " + c.After
	case c.After != "":
		return clip(Clean("it "+c.After), 300)
	case c.Before != "":
		return clip(Clean("no longer "+c.Before), 300)
	}
	return ""
}

func changeWhere(c analyze.Change) string {
	if c.What == "guard" {
		return "e.g. in"
	}
	return "in"
}

// codeSpan shows text as it is: in a code span nothing is markup, a link or a mention.
func codeSpan(s string) string {
	fence, run := 1, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		fence = max(fence, run+1)
	}
	ticks := strings.Repeat("`", fence)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return ticks + s + ticks
}
