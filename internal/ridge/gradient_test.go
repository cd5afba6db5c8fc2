package ridge

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/learn"
)

// random returns a matrix of normal numbers.
func randomMatrix(r *rand.Rand, rows, cols int) blas.Matrix {
	m := blas.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

// gramOf returns XXᵀ/n + I/10, both triangles.
func gramOf(x blas.Matrix) blas.Matrix {
	out := blas.New(x.Rows, x.Rows)
	if err := blas.Gemm(context.Background(), false, true, 1/float64(x.Cols), x, x, 0, out); err != nil {
		panic(err)
	}
	for i := range x.Rows {
		out.Data[i*(x.Rows+1)] += 0.1
	}
	return out
}

// gradientCases calls use for every form of the loss, with weights, rows without privileged values and two outputs.
func gradientCases(t *testing.T, use func(t *testing.T, p GradientProblem, q Params)) {
	const n, nc, m = 13, 10, 2
	for _, center := range []bool{false, true} {
		for _, form := range []string{"plain", "folds", "whole", "whole folds", "additive", "paper", "derived"} {
			t.Run(fmt.Sprintf("%s, centred %v", form, center), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				p := GradientProblem{PathProblem: PathProblem{Omega: gramOf(randomMatrix(r, n, 5)),
					Y: randomMatrix(r, n, m)}, Scale: []float64{1, 0.7}}
				for range n {
					p.Weight = append(p.Weight, 0.5+r.Float64())
				}
				q := Params{C: 3, Gamma: 0.8, Center: center, Correction: learn.Additive}
				if form != "plain" && form != "folds" {
					p.Priv = gramOf(randomMatrix(r, nc, 4))
				}
				switch form {
				case "folds", "whole folds":
					p.Sets = [][]int{{0, 5, 12}, {1, 2}, {3, 4, 6, 7}, {8}, {9, 10, 11}}
				case "paper", "derived":
					q.Correction = learn.Correction(form)
				}
				p.Whole = form == "whole" || form == "whole folds"
				use(t, p, q)
			})
		}
	}
}

// The loss is that of the predictions of Path, which other tests compare with refits.
func TestLossIsThatOfRowsLeftOut(t *testing.T) {
	gradientCases(t, func(t *testing.T, p GradientProblem, q Params) {
		loss, derive, err := p.Loss(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		g, err := derive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, want := g.Predictions(p.Y), withoutFolds(t, p, q)
		var mean, total float64
		for i := range got.Rows {
			total += p.Weight[i]
			for j, f := range blas.Row(want, i) {
				d := (f - p.Y.Data[i*p.Y.Stride+j]) * p.Scale[j]
				mean += p.Weight[i] * d * d / float64(p.Y.Cols)
				if math.Abs(got.Data[i*got.Stride+j]-f) > 1e-9 {
					t.Errorf("row %d, output %d: %g, want %g", i, j, got.Data[i*got.Stride+j], f)
				}
			}
		}
		if mean /= total; math.Abs(loss-mean) > 1e-10*mean || g.Loss != loss {
			t.Errorf("loss %.15g and %.15g, want %.15g", loss, g.Loss, mean)
		}
	})
}

// withoutFolds returns the predictions of every fold by the model of the other rows: of f, by Path, which other tests
// compare with refits; of f + g, by the ridge regression with the sum of both kernels on the other rows.
func withoutFolds(t *testing.T, p GradientProblem, q Params) blas.Matrix {
	t.Helper()
	folds := p.Sets
	if folds == nil {
		for i := range p.Y.Rows {
			folds = append(folds, []int{i})
		}
	}
	out := blas.New(p.Y.Rows, p.Y.Cols)
	if !p.Whole {
		held := blas.New(p.Y.Rows, p.Y.Cols)
		if err := NewPath(p.PathProblem).HeldOut(t.Context(), q, held); err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, fold := range folds {
			for _, i := range fold {
				copy(blas.Row(out, i), blas.Row(held, at))
				at++
			}
		}
		return out
	}
	var trace float64
	for i := range p.Priv.Rows {
		trace += p.Weight[i] * p.Priv.Data[i*(p.Priv.Rows+1)]
	}
	noise, err := q.noise(p.Weight, p.Priv.Rows, trace)
	if err != nil {
		t.Fatal(err)
	}
	both := func(i, j int) float64 {
		v := p.Omega.Data[i*p.Omega.Stride+j]
		if i < p.Priv.Rows && j < p.Priv.Rows {
			v += p.Priv.Data[i*p.Priv.Stride+j] / q.Gamma
		}
		return v
	}
	for _, fold := range folds {
		left := map[int]bool{}
		for _, i := range fold {
			left[i] = true
		}
		var rest []int
		var weight []float64
		for i := range p.Y.Rows {
			if !left[i] {
				rest, weight = append(rest, i), append(weight, p.Weight[i])
			}
		}
		y := blas.Gather(p.Y, rest)
		offset := mean(y, weight, sum(weight), q.Center)
		system := mat.NewDense(len(rest), len(rest), nil)
		for a, i := range rest {
			for b, j := range rest {
				system.Set(a, b, both(i, j))
			}
			system.Set(a, a, both(i, i)+noise[i])
			blas.Axpy(-1, offset, blas.Row(y, a))
		}
		var alpha mat.Dense
		if err := alpha.Solve(system, mat.NewDense(y.Rows, y.Cols, y.Data)); err != nil {
			t.Fatal(err)
		}
		for _, i := range fold {
			copy(blas.Row(out, i), offset)
			for a, k := range rest {
				blas.Axpy(both(i, k), alpha.RawRowView(a), blas.Row(out, i))
			}
		}
	}
	return out
}

// Every derivative against central differences, element by element.
func TestDerivativesEqualDifferences(t *testing.T) {
	gradientCases(t, func(t *testing.T, p GradientProblem, q Params) {
		at := func(q Params) float64 {
			loss, _, err := p.Loss(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		_, derive, err := p.Loss(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		g, err := derive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		near := func(name string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-6*(g.Loss+math.Abs(want)) {
				t.Errorf("%s: %.9g, by differences %.9g", name, got, want)
			}
		}
		elements := func(name string, kernel, derivative blas.Matrix) {
			for i := range kernel.Rows {
				for j := range i + 1 {
					if p.Priv.Rows > 0 && i == j && name == "Ω̃" && p.Priv.Rows < p.Y.Rows {
						continue // the noise of rows without privileged values follows Ω̃'s diagonal, and is held fixed
					}
					a, b := &kernel.Data[i*kernel.Stride+j], &kernel.Data[j*kernel.Stride+i]
					old := *a
					*a, *b = old+h, old+h
					up := at(q)
					*a, *b = old-h, old-h
					down := at(q)
					*a, *b = old, old
					want := derivative.Data[i*derivative.Stride+j]
					if i != j {
						want *= 2
					}
					near(fmt.Sprintf("%s %d,%d", name, i, j), want, (up-down)/(2*h))
				}
			}
		}
		elements("Ω", p.Omega, g.Omega)
		elements("Ω̃", p.Priv, g.Priv)
		up, down := q, q
		up.C, down.C = q.C*math.Exp(h), q.C*math.Exp(-h)
		near("log C", g.LogC, (at(up)-at(down))/(2*h))
		if p.Priv.Rows == 0 {
			return
		}
		up, down = q, q
		up.Gamma, down.Gamma = q.Gamma*math.Exp(h), q.Gamma*math.Exp(-h)
		near("log γ", g.LogGamma, (at(up)-at(down))/(2*h))
	})
}
