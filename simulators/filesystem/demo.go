package filesystem

import (
	_ "embed"
	"fmt"
)

//go:embed demo.json
var demo []byte

// Demo is a small world to play with: a project's folder.
func Demo() World {
	w, err := ParseWorld(demo)
	if err != nil {
		panic(fmt.Sprintf("filesystem: demo.json: %v", err))
	}
	return w
}
