package release

import (
	"fmt"
	"math/rand/v2"
)

// Sample is a world with releases in many states, another one for each seed.
func Sample(seed uint64) World {
	r := rand.New(rand.NewPCG(seed, 31))
	w := World{Releases: map[string]Release{}, Channels: map[string]Channel{
		"stable": {}, "beta": {Locked: true, LockedBy: "ops"}, "edge": {},
	}}
	reviewers := []string{"ann", "bob", "eve"}
	for i := range 8 {
		rel := Release{Status: []string{draft, draft, published, archived}[r.IntN(4)], TestsPassed: r.IntN(2) == 0, ApprovedBy: []string{},
			Channel: []string{"stable", "beta", "edge"}[r.IntN(3)], Revision: r.IntN(4)}
		rel.ApprovedBy = append(rel.ApprovedBy, reviewers[:r.IntN(len(reviewers)+1)]...)
		if i > 0 && r.IntN(2) == 0 {
			rel.DependsOn = fmt.Sprint("app-", r.IntN(i))
		}
		if r.IntN(2) == 0 {
			rel.Notes = "fixes"
		}
		w.Releases[fmt.Sprint("app-", i)] = rel
	}
	return w
}
