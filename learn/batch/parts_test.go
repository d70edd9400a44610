package batch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// TestParts: evidence of any split of the calls, taken apart, written, read and put
// together in any order, gives the model of the whole, also where sessions are left
// out and paths are wide.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"few": 400, "more than timelines hold": 60_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(11, uint64(n)))
			calls := someCalls(r, n)
			for i, c := range calls {
				c.Session = fmt.Sprint("s", r.IntN(1+n/30))
				switch i % 40 {
				case 0:
					c.Outcome, c.Cause, c.ErrorText = calllog.Transport, 0, "gone"
				case 1:
					c.Before = jsontext.Value(fmt.Sprintf(`{"ticket":{"status":"open","owner":"u%d","level":1}}`, i))
				}
			}
			want := modelOf(t, calls)
			parts := make([]learn.Evidence, 5)
			for _, c := range calls {
				parts[r.IntN(len(parts))].Add(c, nilView(c))
			}
			merged := map[uint64]*learn.Evidence{}
			for i := range parts {
				for key, g := range parts[i].Parts() {
					b, err := g.MarshalEvidence()
					if err != nil {
						t.Fatal(err)
					}
					read, err := behavior.UnmarshalEvidence(b)
					if err != nil {
						t.Fatal(err)
					}
					if merged[key] == nil {
						merged[key] = &learn.Evidence{}
					}
					merged[key].Merge(learn.FromGraph(read))
				}
			}
			if len(merged) < 100 {
				t.Fatalf("%d pieces", len(merged))
			}
			var halves [2]learn.Evidence
			for _, e := range merged {
				halves[r.IntN(2)].Merge(e)
			}
			halves[0].Merge(&halves[1])
			if got := model(t, &halves[0]); got != want {
				t.Error("another model")
			}
		})
	}
}

func modelOf(t *testing.T, calls []*calllog.Call) string {
	var e learn.Evidence
	for _, c := range calls {
		e.Add(c, nilView(c))
	}
	return model(t, &e)
}
