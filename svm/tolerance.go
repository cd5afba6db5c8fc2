package svm

import (
	"math"

	"rvflplus/blas"
)

// A tolerance of a regression is in the targets' units. LIBSVM's 0.001 is the default for targets of standard
// deviation 1.
const (
	defaultShare = 1e-3  // default tolerance, as a share of the targets' standard deviation
	roundOff     = 1e-12 // the least default tolerance, as a share of the largest target
	leastShare   = 1e-14 // the least tolerance of all, as a share of the largest target: sums round to some 1e-15
)

// DefaultTolerance returns the tolerance of a regression that is given none: a thousandth of the standard deviation of
// the targets (N×m, over several targets the root mean square of theirs), and at least 1e-12 of the largest. A weight
// of 2 counts a row twice; weights, all > 0, may be nil for 1 each. Constant targets, which every tolerance solves,
// count as of standard deviation 1.
func DefaultTolerance(y blas.Matrix, weight []float64) float64 {
	var spread float64
	for j := range y.Cols {
		spread = math.Hypot(spread, deviation(y, j, weight)/math.Sqrt(float64(y.Cols)))
	}
	if spread == 0 {
		spread = 1
	}
	return max(defaultShare*spread, roundOff*largest(y))
}

// largest returns the largest absolute value.
func largest(y blas.Matrix) float64 {
	var most float64
	for i := range y.Rows {
		for _, v := range blas.Row(y, i) {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// deviation returns the weighted standard deviation of column j (divisor Σv). It moves and scales the column to
// [−1, 1], so that numbers of any size neither over- nor underflow on the way.
func deviation(y blas.Matrix, j int, weight []float64) float64 {
	value := func(i int) float64 { return y.Data[i*y.Stride+j] }
	low, high := math.Inf(1), math.Inf(-1)
	for i := range y.Rows {
		low, high = min(low, value(i)), max(high, value(i))
	}
	middle, half := low/2+high/2, high/2-low/2
	if !(half > 0) {
		return 0
	}
	var total, mean, square float64
	for i := range y.Rows { // one row after the other: B. P. Welford, Technometrics 4 (1962)
		v := 1.0
		if weight != nil {
			v = weight[i]
		}
		total += v
		d := (value(i)-middle)/half - mean
		mean += d * v / total
		square += v * d * ((value(i)-middle)/half - mean)
	}
	return half * math.Sqrt(square/total)
}
