package filesystem

import (
	"math"
	"slices"
	"strings"
)

// chunkSize is how much of a file the server reads at a time.
const chunkSize = 1024

func readTextFile(s *Server, a arguments) (output, *failure) {
	name, failed := s.locate(a.path)
	if failed != nil {
		return output{}, failed
	}
	switch {
	case a.head != 0 && a.tail != 0:
		return output{}, failf(checkArguments, "Cannot specify both head and tail parameters simultaneously")
	case a.tail != 0:
		return s.readTail(name, a.tail)
	case a.head != 0:
		return s.readHead(name, a.head)
	}
	data, failed := s.disk.readFile(name)
	return output{text: decodeText(data)}, failed
}

// readHead reads the first lines. A negative count reads nothing at all, not
// even from a directory.
func (s *Server) readHead(name string, count float64) (output, *failure) {
	n, failed := s.disk.open(name)
	switch {
	case failed != nil:
		return output{}, failed
	case count < 0:
		return output{}, nil
	case n.isDir():
		return output{}, errReadDir
	}
	text := n.data
	if s.dialect().wholeText {
		text = decodeText(text)
	} else {
		text = decodeChunks(text)
	}
	lines := strings.Split(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	if count < float64(len(lines)) {
		lines = lines[:int(math.Ceil(count))]
	}
	return textOutput(strings.Join(lines, "\n"))
}

func decodeChunks(data string) string {
	var b strings.Builder
	for len(data) > chunkSize {
		b.WriteString(decodeText(data[:chunkSize]))
		data = data[chunkSize:]
	}
	b.WriteString(decodeText(data))
	return b.String()
}

// readTail reads the last lines, where the end of the last line begins one
// more, empty, line.
func (s *Server) readTail(name string, count float64) (output, *failure) {
	n, code := s.disk.stat(name)
	switch {
	case code != 0:
		return output{}, code.of("stat", name)
	case count < 0:
		return output{}, nil
	case n.isDir():
		return output{}, errReadDir
	case s.dialect().wholeText:
		return textOutput(tailOfWhole(n.data, count))
	}
	return textOutput(tailOfChunks(n.data, count))
}

func tailOfWhole(data string, count float64) string {
	start, newlines := len(data), 0
	for start > 0 && float64(newlines) < count {
		next := max(0, start-chunkSize)
		newlines += strings.Count(data[next:start], "\n")
		start = next
	}
	lines := strings.Split(normalizeLineEndings(decodeText(data[start:])), "\n")
	// A count below one cuts nothing off what was read.
	if keep := math.Trunc(count); keep >= 1 && keep < float64(len(lines)) {
		lines = lines[len(lines)-int(keep):]
	}
	return strings.Join(lines, "\n")
}

// tailOfChunks carries the first, maybe broken, line of a chunk over to the
// chunk before it.
func tailOfChunks(data string, count float64) string {
	var kept []string // last line first
	carried, start := "", len(data)
	for start > 0 && float64(len(kept)) < count {
		next := max(0, start-chunkSize)
		lines := strings.Split(normalizeLineEndings(decodeText(data[next:start])+carried), "\n")
		if next > 0 {
			carried, lines = lines[0], lines[1:]
		}
		for _, line := range slices.Backward(lines) {
			if float64(len(kept)) >= count {
				break
			}
			kept = append(kept, line)
		}
		start = next
	}
	slices.Reverse(kept)
	return strings.Join(kept, "\n")
}

// readMultipleFiles never fails: the error of a file is words among the rest.
func readMultipleFiles(s *Server, a arguments) (output, *failure) {
	var out output
	parts := make([]string, len(a.paths))
	for i, name := range a.paths {
		data, failed := s.readLocated(name)
		if failed != nil {
			parts[i] = name + ": Error - " + failed.text
			out.soft = true
			continue
		}
		parts[i] = name + ":\n" + decodeText(data) + "\n"
	}
	out.text = strings.Join(parts, "\n---\n")
	return out, nil
}

func (s *Server) readLocated(requested string) (string, *failure) {
	name, failed := s.locate(requested)
	if failed != nil {
		return "", failed
	}
	return s.disk.readFile(name)
}
