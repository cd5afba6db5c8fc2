package lupi

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/ridge"
	"rvflplus/internal/split"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// projected is the projected additive form, over rows without targets too where there are any ("label"). C, γ and both
// representations are chosen by the leave-one-out of f(x) + g(x̃), which has far less noise than that of f(x) alone;
// the second stage by its own.
func (f *fit) projected(ctx context.Context) (*member, error) {
	name := "projected"
	if f.rows.Unlabelled != nil {
		name = "label"
	}
	if m := f.members[name]; m != nil {
		return m, nil
	}
	if f.Base == "krvfl" && (f.Kernel.LearnsRelevance() || f.PrivKernel.LearnsRelevance()) {
		return f.learnedProjected(ctx, name)
	}
	s, hidden, err := f.spaces(ctx)
	if err != nil {
		return nil, err
	}
	best, err := f.jointOf(ctx, s, hidden)
	if err != nil {
		return nil, err
	}
	trainer := f.projectedTrainer(s, hidden, best)
	out, err := f.leftOut(ctx, trainer)
	if err != nil {
		return nil, err
	}
	if name == "label" {
		if err := f.labelledAlone(ctx, trainer); err != nil {
			return nil, err
		}
	}
	m := &member{
		name: name, privileged: true, out: out, tried: best.tried, of: best.of,
		parts: []part{{key: name, weight: 1, train: by(trainer)}}, chosen: f.chosenOf(s, hidden, best),
		settings: []learn.Setting{number("C", best.c), number("gamma", best.gamma), s.setting(best.r)},
	}
	if hidden.specs != nil {
		m.settings = append(m.settings, set("priv-kernel", shortKernel(hidden.specs[best.priv])))
	}
	return f.keep(m), nil
}

// labelledAlone keeps, for comparison, the same settings without the rows that have no target.
func (f *fit) labelledAlone(ctx context.Context, trainer learn.Trainer) error {
	unlabelled := f.rows.Unlabelled
	f.rows.Unlabelled, f.basis.Unlabelled = nil, nil
	out, err := f.leftOut(ctx, trainer)
	f.rows.Unlabelled, f.basis.Unlabelled = unlabelled, unlabelled
	if err == nil {
		f.keep(&member{name: "projected", privileged: true, out: out,
			settings: []learn.Setting{set("rows", "with a target alone")}})
	}
	return err
}

// pair is a setting of the first stage.
type pair struct {
	c, gamma, loss float64
	r, priv        int // representations
	tried, of      int
}

// jointOf chooses the setting of the first stage.
func (f *fit) jointOf(ctx context.Context, s, hidden *space) (pair, error) {
	if !f.large {
		return f.joint(ctx, s, hidden)
	}
	if _, err := f.tuned(ctx); err != nil {
		return pair{}, err
	}
	return f.largeJoint(ctx)
}

// joint chooses the setting with the least leave-one-out error of f(x) + g(x̃): that of a ridge regression with the
// inner products Ω + Ω̃/γ. Rows without privileged values count less, as in the fit.
func (f *fit) joint(ctx context.Context, s, hidden *space) (pair, error) {
	var combos []pair
	for r := range s.size() {
		for priv := range hidden.size() {
			if s.specs == nil && priv != r {
				continue // both spaces have layers of one scale
			}
			for _, gamma := range f.Gamma {
				combos = append(combos, pair{gamma: gamma, r: r, priv: priv})
			}
		}
	}
	t := f.targets()
	tried := len(combos) * len(f.C)
	f.expect(tried)
	before := f.skipped
	losses := slices.Repeat([]float64{math.Inf(1)}, tried)
	var sum blas.Matrix // its settings follow each other: it is made once, and its memory used again
	for i, p := range combos {
		sum = combined(s.inner[p.r], hidden.inner[p.priv], 1/p.gamma, sum)
		err := f.each(ctx, len(f.C), t.y.Rows, max(0, 1-i), func(k int) {
			own := t
			own.weight = f.lessCounted(hidden.inner[p.priv], f.C[k], p.gamma)
			path := ridge.NewPath(ridge.PathProblem{Omega: sum, Y: t.y, Weight: own.weight, Sets: t.folds})
			if out, err := own.predict(ctx, path, f.C[k]); err == nil {
				losses[i*len(f.C)+k] = t.loss(out)
			}
		})
		if err != nil {
			return pair{}, err
		}
	}
	best := pair{loss: math.Inf(1)}
	for k, loss := range losses {
		if loss < best.loss {
			best = combos[k/len(f.C)]
			best.c, best.loss = f.C[k%len(f.C)], loss
		}
	}
	best.tried, best.of = tried-(f.skipped-before), tried
	if math.IsInf(best.loss, 1) {
		best = combos[0]
		best.c = f.C[0] // its fit says why it cannot be solved
	}
	return best, nil
}

// combined returns a + scale·b, where b is of the first rows; into may be memory to use again.
func combined(a, b blas.Matrix, scale float64, into blas.Matrix) blas.Matrix {
	if into.Rows == 0 {
		into = blas.New(a.Rows, a.Rows)
	}
	for i := range a.Rows {
		row := blas.Row(into, i)
		copy(row, blas.Row(a, i))
		if i < b.Rows {
			blas.Axpy(scale, blas.Row(b, i), row[:b.Rows])
		}
	}
	return into
}

// lessCounted returns the weights of rows in the first stage: those of rows without privileged values are divided by
// 1 + Cω̄/γ, where ω̄ is the mean of Ω̃'s diagonal.
func (f *fit) lessCounted(priv blas.Matrix, c, gamma float64) []float64 {
	if f.complete == len(f.weight) {
		return f.weight
	}
	var trace, total float64
	for i, v := range f.weight[:f.complete] {
		trace, total = trace+v*priv.Data[i*priv.Stride+i], total+v
	}
	weight := append([]float64(nil), f.weight...)
	for i := f.complete; i < len(weight); i++ {
		weight[i] /= 1 + c*trace/total/gamma
	}
	return weight
}

func (f *fit) projectedTrainer(s, hidden *space, best pair) learn.Trainer {
	if s.specs == nil {
		config := f.network(s.us[best.r], best.c)
		config.Gamma, config.Correction, config.ProjectC = best.gamma, learn.Projected, f.ProjectC
		return config
	}
	config := f.projectedConfig(s.specs[best.r], hidden.specs[best.priv], best)
	return grown{f, best.c, func(c float64) learn.Trainer {
		config.C = c
		return config
	}}
}

// projectedConfig returns the config of the projected form on kernels, but for its C.
func (f *fit) projectedConfig(normal, hidden kernel.Spec, best pair) krvfl.Config {
	config := krvfl.DefaultConfig()
	config.Gamma, config.Correction = best.gamma, learn.Projected
	config.Kernel, config.PrivKernel, config.Linear = normal, hidden, f.Linear && f.Printed
	config.ProjectC, config.ProjectKernel = f.ProjectC, f.ProjectKernel
	if config.ProjectKernel == nil {
		config.ProjectKernel = f.Kernel.WithoutLearned()
	}
	if f.Linear && !f.Printed {
		config.ProjectKernel = withLinear(config.ProjectKernel, f.rows.X.RawMatrix().Cols, 1)
	}
	config.Center, config.Seed = f.Center, f.Seed
	return config
}

// leftOut returns the predictions of rows left out: exact leave-one-out, or without each fold.
func (f *fit) leftOut(ctx context.Context, t learn.Trainer) (*mat.Dense, error) {
	if f.large {
		return f.withoutHeld(ctx, by(t))
	}
	if f.folds == nil {
		p := f.rows
		p.LeaveOneOut, p.LeftOut, p.Posterior, p.Progress = learn.Always, false, false, nil
		_, report, err := t.Train(ctx, p)
		return report.LeaveOneOut, err
	}
	return f.withoutFolds(ctx, f.folds, by(t))
}

// withoutFolds returns the predictions of each fold by a model that is trained on the rows outside it.
func (f *fit) withoutFolds(ctx context.Context, folds [][]int,
	train func(context.Context, learn.Problem) (learn.Model, error)) (*mat.Dense, error) {
	n, m := f.rows.Y.Dims()
	out := mat.NewDense(n, m, nil)
	for _, fold := range folds {
		model, err := train(ctx, f.rows.Only(split.Others(n, fold)))
		if err != nil {
			return nil, err
		}
		predicted := mat.NewDense(len(fold), m, nil)
		model.PredictTo(predicted, learn.GatherRows(f.rows.X, fold))
		for k, i := range fold {
			out.SetRow(i, predicted.RawRowView(k))
		}
	}
	return out, nil
}
