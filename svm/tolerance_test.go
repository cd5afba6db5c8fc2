package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/learn"
)

// noisySine is a regression of n rows; both targets have a spread near 1.
func noisySine(n int) learn.Problem {
	r := rand.New(rand.NewPCG(4, 4))
	p := learn.Problem{X: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 2, nil)}
	for i := range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		p.X.SetRow(i, []float64{a, b})
		p.Y.SetRow(i, []float64{math.Sin(2*a) + b + 0.3*r.NormFloat64(), 5 + a*b + 0.3*r.NormFloat64()})
	}
	return p
}

// Targets, C and ε times a factor give the model times the factor: no unit of the targets stands in the solver.
func TestRegressionDoesNotDependOnTheTargetsUnit(t *testing.T) {
	p := noisySine(120)
	fit := func(factor float64) []float64 {
		scaled := p
		scaled.Y = mat.NewDense(120, 2, nil)
		scaled.Y.Scale(factor, p.Y)
		c := withRegression(func(c *RegressionConfig) { c.C, c.Epsilon = 10*factor, 0.1*factor })
		m, _ := train(t, c, scaled)
		out := predict(m, p.X)
		out.Scale(1/factor, out)
		return out.RawMatrix().Data
	}
	want := fit(1)
	for _, factor := range []float64{0.002, 1000, 1e-9, 1e12, 0x1p-200, 0x1p200} {
		for i, v := range fit(factor) {
			// What differs is what the tolerance leaves open, once rounding leads to another last step.
			if !(math.Abs(v-want[i]) < 2e-3) {
				t.Errorf("targets times %g: prediction %d is %v, not %v", factor, i, v, want[i])
				break
			}
		}
	}
}

// A tolerance that is given holds as it is, in the targets' units.
func TestGivenToleranceIsAbsolute(t *testing.T) {
	p := noisySine(60)
	for _, tolerance := range []float64{0.5, 1e-6} {
		m, report := train(t, withRegression(func(c *RegressionConfig) { c.Tolerance = tolerance }), p)
		if got := m.(*Regressor).Tolerance(); got != tolerance || report.Optimum.KKT > tolerance {
			t.Errorf("%v of %v, violation %v", got, tolerance, report.Optimum.KKT)
		}
	}
	loose, _ := train(t, withRegression(func(c *RegressionConfig) { c.Tolerance = 3 }), p)
	tight, _ := train(t, DefaultRegressionConfig(), p)
	if mat.EqualApprox(predict(loose, p.X), predict(tight, p.X), 1e-2) {
		t.Error("a tolerance of 3 standard deviations makes no difference")
	}
}

func TestDefaultTolerance(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-14*want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	column := func(v ...float64) blas.Matrix { return blas.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v} }
	near("one target", DefaultTolerance(column(1, 3), nil), 1e-3)
	near("moved", DefaultTolerance(column(1e6+1, 1e6+3), nil), 1e-3)
	near("weights", DefaultTolerance(column(0, 1), []float64{3, 1}), 1e-3*math.Sqrt(3)/4)
	near("copies", DefaultTolerance(column(0, 0, 0, 1), nil), 1e-3*math.Sqrt(3)/4)
	near("huge", DefaultTolerance(column(-1e308, 1e308), nil), 1e305)
	near("tiny", DefaultTolerance(column(0, 2e-300), nil), 1e-303)
	near("constant", DefaultTolerance(column(7, 7, 7), nil), 1e-3)
	near("far from 0", DefaultTolerance(column(1e15, 1e15+2), nil), 1e3+2e-12)
	near("two targets", DefaultTolerance(blas.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0, 3, 14}}, nil),
		1e-3*math.Sqrt((1+49)/2.0))
}
