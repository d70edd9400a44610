package hypothesis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func outcomes(text string) []bool {
	var out []bool
	for _, r := range text {
		out = append(out, r == 'x')
	}
	return out
}

func TestHolm(t *testing.T) {
	// The example of R's p.adjust(c(0.01, 0.04, 0.03), "holm").
	got := Holm([]float64{0.01, 0.04, 0.03})
	for i, want := range []float64{0.03, 0.06, 0.06} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v, want 0.03 0.06 0.06", got)
		}
	}
}

func TestArrangements(t *testing.T) {
	for text, want := range map[string]float64{"..": 1, ".x": 2, "xx........": 45, "xxx.........": 220} {
		if got := Arrangements(Strata{outcomes(text)}); got != want {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
	if got := Arrangements(Strata{outcomes(".x"), outcomes("x..")}); got != 6 {
		t.Errorf("two strata: %g, want 6", got)
	}
}

// The exact chances, by counting.
func TestPermuteIsExact(t *testing.T) {
	y := Strata{outcomes("......xxxx")}
	at := [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	x := [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	for name, c := range map[string]struct {
		p, want float64
	}{
		"change: that or its mirror image": {Permute(1, y, Change(at)), 2. / 210},
		"rank":                             {Permute(1, y, Rank(x)), 1. / 210},
		"runs":                             {Permute(1, y, Runs), 2. / 210},
	} {
		if math.Abs(c.p-c.want) > 0.005 {
			t.Errorf("%s: %g, want about %g", name, c.p, c.want)
		}
	}
	if at := ChangeAt(at, y); at != 6 {
		t.Errorf("change at %d, want 6", at)
	}
}

func TestRanksOfTies(t *testing.T) {
	if got, want := ranked([]float64{2, 1, 2, 3}), []float64{2.5, 1, 2.5, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Where nothing is behind the outcomes, a p-value is below α in about a share of α.
func TestPermuteIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials, n = 400, 24
	below := map[string]int{}
	for trial := range trials {
		y, x, h, at := make([]bool, n), make([]float64, n), make([]int, n), make([]int, n)
		for i := range y {
			y[i], x[i], h[i], at[i] = rng.IntN(3) == 0, rng.Float64(), rng.IntN(6), i
		}
		s := Strata{y[:n/2], y[n/2:]}
		for name, stat := range map[string]func(Strata) float64{
			"rank":        Rank([][]float64{x[:n/2], x[n/2:]}),
			"information": Information([][]int{h[:n/2], h[n/2:]}),
			"change":      Change([][]int{at[:n/2], at[n/2:]}),
			"runs":        Runs,
		} {
			if Permute(uint64(trial), s, stat) <= 0.05 {
				below[name]++
			}
		}
	}
	for name, n := range below {
		if n > 36 { // mean 20, standard deviation 4.4
			t.Errorf("%s: p <= 0.05 in %d of %d trials of chance alone", name, n, trials)
		}
	}
}
