package filesystem

import (
	"fmt"
	"math/rand/v2"
)

// Sample is a world of files and directories, another one for each seed.
func Sample(seed uint64) World {
	r := rand.New(rand.NewPCG(seed, 37))
	w := World{Root: "/srv/files", Dirs: []string{"empty"}, Files: map[string]string{}}
	for i := range 6 {
		name := fmt.Sprintf("%s%d.txt", []string{"", "notes/", "src/lib/"}[r.IntN(3)], i)
		w.Files[name] = []string{"one\ntwo\n", "name: app\n", ""}[r.IntN(3)]
	}
	return w
}

// Paths lists the paths of a world's files and directories, absolute, and some where
// nothing is.
func (w World) Paths() []string {
	var out []string
	add := func(name string) { out = append(out, w.Root+"/"+name) }
	for _, d := range w.Dirs {
		add(d)
		add(d + "/new.txt")
	}
	for f := range w.Files {
		add(f)
		add(f + ".bak")
	}
	add("new")
	add("gone/new.txt")
	return append(out, w.Root, "/etc/passwd")
}
