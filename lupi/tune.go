package lupi

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset/split"
	"rvflplus/fault"
	"rvflplus/learn"
	"rvflplus/search"
)

// folds is the number of folds of methods that have no closed form.
const folds = 5

// view is a training problem as the methods of one role see it.
type view struct {
	problem learn.Problem
	loo     *search.Evaluator
	seed    uint64 // of the folds
}

func newView(p learn.Problem, seed uint64) (view, error) {
	e, err := search.NewEvaluator(p, nil)
	return view{p, e, seed}, err
}

// withPriv returns the view with other privileged features; nil leaves them out.
func (v view) withPriv(priv *mat.Dense) (view, error) {
	e, err := v.loo.WithPriv(priv)
	v.problem.Priv, v.loo = priv, e
	if priv == nil {
		v.problem.HasPriv = nil
	}
	return v, err
}

// tuned is a method's best setting on some rows.
type tuned struct {
	trainer learn.Trainer
	loss    float64 // mean squared error of the outputs for rows left out
	tried   int     // settings
}

// tune returns the candidate of m with the least squared error on rows left out: by
// exact leave-one-out, or by 5 folds without a closed form. Settings that cannot be
// solved are passed over.
func (v view) tune(ctx context.Context, m Method) (tuned, error) {
	candidates, err := m.Candidates(v.problem)
	best := tuned{loss: math.Inf(1), tried: len(candidates)}
	if err != nil {
		return best, err
	}
	e, err := v.evaluator(m.Closed)
	if err != nil {
		return best, err
	}
	var failure error
	for _, c := range candidates {
		loss, err := lossOf(ctx, e, v.problem, c)
		switch {
		case errors.Is(err, fault.NotSolved):
			failure = err
		case err != nil:
			return best, err
		case loss < best.loss:
			best.trainer, best.loss = c, loss
		}
	}
	if best.trainer == nil {
		return best, fault.New(fault.NotSolved, "no setting of method %s can be solved: %w", m.Name, failure)
	}
	return best, nil
}

func (v view) evaluator(closed bool) (*search.Evaluator, error) {
	if closed {
		return v.loo, nil
	}
	f, err := split.KFold(v.problem.X.RawMatrix().Rows, folds, v.seed)
	if err != nil {
		return nil, err
	}
	sets := make(search.Folds, f.K)
	for i := range sets {
		sets[i] = f.Split(i).Test
	}
	return search.NewEvaluator(v.problem, sets)
}

// lossOf returns the weighted mean, over rows, of the squared error of the outputs
// for rows left out.
func lossOf(ctx context.Context, e *search.Evaluator, p learn.Problem, t learn.Trainer) (float64, error) {
	out, err := e.HeldOut(ctx, t)
	if err != nil {
		return 0, err
	}
	var loss, total float64
	for k, i := range e.Held() {
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
	return loss / total, nil
}
