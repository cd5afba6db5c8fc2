package krvfl

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/kernel"
	"rvflplus/learn"
)

// oneRowModel returns a KRVFL+ of n rows × n features and its training rows.
func oneRowModel(t testing.TB, n, outputs int, k kernel.Spec) (learn.Model, *mat.Dense) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	p := learn.Problem{X: mat.NewDense(n, n, nil), Priv: mat.NewDense(n, 3, nil), Y: mat.NewDense(n, outputs, nil)}
	for _, m := range []*mat.Dense{p.X, p.Priv, p.Y} {
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	}
	m, _, err := with(func(c *Config) { c.Kernel = k }).Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, p.X
}

// A row alone has the bits that it has among others, from several goroutines at once.
func TestOneRowHasTheBitsOfMany(t *testing.T) {
	for _, n := range []int{5, 100, 400} { // 400 features are more than one share of a product
		for _, outputs := range []int{1, 3, 20} {
			for _, text := range []string{"rbf", "laplacian+poly"} {
				m, x := oneRowModel(t, n, outputs, kernel.Must(text))
				all := mat.NewDense(n, outputs, nil)
				m.PredictTo(all, x)
				var running sync.WaitGroup
				for i := range 4 {
					running.Go(func() {
						one := mat.NewDense(1, outputs, nil)
						m.PredictTo(one, x.Slice(i, i+1, 0, n).(*mat.Dense))
						if !slices.Equal(one.RawRowView(0), all.RawRowView(i)) {
							t.Errorf("%d rows, %d outputs, %s: row %d has other bits alone", n, outputs, text, i)
						}
					})
				}
				running.Wait()
			}
		}
	}
}

func BenchmarkOneRow(b *testing.B) {
	m, x := oneRowModel(b, 100, 1, kernel.Must("rbf"))
	row, out := x.Slice(0, 1, 0, 100).(*mat.Dense), mat.NewDense(1, 1, nil)
	b.ReportAllocs()
	for b.Loop() {
		m.PredictTo(out, row)
	}
}
