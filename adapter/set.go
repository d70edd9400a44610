package adapter

import (
	"fmt"
	"strings"

	"mcpg/behavior"
	"mcpg/calllog"
)

// Set is the adapters of a run.
type Set []*Adapter

// LoadSet loads adapters by name or path.
func LoadSet(names []string) (Set, error) {
	var s Set
	for _, n := range names {
		a, err := Load(n)
		if err != nil {
			return nil, err
		}
		if a.ServerID == "" && len(names) > 1 {
			return nil, fmt.Errorf("adapter %s: of several adapters each needs a server_id", n)
		}
		s = append(s, a)
	}
	return s, nil
}

// For finds the adapter of a server: the one of its name, upper case and _ and
// - aside; a single adapter serves every server that has no other. nil if none
// fits.
func (s Set) For(server string) *Adapter {
	for _, a := range s {
		if server != "" && fold(a.ServerID) == fold(server) {
			return a
		}
	}
	if len(s) == 1 {
		return s[0]
	}
	return nil
}

// View is the view of a call by the adapter of its server.
func (s Set) View(c *calllog.Call) *behavior.View { return s.For(c.Server).View(c) }

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
