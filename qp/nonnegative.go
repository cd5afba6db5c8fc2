package qp

import (
	"context"
	"math"

	"rvflplus/blas"
)

// NonNegative solves
//
//	min ½xᵀQx − 1ᵀx   subject to   x ≥ 0
//
// for a symmetric positive semi-definite Q, both triangles filled, by block
// principal pivoting, and where Q is too near to singular for that by interior
// points. Objective is in maximisation form, 1ᵀx − ½xᵀQx. When Qx > 0 the gap is
// that of x scaled to the best length, ((xᵀQx)/(min(Qx)·1ᵀx))² − 1 times the
// objective. KKT is the largest |min(xᵢ·mean Qᵢᵢ, (Qx)ᵢ−1)|.
func NonNegative(ctx context.Context, q blas.Matrix, tol float64, maxIter int) ([]float64, Result, error) {
	p := &pivoting{q: q, x: make([]float64, q.Rows), w: make([]float64, q.Rows), inBasis: make([]bool, q.Rows)}
	solved, err := p.run(ctx, tol, maxIter)
	if err != nil {
		return nil, Result{}, err
	}
	if r := p.judge(p.x, tol); solved && r.Converged {
		r.Iterations = p.iterations
		return p.x, r, nil
	}
	one := make([]float64, q.Rows)
	for i := range one {
		one[i] = -1
	}
	program := Program{P: q, Q: one, A: blas.New(0, q.Rows), G: Bounds(q.Rows), H: make([]float64, q.Rows)}
	x, z, _, err := Interior(ctx, program, tol/100, max(100, maxIter/10))
	if err != nil {
		return nil, Result{}, err
	}
	p.clip(x, z)
	r := p.judge(x, tol)
	r.Iterations = p.iterations
	return x, r, nil
}

// pivoting is the state of block principal pivoting (Portugal, Júdice, Vicente,
// Math. Comp. 63, 1994): a basis F in which (Qx)_F = 1, x = 0 elsewhere.
type pivoting struct {
	q          blas.Matrix
	x, w       []float64 // w = Qx − 1
	inBasis    []bool
	iterations int
}

// patience is the number of exchanges without progress after which only one
// variable changes sides.
const patience = 3

// run is false when Q proved singular on a basis or too many exchanges were made.
func (p *pivoting) run(ctx context.Context, tol float64, maxIter int) (solved bool, err error) {
	for i := range p.w {
		p.w[i] = -1
	}
	least, left := len(p.x)+1, patience
	for ; p.iterations < maxIter; p.iterations++ {
		bad := p.violators(tol)
		switch {
		case len(bad) == 0:
			return true, nil
		case len(bad) < least:
			least, left = len(bad), patience
		case left > 0:
			left--
		default:
			bad = bad[len(bad)-1:]
		}
		for _, i := range bad {
			p.inBasis[i] = !p.inBasis[i]
		}
		if ok, err := p.solve(ctx); err != nil || !ok {
			return false, err
		}
	}
	return false, nil
}

// violators lists the basic variables that are negative and the others whose
// gradient is.
func (p *pivoting) violators(tol float64) []int {
	size := largest(p.x)
	var bad []int
	for i := range p.x {
		if p.inBasis[i] && p.x[i] < -1e-12*size || !p.inBasis[i] && p.w[i] < -tol/10 {
			bad = append(bad, i)
		}
	}
	return bad
}

// solve computes x on the basis and w off it.
func (p *pivoting) solve(ctx context.Context) (ok bool, err error) {
	var basis []int
	for i, in := range p.inBasis {
		if in {
			basis = append(basis, i)
		}
	}
	h := blas.New(len(basis), len(basis))
	right := make([]float64, len(basis))
	for k, i := range basis {
		row := blas.Row(p.q, i)
		for l := k; l < len(basis); l++ {
			h.Data[k*h.Stride+l] = row[basis[l]]
		}
		right[k] = 1
	}
	if pivot, err := blas.Factor(ctx, h, nil); err != nil || pivot >= 0 {
		return false, err
	}
	if err := blas.SolveCholesky(ctx, h, column(right)); err != nil {
		return false, err
	}
	clear(p.x)
	for k, i := range basis {
		p.x[i] = right[k]
	}
	times(false, p.q, p.x, p.w)
	for i := range p.w {
		p.w[i]--
	}
	return true, ctx.Err()
}

// clip sets to 0 what an interior point left at a bound.
func (p *pivoting) clip(x, z []float64) {
	size := largest(x)
	for i := range x {
		if x[i] < 0 || x[i] <= 1e-9*size && z[i] > x[i]/max(size, 1e-300) {
			x[i] = 0
		}
	}
}

// judge scales x to the best length and measures it.
func (p *pivoting) judge(x []float64, tol float64) (r Result) {
	for i := range x {
		x[i] = max(0, x[i])
	}
	qx := make([]float64, len(x))
	times(false, p.q, x, qx)
	var sum, curve, trace float64
	low := math.Inf(1)
	for i := range x {
		sum += x[i]
		curve += x[i] * qx[i]
		low = min(low, qx[i])
		trace += p.q.Data[i*(p.q.Stride+1)]
	}
	best := sum / curve
	r.Gap = math.Inf(1)
	r.Objective = best * (sum - best*curve/2)
	if low > 0 {
		r.Gap = max(0, math.Pow(curve/(low*sum), 2)-1) * r.Objective
	}
	for i := range x {
		x[i] *= best
		r.KKT = max(r.KKT, math.Abs(min(x[i]*trace/float64(len(x)), best*qx[i]-1)))
	}
	r.Converged = r.Gap <= tol*math.Abs(r.Objective) // false when NaN
	return r
}

// Coordinates solves the problem of NonNegative by coordinate descent, one sweep
// over the variables an iteration. It needs no factorisation and converges slowly.
func Coordinates(ctx context.Context, q blas.Matrix, tol float64, maxIter int) ([]float64, Result, error) {
	x, qx := make([]float64, q.Rows), make([]float64, q.Rows)
	p := &pivoting{q: q}
	var r Result
	for it := 1; it <= maxIter; it++ {
		for i := range x {
			d := q.Data[i*(q.Stride+1)]
			if !(d > 0) {
				return nil, Result{}, notPositive()
			}
			to := max(0, x[i]+(1-qx[i])/d)
			blas.Axpy(to-x[i], blas.Row(q, i), qx)
			x[i] = to
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, Result{}, ctx.Err()
			}
		}
		if it%10 == 0 || it == maxIter {
			r = p.judge(x, tol)
			r.Iterations = it
			times(false, q, x, qx)
		}
		if r.Converged {
			break
		}
	}
	return x, r, nil
}
