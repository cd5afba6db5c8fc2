package svm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/parallel"
	"rvflplus/internal/qp"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// start checks the problem, copies the rows with weight and resolves the kernel.
func (c Config) start(p learn.Problem) (a learn.Ordered, k kernel.Kernel, err error) {
	if err = p.Check(); err != nil {
		return a, nil, err
	}
	if p.LeaveOneOut == learn.Always {
		return a, nil, fault.New(fault.Usage, "support vector machines have no closed form of leave-one-out").
			WithHint("leave %s out", fault.Name("loo"))
	}
	p.Priv, p.HasPriv = nil, nil
	a = p.CompleteFirst()
	k, err = c.Kernel.Resolve(a.X, c.Seed)
	return a, k, err
}

// share divides the budget of the cache, which free memory bounds, among machines that run at the same time. It checks
// that there is memory for their other needs.
func (c *Config) share(x blas.Matrix, machines int) error {
	rows := float64(x.Rows)
	need := float64(machines) * rows * float64(8*x.Cols+216)
	what := fmt.Sprintf("a support vector machine of %.0f rows", rows)
	if err := memory.Check(need, what, "use fewer rows"); err != nil {
		return err
	}
	c.CacheBytes = min(c.CacheBytes, int64(min(memory.Available()/2, 1<<60))) / int64(machines)
	return nil
}

// solve runs SMO on one machine.
func (c Config) solve(ctx context.Context, m qp.SMO) (*qp.SMOSolution, error) {
	if err := learn.CheckBoxConstraints(m.C); err != nil {
		return nil, err
	}
	m.Tolerance, m.MaxIterations, m.CacheBytes = c.Tolerance, c.MaxIterations, c.CacheBytes
	s, err := m.Solve(ctx)
	if err == nil && !s.Converged {
		err = fault.New(fault.NotSolved, "not solved in %d iterations: the KKT violation is %.3g, the tolerance %g, "+
			"and the duality gap %.3g at an objective of %.6g", s.Iterations, s.KKT, c.Tolerance, s.Gap, -s.Objective).
			WithHint("scale the features, use a smaller %s or a larger %s, or allow more with %s",
				fault.Name("C"), fault.Name("tol"), fault.Name("max-iter"))
	}
	return s, err
}

// machines calls fit for 0 … count-1, on all cores; the first error ends it.
func machines(
	ctx context.Context, progress learn.Progress, stage string, count int, fit func(ctx context.Context, i int) error,
) error {
	errs := make([]error, count)
	var lock sync.Mutex
	done := 0
	run, stop := context.WithCancel(ctx)
	defer stop()
	err := parallel.For(run, count, func(i int) {
		errs[i] = fit(run, i)
		lock.Lock()
		defer lock.Unlock()
		if done++; errs[i] != nil {
			stop()
		}
		progress.Tell(stage, done, count)
	})
	for _, e := range errs {
		if e != nil && !errors.Is(e, context.Canceled) {
			return e
		}
	}
	return err
}

// sum adds up the optima of the machines of a model; objectives are turned to the dual in maximisation form.
func sum(solutions []*qp.SMOSolution) *learn.Optimum {
	total := new(learn.Optimum)
	for _, s := range solutions {
		if s == nil {
			continue
		}
		total.Objective -= s.Objective
		total.Gap += s.Gap
		total.KKT = max(total.KKT, s.KKT)
		total.Iterations += s.Iterations
	}
	return total
}

// inBlocks calls fn with the kernel values between a block of rows of x and the support rows. lo is the number of the
// block's first row.
func inBlocks(k kernel.Kernel, x *mat.Dense, support blas.Matrix, fn func(lo int, values blas.Matrix)) {
	raw := x.RawMatrix()
	for lo := 0; lo < raw.Rows; lo += learn.PredictBlock {
		hi := min(lo+learn.PredictBlock, raw.Rows)
		values := blas.New(hi-lo, support.Rows)
		if support.Rows > 0 {
			_ = kernel.Add(context.Background(), k, 1, blas.View(raw, lo, hi, 0, raw.Cols), support, values)
		}
		fn(lo, values)
	}
}

// addTimes computes dst += values·coef.
func addTimes(values, coef, dst blas.Matrix) {
	if coef.Rows > 0 {
		_ = blas.Gemm(context.Background(), false, false, 1, values, coef, 1, dst)
	}
}
