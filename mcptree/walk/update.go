package walk

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// Update writes into a script what its walks gave: outcome, end and path.
// Comments stay.
func Update(src []byte, results []*Result) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	walks := get(doc.Content[0], "walks")
	for i, r := range results {
		w := walks.Content[i]
		set(w, "outcome", scalar(r.Outcome))
		set(w, "ends_at", scalar(r.EndsAt))
		path := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
		for _, id := range r.Path() {
			path.Content = append(path.Content, scalar(id))
		}
		set(w, "path", path)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

func scalar(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if text(s) != s {
		n.Style = yaml.DoubleQuotedStyle // it would be read as another type
	}
	return n
}

func get(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func set(n *yaml.Node, name string, v *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content[i+1] = v
			return
		}
	}
	n.Content = append(n.Content, scalar(name), v)
}
