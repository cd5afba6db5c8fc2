package ridge

import (
	"context"

	"rvflplus/blas"
)

// Linear is the Gramian FFᵀ of explicit features F, rows × D.
type Linear struct{ F blas.Matrix }

// Size implements Gramian.
func (g Linear) Size() int { return g.F.Rows }

// Add implements Gramian.
func (g Linear) Add(ctx context.Context, scale float64, dst blas.Matrix, _ func(done, total int)) error {
	return blas.Syrk(ctx, false, scale, g.F, 1, dst)
}

// Times implements Gramian.
func (g Linear) Times(ctx context.Context, v []float64) ([]float64, error) {
	sums, out := blas.New(g.F.Cols, 1), blas.New(g.F.Rows, 1)
	if err := blas.Gemm(ctx, true, false, 1, g.F, vector(v), 0, sums); err != nil {
		return nil, err
	}
	err := blas.Gemm(ctx, false, false, 1, g.F, sums, 0, out)
	return out.Data, err
}

// Diag implements Gramian.
func (g Linear) Diag() []float64 {
	d := make([]float64, g.F.Rows)
	for i := range d {
		d[i] = dot(blas.Row(g.F, i), blas.Row(g.F, i))
	}
	return d
}

// Weights returns FᵀA: the weights of the features that give the same model as the weights a of the rows.
func (g Linear) Weights(ctx context.Context, a blas.Matrix) (blas.Matrix, error) {
	w := blas.New(g.F.Cols, a.Cols)
	return w, blas.Gemm(ctx, true, false, 1, g.F, a, 0, w)
}
