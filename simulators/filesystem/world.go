package filesystem

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/jsonerr"
)

// World is what a Server starts from. Paths are absolute or relative to Root;
// the parents of what is named exist without being named. Paths outside Root
// are allowed, so that a link can lead to something there.
type World struct {
	Version string            `json:"version,omitzero"` // DefaultVersion where empty
	Root    string            `json:"root"`             // the one allowed directory
	Dirs    []string          `json:"dirs,omitzero"`
	Files   map[string]string `json:"files,omitzero"`
	Binary  map[string][]byte `json:"binary,omitzero"` // base64 in JSON
	Links   map[string]string `json:"links,omitzero"`  // symbolic link to target
	Quota   *Quota            `json:"quota,omitzero"`
	Actor   []Action          `json:"actor,omitzero"`
	Drift   *Drift            `json:"drift,omitzero"`
}

// Quota is a full disk that no tool shows: before step Until nothing can be
// written.
type Quota struct {
	Until int `json:"until"`
}

// Action is one write of another process, made once: when step At is reached,
// or, where Race names a tool, right before that tool runs. With both, the
// race waits until step At.
type Action struct {
	At      *int   `json:"at,omitzero"`
	Race    string `json:"race,omitzero"`
	Op      string `json:"op"` // remove, write, move or mkdir
	Path    string `json:"path"`
	To      string `json:"to,omitzero"`
	Content string `json:"content,omitzero"`
}

// Drift makes the server behave as Version from step At on.
type Drift struct {
	At      int    `json:"at"`
	Version string `json:"version"`
}

// ParseWorld reads a world from JSON. Unknown members are an error.
func ParseWorld(raw jsontext.Value) (World, error) {
	var w World
	if err := json.Unmarshal(raw, &w, json.RejectUnknownMembers(true)); err != nil {
		return World{}, fmt.Errorf("filesystem world: %w", jsonerr.Plain(err))
	}
	return w, nil
}

// check reports the first fault of a world that does not depend on its files.
func (w World) check() error {
	if !strings.HasPrefix(w.Root, "/") {
		return fmt.Errorf("root %q: want an absolute path", w.Root)
	}
	if _, err := dialectOf(w.Version); err != nil {
		return err
	}
	if w.Drift != nil {
		if _, err := dialectOf(w.Drift.Version); err != nil {
			return fmt.Errorf("drift: %w", err)
		}
	}
	for i, a := range w.Actor {
		if err := a.check(); err != nil {
			return fmt.Errorf("actor %d: %w", i, err)
		}
	}
	return nil
}

func (a Action) check() error {
	if !slices.Contains([]string{"remove", "write", "move", "mkdir"}, a.Op) {
		return fmt.Errorf("op %q: want remove, write, move or mkdir", a.Op)
	}
	if a.Path == "" {
		return fmt.Errorf("op %s: no path", a.Op)
	}
	if (a.To != "") != (a.Op == "move") {
		return fmt.Errorf("op %s: a move, and only a move, has a to", a.Op)
	}
	if a.At == nil && a.Race == "" {
		return fmt.Errorf("op %s: want an at or a race", a.Op)
	}
	if _, known := verbs[a.Race]; a.Race != "" && !known {
		return fmt.Errorf("race %q: no such tool", a.Race)
	}
	return nil
}

// normalized returns the world with absolute paths and its actions in the
// order in which they are made.
func (w World) normalized() World {
	w.Root = path.Clean(w.Root)
	w.Actor = slices.Clone(w.Actor)
	for i := range w.Actor {
		a := &w.Actor[i]
		a.Path = w.absolute(a.Path)
		if a.To != "" {
			a.To = w.absolute(a.To)
		}
	}
	slices.SortStableFunc(w.Actor, func(a, b Action) int { return cmp.Compare(a.from(), b.from()) })
	return w
}

// from is the first step at which an action can be made.
func (a Action) from() int {
	if a.At == nil {
		return 0
	}
	return *a.At
}

// disk lays the world's files out.
func (w World) disk() (disk, error) {
	d := disk{root: newDir(0)}
	if d.makeDirs(path.Clean(w.Root)) != 0 {
		return disk{}, fmt.Errorf("root %q: cannot be made", w.Root)
	}
	for _, name := range w.Dirs {
		if d.makeDirs(w.absolute(name)) != 0 {
			return disk{}, fmt.Errorf("dirs: %q cannot be made", name)
		}
	}
	for _, group := range []struct {
		member string
		nodes  map[string]*node
	}{
		{"files", mapped(w.Files, func(text string) *node { return newFile(text, 0) })},
		{"binary", mapped(w.Binary, func(data []byte) *node { return newFile(string(data), 0) })},
		{"links", mapped(w.Links, func(target string) *node { return newLink(target, 0) })},
	} {
		for _, name := range slices.Sorted(maps.Keys(group.nodes)) {
			if !d.place(w.absolute(name), group.nodes[name]) {
				return disk{}, fmt.Errorf("%s: %q cannot be made, something else is in its place", group.member, name)
			}
		}
	}
	return d, nil
}

func mapped[V any](from map[string]V, to func(V) *node) map[string]*node {
	nodes := make(map[string]*node, len(from))
	for name, v := range from {
		nodes[name] = to(v)
	}
	return nodes
}

// absolute resolves a path as written in a world or in a call.
func (w World) absolute(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(w.Root, name)
}
