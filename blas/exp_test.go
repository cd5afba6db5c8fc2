package blas

import (
	"math"
	"testing"
)

// Elements have the same bits wherever they stand in a slice.
func TestFunctionsOfEveryLength(t *testing.T) {
	norms := make([]float64, 40)
	for i := range norms {
		norms[i] = float64(i)
	}
	for name, f := range map[string]func(x []float64, from int){
		"exp":     func(x []float64, _ int) { Exp(x) },
		"decay":   func(x []float64, _ int) { Decay(x, 3) },
		"sigmoid": func(x []float64, _ int) { Sigmoid(x) },
		"tanh":    func(x []float64, _ int) { Tanh(x) },
		"rbf":     func(x []float64, from int) { RBF(x, norms[from:from+len(x)], 7, 3) },
		"axpy":    func(x []float64, from int) { Axpy(0.3, norms[from:from+len(x)], x) },
		"gaps":    func(x []float64, from int) { AddAbsDiff(0.3, norms[from:from+len(x)], x) },
	} {
		for n := range 40 {
			all := make([]float64, n)
			for i := range all {
				all[i] = math.Sin(float64(i)) * 20
			}
			f(all, 0)
			for i, got := range all {
				one := []float64{math.Sin(float64(i)) * 20}
				f(one, i)
				if got != one[0] {
					t.Fatalf("%s: element %d of %d is %v, alone %v", name, i, n, got, one[0])
				}
			}
		}
	}
}

func TestRBFOfEqualRowsIsOne(t *testing.T) {
	x := []float64{0.1, 1e8, -3.3333333, 7, 1e-9}
	dots := []float64{Chain(x, x)}
	RBF(dots, []float64{Chain(x, x)}, Chain(x, x), 1e-9)
	if dots[0] != 1 {
		t.Errorf("k(x, x) = %v, want exactly 1", dots[0])
	}
}

func BenchmarkExp(b *testing.B) {
	x, y := make([]float64, 4096), make([]float64, 4096)
	for i := range x {
		x[i] = -float64(i) / 400
	}
	b.Run("blas", func(b *testing.B) {
		for b.Loop() {
			copy(y, x)
			Exp(y)
		}
		b.ReportMetric(float64(b.N)*4096/b.Elapsed().Seconds()/1e6, "M/s")
	})
	b.Run("math", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				y[i] = math.Exp(v)
			}
		}
		b.ReportMetric(float64(b.N)*4096/b.Elapsed().Seconds()/1e6, "M/s")
	})
}
