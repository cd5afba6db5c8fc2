package relevance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
	"rvflplus/kernel"
)

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

// BenchmarkLearn learns the widths of 20 columns under every strength.
func BenchmarkLearn(b *testing.B) {
	for _, rows := range []int{200, 500} {
		p := informative(rows, 1)
		b.Run(fmt.Sprintf("%d rows", rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Learn(b.Context(), p, Strengths()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
