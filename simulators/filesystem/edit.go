package filesystem

import "strings"

// editFile applies all edits or none, each to what the one before it left.
func editFile(s *Server, a arguments) (output, *failure) {
	name, failed := s.locate(a.path)
	if failed != nil {
		return output{}, failed
	}
	data, failed := s.disk.readFile(name)
	if failed != nil {
		return output{}, failed
	}
	original := normalizeLineEndings(decodeText(data))
	edited := original
	for _, e := range a.edits {
		var found bool
		if edited, found = e.apply(edited); !found {
			return output{}, failf(checkNoMatch, "Could not find exact match for edit:\n%s", e.oldText)
		}
	}
	if !a.dryRun {
		failed = s.replace(name, edited)
	}
	return output{text: fenced(unifiedDiff(name, original, edited))}, failed
}

// fenced puts text between more backticks than it holds in a row.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "diff\n" + text + fence + "\n\n"
}

// apply replaces the first exact match or else the first run of lines that
// matches but for the white space around each.
func (e edit) apply(content string) (string, bool) {
	oldText, newText := normalizeLineEndings(e.oldText), normalizeLineEndings(e.newText)
	if before, after, found := strings.Cut(content, oldText); found {
		return before + newText + after, true
	}
	oldLines, lines := strings.Split(oldText, "\n"), strings.Split(content, "\n")
	at := findTrimmed(lines, oldLines)
	if at < 0 {
		return content, false
	}
	replaced := append([]string{}, lines[:at]...)
	replaced = append(replaced, reindent(strings.Split(newText, "\n"), oldLines, indentOf(lines[at]))...)
	replaced = append(replaced, lines[at+len(oldLines):]...)
	return strings.Join(replaced, "\n"), true
}

func findTrimmed(lines, want []string) int {
	lines, want = trimmed(lines), trimmed(want)
	for i := 0; i+len(want) <= len(lines); i++ {
		j := 0
		for j < len(want) && lines[i+j] == want[j] {
			j++
		}
		if j == len(want) {
			return i
		}
	}
	return -1
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = trimSpace(line)
	}
	return out
}

// reindent gives the new lines the indentation of the match. Lines after the
// first keep what they are indented beyond their old line, in spaces.
func reindent(lines, oldLines []string, indent string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line
		if i == 0 {
			out[i] = indent + trimLeft(line)
			continue
		}
		if i >= len(oldLines) {
			continue
		}
		oldIndent, newIndent := indentOf(oldLines[i]), indentOf(line)
		if oldIndent != "" && newIndent != "" {
			deeper := max(0, utf16Len(newIndent)-utf16Len(oldIndent))
			out[i] = indent + strings.Repeat(" ", deeper) + trimLeft(line)
		}
	}
	return out
}
