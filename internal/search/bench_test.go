package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/krvfl"
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
	e, err := NewEvaluator(p, folds)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c := krvfl.Config{C: 10, Kernel: fmt.Sprintf("rbf:width=%v", 10*math.Exp(r.NormFloat64())), NoLinear: true, NoCenter: true}
		if _, err := e.HeldOut(ctx, c); err != nil {
			b.Fatal(err)
		}
	}
}
