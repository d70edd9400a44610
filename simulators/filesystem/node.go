package filesystem

import (
	"slices"
	"strings"
)

type nodeKind uint8

const (
	fileNode nodeKind = iota
	dirNode
	linkNode
)

// node is a file, a directory or a symbolic link. A node never changes once
// it hangs in a tree: a write copies the directories above it. That makes the
// root pointer a snapshot, and cloning a disk free.
type node struct {
	kind     nodeKind
	data     string  // of a file
	target   string  // of a link
	entries  []entry // of a directory, sorted by name
	created  int     // step
	modified int     // step
}

type entry struct {
	name string
	node *node
}

func newFile(data string, step int) *node {
	return &node{kind: fileNode, data: data, created: step, modified: step}
}

func newDir(step int) *node {
	return &node{kind: dirNode, created: step, modified: step}
}

func newLink(target string, step int) *node {
	return &node{kind: linkNode, target: target, created: step, modified: step}
}

func (n *node) isDir() bool { return n != nil && n.kind == dirNode }

func (n *node) find(name string) (int, bool) {
	return slices.BinarySearchFunc(n.entries, name, func(e entry, name string) int {
		return strings.Compare(e.name, name)
	})
}

func (n *node) child(name string) *node {
	if i, found := n.find(name); found {
		return n.entries[i].node
	}
	return nil
}

// with returns a copy of the directory in which name is leaf, or is gone
// where leaf is nil.
func (n *node) with(name string, leaf *node) *node {
	dir := *n
	dir.entries = slices.Clone(n.entries)
	i, found := n.find(name)
	switch {
	case leaf == nil && found:
		dir.entries = slices.Delete(dir.entries, i, i+1)
	case leaf != nil && found:
		dir.entries[i].node = leaf
	case leaf != nil:
		dir.entries = slices.Insert(dir.entries, i, entry{name, leaf})
	}
	return &dir
}

// graft returns a copy of the tree in which the path names leads to leaf, or
// to nothing where leaf is nil. The directories on the way must exist.
func (n *node) graft(names []string, leaf *node, step int) *node {
	if len(names) == 0 {
		return n
	}
	if len(names) > 1 {
		return n.with(names[0], n.child(names[0]).graft(names[1:], leaf, step))
	}
	dir := n.with(names[0], leaf)
	dir.modified = step
	return dir
}
