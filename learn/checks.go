package learn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Positive returns a fault.Usage error unless v is finite and > 0.
func Positive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fault.Param(name, "a finite number > 0", v)
	}
	return nil
}

// CheckBoxConstraints returns a fault.Usage error when C times the weights of rows and of
// classes overflowed.
func CheckBoxConstraints(prices []float64) error {
	for _, c := range prices {
		if math.IsInf(c, 1) {
			return fault.New(fault.Usage, "C and weights of rows or classes overflow: their product must be finite").
				WithHint("use a smaller %s", fault.Name("C"))
		}
	}
	return nil
}

// CheckWeights returns a fault.NotSolved error when a solution is not finite.
func CheckWeights(w blas.Matrix) error {
	for i := range w.Rows {
		for _, v := range blas.Row(w, i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.New(fault.NotSolved, "the solution is not finite").
					WithHint("scale the features and targets, or use a smaller C")
			}
		}
	}
	return nil
}

// CheckPredict panics unless dst and x have the shapes that PredictTo asks for.
func CheckPredict(m Model, dst, x *mat.Dense) {
	n, outputs := m.Dims()
	d, r := dst.RawMatrix(), x.RawMatrix()
	if r.Cols != n || d.Cols != outputs || d.Rows != r.Rows {
		panic("learn: dimension mismatch in PredictTo")
	}
}
