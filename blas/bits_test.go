//go:build !openblas

package blas

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// An element has the same bits wherever it stands and whatever stands beside it.
func TestPlaceDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, k := range []int{100, 600} { // the product of one row and one column is small, and not
		a, b, c := random(r, 200, k), random(r, k, 130), random(r, 200, 130)
		for _, beta := range []float64{0, 1, 0.3} {
			whole := Clone(c)
			if err := Gemm(ctx, false, false, -1.7, a, b, beta, whole); err != nil {
				t.Fatal(err)
			}
			for _, i := range []int{0, 7, 8, 95, 96, 199} {
				for _, j := range []int{0, 23, 24, 129} {
					one := Clone(View(c, i, i+1, j, j+1))
					row, column := View(a, i, i+1, 0, k), View(b, 0, k, j, j+1)
					if err := Gemm(ctx, false, false, -1.7, row, column, beta, one); err != nil {
						t.Fatal(err)
					}
					if one.Data[0] != whole.Data[i*130+j] {
						t.Errorf("k=%d, beta %g: element (%d, %d) is %v alone, %v in the product",
							k, beta, i, j, one.Data[0], whole.Data[i*130+j])
					}
				}
			}
		}
	}
}

// A product of a single row has the bits of the same row among others.
func TestOneRowHasTheBitsOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, k := range []int{1, 7, 100, 384, 385, 800} {
		for _, n := range []int{15, 16, 100, 512, 513, 1100} {
			for _, tA := range []bool{false, true} {
				a, b, c := transposedIf(tA, r, 9, k), random(r, k, n), random(r, 9, n)
				var one Matrix
				if tA {
					one = View(a, 0, k, 4, 5)
				} else {
					one = View(a, 4, 5, 0, k)
				}
				for _, beta := range []float64{0, 1, 0.3} {
					whole, row := Clone(c), Clone(View(c, 4, 5, 0, n))
					if err := Gemm(ctx, tA, false, -1.7, a, b, beta, whole); err != nil {
						t.Fatal(err)
					}
					if err := Gemm(ctx, tA, false, -1.7, one, b, beta, row); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(Row(row, 0), Row(whole, 4)) {
						t.Errorf("k=%d, n=%d, transposed %v, beta %g: other bits alone than among 9 rows", k, n, tA,
							beta)
					}
				}
			}
		}
	}
}

// Chain must have the bits of Gemm, whose sums are cut into shares.
func TestChainIsWhatGemmComputes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, k := range []int{0, 1, 7, 384, 385, 769, 2000} {
		x, y, c := random(r, 1, k), random(r, 1, k), New(1, 1)
		if err := Gemm(ctx, false, true, 1, x, y, 0, c); err != nil {
			t.Fatal(err)
		}
		if got := Chain(Row(x, 0), Row(y, 0)); got != c.Data[0] {
			t.Errorf("k=%d: %v, Gemm has %v", k, got, c.Data[0])
		}
		rows := random(r, 7, k)
		norms := make([]float64, 7)
		SquaredNorms(norms, rows)
		for i, got := range norms {
			if want := Chain(Row(rows, i), Row(rows, i)); got != want {
				t.Errorf("k=%d: squared norm of row %d is %v, want %v", k, i, got, want)
			}
		}
	}
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	run := func(threads int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		r := rand.New(rand.NewPCG(7, 8))
		u := spd(r, 700) // strips, several tasks
		if _, err := Factor(ctx, u, nil); err != nil {
			t.Fatal(err)
		}
		inv, err := Inverse(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", inv.Data)
	}
	want := run(1)
	for _, threads := range []int{2, 7} {
		if run(threads) != want {
			t.Errorf("%d threads give other bits than one", threads)
		}
	}
}
