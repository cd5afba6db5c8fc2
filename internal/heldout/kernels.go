package heldout

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/memory"
	"rvflplus/internal/ridge"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Kernels are the kernels of both spaces.
type Kernels struct {
	Normal, Priv kernel.Spec // Priv nil: as Normal
	Linear       bool        // adds the linear kernel to both
	Seed         uint64      // see kernel.Spec.Resolve
}

// ByKernels returns the outputs of kernel ridge regressions for the rows of Held, each
// trained on the rows outside its fold: one matrix for each of params, which differ in
// the correction alone and share one factorisation. A system that cannot be solved is a
// fault.NotSolved error. The cost is that of ridge.Path, beside what is computed once.
func (e *Evaluator) ByKernels(ctx context.Context, k Kernels, params []ridge.Params) (out []*mat.Dense, err error) {
	if e.memory.once.Do(e.checkMemory); e.memory.err != nil {
		return nil, e.memory.err
	}
	p := ridge.PathProblem{Y: e.rows.Y, Weight: e.rows.Weight, Sets: e.sets}
	run := func() (err error) {
		out, err = e.along(ctx, ridge.NewPath(p), params)
		return err
	}
	err = e.normal.matrix(ctx, k.Normal, k, "normal", func(m blas.Matrix) error {
		p.Omega = m
		if e.priv == nil {
			return run()
		}
		return e.priv.matrix(ctx, k.Priv.Or(k.Normal), k, "privileged", func(m blas.Matrix) error {
			p.Priv = m
			return run()
		})
	})
	return out, err
}

// checkMemory judges kernel matrices: in each space one, and one of what its kernels
// share, and what an evaluation takes.
func (e *Evaluator) checkMemory() {
	n, spaces := e.rows.X.Rows, 1.0
	if e.priv != nil {
		spaces = 2
	}
	need := 16*spaces*float64(n)*float64(n) + ridge.PathBytes(n)
	e.memory.err = memory.Check(need, fmt.Sprintf("tuning a kernel model of %d rows", n),
		"tune rvfl+ or rvfl, whose memory does not grow with the rows, or fewer rows")
}

// path is a ridge.Path or a ridge.PrimalPath.
type path interface {
	HeldRows() int
	HeldOut(ctx context.Context, q ridge.Params, dst blas.Matrix) error
}

// along evaluates params, which differ in the correction alone.
func (e *Evaluator) along(ctx context.Context, p path, params []ridge.Params) ([]*mat.Dense, error) {
	each, out := make([]blas.Matrix, len(params)), make([]*mat.Dense, len(params))
	for k := range each {
		each[k] = blas.New(p.HeldRows(), e.rows.Y.Cols)
	}
	if dual, is := p.(*ridge.Path); is {
		var corrections []learn.Correction
		for _, q := range params {
			corrections = append(corrections, q.Correction)
		}
		if err := dual.HeldOutEach(ctx, params[0], corrections, each); err != nil {
			return nil, err
		}
	} else {
		for k, q := range params {
			if err := p.HeldOut(ctx, q, each[k]); err != nil {
				return nil, err
			}
		}
	}
	for k, m := range each {
		if err := learn.CheckWeights(m); err != nil {
			return nil, err
		}
		out[k] = e.restore(m)
	}
	return out, nil
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
		s.basis = blas.Gather(x, basis)
	}
	return s
}

// matrix calls use with the kernel matrix of spec; what names the space for errors.
func (s *space) matrix(ctx context.Context, spec kernel.Spec, c Kernels, what string,
	use func(blas.Matrix) error) error {
	k, err := s.resolve(spec, c)
	if err != nil {
		return fmt.Errorf("%s features: %w", what, err)
	}
	return s.matrices.use(k.String(), func() (blas.Matrix, float64, error) {
		m := s.buffer()
		return m, 8 * float64(m.Rows) * float64(m.Cols), s.rows.MatrixTo(ctx, k, m)
	}, use)
}

// buffer returns a matrix of arbitrary numbers: one that was dropped, or a new one.
func (s *space) buffer() blas.Matrix {
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
func (s *space) resolve(spec kernel.Spec, c Kernels) (kernel.Kernel, error) {
	key := fmt.Sprintf("%s %d %v", spec, c.Seed, c.Linear)
	s.lock.Lock()
	defer s.lock.Unlock()
	if k, known := s.resolved[key]; known {
		return k, nil
	}
	k, err := spec.ResolveWith(c.Linear, s.basis, c.Seed)
	if err == nil {
		s.resolved[key] = k
	}
	return k, err
}
