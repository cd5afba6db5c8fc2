package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"rvflplus/blas"
	"rvflplus/internal/workload"
)

// newStock prepares what an unaltered gonum and Go's math package can do of the work.
func newStock(name string, size int) (*workload.Work, error) {
	switch name {
	case "gemm":
		return stockGemm(size), nil
	case "syrk":
		return stockSyrk(size), nil
	case "cholesky":
		return stockCholesky(size), nil
	case "exp":
		return stockExp(size), nil
	}
	return nil, fmt.Errorf("gonum has no work %q", name)
}

func stockGemm(n int) *workload.Work {
	a, b, c := workload.Matrix(1, n, n), workload.Matrix(2, n, n), blas.New(n, n)
	return &workload.Work{
		Run: func(context.Context) error {
			gonum.Implementation{}.Dgemm(gblas.NoTrans, gblas.NoTrans, n, n, n, 1, a.Data, n, b.Data, n, 0, c.Data, n)
			return nil
		},
		Answer: workload.Answer(c, false),
	}
}

func stockSyrk(n int) *workload.Work {
	a, c := workload.Matrix(1, n, n), blas.New(n, n)
	return &workload.Work{
		Run: func(context.Context) error {
			gonum.Implementation{}.Dsyrk(gblas.Upper, gblas.Trans, n, n, 1, a.Data, n, 0, c.Data, n)
			return nil
		},
		Answer: workload.Answer(c, true),
	}
}

func stockCholesky(n int) *workload.Work {
	a, work := workload.PositiveDefinite(n), blas.New(n, n)
	return &workload.Work{
		Reset: func() { copy(work.Data, a.Data) },
		Run: func(context.Context) error {
			if !(lapack.Implementation{}).Dpotrf(gblas.Upper, n, work.Data, n) {
				return errors.New("not positive definite")
			}
			return nil
		},
		Answer: workload.Answer(work, true),
	}
}

func stockExp(n int) *workload.Work {
	x, y := workload.Exponents(n), blas.New(1, n)
	return &workload.Work{
		Reset: func() { copy(y.Data, x.Data) },
		Run: func(context.Context) error {
			for i, v := range y.Data {
				y.Data[i] = math.Exp(v)
			}
			return nil
		},
		Answer: workload.Answer(y, false),
	}
}
