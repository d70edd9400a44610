package bench

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
