package learn

import (
	"slices"

	"rvflplus/blas"
	"rvflplus/ridge"
)

// RestoreLeftOut returns the models without each row in the problem's order; for
// rows that were left out of the fit they are the model itself, of the given
// weights (K×m) and offset.
func (a Arranged) RestoreLeftOut(l *ridge.LeftOut, weight blas.Matrix, offset []float64) *ridge.LeftOut {
	if len(a.order) == a.rows && slices.IsSorted(a.order) {
		return l
	}
	m := len(offset)
	out := ridge.NewLeftOut(l.Weight.Rows, a.rows, m)
	from := make([]int, a.rows) // row i of the problem is arranged row from[i]-1
	for i, r := range a.order {
		from[r] = i + 1
	}
	for r, i := range from {
		if i == 0 {
			copy(out.Offset[r*m:], offset)
		} else {
			copy(out.Offset[r*m:r*m+m], l.Offset[(i-1)*m:])
		}
	}
	for k := range out.Weight.Rows {
		dst, src := blas.Row(out.Weight, k), blas.Row(l.Weight, k)
		for r, i := range from {
			if i == 0 {
				copy(dst[r*m:r*m+m], blas.Row(weight, k))
			} else {
				copy(dst[r*m:r*m+m], src[(i-1)*m:])
			}
		}
	}
	return out
}
