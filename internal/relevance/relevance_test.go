package relevance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rvflplus/blas"
	"rvflplus/kernel"
	"rvflplus/krvfl"
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

// informative returns 20 columns of which the first three count.
func informative(rows int, seed uint64) Problem {
	r := rand.New(rand.NewPCG(seed, 5))
	x, y := normal(r, rows, 20), blas.New(rows, 1)
	for i := range rows {
		row := blas.Row(x, i)
		y.Data[i] = math.Sin(2*row[0]) + row[1]*row[2] + row[2] + 0.3*r.NormFloat64()
	}
	return Problem{Normal: Space{X: x, Share: true, Kernel: kernel.Must("affine:slope=0.05+rbf:width=relevance")}, Y: y,
		Weight: ones(rows), Scale: []float64{1}, Center: true}
}

// trainer predicts held rows by KRVFLs of what was learned.
func (p Problem) trainer() func(ctx context.Context, f Fit, rest, held []int) (blas.Matrix, error) {
	return func(ctx context.Context, f Fit, rest, held []int) (blas.Matrix, error) {
		own := p.only(rest)
		config := krvfl.DefaultConfig()
		config.C, config.Kernel, config.Linear, config.Center = f.C, f.Kernel, false, p.Center
		problem := learn.Problem{X: dense(own.Normal.X), Y: dense(own.Y), Weight: own.Weight}
		m, _, err := config.Train(ctx, problem)
		if err != nil {
			return blas.Matrix{}, err
		}
		out := blas.New(len(held), p.Y.Cols)
		m.PredictTo(dense(out), dense(blas.Gather(p.Normal.X, held)))
		return out, nil
	}
}

// cross judges the strengths by some folds.
func (p Problem) cross(folds int) Crossing {
	return Crossing{Y: p.Y, Weight: p.Weight, Scale: p.Scale, Folds: dealt(p.Y.Rows, folds), Many: len(Strengths()),
		Learn: func(ctx context.Context, rows []int) ([]Fit, error) {
			if rows == nil {
				return Learn(ctx, p, Strengths())
			}
			return Learn(ctx, p.only(rows), Strengths())
		},
		Predict: p.trainer(),
	}
}

func TestTheInformativeColumnsAreFound(t *testing.T) {
	found := 0
	for seed := range uint64(20) {
		p := informative(150, seed)
		c, err := p.cross(5).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fit := c.Fits[c.Best]
		all := make([]int, 150)
		for i := range all {
			all[i] = i
		}
		base, _ := p.trainer()(t.Context(), fit, all, all)
		factors := make([]float64, 20)
		for j := range 20 {
			q := p
			q.Normal.X = blas.Stack(p.Normal.X, p.Normal.X)
			held := make([]int, 150)
			for i := range 150 {
				q.Normal.X.Data[(i+150)*20+j] = 0
				held[i] = i + 150
			}
			q.Y = blas.Stack(p.Y, p.Y)
			q.Weight = ones(300)
			out, err := q.trainer()(t.Context(), fit, all, held)
			if err != nil {
				t.Fatal(err)
			}
			for i := range out.Data {
				factors[j] += math.Pow(out.Data[i]-base.Data[i], 2)
			}
		}
		order := make([]int, 20)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case factors[a] > factors[b]:
				return -1
			case factors[a] < factors[b]:
				return 1
			}
			return 0
		})
		top := order[:3]
		slices.Sort(top)
		if slices.Equal(top, []int{0, 1, 2}) {
			found++
		} else {
			t.Logf("seed %d: %v, strength %g, losses %.3g", seed, top, fit.Strength, c.Loss)
		}
	}
	if found < 19 {
		t.Errorf("the three columns were found under %d of 20 seeds", found)
	}
	fmt.Println(found)
}
