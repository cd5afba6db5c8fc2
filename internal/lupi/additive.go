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
	leastAdditiveGamma = 1e-2
)

// fewRows is the number of rows up to which a comparison tries every representation of the normal features for additive
// and in permutation tests. Evidence is scarce in few rows, and factorisations cost little. Of more rows the
// representation is that of the tuned ridge regression.
const fewRows = 120

// additive is the additive form, chosen by the leave-one-out of f(x) alone: where privileged features do not depend on
// the normal ones this loss shows a gain best.
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
	s := f.normal
	if f.rows.Y.RawMatrix().Rows > fewRows {
		s = s.only(least(f.choices))
	}
	t := f.targets()
	var paths []*ridge.Path
	for _, inner := range s.inner {
		paths = append(paths, ridge.NewPath(ridge.PathProblem{Omega: inner, Priv: hidden.inner[0], Y: t.y,
			Weight: t.weight, Sets: t.folds}))
	}
	var params []ridge.Params
	for _, gamma := range between(f.Gamma, leastAdditiveGamma, math.Inf(1)) {
		for _, c := range between(f.C, 0, mostAdditiveC) {
			params = append(params, ridge.Params{C: c, Gamma: gamma, Correction: learn.Additive, Center: t.center})
		}
	}
	settings := len(paths) * len(params)
	f.expect(settings)
	losses, errs := slices.Repeat([]float64{math.Inf(1)}, settings), make([]error, settings)
	err = f.each(ctx, settings, t.y.Rows, 1, func(k int) {
		var out *mat.Dense
		if out, errs[k] = t.predictBy(ctx, paths[k/len(params)], params[k%len(params)]); errs[k] == nil {
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
	r, chosen := best/len(params), params[best%len(params)]
	out, err := t.predictBy(ctx, paths[r], chosen)
	if err != nil {
		return nil, err
	}
	config := krvfl.DefaultConfig()
	config.C, config.Gamma, config.Correction = chosen.C, chosen.Gamma, learn.Additive
	config.Kernel, config.PrivKernel, config.Linear = s.specs[r], hidden.specs[0], f.Linear && f.Printed
	config.Center, config.Seed = f.Center, f.Seed
	return f.keep(&member{
		name: "additive", privileged: true, out: out, tried: settings, of: settings,
		settings: []learn.Setting{number("C", config.C), number("gamma", config.Gamma), s.setting(r)},
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
