package walk

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"mcpg/internal/yamlx"
	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

// Write gives a script of walks, with the outcome, end and path that they come
// to.
func Write(tree string, m *engine.Machine, walks []Walk) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree: %s\nwalks:\n", text(tree))
	results := make([]*Result, len(walks))
	for i := range walks {
		w := &walks[i]
		fmt.Fprintf(&b, "  - name: %s\n    steps:%s\n", text(w.Name), map[bool]string{true: " []"}[len(w.Steps) == 0])
		for j := range w.Steps {
			s := &w.Steps[j]
			fmt.Fprintf(&b, "      - {at: %s, %s: %s", text(s.At), kindOf(m, s), quoted(s.Value))
			if s.Rationale != nil {
				fmt.Fprintf(&b, ", rationale: %s", text(*s.Rationale))
			}
			b.WriteString("}\n")
		}
		results[i] = Run(m, w)
	}
	return Update(b.Bytes(), results)
}

func kindOf(m *engine.Machine, s *Step) string {
	switch {
	case s.IsError:
		return "error"
	case m.Tree().Node(s.At).Type == mcptree.Action:
		return "result"
	}
	return "answer"
}

// text writes a string, quoted unless it reads as itself.
func text(s string) string {
	plain := s != ""
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '/' || r == '.' || r == ' ') {
			plain = false
		}
	}
	if n, err := yamlx.Parse([]byte(s)); plain && err == nil && n.Kind == yamlx.String && n.Str == s {
		return s
	}
	return quoted(value.OfString(s))
}

// quoted is JSON that YAML takes too: that has no control characters but
// escaped ones.
func quoted(v value.Value) string {
	out := string(value.AppendJSON(nil, v))
	if strings.ContainsFunc(out, unicode.IsControl) {
		return string(value.AppendDumps(nil, v))
	}
	return out
}
