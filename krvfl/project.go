package krvfl

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// projectWidths are the multiples of automatic widths among which the second stage of learn.Projected chooses.
var projectWidths = []float64{0.25, 1, 4}

// project fits learn.Projected: ridge.Projected says which equations. Rows with and without targets are the support.
// Labelled rows without privileged values come first in it, so that both stages stand on rows that follow each other.
func (c Config) project(ctx context.Context, p learn.Problem, a learn.Ordered, model *Model) (
	learn.Model, learn.Report, error) {
	f := &projection{Config: c, problem: p, Ordered: a, model: model}
	f.x, f.priv = a.Guides(p.Unlabelled)
	n, guides := a.X.Rows, f.x.Rows
	loo := p.LeaveOneOut == learn.Always
	matrices := 8 * (float64(n)*float64(n) + 2*float64(guides)*float64(guides))
	if err := memory.Check(matrices+ridge.ProjectedBytes(n, guides, loo),
		fmt.Sprintf("a kernel model of %d rows", n+guides-a.Complete), "use %s, whose memory does not grow with the "+
			"rows, or fewer rows", fault.Set("kind", "rvfl+")); err != nil {
		return nil, learn.Report{}, err
	}
	if err := f.fit(ctx); err != nil {
		return nil, learn.Report{}, err
	}
	return f.model, f.report, nil
}

// projection is one training run with learn.Projected.
type projection struct {
	Config
	learn.Ordered
	problem learn.Problem
	model   *Model
	report  learn.Report
	x, priv blas.Matrix // the rows with privileged values: labelled ones, then unlabelled ones
	stages  *ridge.Projected
	lacking blas.Matrix // kernel of the labelled rows without privileged values against x
}

func (f *projection) fit(ctx context.Context) error {
	n, nc := f.X.Rows, f.Complete
	omega, err := kernelMatrix(ctx, f.model.terms[0].Kernel, f.X)
	if err != nil {
		return err
	}
	priv, err := kernelMatrix(ctx, f.model.privKernel, f.priv)
	if err != nil {
		return err
	}
	f.stages, err = ridge.NewProjected(ctx, ridge.ProjectedProblem{
		Omega: omega, Priv: priv, Complete: nc, Y: f.Y, Weight: f.Weight,
		Params: ridge.Params{C: f.C, Gamma: f.Gamma, Correction: f.Correction, Center: f.Center},
	})
	if err != nil {
		return err
	}
	second, c2, err := f.secondStage(ctx)
	if err != nil {
		return err
	}
	omega2, err := kernelMatrix(ctx, second, f.x)
	if err != nil {
		return err
	}
	f.lacking = blas.New(n-nc, f.x.Rows)
	if err := kernel.Add(ctx, second, 1, blas.View(f.X, nc, n, 0, f.X.Cols), f.x, f.lacking); err != nil {
		return err
	}
	beta, err := f.stages.Project(ctx, omega2, f.lacking, c2)
	if err != nil {
		return err
	}
	f.assemble(second, c2, beta)
	if err := errors.Join(learn.CheckWeights(f.model.terms[0].Alpha), learn.CheckWeights(beta)); err != nil {
		return err
	}
	f.report = learn.Report{Solver: "dual", Size: n}
	return f.leaveOneOut(ctx)
}

// kernelMatrix returns both triangles of the kernel matrix of rows x.
func kernelMatrix(ctx context.Context, k kernel.Kernel, x blas.Matrix) (blas.Matrix, error) {
	out := blas.New(x.Rows, x.Rows)
	err := kernel.AddSymmetric(ctx, k, 1, x, out, nil)
	blas.Mirror(out)
	return out, err
}

// assemble builds the model: labelled rows without privileged values come first in its support.
func (f *projection) assemble(second kernel.Kernel, c2 float64, beta blas.Matrix) {
	n, nc, first := f.X.Rows, f.Complete, f.model.terms[0].Kernel
	lacking := blas.View(f.X, nc, n, 0, f.X.Cols)
	alpha := f.stages.Alpha()
	m := alpha.Cols
	f.model.support = blas.Stack(lacking, f.x)
	f.model.terms = []Term{
		{Kernel: first, Alpha: blas.Stack(blas.View(alpha, nc, n, 0, m), blas.View(alpha, 0, nc, 0, m))},
		{Kernel: second, From: n - nc, Alpha: blas.Clone(beta)},
	}
	f.model.offset = f.stages.Offset()
	f.model.projectC = c2
	f.model.setPriv(blas.Clone(blas.View(alpha, 0, nc, 0, m)), f.Gamma)
}

// leaveOneOut adds exact leave-one-out to the report, and the models without each row and the posterior, if the problem
// asks for them.
func (f *projection) leaveOneOut(ctx context.Context) error {
	p := f.problem
	if p.LeaveOneOut == learn.Never {
		return nil
	}
	n, guides := f.X.Rows, f.x.Rows
	if p.LeaveOneOut == learn.WhenCheap {
		if err := memory.Check(ridge.ProjectedBytes(n, guides, true), "leave-one-out", ""); err != nil {
			f.report.Notes = append(f.report.Notes, fault.Textf("%w", err))
			return nil
		}
	}
	loo, err := f.stages.LeaveOneOut(ctx)
	if err != nil {
		notes, err := p.LeaveOneOut.Tolerate(err)
		f.report.Notes = append(f.report.Notes, notes...)
		return err
	}
	f.report.LeaveOneOut = f.Restore(loo, f.model.PredictTo, p.X)
	if p.Posterior {
		if err := f.keepPosteriors(ctx); err != nil {
			return err
		}
	}
	if p.LeftOut {
		f.report.LeftOut, err = f.leftOut(ctx)
	}
	return err
}

// keepPosteriors keeps the posteriors of both stages. The factor of the first is brought into the order of the support.
func (f *projection) keepPosteriors(ctx context.Context) error {
	first, second := f.stages.Posteriors()
	f.model.terms[1].Factor, f.model.terms[1].Scale = second.Factor, second.Scale
	f.model.terms[0].Factor, f.model.terms[0].Scale = first.Factor, first.Scale
	n, nc := f.X.Rows, f.Complete
	if nc == n {
		return nil
	}
	system := blas.New(n, n)
	if err := blas.Gemm(ctx, true, false, 1, first.Factor, first.Factor, 0, system); err != nil {
		return err
	}
	moved := blas.New(n, n)
	for i := range n {
		for j := range n {
			moved.Data[i*n+j] = system.Data[(i+nc)%n*n+(j+nc)%n]
		}
	}
	pivot, err := blas.Factor(ctx, moved, nil)
	if err != nil || pivot >= 0 {
		return errors.Join(err, fault.New(fault.NotSolved, "the posterior's system is singular at row %d", pivot+1))
	}
	for i := range n {
		clear(blas.Row(moved, i)[:i])
	}
	f.model.terms[0].Factor = moved
	return nil
}

// leftOut returns the models without each row as one model.
func (f *projection) leftOut(ctx context.Context) (learn.Model, error) {
	alpha, beta, offset, err := f.stages.LeftOut(ctx)
	if err != nil {
		return nil, err
	}
	nc, n := f.Complete, f.X.Rows
	whole := f.model.terms
	first := &ridge.LeftOut{Offset: offset, Weight: blas.Stack(blas.View(alpha, nc, n, 0, alpha.Cols),
		blas.View(alpha, 0, nc, 0, alpha.Cols))}
	second := &ridge.LeftOut{Offset: offset, Weight: beta}
	first = first.InProblemOrder(f.Ordered, whole[0].Alpha, f.model.offset)
	second = second.InProblemOrder(f.Ordered, whole[1].Alpha, f.model.offset)
	return &Model{support: f.model.support, offset: first.Offset, terms: []Term{
		{Kernel: whole[0].Kernel, Alpha: first.Weight},
		{Kernel: whole[1].Kernel, From: whole[1].From, Alpha: second.Weight},
	}}, nil
}

// secondStage returns the kernel and the regularisation of the second stage: those of the config, or those with the
// least leave-one-out error of ĝ.
func (f *projection) secondStage(ctx context.Context) (kernel.Kernel, float64, error) {
	x, guides, weights := f.x, f.stages.Guides(), f.stages.GuideWeights()
	specs, err := f.projectKernels(x)
	if err != nil {
		return nil, 0, err
	}
	cs := ridge.ProjectCs()
	if f.ProjectC > 0 {
		cs = []float64{f.ProjectC}
	}
	if len(cs)*len(specs) > 1 && x.Rows > mostChosenOn {
		rows := rng.New(f.Seed, "project").Perm(x.Rows)[:mostChosenOn]
		x, guides, weights = blas.Gather(x, rows), blas.Gather(guides, rows), learn.Gather(weights, rows)
	}
	var best kernel.Kernel
	least, bestC := math.Inf(1), 0.0
	for _, spec := range specs {
		k, err := spec.ResolveWith(f.Linear, x, f.Seed)
		if err != nil {
			return nil, 0, err
		}
		if best == nil {
			best, bestC = k, cs[0]
		}
		if len(cs)*len(specs) == 1 {
			break
		}
		omega, err := kernelMatrix(ctx, k, x)
		if err != nil {
			return nil, 0, err
		}
		c, loss, err := ridge.LeastOwnError(ctx, omega, guides, weights, cs)
		if err != nil {
			return nil, 0, err
		}
		if loss < least {
			least, best, bestC = loss, k, c
		}
	}
	return best, bestC, nil
}

// mostChosenOn is the number of rows on which the second stage's settings are chosen; of more, a sample is drawn.
const mostChosenOn = 1000

// projectKernels lists the kernels among which the second stage chooses, without automatic widths.
func (f *projection) projectKernels(x blas.Matrix) ([]kernel.Spec, error) {
	own := f.ProjectKernel
	if own == nil {
		own = automatic(f.Kernel)
	}
	k, err := own.Resolve(x, f.Seed)
	if err != nil {
		return nil, fmt.Errorf("normal features: %w", err)
	}
	resolved := k.Spec()
	if !own.HasAutomaticWidth() {
		return []kernel.Spec{resolved}, nil
	}
	var specs []kernel.Spec
	for _, factor := range projectWidths {
		specs = append(specs, own.ScaleWidths(resolved, factor))
	}
	return specs, nil
}

// automatic returns the kernel with every width left to the data.
func automatic(s kernel.Spec) kernel.Spec {
	out := make(kernel.Spec, len(s))
	for i, t := range s {
		out[i] = kernel.Term{Name: t.Name, Params: map[string]float64{}, Relevance: t.Relevance}
		for key, v := range t.Params {
			if key != "width" {
				out[i].Params[key] = v
			}
		}
	}
	return out
}
