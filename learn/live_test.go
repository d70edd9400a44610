package learn

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
)

// TestLive: the guard that is kept up call by call is the one that is derived
// from all of them.
func TestLive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 9))
			var e Evidence
			for i := range 600 {
				c := anyCall(r, i)
				e.Add(c, adapter.Set(nil).View(c))
				if i%7 != 0 && i > 20 {
					continue
				}
				live, derived := e.Guard("", c.Tool, ""), e.Tool("", c.Tool, "").Guard
				for what, pair := range map[string][2]any{
					"allowed":  {allowedTexts(live), allowedTexts(derived)},
					"failures": {failureTexts(live), failureTexts(derived)},
					"clusters": {fmt.Sprint(live.Clusters), fmt.Sprint(derived.Clusters)},
					"wide":     {fmt.Sprint(live.Wide), fmt.Sprint(derived.Wide)},
				} {
					if !reflect.DeepEqual(pair[0], pair[1]) {
						t.Fatalf("after %d calls %s is\n%v\nwant\n%v", i+1, what, pair[0], pair[1])
					}
				}
				for range 5 {
					x := adapter.Set(nil).View(anyCall(r, i)).Features()
					if got, want := live.Classify(x), derived.Classify(x); got.Outcome != want.Outcome || len(got.By) != len(want.By) {
						t.Fatalf("after %d calls %s: %v, want %v", i+1, x, got, want)
					}
				}
			}
		})
	}
}

// anyCall draws a call whose state may be unread, partly read, or absent, with
// paths that come and go and one that becomes wide.
func anyCall(r *rand.Rand, i int) *calllog.Call {
	c := &calllog.Call{ID: fmt.Sprint("c", i), Session: fmt.Sprint("s", r.IntN(5)), Tool: []string{"a", "b"}[r.IntN(2)]}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	args := []string{fmt.Sprintf(`"n":%d`, r.IntN(6))}
	if r.IntN(3) > 0 {
		args = append(args, `"to":{"kind":"`+pick("x", "y")+`"}`)
	}
	c.Args = jsontext.Value("{" + strings.Join(args, ",") + "}")
	switch status := pick("open", "open", "closed", "held"); r.IntN(8) {
	case 0:
		c.Before = nil
	case 1:
		c.Before = jsontext.Value(`{"job":null,"user":{"busy":` + pick("true", "false") + `}}`)
	case 2:
		c.Before = jsontext.Value(`{"job":{"exists":false}}`)
	default:
		extra := ""
		if r.IntN(40) == 0 {
			extra = `,"note":{"kind":"` + pick("p", "q", "r") + `"}`
		}
		c.Before = jsontext.Value(fmt.Sprintf(`{"job":{"status":%q,"level":%d,"label":"l%s"%s},"user":{"busy":%s}}`, status, r.IntN(4), strings.Repeat("i", i/4), extra, pick("true", "false", "null")))
		if status == "closed" || r.IntN(15) == 0 {
			c.Outcome, c.ErrorText = calllog.Rejected, pick("is closed", "can't")
			c.Cause = []calllog.Cause{calllog.Unclear, calllog.ArgumentCause, calllog.StateCause}[r.IntN(3)]
		}
	}
	if c.Before == nil && r.IntN(2) == 0 {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "no"
	}
	return c
}

func allowedTexts(g *behavior.Guard) []string {
	var out []string
	for _, a := range g.Allowed {
		out = append(out, fmt.Sprint(*a))
	}
	return out
}

func failureTexts(g *behavior.Guard) []string {
	var out []string
	for _, f := range g.Failures {
		out = append(out, fmt.Sprint(f))
	}
	return out
}
