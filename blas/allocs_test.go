//go:build !race && !openblas

package blas

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// The race detector makes pools forget, so this test is not built with it.
func TestProductsAllocateNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{3, 30, 300} {
		a, b, c := random(r, n, n), random(r, n, n), random(r, n, n)
		allocs := testing.AllocsPerRun(20, func() {
			_ = Gemm(ctx, true, false, 2, a, b, 0.5, c)
			_ = Syrk(ctx, true, 1, a, 0, c)
		})
		if allocs > 0 {
			t.Errorf("n=%d: %g allocations", n, allocs)
		}
	}
}
