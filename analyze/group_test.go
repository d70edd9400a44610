package analyze

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcpg/behavior"
	"mcpg/calllog"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	calls := []*calllog.Call{
		{Server: "a", Tool: "x", Time: time.Date(2026, 1, 1, 23, 59, 0, 0, time.UTC)},
		{Server: "a", Tool: "x", Time: time.Date(2026, 1, 2, 0, 1, 0, 0, time.UTC), Outcome: calllog.Rejected, Cause: calllog.StateCause},
		{Server: "a", Tool: "y", Outcome: calllog.Rejected, Cause: calllog.Unclear},
		{Server: "b", Tool: "x", Session: "s", Outcome: calllog.Transport},
	}
	for by, want := range map[string]string{
		"tool":        `[x] 3/1/1 50 %, [y] 1/0/1 100 %`,
		"server,tool": `[a x] 2/1/1 50 %, [a y] 1/0/1 100 %, [b x] 1/0/0 0 %`,
		"day":         `[] 2/0/1 100 %, [2026-01-01] 1/1/0 0 %, [2026-01-02] 1/0/1 100 %`,
		"cause":       `[] 2/1/0 0 %, [state] 1/0/1 100 %, [unclear] 1/0/1 100 %`,
		"outcome":     `[ok] 1/1/0 0 %, [rejected] 2/0/2 100 %, [transport] 1/0/0 0 %`,
		"session":     `[] 3/1/2 67 %, [s] 1/0/0 0 %`,
	} {
		keys, err := ParseKeys(strings.Split(by, ","))
		if err != nil {
			t.Fatal(err)
		}
		g := NewGrouper(keys)
		for _, c := range calls {
			g.Add(c, nil)
		}
		got := ""
		for i, o := range g.Groups() {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%v %d/%d/%d %.0f %%", o.Values, o.Calls, o.OK, o.Rejected, 100*o.InvalidRate)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", by, got, want)
		}
	}
	if _, err := ParseKeys([]string{"colour"}); err == nil {
		t.Error("an unknown key was taken")
	}
}

// TestStates: ids and numbers with many values are no part of a state, whatever
// the order of the calls.
func TestStates(t *testing.T) {
	t.Parallel()
	type call struct {
		call *calllog.Call
		view *behavior.View
	}
	var calls []call
	for i := range 400 {
		state := behavior.NewState([]behavior.Feature{
			{Path: behavior.Path{Field: "status"}, Value: behavior.StringToken([]string{"open", "closed"}[i%2])},
			{Path: behavior.Path{Field: "owner"}, Value: behavior.StringToken("owner" + string(rune('a'+i%26)) + string(rune('a'+i/26)))},
			{Path: behavior.Path{Field: "size"}, Value: behavior.Number(float64(i))},
		}, nil)
		calls = append(calls, call{&calllog.Call{Server: "a", Tool: "x"}, &behavior.View{State: state}})
	}
	var want []Group
	for range 5 {
		g := NewGrouper([]Key{"state"})
		for _, c := range calls {
			g.Add(c.call, func() *behavior.View { return c.view })
		}
		got := g.Groups()
		if len(got) != 2 || got[0].Values[1] != "[status=closed]" || got[0].Calls != 200 || !reflect.DeepEqual(g.Keys(), []Key{"server", "state"}) {
			t.Fatalf("%v: %+v", g.Keys(), got)
		}
		if want != nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("another order gives %+v, not %+v", got, want)
		}
		want = got
		rand.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	}
}
