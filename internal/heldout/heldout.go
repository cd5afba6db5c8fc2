// Package heldout predicts rows of a problem by models that were trained without them.
// Ridge regressions on kernels and on random layers are not refitted: kernel matrices and
// sums over rows are formed once, and every (C, γ) is at most a factorisation. Every other
// model is refitted.
package heldout

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// Evaluator predicts the rows of one problem by models that were trained without them,
// for one setting of hyper-parameters after the other. Settings share what is computed
// once and kept: inner products and distances of a space, the kernel matrix of a width,
// and the random layer with its sums over rows of a (u, activation, seed).
//
//	e, err := heldout.New(problem, nil) // leave-one-out
//	outputs, err := e.ByKernels(ctx, kernels, []ridge.Params{{C: 10, Gamma: 2, Correction: learn.Additive}})
//
// It is safe for concurrent use, and its results do not depend on what was asked
// before or on the number of threads. Every row that is predicted is left out of
// everything exactly, of the targets' means and of the sum in the correction too. One
// thing alone is taken from all rows: the factor by which rows without privileged values
// count less.
type Evaluator struct {
	problem learn.Problem
	rows    learn.Ordered
	folds   Folds
	alone   []int   // the rows that are predicted without folds; nil for all
	held    []int   // rows of the problem, in the order of the predictions
	sets    [][]int // folds in the order of rows; nil for leave-one-out
	normal  *space
	priv    *space // nil without privileged features
	layers  cache[*layer]
	memory  struct { // whether kernel matrices fit, judged before the first
		once sync.Once
		err  error
	}
}

// Folds lists rows that are left out together, each fold by itself; a row may be in
// several folds (repetitions) or in none. nil leaves every row out alone.
type Folds [][]int

// New checks p and returns its evaluator. A row of weight 0, or a fold that is
// empty or names a row twice or one that does not exist, is a fault.Usage error. p must
// not change afterwards; its LeaveOneOut and Progress are not used.
func New(p learn.Problem, folds Folds) (*Evaluator, error) { return newEvaluator(p, folds, nil) }

// NewAlone is New for leave-one-out of some rows, fewer than all and each named once: each of them is left out alone,
// in closed form where there is one, and the others are in every training set.
func NewAlone(p learn.Problem, rows []int) (*Evaluator, error) {
	if err := (Folds{rows}).Check(p.X.RawMatrix().Rows); err != nil {
		return nil, err
	}
	return newEvaluator(p, nil, rows)
}

func newEvaluator(p learn.Problem, folds Folds, alone []int) (*Evaluator, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	p.LeaveOneOut, p.Progress = learn.Never, nil
	e := &Evaluator{problem: p, rows: p.CompleteFirst(), folds: folds, alone: alone}
	n := p.X.RawMatrix().Rows
	if len(e.rows.Order()) < n {
		return nil, fault.New(fault.Usage, "rows of weight 0 cannot be tuned on").WithHint("leave them out")
	}
	if err := folds.Check(n); err != nil {
		return nil, err
	}
	e.place(n)
	basis := e.trainedOn()
	e.normal = newSpace(e.rows.X, basis)
	e.setPriv(basis)
	e.layers.limit = cacheBytes
	return e, nil
}

// WithPriv returns an evaluator of the same problem with other privileged features,
// of as many rows, present in the same rows; nil means none, and no rows without a
// target either. It shares what was and will be computed of the normal space: made for
// permutation tests.
func (e *Evaluator) WithPriv(priv *mat.Dense) (*Evaluator, error) {
	p := e.problem.WithPriv(priv)
	if priv == nil {
		p.Unlabelled = nil
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if (priv == nil) != (e.problem.Priv == nil) && p.HasPriv != nil {
		return newEvaluator(p, e.folds, e.alone)
	}
	other := &Evaluator{problem: p, rows: p.CompleteFirst(), folds: e.folds, alone: e.alone, held: e.held,
		sets: e.sets, normal: e.normal}
	other.setPriv(other.trainedOn())
	other.layers.limit = cacheBytes
	return other, nil
}

// KeepLittle drops kernel matrices that are not in use, for settings that come in an
// order in which those that share one follow each other: what is written anew is then
// still in the processor's cache.
func (e *Evaluator) KeepLittle() {
	e.normal.matrices.limit = 0
	if e.priv != nil {
		e.priv.matrices.limit = 0
	}
}

// Held returns the number of the row that each prediction belongs to: fold
// after fold, in the order given; 0 … N-1 for leave-one-out, the rows of NewAlone. It must not be written.
func (e *Evaluator) Held() []int { return e.held }

// HasPriv reports whether a row has privileged features.
func (e *Evaluator) HasPriv() bool { return e.priv != nil }

// Folds returns the folds.
func (e *Evaluator) Folds() Folds { return e.folds }

// Check returns a fault.Usage error for folds that do not suit n rows: New says how.
func (f Folds) Check(n int) error {
	for k, fold := range f {
		seen := map[int]bool{}
		for _, row := range fold {
			if row < 0 || row >= n || seen[row] {
				return fault.New(fault.Usage, "fold %d has row %d twice, or there is no such row", k+1, row+1)
			}
			seen[row] = true
		}
		if len(fold) == 0 || len(fold) == n {
			return fault.New(fault.Usage, "fold %d has %d of %d rows", k+1, len(fold), n).
				WithHint("a fold needs rows in it and rows outside")
		}
	}
	if f != nil && len(f) == 0 {
		return fault.New(fault.Usage, "there are no folds")
	}
	return nil
}

// place sets held and sets.
func (e *Evaluator) place(n int) {
	if e.folds == nil {
		for i := range n {
			e.held = append(e.held, i)
		}
		if e.alone != nil {
			e.held = e.alone
		}
		return
	}
	at := make([]int, n)
	for i, row := range e.rows.Order() {
		at[row] = i
	}
	for _, fold := range e.folds {
		set := make([]int, len(fold))
		for k, row := range fold {
			set[k] = at[row]
		}
		e.held, e.sets = append(e.held, fold...), append(e.sets, set)
	}
}

// trainedOn returns the rows in the order of CompleteFirst that some fold is trained on, nil for all.
func (e *Evaluator) trainedOn() []int {
	times := make([]int, len(e.rows.Order()))
	for _, set := range e.sets {
		for _, i := range set {
			times[i]++
		}
	}
	var rows []int
	for i, k := range times {
		if len(e.sets) == 0 || k < len(e.sets) {
			rows = append(rows, i)
		}
	}
	if len(rows) == len(times) {
		return nil
	}
	return rows
}

func (e *Evaluator) setPriv(basis []int) {
	if e.problem.Priv == nil || e.rows.Complete == 0 {
		return
	}
	var complete []int
	for _, i := range basis {
		if i < e.rows.Complete {
			complete = append(complete, i)
		}
	}
	e.priv = newSpace(blas.View(e.rows.Priv, 0, e.rows.Complete, 0, e.rows.Priv.Cols), complete)
}

// restore brings predictions of rows in the order of CompleteFirst into the order of Held.
func (e *Evaluator) restore(out blas.Matrix) *mat.Dense {
	if e.folds == nil {
		return e.only(e.rows.Restore(out, nil, nil))
	}
	return mat.NewDense(out.Rows, out.Cols, out.Data)
}

// only returns the rows of Held of leave-one-out predictions for all rows.
func (e *Evaluator) only(all *mat.Dense) *mat.Dense {
	if e.alone == nil {
		return all
	}
	return learn.GatherRows(all, e.alone)
}
