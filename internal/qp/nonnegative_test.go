package qp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
)

// form draws a positive semi-definite matrix of the given rank.
func form(r *rand.Rand, n, rank int) blas.Matrix {
	g, q := normal(r, n, rank), blas.New(n, n)
	for i := range g.Rows {
		g.Data[i*rank] = math.Abs(g.Data[i*rank]) + 1 // a column of one sign keeps the optimum finite
	}
	_ = blas.Gemm(ctx, false, true, 1, g, g, 0, q)
	return q
}

// mustBeOptimal checks the conditions of min ½xᵀQx − 1ᵀx, x ≥ 0.
func mustBeOptimal(t *testing.T, what string, q blas.Matrix, x []float64, r Result, tol float64) {
	t.Helper()
	qx := make([]float64, len(x))
	blas.Gemv(false, q, x, qx)
	objective := 0.0
	for i, v := range x {
		objective += v - v*qx[i]/2
		if v < 0 || qx[i] < 1-tol || v > 1e-6*largest(x) && qx[i] > 1+tol {
			t.Errorf("%s: x[%d] = %g with gradient %g", what, i, v, qx[i]-1)
			return
		}
	}
	if !r.Converged || math.Abs(objective-r.Objective) > 1e-9*objective {
		t.Errorf("%s: ended with %+v, objective %g", what, r, objective)
	}
}

func TestNonNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 2, 17, 60} {
		for _, rank := range []int{1, 2, 5, n, 2 * n} {
			what := fmt.Sprintf("%d unknowns, rank %d", n, rank)
			q := form(r, n, rank)
			x, res, err := NonNegative(ctx, q, 1e-9, 500)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			mustBeOptimal(t, what, q, x, res, 1e-3)
			if rank < n {
				continue
			}
			y, slow, err := Coordinates(ctx, q, 1e-8, 100000)
			if err != nil {
				t.Fatal(err)
			}
			mustBeOptimal(t, what+" by coordinates", q, y, slow, 1e-3)
			if math.Abs(slow.Objective-res.Objective) > 1e-7*res.Objective {
				t.Errorf("%s: objectives %g and, by coordinates, %g", what, res.Objective, slow.Objective)
			}
		}
	}
}

// Without bound on the objective there is no answer.
func TestUnboundedForms(t *testing.T) {
	q := blas.New(3, 3) // x₃ costs nothing
	q.Data[0], q.Data[4] = 1, 1
	_, r, err := NonNegative(ctx, q, 1e-6, 100)
	if err == nil && r.Converged || err != nil && !errors.Is(err, fault.NotSolved) {
		t.Errorf("NonNegative: %+v, %v", r, err)
	}
	if _, _, err := Coordinates(ctx, q, 1e-6, 100); !errors.Is(err, fault.NotSolved) {
		t.Errorf("Coordinates: %v", err)
	}
}

// Interior meets the optimality conditions of programs with equalities and bounds.
func TestInterior(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for seed := range 20 {
		n, e := 3+r.IntN(30), r.IntN(3)
		p := Program{P: form(r, n, 1+r.IntN(n)), A: normal(r, e, n), G: Bounds(n)}
		p.Q, p.B, p.H = make([]float64, n), make([]float64, e), make([]float64, n)
		for i := range n {
			p.Q[i], p.H[i] = r.NormFloat64(), -r.Float64()
			for k := range e { // a point inside keeps the problem feasible
				p.B[k] += p.A.Data[k*n+i] * (p.H[i] + 0.5)
			}
		}
		for i := range n {
			p.P.Data[i*(n+1)] += 0.1
		}
		x, z, res, err := Interior(ctx, p, 1e-9, 100)
		if err != nil || !res.Converged {
			t.Fatalf("seed %d: %+v, %v", seed, res, err)
		}
		for k := range e {
			if got := blas.Dot(blas.Row(p.A, k), x); math.Abs(got-p.B[k]) > 1e-7 {
				t.Errorf("seed %d: equality %d is off by %g", seed, k, got-p.B[k])
			}
		}
		for i := range n {
			if z[i] < 0 || x[i] < p.H[i]-1e-8 || z[i]*(x[i]-p.H[i]) > 1e-6 {
				t.Errorf("seed %d: x[%d] = %g of at least %g, multiplier %g", seed, i, x[i], p.H[i], z[i])
			}
		}
	}
}

// Where Q is so near to singular that interior points have to solve it, what is small
// beside the largest x counts too.
func TestSmallBesideLarge(t *testing.T) {
	for _, small := range []float64{1e-2, 1e-3} {
		for _, narrow := range []float64{1e2, 1e3, 1e4} {
			q := nearSingular(300, small, narrow)
			if _, r, err := NonNegative(ctx, q, 1e-8, 500); err != nil || !r.Converged {
				t.Errorf("%g, %g: %+v, %v", small, narrow, r, err)
			}
		}
	}
}

// nearSingular is y∘K∘y with a smooth kernel of points on a line, and a small share of
// a kernel that is narrower.
func nearSingular(n int, small, narrow float64) blas.Matrix {
	r := rand.New(rand.NewPCG(9, 9))
	q, at, y := blas.New(n, n), make([]float64, n), make([]float64, n)
	for i := range n {
		at[i], y[i] = r.Float64(), float64(1-2*r.IntN(2))
	}
	for i := range n {
		for j := range n {
			d := at[i] - at[j]
			q.Data[i*n+j] = y[i]*y[j]*(1+math.Exp(-d*d)) + small*(1+math.Exp(-narrow*d*d))
		}
	}
	return q
}
