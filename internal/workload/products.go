package workload

import (
	"context"
	"fmt"

	"rvflplus/blas"
)

// PanelCols is the width of the tall matrix: what a row of RVFL+ with 5 + 4
// features and 1000 enhancement nodes of each becomes.
const PanelCols = 2009

func gemm(n int) (*Work, error) {
	a, b, c := Matrix(1, n, n), Matrix(2, n, n), blas.New(n, n)
	return &Work{
		Flops:  2 * cube(n),
		Run:    func(ctx context.Context) error { return blas.Gemm(ctx, false, false, 1, a, b, 0, c) },
		Answer: Answer(c, false),
	}, nil
}

func squareSyrk(n int) (*Work, error) { return syrk(n, n), nil }

func panel(rows int) (*Work, error) { return syrk(rows, PanelCols), nil }

// syrk is AᵀA of a rows×cols matrix, one triangle: a sum over rows, as in training.
func syrk(rows, cols int) *Work {
	a, c := Matrix(1, rows, cols), blas.New(cols, cols)
	return &Work{
		Flops:  float64(rows) * float64(cols) * float64(cols),
		Run:    func(ctx context.Context) error { return blas.Syrk(ctx, true, 1, a, 0, c) },
		Answer: Answer(c, true),
	}
}

func cholesky(n int) (*Work, error) {
	a, work := PositiveDefinite(n), blas.New(n, n)
	return &Work{
		Flops: cube(n) / 3,
		Reset: func() { copy(work.Data, a.Data) },
		Run: func(ctx context.Context) error {
			pivot, err := blas.Factor(ctx, work, nil)
			if pivot >= 0 {
				return fmt.Errorf("bench: pivot %d is not positive", pivot)
			}
			return err
		},
		Answer: Answer(work, true),
	}, nil
}

// PositiveDefinite returns an n×n matrix whose upper triangle stands for a positive
// definite one: numbers between -1 and 1, and 2n on the diagonal.
func PositiveDefinite(n int) blas.Matrix {
	a := Matrix(1, n, n)
	for i := range n {
		a.Data[i*a.Stride+i] = 2 * float64(n)
	}
	return a
}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }

// Answer returns a function for Work.Answer that takes numbers of m, those of its
// upper triangle when upper is true.
func Answer(m blas.Matrix, upper bool) func() []float64 {
	return func() []float64 {
		return sample(m.Rows, m.Cols, upper, func(i, j int) float64 { return m.Data[i*m.Stride+j] })
	}
}
