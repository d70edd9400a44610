package release

import (
	_ "embed"
	"fmt"
)

//go:embed demo.json
var demo []byte

// Demo is a small world to play with: a release that can be published, one that
// lacks tests, approvals and its dependency, and one whose channel is locked.
func Demo() World {
	w, err := ParseWorld(demo)
	if err != nil {
		panic(fmt.Sprintf("release: demo.json: %v", err))
	}
	return w
}
