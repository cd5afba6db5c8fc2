package lupi

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/ridge"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// The settings of additive end where f(x) alone begins to interpolate few rows: with larger C and smaller γ it looks
// good on the rows left out and fails on others.
const (
	mostAdditiveC      = 100
	leastAdditiveC     = 1e-2
	leastAdditiveGamma = 1e-2
	mostAdditiveGamma  = 100
)

// additive is the additive form, chosen by the leave-one-out of f(x) alone: where privileged features do not depend on
// the normal ones it has the smallest loss. The width is that of the tuned ridge regression.
func (f *fit) additive(ctx context.Context) (*member, error) {
	if m := f.members["additive"]; m != nil {
		return m, nil
	}
	if _, err := f.tuned(ctx); err != nil {
		return nil, err
	}
	hidden, err := f.privSpace(ctx)
	if err != nil {
		return nil, err
	}
	r, t := least(f.choices), f.targets()
	path := ridge.NewPath(ridge.PathProblem{Omega: f.normal.inner[r], Priv: hidden.inner[0], Y: t.y, Weight: t.weight,
		Sets: t.folds})
	var settings []ridge.Params
	for _, gamma := range between(f.Gamma, leastAdditiveGamma, mostAdditiveGamma) {
		for _, c := range between(f.C, leastAdditiveC, mostAdditiveC) {
			settings = append(settings, ridge.Params{C: c, Gamma: gamma, Correction: learn.Additive, Center: t.center})
		}
	}
	f.expect(len(settings))
	losses, errs := slices.Repeat([]float64{math.Inf(1)}, len(settings)), make([]error, len(settings))
	err = f.each(ctx, len(settings), t.y.Rows, 1, func(k int) {
		var out *mat.Dense
		if out, errs[k] = t.predictBy(ctx, path, settings[k]); errs[k] == nil {
			losses[k] = t.loss(out)
		}
	})
	if err != nil {
		return nil, err
	}
	best := slices.Index(losses, slices.Min(losses))
	if math.IsInf(losses[best], 1) {
		return nil, errs[0]
	}
	out, err := t.predictBy(ctx, path, settings[best])
	if err != nil {
		return nil, err
	}
	config := krvfl.DefaultConfig()
	config.C, config.Gamma, config.Correction = settings[best].C, settings[best].Gamma, learn.Additive
	config.Kernel, config.PrivKernel, config.Linear = f.normal.specs[r], hidden.specs[0], f.Linear
	config.Center, config.Seed = f.Center, f.Seed
	return f.keep(&member{
		name: "additive", privileged: true, out: out, tried: len(settings), of: len(settings),
		settings: []learn.Setting{number("C", config.C), number("gamma", config.Gamma), f.normal.setting(r)},
		parts:    []part{{key: "additive", weight: 1, train: by(config)}},
	}), nil
}

// between returns the values from least to most; all where there are none.
func between(values []float64, least, most float64) []float64 {
	var out []float64
	for _, v := range values {
		if v >= least && v <= most {
			out = append(out, v)
		}
	}
	if out == nil {
		return values
	}
	return out
}
