package hypothesis

import (
	"fmt"
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Max(1, want) {
		t.Errorf("%s: %.8g, want %.8g", what, got, want)
	}
}

// Reference values of R 4.3: fisher.test(matrix(c(3,1,1,3),2), alternative="greater"),
// fisher.test(matrix(c(10,2,3,15),2), "greater"), and binom.test for McNemar's exact test.
func TestReferenceValues(t *testing.T) {
	t.Parallel()
	near(t, "tea", Fisher(3, 1, 1, 3), 0.2428571429)
	near(t, "twins", Fisher(10, 3, 2, 15), 0.0004651809)
	near(t, "nothing", Fisher(0, 5, 0, 5), 1)
	near(t, "binom 1 of 9", McNemar(1, 8), 0.0390625)
	near(t, "binom 0 of 5", McNemar(5, 0), 0.0625)
	near(t, "no pair differs", McNemar(0, 0), 1)
	near(t, "even", McNemar(4, 4), 1)
}

// The mean of many equal clusters has the interval of the normal law.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	var cs []Cluster
	for i := range 200 {
		cs = append(cs, Cluster{Stratum: fmt.Sprint(i % 2), Sum: float64(i/2%2) * 2, N: 1}) // 0 or 2: mean 1, deviation 1
	}
	mean, lo, hi := Bootstrap(1, cs)
	near(t, "mean", mean, 1)
	if half := 1.96 / math.Sqrt(200); math.Abs(lo-(1-half)) > 0.02 || math.Abs(hi-(1+half)) > 0.02 {
		t.Errorf("[%.3f, %.3f], want 1 ± %.3f", lo, hi, half)
	}
	if m, l, h := Bootstrap(1, cs); m != mean || l != lo || h != hi {
		t.Error("the same seed gave another interval")
	}
	if m, l, h := Bootstrap(1, nil); m != 0 || l != 0 || h != 0 {
		t.Error("of nothing")
	}
	// What is the same in every cluster of a stratum has no spread.
	_, lo, hi = Bootstrap(2, []Cluster{{"a", 1, 1}, {"a", 1, 1}, {"b", -3, 1}, {"b", -3, 1}})
	near(t, "lo", lo, -1)
	near(t, "hi", hi, -1)
	if _, lo, hi = Bootstrap(2, []Cluster{{"a", 0, 1}, {"b", -3, 1}, {"c", -1, 1}}); lo >= hi {
		t.Errorf("[%g, %g] of three strata of one cluster", lo, hi)
	}
}
