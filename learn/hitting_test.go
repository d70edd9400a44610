package learn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mcpg/behavior"
)

func token(name string) behavior.Atom {
	return behavior.Atom{Path: behavior.Path{Field: name}, Op: behavior.Not, Token: "x"}
}

// TestMinimumHittingSets compares with the enumeration of all subsets.
func TestMinimumHittingSets(t *testing.T) {
	t.Parallel()
	const atoms = 8
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 9))
		var sets []behavior.Violation
		var masks []int
		for range 1 + r.IntN(6) {
			mask := 1 + r.IntN(1<<atoms-1)
			var v behavior.Violation
			for i := range atoms {
				if mask>>i&1 == 1 {
					v = append(v, token(fmt.Sprint("a", i)))
				}
			}
			sets, masks = append(sets, v), append(masks, mask)
		}
		best, want := atoms+1, map[int]bool{}
		for g := range 1 << atoms {
			hits := true
			for _, m := range masks {
				hits = hits && g&m != 0
			}
			n := 0
			for b := g; b != 0; b &= b - 1 {
				n++
			}
			switch {
			case !hits || n > best:
			case n < best:
				best, want = n, map[int]bool{g: true}
			default:
				want[g] = true
			}
		}
		got, bounded := minimalGuards(sets)
		if bounded || len(got) != min(len(want), maxGuards) {
			t.Fatalf("seed %d: %d guards, want %d of size %d", seed, len(got), len(want), best)
		}
		for _, v := range got {
			g := 0
			for _, a := range v {
				g |= 1 << int(a.Path.Field[1]-'0')
			}
			if !want[g] {
				t.Fatalf("seed %d: %s is no minimum hitting set", seed, v)
			}
		}
	}
}

func TestThresholdsAreWidened(t *testing.T) {
	t.Parallel()
	p := behavior.Path{Role: behavior.ArgsRole, Field: "n"}
	sets := []behavior.Violation{
		{{Path: p, Op: behavior.AtLeast, Lo: 1, Hi: 5}},
		{{Path: p, Op: behavior.AtLeast, Lo: 3, Hi: 5}},
	}
	got, _ := minimalGuards(sets)
	if len(got) != 1 || got[0].String() != "args.n >= threshold in (3, 5]" {
		t.Errorf("%v", got)
	}
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	var sets []behavior.Violation
	for range 60 {
		var v behavior.Violation
		for _, i := range r.Perm(60)[:6] {
			v = append(v, token(fmt.Sprintf("a%02d", i)))
		}
		sets = append(sets, v)
	}
	if got, bounded := minimalGuards(sets); !bounded || len(got) == 0 {
		t.Errorf("%d guards, bounded %v", len(got), bounded)
	}
}
