package blas

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

var benchSizes = []int{256, 1024, 2048, 4096}

func BenchmarkGemm(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			x, y, z := random(r, n, n), random(r, n, n), New(n, n)
			for b.Loop() {
				_ = Gemm(ctx, false, false, 1, x, y, 0, z)
			}
			gflops(b, 2*float64(n)*float64(n)*float64(n))
		})
	}
}

func BenchmarkSyrk(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			x, z := random(r, n, n), New(n, n)
			for b.Loop() {
				_ = Syrk(ctx, true, 1, x, 0, z)
			}
			gflops(b, float64(n)*float64(n)*float64(n))
		})
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := spd(rand.New(rand.NewPCG(1, 1)), n)
			for b.Loop() {
				_, _ = Factor(ctx, Clone(a), nil)
			}
			gflops(b, float64(n)*float64(n)*float64(n)/3)
		})
	}
}

func gflops(b *testing.B, perOp float64) {
	b.ReportMetric(perOp*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
