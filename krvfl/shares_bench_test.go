package krvfl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/relevance"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// BenchmarkShares measures how much columns count: of a small table, and where rows are fewer for the cost.
func BenchmarkShares(b *testing.B) {
	for _, c := range []struct {
		rows, columns int
		kernel        string
	}{{200, 20, "rbf"}, {2000, 20, "rbf"}, {1000, 784, "rbf"}, {1000, 784, "laplacian"}} {
		r := rand.New(rand.NewPCG(1, 2))
		x, y := mat.NewDense(c.rows, c.columns, nil), mat.NewDense(c.rows, 1, nil)
		x.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, x)
		y.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, y)
		config := DefaultConfig()
		config.Kernel = kernel.Must(c.kernel)
		m, _, err := config.Train(b.Context(), learn.Problem{X: x, Y: y})
		if err != nil {
			b.Fatal(err)
		}
		s := relevance.Shares{Model: m, X: x, Columns: make([]int, c.columns), Scale: ones(1), Support: c.rows}
		for j := range s.Columns {
			s.Columns[j] = j
		}
		b.Run(fmt.Sprintf("%d rows, %d columns, %s", c.rows, c.columns, c.kernel), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Measure(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
