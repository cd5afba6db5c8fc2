package blas

import (
	"math"
	"testing"
)

// Elements have the same bits wherever they stand in a slice.
func TestExpOfEveryLength(t *testing.T) {
	for n := range 40 {
		x, s := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = math.Sin(float64(i)) * 20
			s[i] = x[i]
		}
		Exp(x)
		Sigmoid(s)
		for i := range x {
			one, two := []float64{math.Sin(float64(i)) * 20}, []float64{math.Sin(float64(i)) * 20}
			Exp(one)
			Sigmoid(two)
			if x[i] != one[0] || s[i] != two[0] {
				t.Fatalf("element %d of %d: %v and %v, alone %v and %v", i, n, x[i], s[i], one[0], two[0])
			}
		}
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
