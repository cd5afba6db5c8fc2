package metric

import (
	"math"

	"rvflplus/blas"
)

// SquaredErrors returns the mean over the outputs of each row's squared errors, each in the unit of its scale.
func SquaredErrors(y, out blas.Matrix, scale []float64) []float64 {
	loss := make([]float64, y.Rows)
	for i := range loss {
		for j, v := range blas.Row(out, i) {
			d := (v - y.Data[i*y.Stride+j]) * scale[j]
			loss[i] += d * d / float64(y.Cols)
		}
	}
	return loss
}

// WeightedMean returns the weighted mean of v and its standard error.
func WeightedMean(v, weight []float64) (mean, se float64) {
	var total, square, spread, farthest float64
	for i, w := range weight {
		total += w
		mean += w * v[i]
	}
	mean /= total
	for _, x := range v {
		farthest = max(farthest, math.Abs(x-mean))
	}
	if farthest == 0 {
		return mean, 0
	}
	for i, w := range weight {
		d := (v[i] - mean) / farthest // whose square neither overflows nor vanishes
		spread += w * d * d
		square += w * w
	}
	effective := total * total / square // as many rows of equal weight have the same variance of the mean
	return mean, farthest * math.Sqrt(spread/total/max(1, effective-1))
}
