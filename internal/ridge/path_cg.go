package ridge

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
)

const (
	// residualEnd is the residual, relative to the right-hand side, at which a system is solved.
	residualEnd = 0x1p-40
	// fewestSystems is the number of systems below which a product costs no less: it waits for memory.
	fewestSystems = 16
)

// conjugateGradients predicts the folds by conjugate gradients, all systems at once. Every target of every fold has a
// system (Ω + Ω̃/γ + (CV)⁻¹)_RR α_R = right_R over the rows R outside the fold. Where the ridge is large they end
// after few products, which cost less than the factorisation.
type conjugateGradients struct {
	*looSolver
	matrix blas.Matrix // Ω + Ω̃/γ, both triangles
	limit  float64     // products that cost as much as the factorisation
	// Each row belongs to a system, with 0 in the columns of its fold. alpha is empty without a privileged part.
	alpha, residual, direction, product blas.Matrix
	left, end                           []float64 // squared norms of the residuals, and when to end
}

// conjugateGradients returns nil when the factorisation is expected to be cheaper.
func (s *looSolver) conjugateGradients() *conjugateGradients {
	n, systems := float64(s.Y.Rows), len(s.Sets)*s.Y.Cols
	g := &conjugateGradients{looSolver: s, limit: s.cost * n / float64(2*max(systems, fewestSystems))}
	if s.Sets == nil || g.limit < 4 {
		return nil
	}
	if g.matrix = s.kernelSum(); !(g.expected() <= g.limit) {
		return nil
	}
	return g
}

// kernelSum returns Ω + Ω̃/γ.
func (s *looSolver) kernelSum() blas.Matrix {
	nc := s.complete()
	if nc == 0 {
		return s.Omega
	}
	a := s.workspace(s.Y.Rows, s.Y.Rows)
	for i := range a.Rows {
		copy(blas.Row(a, i), blas.Row(s.Omega, i))
		if i < nc {
			blas.Axpy(1/s.Gamma, blas.Row(s.Priv, i), blas.Row(a, i)[:nc])
		}
	}
	return a
}

// expected estimates the number of products from every eighth row. One product removes the error along the eigenvector
// of the largest eigenvalue, which is nearly constant; then the error shrinks as for eigenvalues within two standard
// deviations of their mean. The estimate may be wrong: solve has a limit of its own.
func (g *conjugateGradients) expected() float64 {
	const step = 8
	n, rows := float64(g.matrix.Rows), 0.0
	var trace, squares, largest float64
	for i := 0; i < g.matrix.Rows; i += step {
		row, d := blas.Row(g.matrix, i), g.noise[i]
		trace += row[i] + d
		squares += dot(row, row) + d*(2*row[i]+d)
		largest += sum(row) + d
		rows++
	}
	largest /= rows
	middle := (trace*n/rows - largest) / (n - 1)
	variance := (squares*n/rows-largest*largest)/(n-1) - middle*middle
	half := 2 * math.Sqrt(max(variance, 0)) / middle
	if !(half < 1) {
		return math.Inf(1)
	}
	return 1 + math.Log(residualEnd)/math.Log(half/(1+math.Sqrt(1-half*half)))
}

// solve sets dst as Path.HeldOut does. It returns false when it takes too long or the rows outside a fold have no
// weight.
func (g *conjugateGradients) solve(ctx context.Context, dst blas.Matrix) (bool, error) {
	if !g.start(dst) {
		return false, nil
	}
	packed, err := blas.Pack(ctx, g.matrix)
	if err != nil {
		return false, err
	}
	defer packed.Release()
	for k := 0.0; k < 1.5*g.limit+1; k++ {
		if err := packed.LeftTimes(ctx, g.direction, g.product); err != nil {
			return false, err
		}
		open := 0
		_ = eachFold(g.Sets, dst, func(f int, fold []int, dst blas.Matrix) error {
			for j := range dst.Cols {
				if s := f*dst.Cols + j; !(g.left[s] <= g.end[s]) && g.step(s, j, fold, dst) {
					open++
				}
			}
			return nil
		})
		if open > 0 {
			continue
		}
		if g.complete() == 0 { // the products of the rows of a fold have added up to predictions
			return true, ctx.Err()
		}
		if err := blas.Gemm(ctx, false, false, 1, g.alpha, g.Omega, 0, g.product); err != nil {
			return true, err
		}
		return true, eachFold(g.Sets, dst, func(f int, fold []int, dst blas.Matrix) error {
			shift, _ := g.meanShiftWithout(fold)
			for k, i := range fold {
				for j, row := 0, blas.Row(dst, k); j < len(row); j++ {
					row[j] = g.mean[j] + shift[j] + g.product.Data[(f*len(row)+j)*g.product.Stride+i]
				}
			}
			return nil
		})
	}
	return false, nil
}

// start sets α = 0, the residuals to the right-hand sides, and dst to the means without the folds.
func (g *conjugateGradients) start(dst blas.Matrix) bool {
	n, m, systems := g.Y.Rows, g.Y.Cols, len(g.Sets)*g.Y.Cols
	g.residual, g.product = blas.New(systems, n), blas.New(systems, n)
	if g.alpha = (blas.Matrix{}); g.complete() > 0 {
		g.alpha = blas.New(systems, n)
	}
	shift, at := g.shift(), 0
	for f, fold := range g.Sets {
		mean, ok := g.meanShiftWithout(fold)
		if !ok || len(fold) >= n {
			return false
		}
		for j := range mean {
			mean[j] += g.mean[j]
		}
		for range fold {
			copy(blas.Row(dst, at), mean)
			at++
		}
		shift := slices.Clone(shift) // κΩ̃v without the fold's part
		for _, i := range fold {
			if g.corrects() && i < g.complete() {
				blas.Axpy(-g.kappa()*g.Weight[i], blas.Row(g.Priv, i), shift[:g.complete()])
			}
		}
		for j, mean := range mean {
			row := blas.Row(g.residual, f*m+j)
			for i := range row {
				row[i] = g.Y.Data[i*g.Y.Stride+j] - mean - shift[i]
			}
			for _, i := range fold {
				row[i] = 0
			}
		}
	}
	g.direction = blas.Clone(g.residual)
	g.left, g.end = make([]float64, systems), make([]float64, systems)
	for s := range g.left {
		g.left[s] = dot(blas.Row(g.residual, s), blas.Row(g.residual, s))
		g.end[s] = residualEnd * residualEnd * g.left[s]
	}
	return true
}

// step makes one step of system s, which is target j of a fold, and reports whether the system stays open.
func (g *conjugateGradients) step(s, j int, fold []int, dst blas.Matrix) (open bool) {
	p, q, r := blas.Row(g.direction, s), blas.Row(g.product, s), blas.Row(g.residual, s)
	for i, d := range g.noise {
		q[i] = math.FMA(d, p[i], q[i])
	}
	curvature := dot(p, q)
	if !(curvature > 0) { // the matrix is not positive definite, which the factorisation reports
		g.left[s] = math.NaN()
		return true
	}
	step := g.left[s] / curvature
	for k, i := range fold {
		dst.Data[k*dst.Stride+j] += step * q[i]
		q[i] = 0
	}
	if g.complete() > 0 {
		blas.Axpy(step, p, blas.Row(g.alpha, s))
	}
	blas.Axpy(-step, q, r)
	before := g.left[s]
	if g.left[s] = dot(r, r); g.left[s] <= g.end[s] {
		return false
	}
	ratio := g.left[s] / before
	for i, v := range r {
		p[i] = math.FMA(ratio, p[i], v)
	}
	return true
}
