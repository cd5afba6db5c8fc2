package main

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// difference is a mean difference of losses with its standard error.
type difference struct{ mean, se float64 }

// beyond reports whether the difference is larger than two standard errors: -1 where it is negative, 1 where positive.
func (d difference) beyond() int {
	switch {
	case d.mean < -2*d.se:
		return -1
	case d.mean > 2*d.se:
		return 1
	}
	return 0
}

// paired returns the mean of a - b over splits. a and b hold the loss of every test row of every split, rows the row
// numbers. Two losses may share a row, which several splits test, or a split and with it the trained model: the
// variance is clustered by both (A. C. Cameron, J. B. Gelbach, D. L. Miller, Journal of Business & Economic Statistics
// 29, 2011, equation 2.8), and is never below that of rows. The variance between k splits is multiplied by k/(k-1).
func paired(a, b [][]float64, rows [][]int) difference {
	k := float64(len(a))
	var d difference
	for s := range a {
		for i := range a[s] {
			d.mean += (a[s][i] - b[s][i]) / (k * float64(len(a[s])))
		}
	}
	byRow := map[int]float64{}
	var ofSplits, ofCells float64
	for s := range a {
		var bySplit float64
		for i := range a[s] {
			u := (a[s][i] - b[s][i] - d.mean) / (k * float64(len(a[s])))
			byRow[rows[s][i]] += u
			bySplit += u
			ofCells += u * u
		}
		ofSplits += bySplit * bySplit
	}
	var ofRows float64
	for _, row := range slices.Sorted(maps.Keys(byRow)) { // in a fixed order, so that the sum has the same bits
		ofRows += byRow[row] * byRow[row]
	}
	variance := ofRows
	if k > 1 {
		variance = max(variance, ofRows+ofSplits*k/(k-1)-ofCells)
	}
	d.se = math.Sqrt(variance)
	return d
}

// ranksOf returns the rank of every loss, 1 for the least. Losses that differ by rounding alone share their ranks.
func ranksOf(losses []float64) []float64 {
	const rounding = 1e-9
	out := make([]float64, len(losses))
	for i, v := range losses {
		for _, other := range losses {
			switch {
			case other < v-rounding:
				out[i]++
			case other <= v+rounding:
				out[i] += 0.5 // itself among them
			}
		}
		out[i] += 0.5
	}
	return out
}

// friedman tests whether all methods have the same mean rank over tables: Iman and Davenport's F statistic and its
// p-value (J. Demšar, Journal of Machine Learning Research 7, 2006, section 3.2.2).
func friedman(mean []float64, tables int) (f, p float64) {
	k, n := float64(len(mean)), float64(tables)
	var squares float64
	for _, r := range mean {
		squares += r * r
	}
	chi := 12 * n / (k * (k + 1)) * (squares - k*(k+1)*(k+1)/4)
	f = (n - 1) * chi / (n*(k-1) - chi)
	return f, distuv.F{D1: k - 1, D2: (k - 1) * (n - 1)}.Survival(f)
}

// nemenyi returns the critical difference of mean ranks of k methods on n tables: two methods differ by more with a
// probability of 5 % at most where all are equal (Demšar, section 3.2.2).
func nemenyi(k, n int) float64 {
	return studentizedRange(0.95, k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// studentizedRange returns the quantile p of the range of k independent standard normal numbers.
func studentizedRange(p float64, k int) float64 {
	low, high := 0.0, 20.0
	for high-low > 1e-9 {
		q := (low + high) / 2
		if rangeProbability(q, k) < p {
			low = q
		} else {
			high = q
		}
	}
	return low
}

// rangeProbability is the probability that k standard normal numbers lie within q of each other:
// k ∫ φ(z) (Φ(z) - Φ(z-q))^(k-1) dz.
func rangeProbability(q float64, k int) float64 {
	const step, end = 0.01, 9
	var sum float64
	for i := range int(2*end/step) + 1 {
		z := -end + float64(i)*step
		within := distuv.UnitNormal.CDF(z) - distuv.UnitNormal.CDF(z-q)
		sum += distuv.UnitNormal.Prob(z) * math.Pow(within, float64(k-1))
	}
	return float64(k) * sum * step
}

// median returns the middle number, of two the mean.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
