package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/heldout"
	"rvflplus/internal/ridge"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// BenchmarkFolds is one setting of KRVFL by 10 folds, the widths all different.
func BenchmarkFolds(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	p := learn.Problem{X: mat.NewDense(1000, 20, nil), Y: mat.NewDense(1000, 3, nil)}
	for _, m := range []*mat.Dense{p.X, p.Y} {
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	}
	folds, err := contiguous(1000, 10)
	if err != nil {
		b.Fatal(err)
	}
	e, err := heldout.New(p, folds)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		k := heldout.Kernels{Normal: kernel.Must(fmt.Sprintf("rbf:width=%v", 10*math.Exp(r.NormFloat64())))}
		if _, err := e.ByKernels(ctx, k, []ridge.Params{{C: 10, Gamma: 1000, Correction: learn.Paper}}); err != nil {
			b.Fatal(err)
		}
	}
}
