package workload

import (
	"context"

	"rvflplus/blas"
)

// exponential replaces numbers by their exponentials.
func exponential(n int) (*Work, error) {
	x, y := Exponents(n), blas.New(1, n)
	return &Work{
		Items: float64(n),
		Unit:  "numbers",
		Reset: func() { copy(y.Data, x.Data) },
		Run: func(context.Context) error {
			blas.Exp(y.Data)
			return nil
		},
		Answer: Answer(y, false),
	}, nil
}

// Exponents returns a row of n numbers between -10 and 10.
func Exponents(n int) blas.Matrix {
	x := blas.New(1, n)
	uniform(x.Data, 1, -10, 10)
	return x
}
