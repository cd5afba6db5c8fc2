package rvfl

import (
	"context"
	"errors"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/gram"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// Train fits RVFL+ when p has privileged features, else RVFL. The solver "auto"
// takes the primal form when D+D̃ ≤ N, else the dual. Cost N(D+D̃)² operations in
// the primal form (rows pass through the layer in blocks; memory 16(D+D̃)² bytes),
// N²(D+D̃) + N³/3 in the dual.
func (c Config) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := errors.Join(c.Validate(), p.Check()); err != nil {
		return nil, learn.Report{}, err
	}
	rows := p.CompleteFirst()
	normal, priv, err := c.layers(rows)
	if err != nil {
		return nil, learn.Report{}, err
	}
	m, report, err := c.train(ctx, p, rows, normal, priv)
	if err != nil {
		return nil, learn.Report{}, err
	}
	return m, report, nil
}

// TrainWith is Train with the given random layers; priv is nil without
// privileged features.
func (c Config) TrainWith(ctx context.Context, p learn.Problem, normal, priv *Layer) (*Model, learn.Report, error) {
	if err := errors.Join(c.Validate(), p.Check()); err != nil {
		return nil, learn.Report{}, err
	}
	if normal.Weight.Cols != p.X.RawMatrix().Cols || (priv == nil) != (p.Priv == nil) || priv != nil &&
		priv.Weight.Cols != p.Priv.RawMatrix().Cols {
		return nil, learn.Report{}, fault.New(fault.Usage, "the random layers do not take the problem's features")
	}
	return c.train(ctx, p, p.CompleteFirst(), normal.links(), priv.links())
}

func (c Config) train(ctx context.Context, p learn.Problem, rows learn.Ordered, normal, priv *feature.Links) (
	*Model, learn.Report, error) {
	f := &fit{Config: c, problem: p, Ordered: rows, model: &Model{hidden: normal, priv: priv}}
	solver, err := f.solver()
	if err != nil {
		return nil, learn.Report{}, err
	}
	f.report.Solver = solver
	projected := c.Correction == learn.Projected && priv != nil && f.Complete > 0
	switch {
	case solver == "primal" && projected:
		err = f.projectPrimal(ctx)
	case solver == "primal":
		err = f.primal(ctx)
	case solver == "dual" && projected:
		err = f.projectDual(ctx)
	case solver == "dual":
		err = f.dual(ctx)
	default:
		err = f.pinv(ctx)
	}
	if err == nil {
		err = learn.CheckWeights(f.model.weight)
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	if f.loo.Data != nil {
		f.report.LeaveOneOut = f.Restore(f.loo, f.model.PredictTo, p.X)
	}
	if f.leftOut != nil {
		l := f.leftOut.InProblemOrder(f.Ordered, f.model.weight, f.model.offset)
		f.report.LeftOut = &Model{hidden: normal, weight: l.Weight, offset: l.Offset}
	}
	return f.model, f.report, nil
}

// fit is one training run.
type fit struct {
	Config
	learn.Ordered
	problem learn.Problem
	model   *Model
	report  learn.Report
	loo     blas.Matrix
	leftOut *ridge.LeftOut
	shift   []float64 // subtracted from the targets before they are summed
}

// widths returns D and D̃.
func (f *fit) widths() (normal, priv int) {
	if f.model.priv != nil {
		priv = f.model.priv.Width()
	}
	return f.model.hidden.Width(), priv
}

func (f *fit) solver() (string, error) {
	d, e := f.widths()
	switch {
	case f.Solver == "pinv" && e > 0:
		return "", fault.New(fault.Usage, "solver pinv has no privileged part: it solves RVFL (eq:3), not RVFL+").
			WithHint("use %s, or leave the privileged columns out", fault.Set("solver", "auto"))
	case f.Solver != "auto":
		return f.Solver, nil
	case d+e <= f.X.Rows:
		return "primal", nil
	}
	return "dual", nil
}

// block is the number of rows that pass through the random layer at once: what a
// matrix product packs at once, so that the layer goes from cache into the sums.
const block = 384

// primal sums the statistics block by block, solves, and passes over the rows a
// second time for leave-one-out.
func (f *fit) primal(ctx context.Context) error {
	d, e := f.widths()
	m := f.Y.Cols
	parts := 1.0
	if f.Complete < f.X.Rows {
		parts = 2
	}
	need := (parts+1)*gram.Bytes(d, e, m) + 8*block*float64(2*(d+e)+m)
	if err := memory.Check(need, "RVFL in the primal form", "use fewer enhancement nodes (%s, %s)",
		fault.Name("hidden"), fault.Name("priv-hidden")); err != nil {
		return err
	}
	f.shift = f.targetShift()
	complete, err := f.sum(ctx, 0, f.Complete)
	if err != nil {
		return err
	}
	var lacking *gram.Stats
	if f.Complete < f.X.Rows {
		if lacking, err = f.sum(ctx, f.Complete, f.X.Rows); err != nil {
			return err
		}
	}
	solution, err := ridge.FitPrimal(ctx, complete, lacking, f.params())
	if err != nil {
		return err
	}
	f.report.Size = d + e
	f.model.weight, f.model.offset = solution.Weights(), solution.Offset()
	f.model.privWeight = solution.PrivWeights()
	addTo(f.model.offset, f.shift)
	return f.optional(func() error { return f.primalLeaveOneOut(ctx, solution) })
}

// targetShift returns the targets' weighted means when they are centred: sums of
// products lose fewer digits when the targets are small.
func (f *fit) targetShift() []float64 {
	shift := make([]float64, f.Y.Cols)
	if !f.Center {
		return shift
	}
	var total float64
	for i, v := range f.Weight {
		total += v
		for j, y := range blas.Row(f.Y, i) {
			shift[j] += (y - shift[j]) * v / total
		}
	}
	return shift
}

func addTo(dst, v []float64) {
	for j := range dst {
		dst[j] += v[j]
	}
}

// sum returns the statistics of rows lo … hi-1. Unlabelled rows follow the others.
func (f *fit) sum(ctx context.Context, lo, hi int) (*gram.Stats, error) {
	d, e := f.widths()
	s := gram.New(d, e, f.Y.Cols)
	if lo >= f.X.Rows {
		return s, f.eachBlock(ctx, "layer and sums, unlabelled rows", lo, hi, func(b gram.Block, _, _ int) error {
			return s.Add(ctx, b, nil)
		})
	}
	return s, f.eachBlock(ctx, "layer and sums", lo, hi, func(b gram.Block, from, to int) error {
		return s.Add(ctx, b, f.Weight[from:to])
	})
}

// eachBlock passes rows lo … hi-1 through the layers and hands them on, a block
// at a time.
func (f *fit) eachBlock(ctx context.Context, stage string, lo, hi int,
	use func(b gram.Block, from, to int) error) error {
	d, e := f.widths()
	room := gram.NewBlock(d, e, f.Y.Cols, min(block, hi-lo))
	for from := lo; from < hi; from += block {
		to := min(from+block, hi)
		b := room.Head(to - from)
		if err := f.fill(ctx, b, from, to); err != nil {
			return err
		}
		if err := use(b, from, to); err != nil {
			return err
		}
		f.problem.Progress.Tell(stage, to, max(hi, f.X.Rows))
	}
	return nil
}

func (f *fit) fill(ctx context.Context, b gram.Block, from, to int) error {
	if n := f.X.Rows; from >= n {
		u := f.problem.Unlabelled
		x, priv := u.X.RawMatrix(), u.Priv.RawMatrix()
		for i := range b.Y.Rows {
			clear(blas.Row(b.Y, i))
		}
		if err := f.model.hidden.To(ctx, b.H, blas.View(x, from-n, to-n, 0, x.Cols)); err != nil {
			return err
		}
		return f.model.priv.To(ctx, b.Priv, blas.View(priv, from-n, to-n, 0, priv.Cols))
	}
	if err := f.model.hidden.To(ctx, b.H, blas.View(f.X, from, to, 0, f.X.Cols)); err != nil {
		return err
	}
	for i := from; i < to; i++ {
		out := blas.Row(b.Y, i-from)
		for j, y := range blas.Row(f.Y, i) {
			out[j] = y - f.shift[j]
		}
	}
	if f.model.priv == nil || from >= f.Complete {
		return nil
	}
	return f.model.priv.To(ctx, b.Priv, blas.View(f.Priv, from, to, 0, f.Priv.Cols))
}

// primalSolution predicts the rows of a block by models without each.
type primalSolution interface {
	LeaveOneOut(ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix) error
	LeftOut(ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix,
		offset []float64) error
	Trapped() error
}

func (f *fit) primalLeaveOneOut(ctx context.Context, solution primalSolution) error {
	loo := blas.New(f.X.Rows, f.Y.Cols)
	d, _ := f.widths()
	m := f.Y.Cols
	if f.problem.LeftOut {
		f.leftOut = ridge.NewLeftOut(d, f.X.Rows, m)
	}
	for _, part := range [][2]int{{0, f.Complete}, {f.Complete, f.X.Rows}} {
		lacking := part[0] == f.Complete && part[0] > 0
		err := f.eachBlock(ctx, "leave-one-out", part[0], part[1], func(b gram.Block, from, to int) error {
			if l := f.leftOut; l != nil {
				err := solution.LeftOut(ctx, b, f.Weight[from:to], lacking, from,
					blas.View(l.Weight, 0, d, from*m, to*m), l.Offset[from*m:to*m])
				if err != nil {
					return err
				}
			}
			return solution.LeaveOneOut(ctx, b, f.Weight[from:to], lacking, from, blas.View(loo, from, to, 0, loo.Cols))
		})
		if err != nil {
			return err
		}
	}
	if err := solution.Trapped(); err != nil {
		return err
	}
	for i := range loo.Rows {
		addTo(blas.Row(loo, i), f.shift)
		if f.leftOut != nil {
			addTo(f.leftOut.Offset[i*m:i*m+m], f.shift)
		}
	}
	f.loo = loo
	return nil
}

// optional runs leave-one-out if it is wanted. Under WhenCheap a row that
// determines its own prediction is a note, not a failure.
func (f *fit) optional(run func() error) error {
	if f.problem.LeaveOneOut == learn.Never {
		return nil
	}
	notes, err := f.problem.LeaveOneOut.Tolerate(run())
	f.report.Notes = append(f.report.Notes, notes...)
	return err
}
