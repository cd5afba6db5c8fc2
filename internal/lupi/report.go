package lupi

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// kernelRidge returns the kernel ridge regression of given settings.
func kernelRidge(spec kernel.Spec, c float64, center bool, seed uint64) krvfl.Config {
	config := krvfl.DefaultConfig()
	config.C, config.Kernel, config.Linear, config.Center, config.Seed = c, spec, false, center, seed
	return config
}

// trainConstant trains a model of the targets' means: a kernel ridge regression without its expansion.
func trainConstant(_ context.Context, p learn.Problem) (learn.Model, error) {
	m := p.Y.RawMatrix().Cols
	offset, total := make([]float64, m), 0.0
	for i, v := range weightsOf(p) {
		total += v
		for j := range offset {
			offset[j] += (p.Y.At(i, j) - offset[j]) * v / total
		}
	}
	first := mat.DenseCopyOf(p.X.Slice(0, 1, 0, p.X.RawMatrix().Cols)).RawMatrix()
	return krvfl.FromParts(krvfl.Parts{
		Support: first, Terms: []krvfl.Term{{Kernel: kernel.Linear{}, Alpha: mat.NewDense(1, m, nil).RawMatrix()}},
		Offset: offset,
	})
}

// report tells of the model of all rows. Leave-one-out predictions are those that settings were chosen by, which are
// exact where every row was left out alone. With a sample they are computed only when the problem asks for them.
func (f *fit) report(ctx context.Context, p learn.Problem, ordered learn.Ordered, chosen *member, m learn.Model) (
	learn.Report, error) {
	r := learn.Report{Solver: "dual", Size: f.all.X.RawMatrix().Rows}
	if f.Base == "rvfl" {
		r.Solver = "primal"
	}
	out := chosen.out
	switch {
	case p.LeaveOneOut == learn.Never, f.sampled != nil && p.LeaveOneOut != learn.Always:
		return r, nil
	case f.sampled != nil:
		var err error
		if out, err = f.onAllRows(ctx, chosen); err != nil {
			return r, err
		}
	}
	r.LeaveOneOut = ordered.Restore(out.RawMatrix(), m.PredictTo, p.X)
	return r, nil
}

// onAllRows returns the chosen member's predictions of rows left out, for all rows: settings and weights stay, and the
// models are trained without each of a few folds.
func (f *fit) onAllRows(ctx context.Context, chosen *member) (*mat.Dense, error) {
	whole := &fit{Config: f.Config, rows: f.all}
	folds, err := whole.outerFolds()
	if err != nil {
		return nil, err
	}
	return whole.withoutFolds(ctx, folds, func(ctx context.Context, p learn.Problem) (learn.Model, error) {
		return f.refit(ctx, chosen, p)
	})
}

// outcome tells what was chosen.
func (f *fit) outcome(chosen *member) *learn.Outcome {
	o := &learn.Outcome{Chosen: chosen.name, Kappa: f.kappa, Rows: f.chosenOn().X.RawMatrix().Rows, Left: f.left(),
		Growth: f.growth, Nested: f.nested}
	if u := f.rows.Unlabelled; u != nil {
		o.Unlabelled = u.X.RawMatrix().Rows
	}
	list := []*member{f.constant()}
	for _, name := range f.order {
		list = append(list, f.members[name])
	}
	if chosen.name == "stack" {
		list = append(list, chosen)
	}
	share := map[string]float64{chosen.name: 1}
	for _, s := range chosen.shares {
		share[s.name] = s.weight
	}
	for _, m := range list {
		c := learn.Candidate{Name: m.name, Privileged: m.privileged, Settings: m.settings, Tried: m.tried, Of: m.of,
			Weight: share[m.name]}
		out := m.out
		if m.name == "tuned" && f.learnedAll != nil && f.averages != nil && f.folds == nil {
			out = f.averages[f.tunedAt()].out // by the folds of the others
		}
		c.Loss, c.SE = f.mean(f.losses(out))
		o.Candidates = append(o.Candidates, c)
	}
	return o
}
