package main

import (
	"context"

	"rvflplus/blas"
	"rvflplus/kernel"
	"rvflplus/learn"
	"rvflplus/svmplus"
)

// descent is linear Fast SVM+ by its published coordinate descent, stopped after
// some sweeps, converged or not.
type descent struct {
	c, gamma float64
	sweeps   int
}

// Train implements learn.Trainer. The problem has one column of targets.
func (s descent) Train(_ context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	x, priv := withOnes(p.X.RawMatrix()), withOnes(p.Priv.RawMatrix())
	w, slack := make([]float64, x.Cols), make([]float64, priv.Cols)
	alpha, beta := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range beta {
		beta[i] = s.c
	}
	for range s.sweeps {
		for i := range alpha {
			xi, pi, y := blas.Row(x, i), blas.Row(priv, i), p.Y.At(i, 0)
			square := blas.Dot(pi, pi)
			by := max(-alpha[i], -(y*blas.Dot(xi, w)+blas.Dot(pi, slack)-1)/(blas.Dot(xi, xi)+square/s.gamma))
			alpha[i] += by
			blas.Axpy(by*y, xi, w)
			blas.Axpy(by/s.gamma, pi, slack)
			by = max(-beta[i], -s.gamma*blas.Dot(pi, slack)/square)
			beta[i] += by
			blas.Axpy(by/s.gamma, pi, slack)
		}
	}
	n := len(w) - 1
	m, err := svmplus.FromParts(svmplus.Parts{Kernel: kernel.Linear{},
		Weight: blas.Matrix{Rows: n, Cols: 1, Stride: 1, Data: w[:n]}, Offset: w[n:]})
	return m, learn.Report{}, err
}

// withOnes adds a column of ones.
func withOnes(a blas.Matrix) blas.Matrix {
	out := blas.New(a.Rows, a.Cols+1)
	for i := range a.Rows {
		out.Data[i*out.Stride+copy(blas.Row(out, i), blas.Row(a, i))] = 1
	}
	return out
}
