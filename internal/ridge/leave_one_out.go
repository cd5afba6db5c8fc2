package ridge

import (
	"slices"

	"rvflplus/blas"
	"rvflplus/learn"
)

// LeftOut holds the models fitted without one row each: column i·m+j of Weight and number i·m+j of Offset are output j
// of the model without row i.
type LeftOut struct {
	Weight blas.Matrix // of training rows (N×N·m) or of explicit features (D×N·m)
	Offset []float64   // N·m
}

// NewLeftOut returns zeros for the models without each of n rows, over k weights and m outputs.
func NewLeftOut(k, n, m int) *LeftOut {
	return &LeftOut{blas.New(k, n*m), make([]float64, n*m)}
}

// InProblemOrder returns the models without each row in the order of the problem whose rows o holds. For rows that
// took no part in the fit it gives the model of all rows, which has the given weights (K×m) and offset.
func (l *LeftOut) InProblemOrder(o learn.Ordered, weight blas.Matrix, offset []float64) *LeftOut {
	order := o.Order()
	if len(order) == o.Rows() && slices.IsSorted(order) {
		return l
	}
	m := len(offset)
	out := NewLeftOut(l.Weight.Rows, o.Rows(), m)
	from := make([]int, o.Rows()) // row r of the problem is row from[r]-1 of o
	for i, r := range order {
		from[r] = i + 1
	}
	reorder := func(dst, leftOut, whole []float64) {
		for r, i := range from {
			model := whole
			if i > 0 {
				model = leftOut[(i-1)*m:]
			}
			copy(dst[r*m:r*m+m], model)
		}
	}
	reorder(out.Offset, l.Offset, offset)
	for k := range out.Weight.Rows {
		reorder(blas.Row(out.Weight, k), blas.Row(l.Weight, k), blas.Row(weight, k))
	}
	return out
}
