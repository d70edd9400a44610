package learn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
)

// TestArithmetic: numbers that no single one and no relation parts.
func TestArithmetic(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		invalid func(a, b, s float64) bool // a and b are arguments, s stands in the state
		want    string
	}{
		"sum":            {func(a, b, s float64) bool { return a+s > 120 }, "args.a + tank.s >= 121"},
		"difference":     {func(a, b, s float64) bool { return s-a < -20 }, "args.a - tank.s >= 21"},
		"product":        {func(a, b, s float64) bool { return a*b > 2500 }, "args.a * args.b >= "},
		"product to":     {func(a, b, s float64) bool { return a*b > 20*s }, ""}, // a constant with a relation
		"product of all": {func(a, b, s float64) bool { return a*b > s*s }, ""},
		"sum to":         {func(a, b, s float64) bool { return a+b > s }, "args.a + args.b > tank.s"},
		"sum under":      {func(a, b, s float64) bool { return a+b < s }, "args.a + args.b < tank.s"},
		"multiples":      {func(a, b, s float64) bool { return int(a)%5 != 0 }, "args.a is no multiple of 5"},
		"nothing":        {func(a, b, s float64) bool { return int(a*7+b*3+s*11)%13 == 0 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, 7))
			var e Evidence
			for i := range 2000 {
				a, b, s := float64(r.IntN(100)), float64(r.IntN(100)), float64(r.IntN(100))
				c := &calllog.Call{ID: fmt.Sprint("c", i), Session: fmt.Sprint("s", i), Tool: "fill",
					Args:   jsontext.Value(fmt.Sprintf(`{"a":%v,"b":%v}`, a, b)),
					Before: jsontext.Value(fmt.Sprintf(`{"tank":{"s":%v}}`, s))}
				if tt.invalid(a, b, s) {
					c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "no"
				}
				e.Add(c, adapter.Set(nil).View(c))
			}
			got := ""
			for _, c := range e.Induce().Tools[0].Guard.Conditions {
				got = c.String()
			}
			if len(got) < len(tt.want) || got[:len(tt.want)] != tt.want || tt.want == "" && got != "" {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
