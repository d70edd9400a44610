package filesystem

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Snapshot is what lies in the root, itself among the directories. A file
// that is not UTF-8 is given in base64. Links are left out.
func (s *Server) Snapshot() jsontext.Value {
	var dirs, files []string
	data := make(map[string]string)
	var visit func(name string, n *node)
	visit = func(name string, n *node) {
		switch n.kind {
		case dirNode:
			dirs = append(dirs, name)
			for _, e := range n.entries {
				visit(strings.TrimSuffix(name, "/")+"/"+e.name, e.node)
			}
		case fileNode:
			files = append(files, name)
			data[name] = n.data
		}
	}
	if root, code := s.disk.walk(s.world.Root, true); code == 0 {
		visit(s.world.Root, root.node)
	}
	slices.Sort(dirs)
	slices.Sort(files)
	out := []byte(`{"dirs":[`)
	for i, name := range dirs {
		out = append(separate(out, i), quote(name)...)
	}
	out = append(out, `],"files":{`...)
	for i, name := range files {
		out = append(separate(out, i), quote(name)...)
		out = append(out, ':')
		out = append(out, quote(snapshotText(data[name]))...)
	}
	return append(out, "}}"...)
}

func separate(out []byte, i int) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	return out
}

func snapshotText(data string) string {
	if utf8.ValidString(data) {
		return data
	}
	return encodeBinary(data)
}
