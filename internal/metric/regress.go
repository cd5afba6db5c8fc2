package metric

import (
	"cmp"
	"math"

	"rvflplus/blas"
)

// Regression holds the scores of predicted numbers, in the targets' units (R2
// has none).
type Regression struct {
	RMSE float64 `json:"rmse"`
	MAE  float64 `json:"mae"`
	R2   float64 `json:"r2"`
}

// Regress returns the scores over all targets (RMSE and MAE over all entries, R2 averaged over the targets) and those
// of each target. A constant target has an R2 of 1 when it is predicted exactly, else of 0. Without rows all scores
// are 0.
func Regress(truth, predicted blas.Matrix, weight []float64) (all Regression, each []Regression) {
	if truth.Rows != predicted.Rows || truth.Cols != predicted.Cols {
		panic("metric: shape mismatch")
	}
	each = make([]Regression, truth.Cols)
	if truth.Rows == 0 || truth.Cols == 0 {
		return all, each
	}
	m := float64(truth.Cols)
	for j := range each {
		y := make([]float64, truth.Rows)
		for i := range y {
			y[i] = truth.Data[i*truth.Stride+j]
		}
		var n, square, abs, spread, centre float64
		for i, y := range y {
			n += weightOf(weight, i)
			centre += weightOf(weight, i) * y
		}
		centre /= n
		for i, y := range y {
			w, d := weightOf(weight, i), predicted.Data[i*predicted.Stride+j]-y
			square += w * d * d
			abs += w * math.Abs(d)
			spread += w * (y - centre) * (y - centre)
		}
		each[j] = Regression{RMSE: math.Sqrt(square / n), MAE: abs / n}
		switch {
		case spread > 0:
			each[j].R2 = 1 - square/spread
		case square == 0: // a constant target, predicted exactly
			each[j].R2 = 1
		}
		all.RMSE += each[j].RMSE * each[j].RMSE
		all.MAE += each[j].MAE
		all.R2 += each[j].R2
	}
	return Regression{RMSE: math.Sqrt(all.RMSE / m), MAE: all.MAE / m, R2: all.R2 / m}, each
}

// RowErrors returns the squared error of every row, of each target in units of its variance among these rows, the mean
// over targets. The mean of the rows is 1 - R². A target that does not vary counts as one of variance 1.
func RowErrors(truth, predicted blas.Matrix) []float64 {
	if truth.Rows != predicted.Rows || truth.Cols != predicted.Cols {
		panic("metric: shape mismatch")
	}
	out := make([]float64, truth.Rows)
	y := make([]float64, truth.Rows)
	for j := range truth.Cols {
		for i := range y {
			y[i] = truth.Data[i*truth.Stride+j]
		}
		centre, variance := mean(y), 0.0
		for _, v := range y {
			variance += (v - centre) * (v - centre) / float64(truth.Rows)
		}
		for i, v := range y {
			d := predicted.Data[i*predicted.Stride+j] - v
			out[i] += d * d / cmp.Or(variance, 1) / float64(truth.Cols)
		}
	}
	return out
}
