package learn

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
		few     []float64 // what a is, if not anything
	}{
		"sum":            {invalid: func(a, b, s float64) bool { return a+s > 120 }, want: "args.a + tank.s >= 121"},
		"difference":     {invalid: func(a, b, s float64) bool { return s-a < -20 }, want: "args.a - tank.s >= 21"},
		"product":        {invalid: func(a, b, s float64) bool { return a*b > 2500 }, want: "args.a * args.b >= "},
		"product to":     {invalid: func(a, b, s float64) bool { return a*b > 20*s }, want: ""}, // a constant with a relation
		"product of all": {invalid: func(a, b, s float64) bool { return a*b > s*s }, want: ""},
		"sum to":         {invalid: func(a, b, s float64) bool { return a+b > s }, want: "args.a + args.b > tank.s"},
		"sum under":      {invalid: func(a, b, s float64) bool { return a+b < s }, want: "args.a + args.b < tank.s"},
		"multiples":      {invalid: func(a, b, s float64) bool { return int(a)%5 != 0 }, want: "args.a is no multiple of 5"},
		"several reasons": {invalid: func(a, b, s float64) bool { return a < 0 || a > 120 || int(a)%5 != 0 }, want: "args.a <= -5; args.a = 47; args.a >= 121",
			few: []float64{-5, 0, 40, 47, 55, 65, 120, 121}},
		"nothing": {invalid: func(a, b, s float64) bool { return int(a*7+b*3+s*11)%13 == 0 }, want: ""},
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
				if tt.few != nil {
					a = tt.few[r.IntN(len(tt.few))]
					c.Args = jsontext.Value(fmt.Sprintf(`{"a":%v,"b":%v}`, a, b))
				}
				if tt.invalid(a, b, s) {
					c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "no"
				}
				e.Add(c, adapter.Set(nil).View(c))
			}
			var all []string
			for _, c := range e.Induce().Tools[0].Guard.Conditions {
				all = append(all, c.String())
			}
			got := strings.Join(all, "; ")
			if len(got) < len(tt.want) || got[:len(tt.want)] != tt.want || tt.want == "" && got != "" {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
