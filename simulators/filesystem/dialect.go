package filesystem

import (
	"fmt"
	"maps"
	"slices"
)

// DefaultVersion is the server that a World without a version gets.
const DefaultVersion = "2026.8.31"

// dialect is what sets one version of the server apart from another. The
// tools that the versions list are the same.
type dialect struct {
	// nearestAncestor resolves a path that does not exist from its nearest
	// existing directory, so that its parents may be missing too. Without it
	// the parent has to exist.
	nearestAncestor bool
	// keepsDestination refuses a move onto something that exists.
	keepsDestination bool
	// refusesDrives refuses paths that begin with a drive letter.
	refusesDrives bool
	// wholeText decodes a file before it counts lines. Without it, every 1 KiB
	// is decoded alone, and a character on the boundary is lost.
	wholeText bool
}

var dialects = map[string]*dialect{
	"2026.8.31": {nearestAncestor: true, keepsDestination: true, refusesDrives: true, wholeText: true},
	"2026.7.10": {},
}

func dialectOf(version string) (*dialect, error) {
	if version == "" {
		version = DefaultVersion
	}
	d, known := dialects[version]
	if !known {
		return nil, fmt.Errorf("version %q: want one of %v", version, slices.Sorted(maps.Keys(dialects)))
	}
	return d, nil
}
