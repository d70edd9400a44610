package release

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/jsonerr"
)

// World is the state that a server starts from.
type World struct {
	Releases map[string]Release `json:"releases"`
	Channels map[string]Channel `json:"channels"`
	Freeze   *Freeze            `json:"freeze,omitzero"`
	Flaky    float64            `json:"flaky,omitzero"` // chance that a valid publish is refused
	Flip     bool               `json:"flip,omitzero"`  // the first valid publish is refused, the second not, and so on
	Actor    []Write            `json:"actor,omitzero"`
	Drift    *Drift             `json:"drift,omitzero"`
}

// Release is one release.
type Release struct {
	Status      string   `json:"status"` // DRAFT, PUBLISHED or ARCHIVED
	TestsPassed bool     `json:"tests_passed"`
	ApprovedBy  []string `json:"approved_by"`
	DependsOn   string   `json:"depends_on,omitzero"`
	Channel     string   `json:"channel"`
	Notes       string   `json:"notes,omitzero"`
	Revision    int      `json:"revision"`
	Comments    []string `json:"comments,omitzero"`
}

// Channel is where releases are published.
type Channel struct {
	Locked   bool   `json:"locked"`
	LockedBy string `json:"locked_by,omitzero"`
}

// Freeze is hidden: from attempt From to before attempt Until nothing can be
// published.
type Freeze struct {
	From  int `json:"from"`
	Until int `json:"until"`
}

// Write is one thing that another actor does: at an attempt, or in a race,
// between the reading and the first call of the named tool.
type Write struct {
	At      int            `json:"at,omitzero"`
	Race    string         `json:"race,omitzero"`
	Release string         `json:"release,omitzero"`
	Channel string         `json:"channel,omitzero"`
	Field   string         `json:"field"`
	Value   jsontext.Value `json:"value"`
}

// Drift changes the server's rules from attempt At on.
type Drift struct {
	At int    `json:"at"`
	To string `json:"to"`
}

// The rules that a drift can bring.
const (
	Strict  = "strict"  // publishing also needs notes
	Swap    = "swap"    // publishing needs notes instead of tests
	Lenient = "lenient" // publishing no longer needs tests; its schema says so
	Direct  = "direct"  // a draft may be archived; the schema of archive_release changes
)

// ParseWorld reads a World and checks it; a member that it doesn't know is an
// error.
func ParseWorld(v jsontext.Value) (World, error) {
	var w World
	if err := json.Unmarshal(v, &w, json.RejectUnknownMembers(true)); err != nil {
		return World{}, fmt.Errorf("release world: %w", jsonerr.Plain(err))
	}
	return w, w.check()
}

func (w *World) check() error {
	if err := w.checkReleases(); err != nil {
		return err
	}
	if w.Drift != nil && !slices.Contains([]string{Strict, Swap, Lenient, Direct}, w.Drift.To) {
		return fmt.Errorf("drift to %q: want %s, %s, %s or %s", w.Drift.To, Strict, Swap, Lenient, Direct)
	}
	probe := &Server{world: w.clone()}
	for _, a := range w.Actor {
		if _, ok := verbs[a.Race]; a.Race != "" && !ok {
			return fmt.Errorf("actor: race with unknown tool %q", a.Race)
		}
		if err := cmp.Or(probe.write(a), probe.world.checkReleases()); err != nil {
			return fmt.Errorf("actor: %w", err)
		}
	}
	return nil
}

func (w *World) checkReleases() error {
	for _, id := range slices.Sorted(maps.Keys(w.Releases)) {
		r := w.Releases[id]
		if !slices.Contains([]string{draft, published, archived}, r.Status) {
			return fmt.Errorf("release %s: status %q", id, r.Status)
		}
		if _, ok := w.Channels[r.Channel]; !ok {
			return fmt.Errorf("release %s: unknown channel %q", id, r.Channel)
		}
	}
	return nil
}

func (w *World) clone() World {
	c := *w
	c.Releases = maps.Clone(w.Releases) // the lists in a Release are replaced, never changed
	c.Channels = maps.Clone(w.Channels)
	if c.Releases == nil {
		c.Releases = map[string]Release{}
	}
	if c.Channels == nil {
		c.Channels = map[string]Channel{}
	}
	return c
}
