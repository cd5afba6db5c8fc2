package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/gram"
)

// checkLeftOut compares the models without each row, at every row, with fits of
// the remaining rows.
func checkLeftOut(t *testing.T, what string, p problem, l *LeftOut) {
	t.Helper()
	m := p.y.Cols
	got := predict(p.h, l.Weight, l.Offset)
	for i := range p.h.Rows {
		want := definition(p, slices.Delete(all(p.h.Rows), i, i+1), p.omegaBar())
		same(t, fmt.Sprintf("%s without row %d", what, i), blas.View(got, 0, got.Rows, i*m, i*m+m), want)
	}
}

func TestLeftOutModelsEqualRefits(t *testing.T) {
	for _, p := range problems() {
		d := p.dual(true)
		d.LeftOut = true
		solution, err := FitDual(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.h.Rows {
			if solution.LeftOut.Weight.Data[i*solution.LeftOut.Weight.Stride+i*p.y.Cols] != 0 {
				t.Errorf("row %d has a weight in the model without it", i)
			}
		}
		w, err := Linear{p.h}.Weights(ctx, solution.LeftOut.Weight)
		if err != nil {
			t.Fatal(err)
		}
		checkLeftOut(t, "dual "+p.String(), p, &LeftOut{w, solution.LeftOut.Offset})
		checkLeftOut(t, "primal "+p.String(), p, primalLeftOut(t, p))
	}
}

func primalLeftOut(t *testing.T, p problem) *LeftOut {
	t.Helper()
	f, stats := p.primal(t)
	n, m, cut := p.h.Rows, p.y.Cols, p.h.Rows-p.lack
	a, b := p.blocks(stats)
	l := NewLeftOut(p.h.Cols, n, m)
	part := func(b gram.Block, from, to int) error {
		weight := blas.View(l.Weight, 0, p.h.Cols, from*m, to*m)
		return f.LeftOut(ctx, b, p.weight[from:to], from > 0, from, weight, l.Offset[from*m:to*m])
	}
	if err := errors.Join(part(a, 0, cut), part(b, cut, n)); err != nil {
		t.Fatal(err)
	}
	return l
}

// The definition: Ω(x,x) − k_x(Ω + Ω̃/γ + (CV)⁻¹)⁻¹k_xᵀ, scaled by the mean of the
// squared standardised leave-one-out residuals of the additive form.
func TestPosteriorEqualsItsDefinition(t *testing.T) {
	for _, p := range problems() {
		d := p.dual(true)
		d.Posterior = true
		solution, err := FitDual(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		n, m := p.h.Rows, p.y.Cols
		system, h := mat.NewDense(n, n, nil), asDense(p.h)
		priv := asDense(p.priv)
		omega, omegaPriv := outer(h), outer(priv)
		for i := range n {
			for j := range n {
				system.Set(i, j, omega.At(i, j)+omegaPriv.At(i, j)/p.params.Gamma)
			}
			noise := 1 / (p.params.C * p.weight[i])
			if i >= n-p.lack {
				noise += p.omegaBar() / p.params.Gamma / p.weight[i]
			}
			system.Set(i, i, system.At(i, i)+noise)
		}
		var inverse, fit mat.Dense
		if err := inverse.Inverse(system); err != nil {
			t.Fatal(err)
		}
		fit.Mul(&inverse, omega)
		offset := make([]float64, m)
		if p.params.Center {
			offset = solution.Offset
		}
		for j := range m {
			var sum float64
			for i := range n {
				var a float64
				for k := range n {
					a += inverse.At(i, k) * (p.y.Data[k*m+j] - offset[j])
				}
				sum += a * a / inverse.At(i, i) / float64(n)
			}
			if got := solution.Posterior.Scale[j]; math.Abs(got-math.Sqrt(sum)) > 1e-9*(1+got) {
				t.Errorf("%s: scale %g, want %g", p, got, math.Sqrt(sum))
			}
		}
		for i := range n {
			row := blas.Matrix{Rows: 1, Cols: n, Stride: n, Data: slices.Clone(omega.RawRowView(i))}
			if err := blas.SolveRight(ctx, row, solution.Posterior.Factor); err != nil {
				t.Fatal(err)
			}
			want := omega.At(i, i)
			for k := range n {
				want -= omega.At(i, k) * fit.At(k, i)
			}
			if got := omega.At(i, i) - dot(row.Data, row.Data); math.Abs(got-want) > 1e-9*(1+omega.At(i, i)) {
				t.Errorf("%s: variance %g at row %d, want %g", p, got, i, want)
			}
		}
	}
}
