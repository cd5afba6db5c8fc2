package qp

import (
	"context"
	"slices"

	"rvflplus/blas"
)

// pivoting is the state of block principal pivoting (Portugal, Júdice, Vicente,
// Math. Comp. 63, 1994): a basis F in which (Qx)_F = 1, x = 0 elsewhere.
type pivoting struct {
	q          blas.Matrix
	x, w       []float64 // w = Qx − 1
	inBasis    []bool
	iterations int
	whole      wholeFactor
}

// basisSolver computes x on the basis and w off it; ok is false when Q proved
// singular.
type basisSolver func(ctx context.Context) (ok bool, err error)

func newPivoting(q blas.Matrix) *pivoting {
	n := q.Rows
	return &pivoting{q: q, x: make([]float64, n), w: make([]float64, n), inBasis: make([]bool, n)}
}

// patience is the number of exchanges without progress after which only one
// variable changes sides.
const patience = 3

// run starts from the basis of all variables. It is false when Q proved singular on
// a basis or too many exchanges were made.
func (p *pivoting) run(ctx context.Context, solve basisSolver, tol float64, maxIter int) (solved bool, err error) {
	for i := range p.inBasis {
		p.inBasis[i] = true
	}
	least, left := len(p.x)+1, patience
	for p.iterations < maxIter {
		p.iterations++
		if ok, err := solve(ctx); err != nil || !ok {
			return false, err
		}
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

// members lists the variables in the basis, or the other ones.
func (p *pivoting) members(in bool) []int {
	members := make([]int, 0, len(p.inBasis))
	for i, is := range p.inBasis {
		if is == in {
			members = append(members, i)
		}
	}
	return members
}

// factorise is the basisSolver that factors Q on the basis.
func (p *pivoting) factorise(ctx context.Context) (ok bool, err error) {
	basis := p.members(true)
	h, x := gather(p.q, basis), make([]float64, len(basis))
	for k := range x {
		x[k] = 1
	}
	if pivot, err := blas.Factor(ctx, h, nil); err != nil || pivot >= 0 {
		return false, err
	}
	solveCholesky(h, x)
	clear(p.x)
	for k, i := range basis {
		p.x[i] = x[k]
	}
	blas.Gemv(false, p.q, p.x, p.w)
	for i := range p.w {
		p.w[i]--
	}
	return true, ctx.Err()
}

// gather returns the upper triangle of A on some rows and columns, in order.
func gather(a blas.Matrix, members []int) blas.Matrix {
	h := blas.New(len(members), len(members))
	for k, i := range members {
		from, to := blas.Row(a, i), blas.Row(h, k)
		for l := k; l < len(members); l++ {
			to[l] = from[members[l]]
		}
	}
	return h
}

// wholeFactor holds the Cholesky factor U of all of Q, Q⁻¹1, and some columns of U⁻ᵀ.
type wholeFactor struct {
	factor blas.Matrix
	ones   []float64
	rows   [][]float64 // column i of U⁻ᵀ, nil where it is not known
}

// fromWhole is the basisSolver that factors Q once, on all variables: leaving out
// G from the basis takes Q⁻¹ on G alone, since then Qx = 1 − λ on G with
// (Q⁻¹)_GG·λ = (Q⁻¹1)_G. With V = U⁻ᵀ restricted to G, (Q⁻¹)_GG = VᵀV. Where G is
// the larger part it calls factorise.
func (p *pivoting) fromWhole(ctx context.Context) (ok bool, err error) {
	if p.whole.ones == nil {
		if ok, err := p.whole.prepare(ctx, p.q); err != nil || !ok {
			return false, err
		}
	}
	out := p.members(false)
	if 2*len(out) > len(p.x) {
		return p.factorise(ctx)
	}
	v, err := p.whole.columns(ctx, out)
	if err != nil {
		return false, err
	}
	h, lambda := blas.New(len(out), len(out)), make([]float64, len(out))
	if err := blas.Syrk(ctx, false, 1, v, 0, h); err != nil {
		return false, err
	}
	for k, i := range out {
		lambda[k] = p.whole.ones[i]
	}
	if pivot, err := blas.Factor(ctx, h, nil); err != nil || pivot >= 0 {
		return false, err
	}
	solveCholesky(h, lambda)
	// x = Q⁻¹(1 − λ) = Q⁻¹1 − U⁻¹Vλ
	clear(p.x)
	clear(p.w)
	for k, i := range out {
		blas.Axpy(-lambda[k], blas.Row(v, k), p.x)
		p.w[i] = -lambda[k]
	}
	backSubstitute(p.whole.factor, p.x)
	blas.Axpy(1, p.whole.ones, p.x)
	for _, i := range out {
		p.x[i] = 0
	}
	return true, ctx.Err()
}

func (w *wholeFactor) prepare(ctx context.Context, q blas.Matrix) (ok bool, err error) {
	w.factor, w.ones, w.rows = blas.Clone(q), make([]float64, q.Rows), make([][]float64, q.Rows)
	if pivot, err := blas.Factor(ctx, w.factor, nil); err != nil || pivot >= 0 {
		return false, err
	}
	for i := range w.ones {
		w.ones[i] = 1
	}
	solveCholesky(w.factor, w.ones)
	return true, nil
}

// columns returns some columns of U⁻ᵀ as rows.
func (w *wholeFactor) columns(ctx context.Context, which []int) (blas.Matrix, error) {
	// Up to this many unknowns, solving column by column is faster.
	const few = 256
	n := w.factor.Rows
	missing := slices.DeleteFunc(slices.Clone(which), func(i int) bool { return w.rows[i] != nil })
	solved := blas.New(len(missing), n)
	for k, i := range missing {
		w.rows[i] = blas.Row(solved, k)
		w.rows[i][i] = 1
		if n <= few {
			forwardSubstitute(w.factor, w.rows[i], i)
		}
	}
	if n > few {
		if err := blas.SolveRight(ctx, solved, w.factor); err != nil {
			return solved, err
		}
	}
	v := blas.New(len(which), n)
	for k, i := range which {
		copy(blas.Row(v, k), w.rows[i])
	}
	return v, nil
}
