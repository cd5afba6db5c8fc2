package blas

import (
	"context"

	gblas "gonum.org/v1/gonum/blas"

	"rvflplus/internal/parallel"
)

// leaf is the side up to which gonum's unblocked routines do the work.
const leaf = 32

// half splits n at a multiple of leaf.
func half(n int) int { return (n/2 + leaf - 1) / leaf * leaf }

// triangular says what kind of triangular system is solved.
type triangular struct {
	side                gblas.Side // the side of X on which the triangle stands
	upper, trans, isOne bool       // upper triangle; transposed; diagonal of ones
}

// solve overwrites B with the solution X of op(A)·X = B or X·op(A) = B, by halves
// of A: the part of X that depends on no other comes first, then leaves the rest
// of B by a product.
func (t triangular) solve(ctx context.Context, a, b Matrix) error {
	if b.Rows == 0 || b.Cols == 0 {
		return ctx.Err()
	}
	n := a.Rows
	if n <= leaf {
		return t.solveLeaf(ctx, a, b)
	}
	h := half(n)
	corner := View(a, 0, h, h, n)
	if !t.upper {
		corner = View(a, h, n, 0, h)
	}
	a1, a2 := View(a, 0, h, 0, h), View(a, h, n, h, n)
	b1, b2 := t.split(b, h)
	// op(A) is lower when the triangle is upper and transposed, or neither.
	lower := t.upper == t.trans
	if lower != (t.side == gblas.Left) {
		a1, a2, b1, b2 = a2, a1, b2, b1
	}
	if err := t.solve(ctx, a1, b1); err != nil {
		return err
	}
	if err := t.subtract(ctx, corner, b1, b2); err != nil {
		return err
	}
	return t.solve(ctx, a2, b2)
}

func (t triangular) split(b Matrix, h int) (first, second Matrix) {
	if t.side == gblas.Left {
		return View(b, 0, h, 0, b.Cols), View(b, h, b.Rows, 0, b.Cols)
	}
	return View(b, 0, b.Rows, 0, h), View(b, 0, b.Rows, h, b.Cols)
}

// subtract takes what the solved part contributes from the other.
func (t triangular) subtract(ctx context.Context, corner, solved, rest Matrix) error {
	if t.side == gblas.Left {
		return Gemm(ctx, t.trans, false, -1, corner, solved, 1, rest)
	}
	return Gemm(ctx, false, t.trans, -1, solved, corner, 1, rest)
}

// solveLeaf solves strips of B that do not depend on each other.
func (t triangular) solveLeaf(ctx context.Context, a, b Matrix) error {
	uplo, trans, diag := gblas.Lower, gblas.NoTrans, gblas.NonUnit
	if t.upper {
		uplo = gblas.Upper
	}
	if t.trans {
		trans = gblas.Trans
	}
	if t.isOne {
		diag = gblas.Unit
	}
	strip := func(v Matrix) {
		impl.Dtrsm(t.side, uplo, trans, diag, v.Rows, v.Cols, 1, a.Data, max(1, a.Stride), v.Data, v.Stride)
	}
	if t.side == gblas.Left {
		return parallel.Blocks(ctx, b.Cols, 256, func(lo, hi int) { strip(View(b, 0, b.Rows, lo, hi)) })
	}
	return parallel.Blocks(ctx, b.Rows, 64, func(lo, hi int) { strip(View(b, lo, hi, 0, b.Cols)) })
}
