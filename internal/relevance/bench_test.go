package relevance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// BenchmarkLearn learns the widths of 20 columns under every strength.
func BenchmarkLearn(b *testing.B) {
	for _, rows := range []int{150, 600} {
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

// BenchmarkShares measures how much columns count: of a small table, and where rows are fewer for the cost.
func BenchmarkShares(b *testing.B) {
	for _, c := range []struct {
		rows, columns int
		kernel        string
	}{{200, 20, "rbf"}, {2000, 20, "rbf"}, {1000, 784, "rbf"}, {1000, 784, "laplacian"}} {
		r := rand.New(rand.NewPCG(1, 2))
		x := dense(normal(r, c.rows, c.columns))
		config := krvfl.DefaultConfig()
		config.Kernel = kernel.Must(c.kernel)
		m, _, err := config.Train(b.Context(), learn.Problem{X: x, Y: dense(normal(r, c.rows, 1))})
		if err != nil {
			b.Fatal(err)
		}
		s := Shares{Model: m, X: x, Columns: make([]int, c.columns), Scale: ones(1), Support: c.rows}
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
