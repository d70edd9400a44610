package rate

import (
	"math"
	"testing"
)

func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{{200, 200, 0.981, 1}, {0, 200, 0, 0.019}, {100, 200, 0.431, 0.569}, {0, 0, 0, 1}, {1, 10, 0.018, 0.404}} {
		lo, hi := Wilson(c.k, c.n)
		if d := lo - c.lo; d > 5e-4 || d < -5e-4 {
			t.Errorf("%d of %d: lower end %.4f, want %.3f", c.k, c.n, lo, c.lo)
		}
		if d := hi - c.hi; d > 5e-4 || d < -5e-4 {
			t.Errorf("%d of %d: upper end %.4f, want %.3f", c.k, c.n, hi, c.hi)
		}
	}
}

// TestDifference holds the interval against the examples of Newcombe's table II.
func TestDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k1, n1, k2, n2 int
		lo, hi         float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339}, {9, 10, 3, 10, 0.1705, 0.8090}, {10, 10, 0, 20, 0.6791, 1}, {10, 10, 0, 10, 0.6075, 1}, {0, 10, 0, 10, -0.2775, 0.2775},
	} {
		lo, hi := Difference(c.k1, c.n1, c.k2, c.n2)
		if math.Abs(lo-c.lo) > 1e-4 || math.Abs(hi-c.hi) > 1e-4 {
			t.Errorf("%+v: [%.4f, %.4f]", c, lo, hi)
		}
	}
}
