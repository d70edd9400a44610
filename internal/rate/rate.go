// Package rate has the intervals of rates, and of their differences.
package rate

import "math"

// z95 is the two-sided 95 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Wilson is the 95 % score interval of a rate of k in n (E. B. Wilson, JASA 22,
// 1927); [0, 1] for n = 0.
func Wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	p, m := float64(k)/float64(n), float64(n)
	centre := p + z95*z95/(2*m)
	half := z95 * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m))
	d := 1 + z95*z95/m
	return max(0, (centre-half)/d), min(1, (centre+half)/d)
}

// Difference is the 95 % interval of k1/n1 - k2/n2, made of both score intervals
// (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10). n1 and n2 are
// positive.
func Difference(k1, n1, k2, n2 int) (lo, hi float64) {
	p1, p2 := float64(k1)/float64(n1), float64(k2)/float64(n2)
	l1, u1 := Wilson(k1, n1)
	l2, u2 := Wilson(k2, n2)
	d := p1 - p2
	return d - math.Hypot(p1-l1, u2-p2), d + math.Hypot(u1-p1, p2-l2)
}
