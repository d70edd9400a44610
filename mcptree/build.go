package mcptree

// Build copies a tree that was put together in code and makes its nodes
// findable by id. Of nodes with the same id the last counts, as in a document.
func Build(t Tree) *Tree {
	t.index = make(map[string]*Node, len(t.Nodes))
	for _, n := range t.Nodes {
		t.index[n.ID] = n
	}
	return &t
}
