package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/ridge"
	"rvflplus/internal/roles"
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

// BenchmarkPreparation is a search of twenty settings, prepared once and for the rows left out.
func BenchmarkPreparation(b *testing.B) {
	for _, rows := range []int{150, 800} {
		table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.3, Seed: 5}.Table()
		d, err := roles.Assign(table, dataset.Selection{Target: "y", Priv: "lab_*"})
		if err != nil {
			b.Fatal(err)
		}
		for _, kind := range []string{"krvfl", "krvfl+", "rvfl"} {
			for _, folds := range []int{0, 10} {
				for _, refit := range []Refit{RefitNever, RefitFewRows} {
					o := Options{Trials: 20, Scheme: Scheme{Folds: folds}, RefitPreparation: refit}
					c := param.With(func(c *param.Config) { c.Kind = kind })
					b.Run(fmt.Sprintf("%d/%s/folds=%d/refit=%d", rows, kind, folds, refit), func(b *testing.B) {
						for b.Loop() {
							if _, err := Tune(ctx, d, c, o); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		}
	}
}
