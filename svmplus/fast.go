package svmplus

import (
	"context"
	"math"

	gblas "gonum.org/v1/gonum/blas"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/qp"
)

// fastSolver returns the solver of Fast SVM+ with kernels:
//
//	min ½‖w‖² + (γ/2)‖w̃‖² + ½Σcᵢ(w̃ᵀφ̃ᵢ)²   subject to   yᵢwᵀφᵢ ≥ 1 − w̃ᵀφ̃ᵢ
//
// with 1 added to both kernels instead of offsets. Its dual is
//
//	max 1ᵀα − ½αᵀQα, α ≥ 0,   Q = K∘yyᵀ + G(γI + Gᵀdiag(c)G)⁻¹Gᵀ,   K̃ = GGᵀ.
//
// Slack may be negative. What does not depend on y is computed once.
func (t *training) fastSolver(ctx context.Context) (func(context.Context, *machine) error, error) {
	k, err := gram(ctx, t.kernel, t.rows.X)
	if err != nil {
		return nil, err
	}
	second, err := t.slackForm(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, m *machine) error {
		q := blas.New(len(m.y), len(m.y))
		for i := range m.y {
			row, own, slack := blas.Row(q, i), blas.Row(k, i), blas.Row(second, i)
			for j := range row {
				row[j] = m.y[i]*m.y[j]*(own[j]+1) + slack[j]
			}
		}
		alpha, r, err := qp.NonNegative(ctx, q, t.Tolerance, t.cap(len(m.y)))
		if err != nil {
			return err
		}
		m.alphaY, m.result = signed(alpha, m.y), r
		for _, a := range m.alphaY {
			m.bias += a
		}
		return nil
	}, nil
}

// slackForm returns G(γI + Gᵀdiag(c)G)⁻¹Gᵀ as BBᵀ, which loses nothing when C/γ is
// very large or small.
func (t *training) slackForm(ctx context.Context) (blas.Matrix, error) {
	g, err := t.privFactor(ctx)
	if err != nil {
		return g, err
	}
	scaled, r := blas.Clone(g), blas.New(g.Cols, g.Cols)
	for i := range scaled.Rows {
		row, by := blas.Row(scaled, i), math.Sqrt(t.c[i])
		for j := range row {
			row[j] *= by
		}
	}
	if err := blas.Syrk(ctx, true, 1, scaled, 0, r); err != nil {
		return r, err
	}
	for j := range r.Rows {
		r.Data[j*(r.Stride+1)] += t.Gamma
	}
	if pivot, err := blas.Factor(ctx, r, nil); err != nil || pivot >= 0 {
		return r, orNotPositive(err)
	}
	if err := blas.SolveRight(ctx, g, r); err != nil {
		return g, err
	}
	form := blas.New(g.Rows, g.Rows)
	err = blas.Syrk(ctx, false, 1, g, 0, form)
	blas.Mirror(form)
	return form, err
}

func orNotPositive(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.NotSolved, "the privileged kernel's matrix is not positive semi-definite").
		WithHint("use another --priv-kernel, or scale the features")
}

// privFactor returns G with GGᵀ = K̃ + 1.
func (t *training) privFactor(ctx context.Context) (blas.Matrix, error) {
	if isLinear(t.priv) {
		g := blas.New(t.rows.Priv.Rows, t.rows.Priv.Cols+1)
		for i := range g.Rows {
			g.Data[i*g.Stride+copy(blas.Row(g, i), blas.Row(t.rows.Priv, i))] = 1
		}
		return g, nil
	}
	k, err := gram(ctx, t.priv, t.rows.Priv)
	if err != nil {
		return k, err
	}
	for i := range k.Data {
		k.Data[i]++
	}
	return pivotedCholesky(ctx, k)
}

// pivotedCholesky returns G, N×r, with GGᵀ = K to 1e-15 of K's largest diagonal
// element. Cost N·r² operations.
func pivotedCholesky(ctx context.Context, k blas.Matrix) (blas.Matrix, error) {
	n := k.Rows
	g, left := blas.New(n, n), make([]float64, n) // g holds Gᵀ, whose rows come one by one
	for i := range left {
		left[i] = k.Data[i*(k.Stride+1)]
	}
	first, rank, at := left[argmax(left)], 0, make([]float64, n)
	for ; rank < n && ctx.Err() == nil; rank++ {
		p := argmax(left)
		if !(left[p] > 1e-15*first) {
			break
		}
		row := blas.Row(g, rank)
		copy(row, blas.Row(k, p))
		for j := range rank {
			at[j] = g.Data[j*g.Stride+p]
		}
		if rank > 0 {
			blas.Implementation{}.Dgemv(gblas.Trans, rank, n, -1, g.Data, g.Stride, at, 1, 1, row, 1)
		}
		root := math.Sqrt(left[p])
		for i, v := range row {
			row[i] = v / root
			left[i] -= row[i] * row[i]
		}
		left[p] = 0
	}
	if ctx.Err() != nil {
		return g, ctx.Err()
	}
	return transposed(blas.View(g, 0, rank, 0, n)), semiDefinite(left, first)
}

func transposed(a blas.Matrix) blas.Matrix {
	t := blas.New(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range blas.Row(a, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

func argmax(v []float64) int {
	at := 0
	for i, x := range v {
		if x > v[at] {
			at = i
		}
	}
	return at
}

// semiDefinite refuses a remainder that rounding cannot explain.
func semiDefinite(left []float64, first float64) error {
	for _, v := range left {
		if v < -1e-8*first {
			return orNotPositive(nil)
		}
	}
	return nil
}
