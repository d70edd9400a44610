// Package hypothesis holds the statistical tests behind a contradiction's cause:
// does what two outcomes differ in explain them, or would chance? Every test
// permutes outcomes within strata, so that it needs no large samples and pools
// strata without mixing them. The method is that of Besag and Clifford,
// "Sequential Monte Carlo p-values", Biometrika 78 (1991).
package hypothesis

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Strata are the outcomes of comparable calls, a list a stratum, true for a
// failure. Where order matters they are in the order of time.
type Strata [][]bool

// How many permutations a p-value rests on: all of them where it is small, fewer
// where enough exceed what was seen.
const (
	permutations = 9999
	enough       = 40
)

// Smallest is the least p-value that Permute gives.
const Smallest = 1.0 / (permutations + 1)

// Permute is the chance that the statistic is as large as for the outcomes seen
// if they stood in any other order within their strata. It is the same for the
// same seed.
func Permute(seed uint64, seen Strata, statistic func(Strata) float64) float64 {
	const tolerance = 1e-9 // sums of floats in another order
	least := statistic(seen) - tolerance
	rng := rand.New(rand.NewPCG(seed, 0x6d637067))
	y := make(Strata, len(seen))
	for i := range seen {
		y[i] = slices.Clone(seen[i])
	}
	exceed := 0
	for n := 1; n <= permutations; n++ {
		for _, s := range y {
			rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		}
		if statistic(y) >= least {
			exceed++
		}
		if exceed == enough {
			return float64(exceed) / float64(n)
		}
	}
	return float64(exceed+1) / (permutations + 1)
}

// Arrangements is in how many ways the outcomes could stand within their strata,
// at most 1e18: one in so many is the least p-value that any test can reach.
func Arrangements(s Strata) float64 {
	const most = 1e18
	log := 0.0
	for _, y := range s {
		f := 0
		for _, failed := range y {
			if failed {
				f++
			}
		}
		log += logChoose(len(y), f)
	}
	return math.Min(most, math.Round(math.Exp(math.Min(log, math.Log(most)))))
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Rank is a statistic: the sum of the ranks of x among failures, less what it is
// on average (Mann and Whitney's U). It is large where failures have larger x.
func Rank(x [][]float64) func(Strata) float64 {
	ranks := make([][]float64, len(x))
	for i := range x {
		ranks[i] = ranked(x[i])
	}
	return func(s Strata) float64 {
		sum := 0.0
		for i, y := range s {
			mean := float64(len(y)+1) / 2
			for j, failed := range y {
				if failed {
					sum += ranks[i][j] - mean
				}
			}
		}
		return sum
	}
}

// ranked gives ranks from 1, equal values their mean rank.
func ranked(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// Information is a statistic: how much a symbol tells of the outcome within its
// stratum, in nats times calls (half the likelihood ratio statistic G). Symbols
// count from 0 in each stratum.
func Information(symbols [][]int) func(Strata) float64 {
	tables := make([][][2]int, len(symbols))
	for i, hs := range symbols {
		n := 0
		for _, h := range hs {
			n = max(n, h+1)
		}
		tables[i] = make([][2]int, n)
	}
	return func(s Strata) float64 {
		sum := 0.0
		for i, y := range s {
			clear(tables[i])
			var all [2]int
			for j, failed := range y {
				k := 0
				if failed {
					k = 1
				}
				tables[i][symbols[i][j]][k]++
				all[k]++
			}
			sum -= entropy(all)
			for _, t := range tables[i] {
				sum += entropy(t)
			}
		}
		return sum
	}
}

// entropy is -n·H of two counts.
func entropy(n [2]int) float64 { return logs.of(n[0]) + logs.of(n[1]) - logs.of(n[0]+n[1]) }

// nlogn holds n·log n of small numbers.
type nlogn []float64

var logs = func() nlogn {
	t := make(nlogn, 1024)
	for n := range t[1:] {
		t[n+1] = float64(n+1) * math.Log(float64(n+1))
	}
	return t
}()

func (t nlogn) of(n int) float64 {
	if n < len(t) {
		return t[n]
	}
	return float64(n) * math.Log(float64(n))
}

// Change is a statistic: how much likelier the outcomes are if the share of
// failures is another one from some time on, at best over that time, which all
// strata share (the generalised likelihood ratio). at holds for each stratum the
// places of its calls in the order of all calls, ascending.
func Change(at [][]int) func(Strata) float64 {
	c := newChanges(at)
	return func(s Strata) float64 { best, _ := c.best(s); return best }
}

// ChangeAt is the place before which the change is likeliest: the first one of
// the new share.
func ChangeAt(at [][]int, s Strata) int { _, place := newChanges(at).best(s); return place }

type event struct{ place, stratum, index int }

// changes is what the search for a change needs again and again.
type changes struct {
	events       []event
	left, right  [][2]int
	value, whole []float64
}

func newChanges(at [][]int) *changes {
	c := &changes{left: make([][2]int, len(at)), right: make([][2]int, len(at)), value: make([]float64, len(at)), whole: make([]float64, len(at))}
	for i := range at {
		for j, p := range at[i] {
			c.events = append(c.events, event{p, i, j})
		}
	}
	slices.SortFunc(c.events, func(a, b event) int { return cmp.Compare(a.place, b.place) })
	return c
}

func (c *changes) best(s Strata) (best float64, place int) {
	clear(c.left)
	clear(c.right)
	clear(c.value)
	for i, y := range s {
		for _, failed := range y {
			c.right[i][side(failed)]++
		}
		c.whole[i] = entropy(c.right[i])
	}
	total := 0.0
	for n, e := range c.events {
		k := side(s[e.stratum][e.index])
		left, right := &c.left[e.stratum], &c.right[e.stratum]
		left[k]++
		right[k]--
		total -= c.value[e.stratum]
		c.value[e.stratum] = entropy(*left) + entropy(*right) - c.whole[e.stratum]
		total += c.value[e.stratum]
		if n+1 < len(c.events) && total > best {
			best, place = total, c.events[n+1].place
		}
	}
	return best, place
}

func side(failed bool) int {
	if failed {
		return 1
	}
	return 0
}

// Runs is a statistic: how few runs of equal outcomes there are, so that outcomes
// that come in clumps are seen (Wald and Wolfowitz).
func Runs(s Strata) float64 {
	changes := 0
	for _, y := range s {
		for i := 1; i < len(y); i++ {
			if y[i] != y[i-1] {
				changes++
			}
		}
	}
	return -float64(changes)
}

// Holm adjusts p-values so that the chance of any false one among them stays what
// each is held against (Holm 1979).
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	last := 0.0
	for i, at := range order {
		last = math.Max(last, math.Min(1, ps[at]*float64(len(ps)-i)))
		out[at] = last
	}
	return out
}
