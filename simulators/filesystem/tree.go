package filesystem

import (
	"path"
	"strings"
)

// directoryTree writes the tree as JSON in two spaces of indentation. It does
// not go into links.
func directoryTree(s *Server, a arguments) (output, *failure) {
	_, entries, failed := s.list(a.path)
	if failed != nil {
		return output{}, failed
	}
	excluded, failed := treeExclusions(a.exclude)
	if failed != nil && len(entries) > 0 {
		return output{}, failed
	}
	t := treeWriter{server: s, excluded: excluded}
	failed = t.dir(a.path, "", "")
	return output{text: t.String()}, failed
}

// treeExclusions lets a pattern without a star match at any depth, and what
// lies below its match.
func treeExclusions(patterns []string) (globs, *failure) {
	var all []string
	for _, p := range patterns {
		all = append(all, p)
		if !strings.Contains(p, "*") {
			all = append(all, "**/"+p, "**/"+p+"/**")
		}
	}
	return compileGlobs(all)
}

type treeWriter struct {
	strings.Builder
	server   *Server
	excluded globs
}

// dir writes the directory at a requested path. Each one is checked anew, as
// the server does: below "." a directory "~" leads home.
func (t *treeWriter) dir(requested, below, indent string) *failure {
	_, entries, failed := t.server.list(requested)
	if failed != nil {
		return failed
	}
	next := "[\n"
	for _, e := range entries {
		if t.excluded.match(below + e.name) {
			continue
		}
		t.WriteString(next)
		next = ",\n"
		if failed := t.entry(e, requested, below, indent+"  "); failed != nil {
			return failed
		}
	}
	if next == "[\n" {
		t.WriteString("[]")
	} else {
		t.WriteString("\n" + indent + "]")
	}
	return nil
}

func (t *treeWriter) entry(e entry, requested, below, indent string) (failed *failure) {
	t.WriteString(indent + "{\n" + indent + `  "name": ` + string(quote(e.name)) + ",\n")
	if e.node.isDir() {
		t.WriteString(indent + "  \"type\": \"directory\",\n" + indent + `  "children": `)
		failed = t.dir(path.Join(requested, e.name), below+e.name+"/", indent+"  ")
	} else {
		t.WriteString(indent + `  "type": "file"`)
	}
	t.WriteString("\n" + indent + "}")
	return failed
}
