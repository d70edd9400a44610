package engine

import (
	"math/rand/v2"
	"testing"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

// Whatever value comes, one of the regions makes the same leaves true.
func TestRegions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	pool := []string{`0`, `1`, `2`, `2.5`, `-3`, `1e3`, `9007199254740993`, `123456789012345678901234567890`, `true`, `false`, `null`,
		`""`, `"a"`, `"ab"`, `"b"`, `"a\u0000"`, `"text"`, `[]`, `[1]`, `[null]`, `0.1`, `0.2`, `1.5`, `"zz"`, `"é"`}
	ops := []string{"eq", "neq", "gt", "gte", "lt", "lte", "in", "exists"}
	for range 3000 {
		var ps []*mcptree.Predicate
		for range 1 + r.IntN(4) {
			p := &mcptree.Predicate{Op: ops[r.IntN(len(ops))], Operand: parse(t, pool[r.IntN(len(pool))])}
			if p.Op == "in" && r.IntN(2) == 0 {
				p.Operand = value.OfList(p.Operand, parse(t, pool[r.IntN(len(pool))]))
			}
			ps = append(ps, p)
		}
		vs, complete := Regions(ps)
		if !complete {
			continue
		}
		truth := func(v value.Value) (bits int) {
			for i, p := range ps {
				if Matches(p, v, true) {
					bits |= 1 << i
				}
			}
			return bits
		}
		seen := map[int]bool{}
		for _, v := range vs {
			seen[truth(v)] = true
		}
		for range 40 {
			v := parse(t, pool[r.IntN(len(pool))])
			switch v.Kind {
			case value.Int:
				v = value.OfFloat(float64(v.Int) + r.Float64()*4 - 2)
			case value.String:
				v.Str += string(rune(r.IntN(128)))
			}
			if r.IntN(3) == 0 {
				v = parse(t, pool[r.IntN(len(pool))])
			}
			if !seen[truth(v)] {
				t.Fatalf("nothing stands for %s", value.AppendJSON(nil, v))
			}
		}
	}
}
