package filesystem

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

func (s *Server) list(requested string) (string, []entry, *failure) {
	name, failed := s.locate(requested)
	if failed != nil {
		return "", nil, failed
	}
	entries, failed := s.disk.readDir(name)
	return name, entries, failed
}

// marker shows a link as a file, whatever it leads to.
func marker(n *node) string {
	if n.isDir() {
		return "[DIR]"
	}
	return "[FILE]"
}

func listDirectory(s *Server, a arguments) (output, *failure) {
	_, entries, failed := s.list(a.path)
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = marker(e.node) + " " + e.name
	}
	return output{text: strings.Join(lines, "\n")}, failed
}

type sized struct {
	entry
	size int
}

// listDirectoryWithSizes gives a link the size of what it leads to, and one
// that leads nowhere none.
func listDirectoryWithSizes(s *Server, a arguments) (output, *failure) {
	name, entries, failed := s.list(a.path)
	if failed != nil {
		return output{}, failed
	}
	rows := make([]sized, len(entries))
	for i, e := range entries {
		rows[i] = sized{entry: e}
		if n, code := s.disk.stat(path.Join(name, e.name)); code == 0 {
			rows[i].size = n.size()
		}
	}
	if a.sortBy == "size" {
		slices.SortStableFunc(rows, func(x, y sized) int { return cmp.Compare(y.size, x.size) })
	} else {
		slices.SortStableFunc(rows, func(x, y sized) int { return collate(x.name, y.name) })
	}
	return textOutput(sizeTable(rows))
}

func sizeTable(rows []sized) string {
	var b strings.Builder
	files, total := 0, 0
	for _, row := range rows {
		size := ""
		if !row.node.isDir() {
			size = fmt.Sprintf("%10s", formatSize(row.size))
			files++
			total += row.size
		}
		padding := strings.Repeat(" ", max(0, 30-utf16Len(row.name)))
		fmt.Fprintf(&b, "%s %s%s %s\n", marker(row.node), row.name, padding, size)
	}
	fmt.Fprintf(&b, "\nTotal: %d files, %d directories\nCombined size: %s", files, len(rows)-files, formatSize(total))
	return b.String()
}

// formatSize rounds halves up, as the server does.
func formatSize(size int) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	unit, i := 1, 0
	for i < len(units)-1 && size/unit >= 1024 {
		unit, i = unit*1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", size)
	}
	whole, rest := size/unit, size%unit
	hundredths := whole*100 + (rest*200+unit)/(2*unit)
	return fmt.Sprintf("%d.%02d %s", hundredths/100, hundredths%100, units[i])
}
