package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
)

// near compares all words, gaps between rows included.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-11*(1+math.Abs(w))) {
			t.Errorf("%s: word %d is %v, gonum has %v", what, i, got[i], w)
			return
		}
	}
}

// TestLargeTrsmEqualsGonums covers what the recursion does, which gonum's suite is
// too small to reach.
func TestLargeTrsmEqualsGonums(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, k := range []int{5, 8, 33, 70, 129, 300} {
		a := random(r, k, k)
		for i := range k {
			a.Data[i*a.Stride+i] = float64(k) + r.Float64()
		}
		for _, side := range []gblas.Side{gblas.Left, gblas.Right} {
			m, n := k, 41
			if side == gblas.Right {
				m, n = n, m
			}
			for mode := range 8 {
				ul, trans, diag := gblas.Upper, gblas.NoTrans, gblas.NonUnit
				if mode&1 > 0 {
					ul = gblas.Lower
				}
				if mode&2 > 0 {
					trans = gblas.Trans
				}
				x := a
				if mode&4 > 0 {
					diag = gblas.Unit
					x = Clone(a)
					for i := range x.Data {
						x.Data[i] /= 4 * float64(k)
					}
				}
				got := random(r, m, n)
				want := slices.Clone(got.Data)
				Implementation{}.Dtrsm(side, ul, trans, diag, m, n, 1.5, x.Data, x.Stride, got.Data, got.Stride)
				impl.Dtrsm(side, ul, trans, diag, m, n, 1.5, x.Data, x.Stride, want, got.Stride)
				near(t, fmt.Sprintf("k=%d %c%c%c%c", k, side, ul, trans, diag), got.Data, want)
			}
		}
	}
}

// TestSyrkLeavesTheOtherTriangleAlone compares both triangles with gonum's.
func TestSyrkLeavesTheOtherTriangleAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, n := range sizes {
		for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
			for _, trans := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
				a, got := transposedIf(trans == gblas.Trans, r, n, 37), random(r, n, n)
				want := slices.Clone(got.Data)
				Implementation{}.Dsyrk(ul, trans, n, 37, -0.5, a.Data, a.Stride, 2, got.Data, got.Stride)
				impl.Dsyrk(ul, trans, n, 37, -0.5, a.Data, a.Stride, 2, want, got.Stride)
				near(t, fmt.Sprintf("n=%d %c%c", n, ul, trans), got.Data, want)
			}
		}
	}
}

// TestManyBlocksOfATriangle reaches the outer loops: more rows and columns than are
// packed at once, blocks of which miss the triangle.
func TestManyBlocksOfATriangle(t *testing.T) {
	const n = colBlock + 50
	r := rand.New(rand.NewPCG(8, 8))
	a := random(r, n, 3)
	whole := New(n, n)
	if err := Gemm(ctx, false, true, 1, a, a, 0, whole); err != nil {
		t.Fatal(err)
	}
	for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
		got := New(n, n)
		Implementation{}.Dsyrk(ul, gblas.NoTrans, n, 3, 1, a.Data, a.Stride, 0, got.Data, got.Stride)
		for i := range n {
			for j := range n {
				want := 0.0
				if j == i || j > i == (ul == gblas.Upper) {
					want = whole.Data[i*n+j]
				}
				if math.Abs(got.Data[i*n+j]-want) > 1e-14 {
					t.Fatalf("%c: element (%d, %d) is %v, want %v", ul, i, j, got.Data[i*n+j], want)
				}
			}
		}
	}
}
