package ridge

import (
	"context"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/learn"
)

// FitDualFor solves d for problem p: with leave-one-out when p asks for it and, under
// learn.WhenCheap, when it fits into memory and is defined; otherwise a note says why it
// was left out.
func FitDualFor(ctx context.Context, p learn.Problem, d DualProblem) (solution *Dual, notes []fault.Text, err error) {
	d.LeaveOneOut, d.Progress = p.LeaveOneOut != learn.Never, p.Progress.Tell
	d.LeftOut, d.Posterior = p.LeftOut, p.Posterior
	if p.LeaveOneOut == learn.WhenCheap {
		if err := memory.Check(DualBytes(d.Y.Rows, true), "leave-one-out", ""); err != nil {
			d.LeaveOneOut, notes = false, []fault.Text{fault.Textf("%w", err)}
		}
	}
	solution, err = FitDual(ctx, d)
	if err == nil || solution == nil || !d.LeaveOneOut {
		return solution, notes, err
	}
	notes, err = p.LeaveOneOut.Tolerate(err)
	return solution, notes, err
}

// InProblemOrder returns the models without each row in the order of the problem whose
// rows o holds; for rows that were left out of the fit they are the model itself, of the
// given weights (K×m) and offset.
func (l *LeftOut) InProblemOrder(o learn.Ordered, weight blas.Matrix, offset []float64) *LeftOut {
	order := o.Order()
	if len(order) == o.Rows() && slices.IsSorted(order) {
		return l
	}
	m := len(offset)
	out := NewLeftOut(l.Weight.Rows, o.Rows(), m)
	from := make([]int, o.Rows()) // row i of the problem is row from[i]-1 of o
	for i, r := range order {
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
