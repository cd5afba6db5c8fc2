package compare

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

// folds is the number of folds of methods that have no closed form.
const folds = 5

// view is a training problem as the methods of one role see it.
type view struct {
	problem learn.Problem
	truth   pipeline.Truth
	metric  search.Score // that methods without a closed form are tuned by
	loo     *heldout.Evaluator
	seed    uint64    // of the folds
	scale   []float64 // of each output's error in losses
}

func newView(p learn.Problem, truth pipeline.Truth, metric search.Score, seed uint64) (view, error) {
	folds, err := foldsOf(p, seed)
	if err != nil {
		return view{}, err
	}
	e, err := heldout.New(p, folds)
	return view{p, truth, metric, e, seed, outputScale(p, truth)}, err
}

// outputScale returns the factors of the outputs' errors. The standard deviations of several targets of a regression
// differ by their units alone.
func outputScale(p learn.Problem, truth pipeline.Truth) []float64 {
	rows, m := p.Y.Dims()
	scale := slices.Repeat([]float64{1}, m)
	if m == 1 || truth.Labels() != nil {
		return scale
	}
	column := make([]float64, rows)
	for j := range scale {
		if sd := stat.PopStdDev(mat.Col(column, j, p.Y), p.Weight); sd > 0 {
			scale[j] = 1 / sd
		}
	}
	return scale
}

// withPriv returns the view with other privileged features; nil leaves them out.
func (v view) withPriv(priv *mat.Dense) (view, error) {
	e, err := v.loo.WithPriv(priv)
	v.problem.Priv, v.loo = priv, e
	if priv == nil {
		v.problem.HasPriv, v.problem.Unlabelled = nil, nil
	}
	return v, err
}

// tuned is a method's best setting on some rows.
type tuned struct {
	trainer learn.Trainer
	loss    float64 // on rows left out: squared error of the outputs, or by the metric
	seconds float64 // a share of the time, where methods are tuned together
}

// tune returns for each method the best candidate on rows left out: by squared error in
// exact leave-one-out, or by the metric in 5 (stratified) folds without a closed form. Settings
// that cannot be solved are passed over. Methods that share what is computed are tuned together.
func (v view) tune(ctx context.Context, methods []Method) ([]tuned, error) {
	all := make([]tuned, len(methods))
	for _, group := range groups(methods) {
		own, choose := learn.Gather(methods, group), v.tuneGroup
		if own[0].member != "" {
			choose = v.chooseTogether
		}
		best, err := choose(ctx, own)
		if err != nil {
			return nil, err
		}
		for k, i := range group {
			all[i] = best[k]
		}
	}
	return all, nil
}

// groups returns the numbers of the methods that are tuned together: those of package lupi on one base, and those of
// one kind that differ in the correction.
func groups(methods []Method) [][]int {
	var all [][]int
	at := map[string]int{}
	for i, m := range methods {
		key := m.Name
		switch {
		case m.member != "":
			key = "base " + m.base
		case m.correction != "":
			key = "kind " + m.kind.Name
		}
		k, known := at[key]
		if !known {
			k, at[key] = len(all), len(all)
			all = append(all, nil)
		}
		all[k] = append(all[k], i)
	}
	return all
}

// chooseTogether lets methods of package lupi on one base choose their settings.
func (v view) chooseTogether(ctx context.Context, methods []Method) ([]tuned, error) {
	selected, err := methods[0].together().Together(ctx, v.problem, members(methods))
	if err != nil {
		return nil, err
	}
	var all []tuned
	for _, s := range selected {
		all = append(all, tuned{trainer: s, loss: v.sum(s.Loss), seconds: s.Seconds})
	}
	return all, nil
}

// together returns what chooses the settings of m and of the methods of the same base.
func (m Method) together() kind.Together { return kind.ChooseTogether(m.config, m.base, m.targets) }

func members(methods []Method) []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.member)
	}
	return names
}

// sum returns the loss that counts the squared errors of all outputs from their mean.
func (v view) sum(mean float64) float64 { return mean * float64(len(v.scale)) }

// tuneGroup tunes methods that differ in the correction alone, or one.
func (v view) tuneGroup(ctx context.Context, methods []Method) ([]tuned, error) {
	start := time.Now()
	candidates, err := methods[0].Candidates(v.problem)
	if err != nil {
		return nil, err
	}
	e, err := v.evaluator(methods[0].Closed)
	if err != nil {
		return nil, err
	}
	scored := make([]search.Scored, len(methods))
	var failure error
	for _, c := range candidates {
		outputs, err := heldOutBy(ctx, e, c, methods)
		if err != nil && !errors.Is(err, fault.NotSolved) {
			return nil, err
		}
		for k := range methods {
			loss := math.NaN()
			if err != nil {
				failure = err
			} else if loss, err = v.loss(outputs[k], e.Held(), methods[k].Closed); err != nil {
				return nil, err
			}
			scored[k].Score = append(scored[k].Score, loss)
		}
	}
	best := make([]tuned, len(methods))
	for k, m := range methods {
		i, err := search.Best{}.Choose(scored[k])
		if err != nil {
			return nil, err
		}
		if i < 0 {
			return nil, fault.New(fault.NotSolved, "no setting of method %s can be solved: %w", m.Name, failure)
		}
		best[k] = tuned{loss: scored[k].Score[i], trainer: m.variant(candidates[i]).Trainer}
	}
	for k := range best {
		best[k].seconds = time.Since(start).Seconds() / float64(len(best))
	}
	return best, nil
}

// variant returns c with the correction of m.
func (m Method) variant(c Candidate) Candidate {
	if m.correction != "" {
		c.config.Correction = m.correction
		c.Trainer = m.kind.Trainer(m.kind.Complete(c.config), m.targets)
	}
	return c
}

// loss is smaller for better outputs of the given rows.
func (v view) loss(out *mat.Dense, rows []int, closed bool) (float64, error) {
	if closed {
		return v.squaredError(out, rows), nil
	}
	value, _, err := v.metric.Of(v.truth, out, rows, nil)
	return v.metric.Loss(value), err
}

// heldOutBy returns the outputs for rows left out by each method's variant of c.
func heldOutBy(ctx context.Context, e *heldout.Evaluator, c Candidate, methods []Method) ([]*mat.Dense, error) {
	first := methods[0]
	if first.kind.Name == "" || !first.Closed {
		out, err := e.Refit(ctx, c.Trainer)
		return []*mat.Dense{out}, err
	}
	var configs []param.Config
	complete := first.kind.Complete(c.config)
	for _, m := range methods {
		if m.correction != "" {
			complete.Correction = m.correction
		}
		configs = append(configs, complete)
	}
	return first.kind.HeldOut(ctx, e, configs, first.targets)
}

func (v view) evaluator(closed bool) (*heldout.Evaluator, error) {
	if closed {
		return v.loo, nil
	}
	s := search.Scheme{Folds: folds, Seed: v.seed, Groups: v.problem.Group}
	sets, err := s.Make(v.problem.X.RawMatrix().Rows, v.truth.Labels())
	if err != nil {
		return nil, err
	}
	return heldout.New(v.problem, sets)
}

// squaredError returns the weighted mean, over the rows that out is for, of the sum of
// the outputs' squared errors, each in the unit of its scale.
func (v view) squaredError(out *mat.Dense, rows []int) float64 {
	var loss, total float64
	for k, i := range rows {
		weight := 1.0
		if v.problem.Weight != nil {
			weight = v.problem.Weight[i]
		}
		for j, y := range v.problem.Y.RawRowView(i) {
			d := (out.At(k, j) - y) * v.scale[j]
			loss += weight * d * d
		}
		total += weight
	}
	return loss / total
}
