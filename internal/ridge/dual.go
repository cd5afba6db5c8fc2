package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// Gramian stands for a symmetric positive semi-definite rows×rows matrix, Ω or
// Ω̃, which need not be in memory.
type Gramian interface {
	// Size returns the number of rows.
	Size() int
	// Add adds scale times the matrix to the upper triangle of dst; elements
	// below the diagonal may be written too. tell may be nil.
	Add(ctx context.Context, scale float64, dst blas.Matrix, tell func(done, total int)) error
	// Times returns the product with a vector.
	Times(ctx context.Context, v []float64) ([]float64, error)
	// Diag returns the diagonal.
	Diag() []float64
}

// Dual is the solution in the weights of training rows.
type Dual struct {
	Alpha  blas.Matrix // α, N×m
	Offset []float64   // ȳ, m
	// LeaveOneOut holds the exact leave-one-out predictions, N×m, if asked for.
	LeaveOneOut blas.Matrix
	// PrivAlpha is λ ± Cv over the complete rows, so that the correcting function
	// is g(x̃) = k̃(x̃,·)PrivAlpha/γ. It has no rows without privileged values.
	PrivAlpha blas.Matrix
	LeftOut   *LeftOut   // the models without each row, if asked for
	Posterior *Posterior // the posterior of f, if asked for
}

// DualProblem is what FitDual solves. Rows that lack privileged values come last:
// Priv covers the first Priv.Size() rows; nil means no privileged part.
type DualProblem struct {
	Omega, Priv Gramian
	Y           blas.Matrix // N×m
	Weight      []float64   // N, all > 0
	Params
	LeaveOneOut bool
	// LeftOut and Posterior, with LeaveOneOut, ask for what the fields of Dual hold.
	LeftOut, Posterior bool
	// Progress, when not nil, is told how far a stage has come.
	Progress func(stage string, done, total int)
}

func (p DualProblem) tell(stage string) func(done, total int) {
	return func(done, total int) {
		if p.Progress != nil {
			p.Progress(stage, done, total)
		}
	}
}

// DualBytes returns the memory FitDual takes for n rows.
func DualBytes(n int, leaveOneOut bool) float64 {
	matrices := 1.0
	if leaveOneOut {
		matrices = 5
	}
	return matrices * 8 * float64(n) * float64(n)
}

// FitDual solves for α by one Cholesky factorisation of an N×N matrix: N³/3
// operations and 8N² bytes beside what the Gramians take, and at most
// 11N³/3 operations and 40N² bytes with leave-one-out, which without a privileged part
// takes 2N³/3 and no memory more, but for LeftOut and Posterior. A system that cannot be solved is
// a fault.NotSolved error.
func FitDual(ctx context.Context, p DualProblem) (*Dual, error) {
	f := &dualFit{DualProblem: p, total: sum(p.Weight)}
	f.offset = mean(p.Y, p.Weight, f.total, p.Center)
	if err := f.system(ctx); err != nil {
		return nil, err
	}
	err := f.solve(ctx)
	if err != nil {
		return nil, err
	}
	d := &Dual{Alpha: f.alpha, Offset: f.offset, PrivAlpha: f.privAlpha()}
	if !p.LeaveOneOut {
		return d, nil
	}
	d.LeaveOneOut, err = f.leaveOneOut(ctx, d)
	return d, err
}

type dualFit struct {
	DualProblem
	total   float64
	offset  []float64
	lacking float64     // factor of the weights of rows without privileged values
	factor  blas.Matrix // U of Ω + Ω̃/γ + (CV)⁻¹
	alpha   blas.Matrix
	ones    []float64 // M1
}

// complete is the number of rows that have privileged values.
func (f *dualFit) complete() int {
	if f.Priv == nil {
		return 0
	}
	return f.Priv.Size()
}

// system builds Ω + Ω̃/γ + (CV)⁻¹ in one matrix and factorises it in place.
func (f *dualFit) system(ctx context.Context) error {
	n, nc := f.Y.Rows, f.complete()
	f.factor = blas.New(n, n)
	if err := f.Omega.Add(ctx, 1, f.factor, f.tell("kernel matrix")); err != nil {
		return err
	}
	f.lacking = 1
	if nc > 0 {
		if err := f.Priv.Add(ctx, 1/f.Gamma, blas.View(f.factor, 0, nc, 0, nc), f.tell("privileged kernel matrix")); err != nil {
			return err
		}
		if nc < n {
			f.lacking = f.lackingFactor(dot(f.Priv.Diag(), f.Weight[:nc]), sum(f.Weight[:nc]))
		}
	}
	floor := math.Inf(1)
	for i, v := range f.Weight {
		if i >= nc {
			v *= f.lacking
		}
		floor = min(floor, 1/(f.C*v))
		if math.IsInf(1/(f.C*v), 0) {
			return fault.New(fault.NotSolved, "1/(C·weight) overflows for C = %g and a weight of %g", f.C, v).WithHint("use weight 0 to leave a row out")
		}
		f.factor.Data[i*f.factor.Stride+i] += 1 / (f.C * v)
	}
	return factorise(ctx, f.factor, floor, f.tell("factorisation"))
}

// solve sets α = M(Y − 1ȳ − κΩ̃v) and M1.
func (f *dualFit) solve(ctx context.Context) error {
	n, m := f.Y.Rows, f.Y.Cols
	shift, err := f.shift(ctx)
	if err != nil {
		return err
	}
	right := blas.New(n, m+1)
	for i := range n {
		r := blas.Row(right, i)
		for j, y := range blas.Row(f.Y, i) {
			r[j] = y - f.offset[j] - shift[i]
		}
		r[m] = 1
	}
	if err := blas.SolveCholesky(ctx, f.factor, right); err != nil {
		return err
	}
	f.alpha, f.ones = blas.View(right, 0, n, 0, m), column(right, m)
	return nil
}

// corrects reports whether the right-hand side has a correction.
func (f *dualFit) corrects() bool { return f.complete() > 0 && f.Correction != learn.Additive }

// shift returns κΩ̃v, 0 for rows without privileged values.
func (f *dualFit) shift(ctx context.Context) ([]float64, error) {
	shift := make([]float64, f.Y.Rows)
	if !f.corrects() {
		return shift, nil
	}
	product, err := f.Priv.Times(ctx, f.Weight[:f.complete()])
	for i, v := range product {
		shift[i] = f.kappa() * v
	}
	return shift, err
}

func (f *dualFit) privAlpha() blas.Matrix {
	a := blas.New(f.complete(), f.Y.Cols)
	for i := range a.Rows {
		row := blas.Row(a, i)
		for j, v := range blas.Row(f.alpha, i) {
			row[j] = v + sign(f.Correction)*f.C*f.Weight[i]
		}
	}
	return a
}

func sum(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x
	}
	return s
}

func dot(x, y []float64) float64 { return blas.Dot(x, y) }
