package metric

import (
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

// Regress returns the scores over all targets (RMSE and MAE over all entries, R2
// averaged over the targets) and those of each target. Without rows all are 0.
func Regress(truth, predicted blas.Matrix) (all Regression, each []Regression) {
	if truth.Rows != predicted.Rows || truth.Cols != predicted.Cols {
		panic("metric: shape mismatch")
	}
	each = make([]Regression, truth.Cols)
	if truth.Rows == 0 || truth.Cols == 0 {
		return all, each
	}
	for j := range each {
		each[j] = regressOne(column(truth, j), column(predicted, j))
		all.RMSE += each[j].RMSE * each[j].RMSE
		all.MAE += each[j].MAE
		all.R2 += each[j].R2
	}
	m := float64(truth.Cols)
	return Regression{RMSE: math.Sqrt(all.RMSE / m), MAE: all.MAE / m, R2: all.R2 / m}, each
}

func column(a blas.Matrix, j int) []float64 {
	c := make([]float64, a.Rows)
	for i := range c {
		c[i] = a.Data[i*a.Stride+j]
	}
	return c
}

func regressOne(truth, predicted []float64) Regression {
	var square, abs, spread float64
	centre := mean(truth)
	for i, y := range truth {
		d := predicted[i] - y
		square += d * d
		abs += math.Abs(d)
		spread += (y - centre) * (y - centre)
	}
	n := float64(len(truth))
	return Regression{RMSE: math.Sqrt(square / n), MAE: abs / n, R2: r2(square, spread)}
}

// r2 is 1 − residual/spread; a constant target counts as 1 when it is predicted
// exactly and as 0 otherwise.
func r2(residual, spread float64) float64 {
	switch {
	case spread > 0:
		return 1 - residual/spread
	case residual == 0:
		return 1
	}
	return 0
}
