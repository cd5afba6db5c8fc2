// Package search looks for hyper-parameters: it makes candidates, predicts rows left
// out under each, and scores the predictions. The kinds in closed form are not
// refitted: kernel matrices and sums over rows are formed once, and every (C, γ) is at
// most a factorisation (see Evaluator). Every other learn.Trainer is refitted.
package search

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Evaluator predicts the rows of one problem by models that were trained without
// them, for one setting of hyper-parameters after the other. What settings share is
// computed once and kept: inner products and distances of a space, the kernel matrix
// of a width, the random layer and the sums over rows of a (u, activation, seed).
//
//	e, err := search.NewEvaluator(problem, nil)          // leave-one-out
//	outputs, err := e.HeldOut(ctx, krvfl.Config{C: 10, Gamma: 2, Correction: learn.Additive})
//
// It is safe for concurrent use, and its results do not depend on what was asked
// before or on the number of threads. Everything of rows that have to be predicted is
// left out exactly, targets' means and the sum in the correction included; only the
// share by which rows without privileged values count less is that of all rows.
type Evaluator struct {
	problem learn.Problem
	rows    learn.Ordered
	folds   Folds
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

// NewEvaluator checks p and returns its evaluator. A row of weight 0, or a fold that is
// empty or names a row twice or one that does not exist, is a fault.Usage error. p must
// not change afterwards; its LeaveOneOut and Progress are not used.
func NewEvaluator(p learn.Problem, folds Folds) (*Evaluator, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	p.LeaveOneOut, p.Progress = learn.Never, nil
	e := &Evaluator{problem: p, rows: p.CompleteFirst(), folds: folds}
	n := p.X.RawMatrix().Rows
	if len(e.rows.Order()) < n {
		return nil, fault.New(fault.Usage, "rows of weight 0 cannot be tuned on").WithHint("leave them out")
	}
	if err := folds.check(n); err != nil {
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
// of as many rows, present in the same rows; nil means none. It shares what was and
// will be computed of the normal space: made for permutation tests.
func (e *Evaluator) WithPriv(priv *mat.Dense) (*Evaluator, error) {
	p := e.problem
	p.Priv = priv
	if err := p.Check(); err != nil {
		return nil, err
	}
	if (priv == nil) != (e.problem.Priv == nil) && p.HasPriv != nil {
		return NewEvaluator(p, e.folds)
	}
	other := &Evaluator{problem: p, rows: p.CompleteFirst(), folds: e.folds, held: e.held, sets: e.sets, normal: e.normal}
	other.setPriv(other.trainedOn())
	other.layers.limit = cacheBytes
	return other, nil
}

// keepLittle drops kernel matrices that are not in use, for settings that come in an
// order in which those that share one follow each other: what is written anew is then
// still in the processor's cache.
func (e *Evaluator) keepLittle() {
	e.normal.matrices.limit = 0
	if e.priv != nil {
		e.priv.matrices.limit = 0
	}
}

// Held returns the number of the row that each prediction of HeldOut belongs to: fold
// after fold, in the order given; 0 … N-1 for leave-one-out. It must not be written.
func (e *Evaluator) Held() []int { return e.held }

// Folds returns the folds.
func (e *Evaluator) Folds() Folds { return e.folds }

// HeldOut returns the outputs for the rows of Held, each predicted by t trained on the
// rows outside its fold. rvfl.Config (but for its pseudo-inverse) and krvfl.Config are
// evaluated in closed form, other trainers by their own leave-one-out or by refitting.
// A system that cannot be solved is a fault.NotSolved error. The cost is that of
// ridge.Path or ridge.PrimalPath, beside what is computed once.
func (e *Evaluator) HeldOut(ctx context.Context, t learn.Trainer) (*mat.Dense, error) {
	switch c := t.(type) {
	case krvfl.Config:
		if err := c.Validate(); err != nil {
			return nil, err
		}
		return e.kernels(ctx, c.WithDefaults())
	case rvfl.Config:
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if c = c.WithDefaults(); c.Solver != "pinv" && e.layersFit(c) {
			return e.links(ctx, c)
		}
	}
	return e.refit(ctx, t)
}

// check judges folds of n rows.
func (f Folds) check(n int) error {
	for k, fold := range f {
		seen := map[int]bool{}
		for _, row := range fold {
			if row < 0 || row >= n || seen[row] {
				return fault.New(fault.Usage, "fold %d has row %d twice, or there is no such row", k+1, row+1)
			}
			seen[row] = true
		}
		if len(fold) == 0 || len(fold) == n {
			return fault.New(fault.Usage, "fold %d has %d of %d rows", k+1, len(fold), n).WithHint("a fold needs rows in it and rows outside")
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

// trainedOn returns the arranged rows that some fold is trained on, nil for all.
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

// restore brings predictions of arranged rows into the order of Held.
func (e *Evaluator) restore(out blas.Matrix) *mat.Dense {
	if e.folds == nil {
		return e.rows.Restore(out, nil, nil)
	}
	return mat.NewDense(out.Rows, out.Cols, out.Data)
}

// kernels evaluates KRVFL and KRVFL+.
func (e *Evaluator) kernels(ctx context.Context, c krvfl.Config) (out *mat.Dense, err error) {
	err = e.useKernels(ctx, c, func(p *ridge.Path) (err error) {
		out, err = e.along(ctx, p, c.Params())
		return err
	})
	return out, err
}

func (e *Evaluator) useKernels(ctx context.Context, c krvfl.Config, use func(*ridge.Path) error) error {
	if e.memory.once.Do(e.checkMemory); e.memory.err != nil {
		return e.memory.err
	}
	p := ridge.PathProblem{Y: e.rows.Y, Weight: e.rows.Weight, Sets: e.sets}
	run := func() error { return use(ridge.NewPath(p)) }
	return e.normal.matrix(ctx, c, c.Kernel, "normal", func(m blas.Matrix) error {
		p.Omega = m
		if e.priv == nil {
			return run()
		}
		return e.priv.matrix(ctx, c, c.PrivKernel, "privileged", func(m blas.Matrix) error {
			p.Priv = m
			return run()
		})
	})
}

// checkMemory judges kernel matrices: in each space one, and one of what its kernels
// share, and what an evaluation takes.
func (e *Evaluator) checkMemory() {
	n, spaces := e.rows.X.Rows, 1.0
	if e.priv != nil {
		spaces = 2
	}
	need := 16*spaces*float64(n)*float64(n) + ridge.PathBytes(n)
	e.memory.err = memory.Check(need, fmt.Sprintf("tuning a kernel model of %d rows", n), "tune rvfl+ or rvfl, whose memory does not grow with the rows, or fewer rows")
}

// path is a ridge.Path or a ridge.PrimalPath.
type path interface {
	HeldRows() int
	HeldOut(ctx context.Context, q ridge.Params, dst blas.Matrix) error
}

func (e *Evaluator) along(ctx context.Context, p path, q ridge.Params) (*mat.Dense, error) {
	out := blas.New(p.HeldRows(), e.rows.Y.Cols)
	if err := p.HeldOut(ctx, q, out); err != nil {
		return nil, err
	}
	if err := learn.CheckWeights(out); err != nil {
		return nil, err
	}
	return e.restore(out), nil
}

// space is the normal or the privileged features and what is known of them.
type space struct {
	x        blas.Matrix
	basis    blas.Matrix // the rows that automatic widths are taken from
	rows     *kernel.Matrices
	matrices cache[blas.Matrix]
	lock     sync.Mutex
	spare    blas.Matrix // memory of a matrix that was dropped
	resolved map[string]kernel.Kernel
}

func newSpace(x blas.Matrix, basis []int) *space {
	s := &space{x: x, basis: x, rows: kernel.NewMatrices(x), resolved: map[string]kernel.Kernel{}}
	s.matrices.limit, s.matrices.discard = cacheBytes, s.keep
	if basis != nil {
		s.basis = blas.New(len(basis), x.Cols)
		for k, i := range basis {
			copy(blas.Row(s.basis, k), blas.Row(x, i))
		}
	}
	return s
}

// matrix calls use with the kernel matrix of the kernel that c makes of text; what names
// the space for errors.
func (s *space) matrix(ctx context.Context, c krvfl.Config, text, what string, use func(blas.Matrix) error) error {
	k, err := s.resolve(c, text)
	if err != nil {
		return fmt.Errorf("%s features: %w", what, err)
	}
	return s.matrices.use(k.String(), func() (blas.Matrix, float64, error) {
		m := s.room()
		return m, 8 * float64(m.Rows) * float64(m.Cols), s.rows.MatrixTo(ctx, k, m)
	}, use)
}

// room returns a matrix of arbitrary numbers: one that was dropped, or a new one.
func (s *space) room() blas.Matrix {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.spare.Rows == 0 {
		return blas.New(s.x.Rows, s.x.Rows)
	}
	m := s.spare
	s.spare = blas.Matrix{}
	return m
}

func (s *space) keep(m blas.Matrix) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.spare = m
}

// resolve remembers automatic widths, whose cost is that of all pairs of rows.
func (s *space) resolve(c krvfl.Config, text string) (kernel.Kernel, error) {
	key := fmt.Sprintf("%s %d %v", text, c.Seed, c.NoLinear)
	s.lock.Lock()
	defer s.lock.Unlock()
	if k, known := s.resolved[key]; known {
		return k, nil
	}
	k, err := c.Resolve(text, s.basis)
	if err == nil {
		s.resolved[key] = k
	}
	return k, err
}
