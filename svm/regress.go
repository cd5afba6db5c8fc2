package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/qp"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Regressor is a trained ε-SVR of m targets, f(x) = Σᵢ k(xᵢ, x)·coefᵢ + b. It is
// immutable and safe for concurrent use.
type Regressor struct {
	parts     RegressorParts
	tolerance float64
}

// RegressorParts are the numbers a Regressor consists of. They share its memory
// and must not be written.
type RegressorParts struct {
	Kernel  kernel.Kernel
	Support blas.Matrix // rows that some target's machine needs, S×n
	Coef    blas.Matrix // α − α* of each target, S×m
	Offset  []float64   // b, m
}

// Train fits one machine a target:
//
//	min ½‖w‖² + CΣvᵢ(ξᵢ+ξᵢ*)   subject to   −ε−ξᵢ* ≤ yᵢ − f(xᵢ) ≤ ε+ξᵢ,  ξ, ξ* ≥ 0
//
// by its dual in d = α − α*: max zᵀd − ½dᵀKd − εΣ|dᵢ|, Σd = 0, |dᵢ| ≤ Cvᵢ. A
// machine that does not reach the tolerance is a fault.NotSolved error. A default
// tolerance is DefaultTolerance of the rows of weight > 0.
func (c RegressionConfig) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := c.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	a, k, err := c.machine().start(p)
	if err != nil {
		return nil, learn.Report{}, err
	}
	c.Tolerance = cmp.Or(c.Tolerance, DefaultTolerance(a.Y, a.Weight))
	if least := leastShare * largest(a.Y); c.Tolerance < least {
		return nil, learn.Report{}, fault.Param("tol", fmt.Sprintf("at least %.3g for these targets", least),
			c.Tolerance).WithHint("leave %s out: the default follows the targets", fault.Name("tol"))
	}
	machine := c.machine()
	if err := machine.share(a.X, min(a.Y.Cols, runtime.GOMAXPROCS(0))); err != nil {
		return nil, learn.Report{}, err
	}
	t := tube{machine, c.Epsilon, a, k, kernel.NewRows(k, a.X)}
	solutions := make([]*qp.SMOSolution, a.Y.Cols)
	solve := func(ctx context.Context, j int) (err error) {
		solutions[j], err = t.solve(ctx, j)
		return t.name(err, j)
	}
	if err := machines(ctx, p.Progress, "support vector machines", len(solutions), solve); err != nil {
		return nil, learn.Report{}, err
	}
	m := t.model(solutions)
	m.tolerance = c.Tolerance
	report := learn.Report{Solver: "smo", Size: m.parts.Support.Rows, Optimum: sum(solutions)}
	return m, report, learn.CheckWeights(m.parts.Coef)
}

// tube is the machine of one target, as a problem of 2N variables: α, then α*.
type tube struct {
	Config
	epsilon float64
	rows    learn.Ordered
	k       kernel.Kernel
	gram    *kernel.Rows
}

func (t tube) solve(ctx context.Context, target int) (*qp.SMOSolution, error) {
	n := t.rows.X.Rows
	m := qp.SMO{K: t.gram, Of: make([]int, 2*n)}
	m.P, m.Y, m.C = make([]float64, 2*n), make([]float64, 2*n), make([]float64, 2*n)
	for i := range n {
		z, v := t.rows.Y.Data[i*t.rows.Y.Stride+target], t.rows.Weight[i]
		m.Of[i], m.Of[n+i] = i, i
		m.P[i], m.P[n+i] = t.epsilon-z, t.epsilon+z
		m.Y[i], m.Y[n+i] = 1, -1
		m.C[i], m.C[n+i] = t.C*v, t.C*v
	}
	return t.Config.solve(ctx, m)
}

// name says which target of several an error is about.
func (t tube) name(err error, target int) error {
	if !errors.Is(err, fault.NotSolved) || t.rows.Y.Cols == 1 {
		return err
	}
	return fault.New(fault.NotSolved, "target %d: %w", target+1, err).WithHint("%s", fault.HintText(err))
}

func (t tube) model(solutions []*qp.SMOSolution) *Regressor {
	n := t.rows.X.Rows
	var support []int
	for i := range n {
		if slices.ContainsFunc(solutions, func(s *qp.SMOSolution) bool { return s.Alpha[i] != s.Alpha[n+i] }) {
			support = append(support, i)
		}
	}
	p := RegressorParts{Kernel: t.k, Support: blas.Gather(t.rows.X, support)}
	p.Coef = blas.New(len(support), len(solutions))
	for j, s := range solutions {
		p.Offset = append(p.Offset, -s.Rho)
		for r, i := range support {
			p.Coef.Data[r*p.Coef.Stride+j] = s.Alpha[i] - s.Alpha[n+i]
		}
	}
	return &Regressor{parts: p}
}

// Tolerance returns the KKT violation that the fit was allowed, 0 for a model of RegressorFromParts.
func (m *Regressor) Tolerance() float64 { return m.tolerance }

// Parts returns the model's parts.
func (m *Regressor) Parts() RegressorParts { return m.parts }

// RegressorFromParts returns the model of the given parts, or a fault.Data error
// when their shapes do not fit together.
func RegressorFromParts(p RegressorParts) (*Regressor, error) {
	if p.Kernel == nil || len(p.Offset) == 0 || p.Coef.Cols != len(p.Offset) ||
		p.Coef.Rows != p.Support.Rows || p.Support.Cols == 0 {
		return nil, fault.New(fault.Data, "dual.coef is %d×%d, support.x and dual.offset ask for %d×%d",
			p.Coef.Rows, p.Coef.Cols, p.Support.Rows, len(p.Offset))
	}
	if err := kernel.CheckFeatures(p.Kernel, p.Support.Cols); err != nil {
		return nil, err
	}
	return &Regressor{parts: p}, nil
}

// Dims returns the number of features and of targets.
func (m *Regressor) Dims() (features, outputs int) { return m.parts.Support.Cols, len(m.parts.Offset) }

// PredictTo sets row i of dst to f(row i of x). Cost proportional to S·(n+m) a
// row.
func (m *Regressor) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	out := dst.RawMatrix()
	inBlocks(m.parts.Kernel, x, m.parts.Support, func(lo int, values blas.Matrix) {
		rows := blas.View(out, lo, lo+values.Rows, 0, out.Cols)
		for i := range rows.Rows {
			copy(blas.Row(rows, i), m.parts.Offset)
		}
		addTimes(values, m.parts.Coef, rows)
	})
}
