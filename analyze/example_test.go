package analyze_test

import (
	"fmt"

	"mcpg/analyze"
	"mcpg/calllog"
)

func Example() {
	var n analyze.Counter
	for i := range 400 {
		c := &calllog.Call{Session: fmt.Sprint(i / 10), Server: "desk", Tool: "close_ticket"}
		if i%10 == 0 {
			c.Outcome, c.Cause = calllog.Rejected, calllog.StateCause
		}
		n.Add(c)
	}
	stats := n.Stats()
	fmt.Println(stats.Calls, "calls in", stats.Sessions, "sessions, invalid:", stats.InvalidRate)

	var limits []analyze.Limit
	for _, s := range []string{"invalid_call_rate=20%", "invalid_call_rate@close_ticket=5%"} {
		l, err := analyze.ParseLimit(s, false)
		if err != nil {
			fmt.Println(err)
			return
		}
		limits = append(limits, l)
	}
	for i, c := range analyze.Check(limits, stats, nil, analyze.MinChecked).Checks {
		fmt.Println(limits[i].String(), "failed:", c.Failed)
	}
	// Output:
	// 400 calls in 40 sessions, invalid: 0.1
	// invalid_call_rate failed: false
	// invalid_call_rate of close_ticket failed: true
}
