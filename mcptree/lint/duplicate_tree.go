package lint

import (
	"mcpg/internal/yamlx"
	"mcpg/mcptree"
)

var duplicateTree = Rule{
	Name: "duplicate-tree",
	Doc:  "Two files have trees of one id: they can not be served together.",
}

// checkDuplicateTrees looks at all documents; its test is its own.
func checkDuplicateTrees(docs []*mcptree.Document) {
	first := map[string]*mcptree.Document{}
	for _, d := range docs {
		if d.Tree == nil {
			continue
		}
		at := mcptree.Member(d.Root, "id")
		if at == nil {
			at = &yamlx.Node{}
		}
		if f := first[d.Tree.ID]; f != nil {
			d.Add(mcptree.Warning, duplicateTree.Name, "", at, "tree id '%s' is also that of %s: serve refuses both together", d.Tree.ID, f.File)
			continue
		}
		first[d.Tree.ID] = d
	}
}
