package rvfl

import (
	"context"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/gram"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/learn"
)

// mostChosenOn is the number of rows whose leave-one-out errors choose the regularisation of the second stage; of more
// rows, a sample is drawn.
const mostChosenOn = 4096

// projectPrimal fits learn.Projected from sums over rows: ridge.PrimalProjected says which equations. Rows pass through
// the layers in blocks once for the sums, and once more for leave-one-out.
func (f *fit) projectPrimal(ctx context.Context) error {
	d, e := f.widths()
	m := f.Y.Cols
	candidates := f.projectCs()
	fd, fe := float64(d), float64(e)
	need := 4*gram.Bytes(d, e, m) + 8*(float64(len(candidates)+2)*fd*fd+2*fd*fe) + 8*block*float64(2*(d+e)+m)
	if err := memory.Check(need, "RVFL+ in the primal form", "use fewer enhancement nodes (%s, %s)",
		fault.Name("hidden"), fault.Name("priv-hidden")); err != nil {
		return err
	}
	f.shift = f.targetShift()
	stages, err := f.projectSums(ctx)
	if err != nil {
		return err
	}
	if f.model.projectC = candidates[0]; len(candidates) > 1 {
		if f.model.projectC, err = f.leastOwnError(ctx, stages, candidates); err != nil {
			return err
		}
	}
	if err := stages.Project(ctx, f.model.projectC); err != nil {
		return err
	}
	f.report.Size = d + e
	f.model.weight, f.model.offset, f.model.privWeight = stages.Weights(), stages.Offset(), stages.PrivWeights()
	addTo(f.model.offset, f.shift)
	return f.optional(func() error { return f.primalLeaveOneOut(ctx, stages) })
}

// projectCs lists the regularisations of the second stage that there are to choose from.
func (f *fit) projectCs() []float64 {
	if f.ProjectC > 0 {
		return []float64{f.ProjectC}
	}
	return ridge.ProjectCs()
}

// projectSums sums the rows and solves the first stage.
func (f *fit) projectSums(ctx context.Context) (*ridge.PrimalProjected, error) {
	var sums [3]*gram.Stats // complete, lacking, unlabelled
	bounds := [...]int{0, f.Complete, f.X.Rows, f.X.Rows + f.unlabelled()}
	for k := range sums {
		if bounds[k] == bounds[k+1] {
			continue
		}
		var err error
		if sums[k], err = f.sum(ctx, bounds[k], bounds[k+1]); err != nil {
			return nil, err
		}
	}
	return ridge.NewPrimalProjected(ctx, sums[0], sums[1], sums[2], f.params())
}

// unlabelled is the number of rows without targets. They follow the others.
func (f *fit) unlabelled() int {
	if u := f.problem.Unlabelled; u != nil {
		return u.X.RawMatrix().Rows
	}
	return 0
}

// leastOwnError returns the regularisation of the second stage whose leave-one-out error of what the privileged
// features explain is least, over rows that have them.
func (f *fit) leastOwnError(ctx context.Context, stages *ridge.PrimalProjected, candidates []float64) (float64, error) {
	projections, err := stages.Projections(ctx, candidates)
	if err != nil {
		return 0, err
	}
	x, priv, weight := f.chosenOn()
	d, e := f.widths()
	room := gram.NewBlock(d, e, f.Y.Cols, min(block, x.Rows))
	for from := 0; from < x.Rows; from += block {
		to := min(from+block, x.Rows)
		b := room.Head(to - from)
		if err := f.model.hidden.To(ctx, b.H, blas.View(x, from, to, 0, x.Cols)); err != nil {
			return 0, err
		}
		if err := f.model.priv.To(ctx, b.Priv, blas.View(priv, from, to, 0, priv.Cols)); err != nil {
			return 0, err
		}
		if err := projections.Add(ctx, b, weight[from:to]); err != nil {
			return 0, err
		}
		f.problem.Progress.Tell("second stage", to, x.Rows)
	}
	loss := projections.Loss()
	return candidates[slices.Index(loss, slices.Min(loss))], nil
}

// chosenOn returns both spaces and the weights of the rows with privileged values, or of a sample of them.
func (f *fit) chosenOn() (x, priv blas.Matrix, weight []float64) {
	rows := f.Complete + f.unlabelled()
	sample := rng.New(f.Seed, "project").Perm(rows)[:min(rows, mostChosenOn)]
	x, priv = blas.New(len(sample), f.X.Cols), blas.New(len(sample), f.Priv.Cols)
	weight = make([]float64, len(sample))
	for k, i := range sample {
		if i < f.Complete {
			copy(blas.Row(x, k), blas.Row(f.X, i))
			copy(blas.Row(priv, k), blas.Row(f.Priv, i))
			weight[k] = f.Weight[i]
			continue
		}
		u := f.problem.Unlabelled
		copy(blas.Row(x, k), u.X.RawRowView(i-f.Complete))
		copy(blas.Row(priv, k), u.Priv.RawRowView(i-f.Complete))
		weight[k] = 1
	}
	return x, priv, weight
}

// projectDual fits learn.Projected by systems of as many rows as there are rows; see ridge.Projected. Both stages stand
// on the same layer, so their weights add up to one vector of weights.
func (f *fit) projectDual(ctx context.Context) error {
	x, priv := f.Guides(f.problem.Unlabelled)
	n, nc, guides := f.X.Rows, f.Complete, x.Rows
	d, e := f.widths()
	loo := f.problem.LeaveOneOut != learn.Never
	need := ridge.ProjectedBytes(n, guides, loo) +
		8*(float64(n)*float64(n)+2*float64(guides)*float64(guides)+float64(n+guides)*float64(d+e))
	if err := memory.Check(need, "RVFL+ in the dual form", fewerRows, fault.Set("solver", "primal")); err != nil {
		return err
	}
	hidden := f.model.hidden
	spaces, products, err := innerProducts(ctx, []*feature.Links{hidden, f.model.priv, hidden},
		[]blas.Matrix{f.X, priv, x}) // Ω, Ω̃ and Ω₂
	if err != nil {
		return err
	}
	first, second := spaces[0], spaces[2]
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
	if err := blas.Gemm(ctx, false, true, 1, blas.View(first.F, nc, n, 0, d), second.F, 0, lacking); err != nil {
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
	if err := f.setPriv(ctx, ridge.Linear{F: blas.View(spaces[1].F, 0, nc, 0, e)},
		blas.View(stages.Alpha(), 0, nc, 0, f.Y.Cols)); err != nil {
		return err
	}
	return f.optional(func() error { return f.dualLeftOut(ctx, stages, first, second) })
}

// dualLeftOut sets the leave-one-out predictions, and the models without each row if the problem asks for them.
func (f *fit) dualLeftOut(ctx context.Context, stages *ridge.Projected, first, second ridge.Linear) (err error) {
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
}

// innerProducts returns rows after their layers, and both triangles of the inner products of each.
func innerProducts(ctx context.Context, layers []*feature.Links, rows []blas.Matrix) (
	spaces []ridge.Linear, products []blas.Matrix, err error) {
	for k, l := range layers {
		h, err := layer(ctx, l, rows[k])
		if err != nil {
			return nil, nil, err
		}
		product := blas.New(h.Rows, h.Rows)
		if err := blas.Syrk(ctx, false, 1, h, 0, product); err != nil {
			return nil, nil, err
		}
		blas.Mirror(product)
		spaces, products = append(spaces, ridge.Linear{F: h}), append(products, product)
	}
	return spaces, products, nil
}

// weights returns the weights of the features that give the sum of two models of rows.
func weights(ctx context.Context, first, second ridge.Linear, alpha, beta blas.Matrix) (blas.Matrix, error) {
	w, err := first.Weights(ctx, alpha)
	if err != nil {
		return w, err
	}
	return w, blas.Gemm(ctx, true, false, 1, second.F, beta, 1, w)
}
