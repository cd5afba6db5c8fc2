package learn

import (
	"context"

	"rvflplus/internal/memory"
	"rvflplus/ridge"
)

// FitDual solves d for problem p: with leave-one-out when p asks for it and, under
// WhenCheap, when it fits into memory and is defined; otherwise the note says why it was left out.
func FitDual(ctx context.Context, d ridge.DualProblem, p Problem) (solution *ridge.Dual, note string, err error) {
	d.LeaveOneOut, d.Progress = p.LeaveOneOut != Never, p.Progress.Tell
	d.LeftOut, d.Spread = p.LeftOut, p.Spread
	if p.LeaveOneOut == WhenCheap {
		need := ridge.DualBytes(d.Y.Rows, true)
		if err := memory.Check(need, "leave-one-out", ""); err != nil {
			d.LeaveOneOut, note = false, err.Error()
		}
	}
	solution, err = ridge.FitDual(ctx, d)
	if err == nil || solution == nil || !d.LeaveOneOut {
		return solution, note, err
	}
	note, err = p.LeaveOneOut.Tolerate(err)
	return solution, note, err
}
