package rvfl

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

const fewerRows = "use %s, fewer rows or fewer enhancement nodes"

// dual solves the rows×rows system and turns α into weights of the features.
func (f *fit) dual(ctx context.Context) error {
	d, e := f.widths()
	n := f.X.Rows
	always := f.problem.LeaveOneOut == learn.Always
	need := ridge.DualBytes(n, always) + 8*float64(n)*float64(d+e)
	if err := memory.Check(need, "RVFL in the dual form", fewerRows, fault.Set("solver", "primal")); err != nil {
		return err
	}
	h, err := layer(ctx, f.model.hidden, f.X)
	if err != nil {
		return err
	}
	normal := ridge.Linear{F: h}
	problem := ridge.DualProblem{Omega: normal, Y: f.Y, Weight: f.Weight, Params: f.params()}
	var priv ridge.Linear
	if f.model.priv != nil {
		if priv.F, err = layer(ctx, f.model.priv, blas.View(f.Priv, 0, f.Complete, 0, f.Priv.Cols)); err != nil {
			return err
		}
		problem.Priv = priv
	}
	solution, err := f.solveDual(ctx, problem)
	if err != nil {
		return err
	}
	f.report.Size = n
	f.model.offset, f.loo = solution.Offset, solution.LeaveOneOut
	if f.model.weight, err = normal.Weights(ctx, solution.Alpha); err != nil {
		return err
	}
	if f.leftOut = solution.LeftOut; f.leftOut != nil {
		f.leftOut.Weight, err = normal.Weights(ctx, f.leftOut.Weight)
	}
	if err != nil || f.model.priv == nil {
		return err
	}
	return f.setPriv(ctx, priv, solution.PrivAlpha)
}

// setPriv keeps the correcting function of the weights alpha of rows, which are divided by γ.
func (f *fit) setPriv(ctx context.Context, priv ridge.Linear, alpha blas.Matrix) (err error) {
	f.model.privWeight, err = priv.Weights(ctx, alpha)
	for i := range f.model.privWeight.Data {
		f.model.privWeight.Data[i] /= f.Gamma
	}
	return err
}

// solveDual solves p with leave-one-out if it is wanted and defined.
func (f *fit) solveDual(ctx context.Context, p ridge.DualProblem) (*ridge.Dual, error) {
	solution, notes, err := ridge.FitDualFor(ctx, f.problem, p)
	f.report.Notes = append(f.report.Notes, notes...)
	return solution, err
}

// layer returns the feature map of all rows of x.
func layer(ctx context.Context, l *feature.Links, x blas.Matrix) (blas.Matrix, error) {
	h := blas.New(x.Rows, l.Width())
	return h, l.To(ctx, h, x)
}

// pinv solves eq:3, with no regularisation.
func (f *fit) pinv(ctx context.Context) error {
	need := ridge.PinvBytes(f.X.Rows, f.model.hidden.Width())
	if err := memory.Check(need, "RVFL by pseudo-inverse", fewerRows, fault.Set("solver", "primal")); err != nil {
		return err
	}
	h, err := layer(ctx, f.model.hidden, f.X)
	if err != nil {
		return err
	}
	maxRefits := map[learn.LeaveOneOut]int{learn.Never: -1, learn.WhenCheap: 8,
		learn.Always: math.MaxInt}[f.problem.LeaveOneOut]
	solution, err := ridge.FitPinv(ctx, h, f.Y, f.Weight, f.Center, maxRefits)
	if solution == nil {
		return err
	}
	f.report.Size = solution.Rank
	f.model.weight, f.model.offset = solution.Weights, solution.Offset
	if err == nil {
		f.loo = solution.LeaveOneOut
	}
	return f.optional(func() error { return err })
}
