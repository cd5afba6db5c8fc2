package compare

import (
	"context"
	"errors"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
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
	loo     *heldout.Evaluator
	seed    uint64 // of the folds
}

func newView(p learn.Problem, truth pipeline.Truth, seed uint64) (view, error) {
	e, err := heldout.New(p, nil)
	return view{p, truth, e, seed}, err
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
	tried   int     // settings
	seconds float64 // a share of the time, where methods are tuned together
}

// tune returns for each method the best candidate on rows left out: by squared error in
// exact leave-one-out, or by the metric in 5 (stratified) folds without a closed form. Settings
// that cannot be solved are passed over. Neighbours of one kind are tuned together.
func (v view) tune(ctx context.Context, methods []Method) ([]tuned, error) {
	var all []tuned
	for len(all) < len(methods) {
		rest, n := methods[len(all):], 1
		for rest[0].correction != "" && n < len(rest) && rest[n].kind.Name == rest[0].kind.Name {
			n++
		}
		start := time.Now()
		group, err := v.tuneGroup(ctx, rest[:n])
		if err != nil {
			return nil, err
		}
		for i := range group {
			group[i].seconds = time.Since(start).Seconds() / float64(n)
		}
		all = append(all, group...)
	}
	return all, nil
}

// tuneGroup tunes methods that differ in the correction alone, or one.
func (v view) tuneGroup(ctx context.Context, methods []Method) ([]tuned, error) {
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
		best[k] = tuned{loss: scored[k].Score[i], tried: len(candidates), trainer: m.variant(candidates[i]).Trainer}
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
		return squaredError(out, rows, v.problem), nil
	}
	metrics, err := v.truth.Score(out, rows)
	if err != nil {
		return 0, err
	}
	if name, value := metrics.Main(); name == "accuracy" {
		return -value, nil
	}
	return metrics.Number.RMSE, nil
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
	s := search.Scheme{Folds: folds, Seed: v.seed}
	sets, err := s.Make(v.problem.X.RawMatrix().Rows, v.truth.Labels())
	if err != nil {
		return nil, err
	}
	return heldout.New(v.problem, sets)
}

// squaredError returns the weighted mean, over the rows that out is for, of the squared
// error of the outputs.
func squaredError(out *mat.Dense, rows []int, p learn.Problem) float64 {
	var loss, total float64
	for k, i := range rows {
		v := 1.0
		if p.Weight != nil {
			v = p.Weight[i]
		}
		for j, y := range p.Y.RawRowView(i) {
			d := out.At(k, j) - y
			loss += v * d * d
		}
		total += v
	}
	return loss / total
}
