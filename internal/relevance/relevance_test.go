package relevance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rvflplus/blas"
	"rvflplus/kernel"
	"rvflplus/learn"
)

func normal(r *rand.Rand, rows, cols int) blas.Matrix {
	m := blas.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

// dealt deals rows to folds in turn.
func dealt(n, k int) [][]int {
	folds := make([][]int, k)
	for i := range n {
		folds[i%k] = append(folds[i%k], i)
	}
	return folds
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// Every derivative of the objective against central differences, for every kernel and form.
func TestDerivativesEqualDifferences(t *testing.T) {
	for name := range families {
		for _, form := range []string{"plain", "folds", "whole", "additive", "paper"} {
			t.Run(name+" "+form, func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, 4))
				const n = 25
				p := Problem{
					Normal: Space{X: normal(r, n, 4), Columns: []int{0, 1, 1, 2}, Share: true,
						Kernel: kernel.Must("affine:slope=0.3+" + name + ":width=relevance")},
					Y: normal(r, n, 2), Weight: ones(n), Scale: []float64{1, 2}, Center: true, Seed: 1,
					Correction: learn.Additive, Whole: form == "whole",
				}
				p.Weight[3] = 2
				switch form {
				case "folds":
					p.Folds = dealt(n, 4)
				case "whole", "additive", "paper":
					p.Priv = Space{X: normal(r, n-4, 3), Kernel: kernel.Must("linear+" + name + ":width=relevance")}
				}
				if form == "paper" {
					p.Correction = learn.Paper
				}
				o, err := newObjective(p)
				if err != nil {
					t.Fatal(err)
				}
				point := make([]float64, o.size)
				for i := range point {
					point[i] = r.NormFloat64() / 2
				}
				at := func(i int, by float64) float64 {
					moved := slices.Clone(point)
					moved[i] += by
					loss, _, err := o.loss(t.Context(), moved)
					if err != nil {
						t.Fatal(err)
					}
					return loss + o.penalty(moved, nil, 0.1)
				}
				_, derive, err := o.loss(t.Context(), point)
				if err != nil {
					t.Fatal(err)
				}
				got := make([]float64, o.size)
				if err := derive(t.Context(), got); err != nil {
					t.Fatal(err)
				}
				o.penalty(point, got, 0.1)
				const h = 1e-5
				for i, g := range got {
					want := (at(i, h) - at(i, -h)) / (2 * h)
					if math.Abs(g-want) > 1e-6*max(1, math.Abs(want)) {
						t.Errorf("parameter %d: %.9g, by differences %.9g", i, g, want)
					}
				}
			})
		}
	}
}
