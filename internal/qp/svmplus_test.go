package qp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
)

var ctx = context.Background()

func normal(r *rand.Rand, rows, cols int) blas.Matrix {
	m := blas.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

func gram(t testing.TB, k kernel.Kernel, x blas.Matrix) blas.Matrix {
	t.Helper()
	m := blas.New(x.Rows, x.Rows)
	if err := kernel.Add(ctx, k, 1, x, x, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// randomProblem draws normal features, labels from a noisy line and privileged
// features of which the first tells the margin.
func randomProblem(t testing.TB, seed uint64, n int, k, kp kernel.Kernel, c, gamma float64) SVMPlusDual {
	r := rand.New(rand.NewPCG(seed, 7))
	x, priv := normal(r, n, 4), normal(r, n, 3)
	p := SVMPlusDual{Y: make([]float64, n), C: make([]float64, n), Gamma: gamma}
	for i := range n {
		f := x.Data[4*i] - x.Data[4*i+1]
		p.Y[i], p.C[i] = 1, c
		if f+r.NormFloat64() < 0 {
			p.Y[i] = -1
		}
		priv.Data[3*i] = p.Y[i]*f + 0.3*priv.Data[3*i]
	}
	p.K, p.Priv = gram(t, k, x), gram(t, kp, priv)
	return p
}

var solvers = map[string]func(context.Context, SVMPlusDual, float64, int) (SVMPlusSolution, error){
	"gsmo": GSMO, "interior": InteriorSVMPlus, "active": ActiveSet,
}

func kernels() map[string][2]kernel.Kernel {
	return map[string][2]kernel.Kernel{
		"linear": {kernel.Linear{}, kernel.Linear{}}, "rbf": {kernel.RBF{Width: 2}, kernel.RBF{Width: 3}},
		"mixed": {kernel.RBF{Width: 2}, kernel.Linear{}},
	}
}

func TestSolversAgree(t *testing.T) {
	seed := uint64(0)
	for name, k := range kernels() {
		for _, c := range []float64{1e-2, 1, 1e3} {
			for _, gamma := range []float64{1e-2, 1, 1e2} {
				seed++
				p := randomProblem(t, seed, 40, k[0], k[1], c, gamma)
				mustAgree(t, fmt.Sprintf("%s C=%v gamma=%v", name, c, gamma), p)
			}
		}
	}
}

func mustAgree(t *testing.T, what string, p SVMPlusDual) {
	t.Helper()
	first := math.NaN()
	for name, solve := range solvers {
		s, err := solve(ctx, p, 1e-7, 1000000)
		if err != nil || !s.Converged {
			t.Errorf("%s, %s: gap %g of %g after %d steps, %v", what, name, s.Gap, s.Objective, s.Iterations, err)
			continue
		}
		if math.IsNaN(first) {
			first = s.Objective
		}
		if math.Abs(s.Objective-first) > 1e-6*first || s.KKT > 1e-2 {
			t.Errorf("%s, %s: objective %.12g, another solver has %.12g; KKT %g", what, name, s.Objective, first, s.KKT)
		}
		mustBeFeasible(t, what+" "+name, p, s)
	}
}

func mustBeFeasible(t *testing.T, what string, p SVMPlusDual, s SVMPlusSolution) {
	t.Helper()
	var balance, sum, size float64
	for i, a := range s.Alpha {
		if a < 0 || s.Beta[i] < 0 {
			t.Errorf("%s: negative multiplier", what)
		}
		balance += a * p.Y[i]
		sum += s.R[i]
		size += a + p.C[i]
	}
	if math.Abs(balance) > 1e-9*size || math.Abs(sum) > 1e-9*size {
		t.Errorf("%s: equalities off by %g and %g of %g", what, balance, sum, size)
	}
}

func TestCancelled(t *testing.T) {
	dead, cancel := context.WithCancel(ctx)
	cancel()
	p := randomProblem(t, 1, 40, kernel.Linear{}, kernel.Linear{}, 1, 1)
	for name, solve := range solvers {
		if _, err := solve(dead, p, 1e-7, 1000000); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := NonNegative(dead, p.K, 1e-6, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("NonNegative: %v", err)
	}
}

func TestIterationCap(t *testing.T) {
	p := randomProblem(t, 1, 40, kernel.RBF{Width: 2}, kernel.RBF{Width: 2}, 10, 1)
	for name, solve := range solvers {
		if s, err := solve(ctx, p, 1e-9, 3); err != nil || s.Converged || s.Iterations > 3 {
			t.Errorf("%s: %d steps, converged %v, %v", name, s.Iterations, s.Converged, err)
		}
	}
}

func TestIndefiniteForms(t *testing.T) {
	p := randomProblem(t, 1, 40, kernel.RBF{Width: 2}, kernel.RBF{Width: 2}, 10, 1)
	for i := range p.K.Rows {
		p.K.Data[i*(p.K.Stride+1)] -= 2
	}
	for name, solve := range solvers {
		s, err := solve(ctx, p, 1e-6, 100000)
		if err == nil && s.Converged || err != nil && !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: converged %v, %v", name, s.Converged, err)
		}
	}
	_, r, err := NonNegative(ctx, p.K, 1e-6, 100)
	if err == nil && r.Converged || err != nil && !errors.Is(err, fault.NotSolved) {
		t.Errorf("NonNegative: converged %v, %v", r.Converged, err)
	}
}
