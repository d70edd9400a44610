package adapter

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// ParseSet reads what String writes; "" is no adapter.
func ParseSet(text string) (Set, error) {
	if text == "" {
		return nil, nil
	}
	var docs []jsontext.Value
	if err := json.Unmarshal([]byte(text), &docs); err != nil {
		return nil, err
	}
	var s Set
	for _, d := range docs {
		a, err := Parse(d)
		if err != nil {
			return nil, err
		}
		s = append(s, a)
	}
	return s, nil
}

// String is the adapters' documents as one JSON list, the same however often it was
// read and written; "" without one.
func (s Set) String() string {
	if len(s) == 0 {
		return ""
	}
	docs := make([][]byte, len(s))
	for i, a := range s {
		docs[i] = bytes.TrimSpace(a.Source())
	}
	return "[" + string(bytes.Join(docs, []byte(","))) + "]"
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
