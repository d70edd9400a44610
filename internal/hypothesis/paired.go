package hypothesis

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Fisher is Fisher's exact test, one-sided: the chance of a table with a, or more,
// failures of the first group, if failures and groups have nothing to do with each
// other. a and b are the first group's failures and successes, c and d the second's.
func Fisher(a, b, c, d int) float64 {
	n, failed, group := a+b+c+d, a+c, a+b
	p := 0.0
	for k := a; k <= min(failed, group); k++ {
		if group-k <= n-failed {
			p += math.Exp(logChoose(failed, k) + logChoose(n-failed, group-k) - logChoose(n, group))
		}
	}
	return math.Min(1, p)
}

// McNemar is the exact test of paired yes and no, two-sided: of the pairs that differ,
// gained and lost, either is as likely if nothing is behind them.
func McNemar(gained, lost int) float64 {
	n := gained + lost
	p := 0.0
	for k := range min(gained, lost) + 1 {
		p += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
	}
	return math.Min(1, 2*p)
}

// Cluster is pairs that belong together, as the tasks of one template do: the sum of
// their differences, and how many they are.
type Cluster struct {
	Stratum string
	Sum     float64
	N       int
}

// resamples of a bootstrap.
const resamples = 10_000

// Bootstrap is the mean difference of paired tasks with its 95 % interval: percentiles of
// means over clusters drawn again within their strata; over all clusters, where every
// stratum has but one. It is the same for the same seed.
func Bootstrap(seed uint64, clusters []Cluster) (mean, lo, hi float64) {
	strata := map[string][]Cluster{}
	var names []string
	sum, n := 0.0, 0
	for _, c := range clusters {
		if strata[c.Stratum] == nil {
			names = append(names, c.Stratum)
		}
		strata[c.Stratum] = append(strata[c.Stratum], c)
		sum += c.Sum
		n += c.N
	}
	if n == 0 {
		return 0, 0, 0
	}
	if len(names) == len(clusters) && len(names) > 1 { // of one cluster each nothing can be drawn
		strata, names = map[string][]Cluster{"": clusters}, []string{""}
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(seed, 0x626f6f74))
	means := make([]float64, resamples)
	for i := range means {
		s, k := 0.0, 0
		for _, name := range names {
			of := strata[name]
			for range of {
				c := of[rng.IntN(len(of))]
				s += c.Sum
				k += c.N
			}
		}
		means[i] = s / float64(k)
	}
	slices.Sort(means)
	at := func(q float64) float64 { return means[int(q*float64(resamples-1)+0.5)] }
	return sum / float64(n), at(0.025), at(0.975)
}
