package rvfl

import (
	"context"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// projectDual fits learn.Projected by systems of as many rows as there are rows; see ridge.Projected. Both stages stand
// on the same layer, so their weights add up to one vector of weights.
func (f *fit) projectDual(ctx context.Context) error {
	x, priv := f.guideRows()
	n, nc, guides := f.X.Rows, f.Complete, x.Rows
	d, e := f.widths()
	loo := f.problem.LeaveOneOut != learn.Never
	need := ridge.ProjectedBytes(n, guides, loo) +
		8*(float64(n)*float64(n)+2*float64(guides)*float64(guides)+float64(n+guides)*float64(d+e))
	if err := memory.Check(need, "RVFL+ in the dual form", fewerRows, fault.Set("solver", "primal")); err != nil {
		return err
	}
	h, err := layer(ctx, f.model.hidden, f.X)
	if err != nil {
		return err
	}
	guideH, err := layer(ctx, f.model.hidden, x)
	if err != nil {
		return err
	}
	guidePriv, err := layer(ctx, f.model.priv, priv)
	if err != nil {
		return err
	}
	first, second := ridge.Linear{F: h}, ridge.Linear{F: guideH}
	var products [3]blas.Matrix // Ω, Ω̃ and Ω₂
	for k, g := range []ridge.Linear{first, {F: guidePriv}, second} {
		products[k] = blas.New(g.F.Rows, g.F.Rows)
		if err := g.Add(ctx, 1, products[k], nil); err != nil {
			return err
		}
		blas.Mirror(products[k])
	}
	stages, err := ridge.NewProjected(ctx, ridge.ProjectedProblem{
		Omega: products[0], Priv: products[1], Complete: nc, Y: f.Y, Weight: f.Weight, Params: f.params(),
	})
	if err != nil {
		return err
	}
	c2 := f.ProjectC
	if c2 == 0 {
		c2, _, err = ridge.LeastOwnError(ctx, products[2], stages.Guides(), stages.GuideWeights(), ridge.ProjectCs())
		if err != nil {
			return err
		}
	}
	lacking := blas.New(n-nc, guides)
	err = blas.Gemm(ctx, false, true, 1, blas.View(h, nc, n, 0, d), guideH, 0, lacking)
	if err != nil {
		return err
	}
	beta, err := stages.Project(ctx, products[2], lacking, c2)
	if err != nil {
		return err
	}
	if f.model.weight, err = weights(ctx, first, second, stages.Alpha(), beta); err != nil {
		return err
	}
	f.report.Size, f.model.offset, f.model.projectC = n, stages.Offset(), c2
	if err := f.setPriv(ctx, ridge.Linear{F: blas.View(guidePriv, 0, nc, 0, e)},
		blas.View(stages.Alpha(), 0, nc, 0, f.Y.Cols)); err != nil {
		return err
	}
	return f.optional(func() (err error) {
		if f.loo, err = stages.LeaveOneOut(ctx); err != nil || !f.problem.LeftOut {
			return err
		}
		alpha, beta, offset, err := stages.LeftOut(ctx)
		if err != nil {
			return err
		}
		f.leftOut = &ridge.LeftOut{Offset: offset}
		f.leftOut.Weight, err = weights(ctx, first, second, alpha, beta)
		return err
	})
}

// weights returns the weights of the features that give the sum of two models of rows.
func weights(ctx context.Context, first, second ridge.Linear, alpha, beta blas.Matrix) (blas.Matrix, error) {
	w, err := first.Weights(ctx, alpha)
	if err != nil {
		return w, err
	}
	return w, blas.Gemm(ctx, true, false, 1, second.F, beta, 1, w)
}

// guideRows returns both spaces of the rows that have privileged values: labelled ones, then unlabelled ones.
func (f *fit) guideRows() (x, priv blas.Matrix) {
	x, priv = blas.View(f.X, 0, f.Complete, 0, f.X.Cols), blas.View(f.Priv, 0, f.Complete, 0, f.Priv.Cols)
	if u := f.problem.Unlabelled; u != nil {
		x, priv = blas.Stack(x, u.X.RawMatrix()), blas.Stack(priv, u.Priv.RawMatrix())
	}
	return x, priv
}

// projectPrimal fits learn.Projected from sums over rows.
func (f *fit) projectPrimal(ctx context.Context) error { return f.projectDual(ctx) }
