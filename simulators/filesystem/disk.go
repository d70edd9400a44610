package filesystem

import (
	"path"
	"strings"
)

const (
	maxPath  = 4096 // bytes with the final zero, as Linux has it
	maxName  = 255
	maxLinks = 40
)

// disk is a tree of nodes with the system calls that the server makes. It is
// copied by assignment.
type disk struct {
	root *node
	step int // the clock
}

// place is where a path leads. The node is nil where only the last name is
// missing; inside is the directory that holds, or would hold, it.
type place struct {
	path   string
	node   *node
	inside *node
}

// walk resolves a path. It follows a link in the last place only if asked.
func (d *disk) walk(name string, follow bool) (place, errno) {
	var (
		names   []string
		nodes   = []*node{d.root}
		pending = splitPath(name)
		links   int
	)
	for len(pending) > 0 {
		next := pending[0]
		pending = pending[1:]
		here := nodes[len(nodes)-1]
		if here.kind != dirNode {
			return place{}, enotdir
		}
		if next == ".." {
			if len(names) > 0 {
				names, nodes = names[:len(names)-1], nodes[:len(nodes)-1]
			}
			continue
		}
		if len(next) > maxName {
			return place{}, enametoolong
		}
		child := here.child(next)
		switch {
		case child == nil && len(pending) == 0:
			return place{path: joinNames(append(names, next)), inside: here}, enoent
		case child == nil:
			return place{}, enoent
		case child.kind == linkNode && (follow || len(pending) > 0):
			if links++; links > maxLinks {
				return place{}, eloop
			}
			pending = append(splitPath(child.target), pending...)
			if strings.HasPrefix(child.target, "/") {
				names, nodes = nil, nodes[:1]
			}
		default:
			names, nodes = append(names, next), append(nodes, child)
		}
	}
	at := place{path: joinNames(names), node: nodes[len(nodes)-1]}
	if len(nodes) > 1 {
		at.inside = nodes[len(nodes)-2]
	}
	return at, 0
}

// lookup is walk for the calls in which the kernel sees the whole path.
func (d *disk) lookup(name string, follow bool) (place, errno) {
	if len(name) >= maxPath {
		return place{}, enametoolong
	}
	return d.walk(name, follow)
}

func (d *disk) stat(name string) (*node, errno) {
	at, code := d.lookup(name, true)
	return at.node, code
}

// open returns a node to read from; reading a directory fails later.
func (d *disk) open(name string) (*node, *failure) {
	n, code := d.stat(name)
	if code != 0 {
		return nil, code.of("open", name)
	}
	return n, nil
}

func (d *disk) readFile(name string) (string, *failure) {
	n, failed := d.open(name)
	if failed != nil {
		return "", failed
	}
	if n.isDir() {
		return "", errReadDir
	}
	return n.data, nil
}

func (d *disk) readDir(name string) ([]entry, *failure) {
	n, code := d.stat(name)
	if code == 0 && !n.isDir() {
		code = enotdir
	}
	if code != 0 {
		return nil, code.of("scandir", name)
	}
	return n.entries, nil
}

// set makes a resolved path lead to leaf, or to nothing where leaf is nil.
func (d *disk) set(resolved string, leaf *node) {
	d.root = d.root.graft(splitPath(resolved), leaf, d.step)
}

// makeDirs is mkdir -p.
func (d *disk) makeDirs(name string) errno {
	if len(name) >= maxPath {
		return enametoolong
	}
	names := splitPath(name)
	for i := range names {
		last := i == len(names)-1
		at, code := d.lookup(joinNames(names[:i+1]), true)
		switch {
		case code == 0 && at.node.isDir():
		case code == 0 && last:
			return eexist
		case code == 0:
			return enotdir
		case code != enoent || at.inside == nil:
			return code
		default:
			// A link that leads nowhere is in the way of the new directory.
			if lexical, _ := d.lookup(joinNames(names[:i+1]), false); lexical.node != nil {
				return enoent
			}
			d.set(at.path, newDir(d.step))
		}
	}
	return 0
}

// rename checks in the order in which Linux does.
func (d *disk) rename(from, to string) errno {
	if len(from) >= maxPath || len(to) >= maxPath {
		return enametoolong
	}
	source, sourceCode := d.walk(from, false)
	target, targetCode := d.walk(to, false)
	for _, code := range []errno{parentError(source, sourceCode), parentError(target, targetCode), sourceCode} {
		if code != 0 {
			return code
		}
	}
	if code := replaceable(source, target); code != 0 || source.path == target.path {
		return code
	}
	d.set(source.path, nil)
	d.set(target.path, source.node)
	return 0
}

// parentError is the error of the directory part of a path.
func parentError(at place, code errno) errno {
	if code == enoent && at.inside != nil {
		return 0
	}
	return code
}

func replaceable(source, target place) errno {
	switch {
	case source.path == target.path:
		return 0
	case within(target.path, source.path):
		return einval
	case within(source.path, target.path):
		return enotempty
	case target.node == nil:
		return 0
	case source.node.isDir() && !target.node.isDir():
		return enotdir
	case !source.node.isDir() && target.node.isDir():
		return eisdir
	case len(target.node.entries) > 0:
		return enotempty
	}
	return 0
}

// place puts a node at a free path and makes its parents.
func (d *disk) place(name string, leaf *node) bool {
	if d.makeDirs(path.Dir(name)) != 0 {
		return false
	}
	at, code := d.lookup(name, false)
	if code != enoent || at.inside == nil {
		return false
	}
	d.set(at.path, leaf)
	return true
}

// within reports whether a clean path is dir or lies below it.
func within(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

func splitPath(name string) []string {
	names := make([]string, 0, strings.Count(name, "/")+1)
	for part := range strings.SplitSeq(name, "/") {
		if part != "" && part != "." {
			names = append(names, part)
		}
	}
	return names
}

func joinNames(names []string) string {
	return "/" + strings.Join(names, "/")
}
