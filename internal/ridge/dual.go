package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/learn"
)

// Gramian stands for a symmetric positive semi-definite rows×rows matrix, Ω or Ω̃, which need not be in memory.
type Gramian interface {
	// Size returns the number of rows.
	Size() int
	// Add adds scale times the matrix to the upper triangle of dst; elements below the diagonal may be written too.
	// tell may be nil.
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
	// PrivAlpha is λ ± Cv over the complete rows, so that the correcting function is g(x̃) = k̃(x̃,·)PrivAlpha/γ. It
	// has no rows without privileged values.
	PrivAlpha blas.Matrix
	LeftOut   *LeftOut   // the models without each row, if asked for
	Posterior *Posterior // the posterior of f, if asked for
}

// DualProblem is a problem for FitDual. Rows without privileged values come last: Priv covers the first Priv.Size()
// rows; nil means no privileged part.
type DualProblem struct {
	Omega, Priv Gramian
	Y           blas.Matrix // N×m
	Weight      []float64   // N, all > 0
	Params
	LeaveOneOut bool
	// LeftOut and Posterior, with LeaveOneOut, ask for the fields of Dual with these names.
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

// FitDualFor solves d for problem p. It computes leave-one-out when p asks for it and, under learn.WhenCheap, when it
// fits into memory and is defined; otherwise a note says why there is none.
func FitDualFor(
	ctx context.Context, p learn.Problem, d DualProblem,
) (solution *Dual, notes []fault.Text, err error) {
	d.LeaveOneOut, d.Progress = p.LeaveOneOut != learn.Never, p.Progress.Tell
	d.LeftOut, d.Posterior = p.LeftOut, p.Posterior
	if p.LeaveOneOut == learn.WhenCheap {
		if err := memory.Check(DualBytes(d.Y.Rows, true), "leave-one-out", ""); err != nil {
			d.LeaveOneOut, notes = false, []fault.Text{fault.Textf("%w", err)}
		}
	}
	solution, err = FitDual(ctx, d)
	if err == nil || solution == nil || !d.LeaveOneOut {
		return solution, notes, err
	}
	notes, err = p.LeaveOneOut.Tolerate(err)
	return solution, notes, err
}

// FitDual solves for α by one Cholesky factorisation of an N×N matrix: N³/3 operations and 8N² bytes in addition to
// those of the Gramians. With leave-one-out it takes at most 11N³/3 operations and 40N² bytes; leave-one-out without a
// privileged part, LeftOut and Posterior takes 2N³/3 operations and no more memory. A system that cannot be solved is
// a fault.NotSolved error; when only leave-one-out is not defined, the solution comes with the error.
func FitDual(ctx context.Context, p DualProblem) (*Dual, error) {
	f := &dualFit{DualProblem: p, total: sum(p.Weight)}
	f.offset = mean(p.Y, p.Weight, f.total, p.Center)
	n, m, nc := f.Y.Rows, f.Y.Cols, f.complete()

	// The system is built in one matrix and factorised in place.
	factor, giveBack := p.factorRoom(n)
	defer giveBack()
	f.factor = factor
	if err := f.Omega.Add(ctx, 1, f.factor, f.tell("kernel matrix")); err != nil {
		return nil, err
	}
	var trace float64
	if nc > 0 {
		corner := blas.View(f.factor, 0, nc, 0, nc)
		if err := f.Priv.Add(ctx, 1/f.Gamma, corner, f.tell("privileged kernel matrix")); err != nil {
			return nil, err
		}
		if nc < n {
			trace = dot(f.Priv.Diag(), f.Weight[:nc])
		}
	}
	noise, err := f.noise(f.Weight, nc, trace)
	if err != nil {
		return nil, err
	}
	floor := math.Inf(1)
	for i, v := range noise {
		floor = min(floor, v)
		f.factor.Data[i*f.factor.Stride+i] += v
	}
	if err := factorise(ctx, f.factor, floor, f.tell("factorisation")); err != nil {
		return nil, err
	}

	shift := make([]float64, n) // κΩ̃v
	if f.corrects(nc) {
		product, err := f.Priv.Times(ctx, f.Weight[:nc])
		if err != nil {
			return nil, err
		}
		for i, v := range product {
			shift[i] = f.kappa() * v
		}
	}
	right := rightHandSide(f.Y, f.offset, shift)
	if err := blas.SolveCholesky(ctx, f.factor, right); err != nil {
		return nil, err
	}
	f.alpha, f.ones = blas.View(right, 0, n, 0, m), column(right, m)
	d := &Dual{Alpha: f.alpha, Offset: f.offset, PrivAlpha: blas.Clone(blas.View(f.alpha, 0, nc, 0, m))}
	for i := range nc {
		for j := range blas.Row(d.PrivAlpha, i) {
			d.PrivAlpha.Data[i*d.PrivAlpha.Stride+j] += sign(f.Correction) * f.C * f.Weight[i]
		}
	}
	if p.LeaveOneOut {
		d.LeaveOneOut, err = f.leaveOneOut(ctx, d)
	}
	return d, err
}

// reusedRows is the largest system whose memory is kept for the next fit, 2 MB: for few rows, new memory costs as much
// as the arithmetic.
const reusedRows = 512

// factorRoom returns n×n zeros for the factor, and what to call when it is no longer needed.
func (p DualProblem) factorRoom(n int) (room blas.Matrix, giveBack func()) {
	if n > reusedRows || p.Posterior { // the posterior keeps the factor
		return blas.New(n, n), func() {}
	}
	w := workspaces.Get().(*[]float64)
	room = takeRoom(w, n, n)
	clear(room.Data)
	return room, func() { workspaces.Put(w) }
}

type dualFit struct {
	DualProblem
	total  float64
	offset []float64
	factor blas.Matrix // U of Ω + Ω̃/γ + (CV)⁻¹
	alpha  blas.Matrix // M(Y − 1ȳ − κΩ̃v)
	ones   []float64   // M1
}

// complete is the number of rows that have privileged values.
func (f *dualFit) complete() int {
	if f.Priv == nil {
		return 0
	}
	return f.Priv.Size()
}

// rightHandSide returns Y − 1ȳ − shift, and after it a column of 1 for the change of the mean in leave-one-out.
func rightHandSide(y blas.Matrix, mean, shift []float64) blas.Matrix {
	right := blas.New(y.Rows, y.Cols+1)
	for i := range y.Rows {
		row := blas.Row(right, i)
		for j, v := range blas.Row(y, i) {
			row[j] = v - mean[j] - shift[i]
		}
		row[y.Cols] = 1
	}
	return right
}
