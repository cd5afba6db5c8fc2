package qp

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
)

// NonNegative solves
//
//	min ½xᵀQx − 1ᵀx   subject to   x ≥ 0
//
// for a symmetric positive semi-definite Q, both triangles filled, by block
// principal pivoting, and where Q is too near to singular for that by interior
// points. Objective is in maximisation form, 1ᵀx − ½xᵀQx. When Qx > 0 the gap is
// the gap of x scaled to the best length, ((xᵀQx)/(min(Qx)·1ᵀx))² − 1 times the
// objective. KKT is the largest |min(xᵢ·mean Qᵢᵢ, (Qx)ᵢ−1)|.
func NonNegative(ctx context.Context, q blas.Matrix, tol float64, maxIter int) ([]float64, Result, error) {
	p := newPivoting(q)
	for _, basis := range []basisSolver{p.fromWhole, p.factorise} {
		solved, err := p.run(ctx, basis, tol, maxIter)
		if err != nil {
			return nil, Result{}, err
		}
		if !solved {
			break
		}
		if r := p.judge(p.x, tol); r.Converged {
			r.Iterations = p.iterations
			return p.x, r, nil
		}
	}
	return p.interior(ctx, tol, maxIter)
}

// interior solves by interior points.
func (p *pivoting) interior(ctx context.Context, tol float64, maxIter int) ([]float64, Result, error) {
	n := p.q.Rows
	one := make([]float64, n)
	for i := range one {
		one[i] = -1
	}
	program := Program{P: p.q, Q: one, A: blas.New(0, n), G: Bounds(n), H: make([]float64, n)}
	x, z, inner, err := Interior(ctx, program, tol/100, min(maxIter, max(100, maxIter/10)))
	if err != nil {
		return nil, Result{}, err
	}
	x, r := p.clipped(x, z, tol)
	if !r.Converged {
		if refined, err := p.refine(ctx, x); err != nil {
			return nil, Result{}, err
		} else if better := p.judge(refined, tol); better.Gap < r.Gap {
			x, r = refined, better
		}
	}
	r.Iterations = p.iterations + inner.Iterations
	return x, r, nil
}

// refine brings Qx nearer to 1 where x is not 0, by steps with a ridge that makes Q regular there.
func (p *pivoting) refine(ctx context.Context, x []float64) ([]float64, error) {
	for i, v := range x {
		p.inBasis[i] = v > 0
	}
	basis, refined, qx := p.members(true), slices.Clone(x), make([]float64, len(x))
	h := gather(p.q, basis)
	var mean float64
	for k := range basis {
		mean += h.Data[k*(h.Stride+1)] / float64(len(basis))
	}
	for k := range basis {
		h.Data[k*(h.Stride+1)] += 1e-10 * mean
	}
	if pivot, err := blas.Factor(ctx, h, nil); err != nil || pivot >= 0 {
		return refined, err
	}
	for range 3 {
		blas.Gemv(false, p.q, refined, qx)
		step := make([]float64, len(basis))
		for k, i := range basis {
			step[k] = 1 - qx[i]
		}
		solveCholesky(h, step)
		for k, i := range basis {
			refined[i] = max(0, refined[i]+step[k])
		}
	}
	return refined, nil
}

// clipped returns x with 0 for variables that an interior point left close to their bound, if that keeps the
// tolerance, else the best of what it tried. A variable counts as close when it is negative, or at most a share of the
// largest and less than its multiplier in the same unit. The share shrinks from one try to the next: where Q is near
// to singular x is large, and a variable that is small beside the largest may still count.
func (p *pivoting) clipped(x, z []float64, tol float64) (best []float64, r Result) {
	r.Gap = math.Inf(1)
	size := largest(x)
	for _, share := range []float64{1e-9, 1e-12, 0} {
		candidate := slices.Clone(x)
		for i, v := range x {
			if v < 0 || v <= share*size && z[i] > v/max(size, 1e-300) {
				candidate[i] = 0
			}
		}
		now := p.judge(candidate, tol)
		if now.Gap < r.Gap || best == nil {
			best, r = candidate, now
		}
		if r.Converged {
			break
		}
	}
	return best, r
}

// judge scales x to the best length and measures it.
func (p *pivoting) judge(x []float64, tol float64) (r Result) {
	for i := range x {
		x[i] = max(0, x[i])
	}
	qx := make([]float64, len(x))
	blas.Gemv(false, p.q, x, qx)
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
			blas.Gemv(false, q, x, qx)
		}
		if r.Converged {
			break
		}
	}
	return x, r, nil
}
