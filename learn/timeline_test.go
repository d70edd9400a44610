package learn

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mcpg/calllog"
)

// TestTimelinesMerge: parts merged in any order keep what the whole keeps, also
// where there is more than is kept.
func TestTimelinesMerge(t *testing.T) {
	t.Parallel()
	tool := &toolEvidence{key: toolKey{name: "edit"}}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		type call struct {
			session uint64
			h       happening
		}
		var calls []call
		for range 60 * maxTimeline / 16 {
			session := Session(fmt.Sprint(rng.IntN(40)))
			if seed%3 == 0 && rng.IntN(3) > 0 {
				session = 1 // one that is the first, and too long
			}
			calls = append(calls, call{session, happening{rng.Int64N(1 << 30), 0, rng.Uint64(), rng.Uint64(), &Slot{t: tool, outcome: calllog.OK}}})
		}
		kept := func(n int) (map[uint64][]happening, uint64) {
			parts := make([]timelines, n)
			for _, i := range rng.Perm(len(calls)) {
				parts[rng.IntN(n)].add(calls[i].session, calls[i].h)
			}
			var all timelines
			for i := range parts {
				all.merge(&parts[i], func(s *Slot) *Slot { return s })
			}
			all.settle()
			for _, s := range all.sessions {
				slices.SortFunc(s, func(a, b happening) int { return a.compare(&b) })
			}
			return all.sessions, all.from
		}
		want, from := kept(1)
		n := 0
		for _, s := range want {
			n += len(s)
		}
		if n > maxTimeline || n < maxTimeline/2 && from == 0 {
			t.Fatalf("seed %d: %d calls are kept of %d", seed, n, len(calls))
		}
		for _, parts := range []int{2, 5} {
			if got, f := kept(parts); f != from || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %d parts keep other calls", seed, parts)
			}
		}
	}
}
