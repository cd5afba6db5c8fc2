package blas

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// sizes straddle the edges of every tile.
var sizes = []int{1, 2, 7, 8, 9, 23, 24, 25, 31, 33, 65, 97, 241}

func random(r *rand.Rand, rows, cols int) Matrix {
	m := Matrix{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float64, rows*(cols+3))}
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

func dense(a Matrix, t bool) *mat.Dense {
	d := mat.NewDense(a.Rows, a.Cols, nil)
	for i := range a.Rows {
		d.SetRow(i, Row(a, i))
	}
	if t {
		return mat.DenseCopyOf(d.T())
	}
	return d
}

func maxDiff(a Matrix, want mat.Matrix, upper bool) float64 {
	var worst float64
	for i := range a.Rows {
		for j := range a.Cols {
			if !upper || j >= i {
				worst = math.Max(worst, math.Abs(a.Data[i*a.Stride+j]-want.At(i, j)))
			}
		}
	}
	return worst
}

func transposedIf(t bool, r *rand.Rand, rows, cols int) Matrix {
	if t {
		return random(r, cols, rows)
	}
	return random(r, rows, cols)
}

func TestGemmEqualsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range sizes {
		for _, n := range sizes {
			for mode := range 4 {
				tA, tB, k := mode&1 == 1, mode&2 == 2, 1+(m*n)%300
				a, b, c := transposedIf(tA, r, m, k), transposedIf(tB, r, k, n), random(r, m, n)
				var want, scaled mat.Dense
				want.Mul(dense(a, tA), dense(b, tB))
				scaled.Scale(0.5, dense(c, false))
				want.Scale(2, &want)
				want.Add(&want, &scaled)
				if err := Gemm(ctx, tA, tB, 2, a, b, 0.5, c); err != nil {
					t.Fatal(err)
				}
				if d := maxDiff(c, &want, false); d > 1e-12 {
					t.Errorf("m=%d n=%d tA=%v tB=%v: off by %g", m, n, tA, tB, d)
				}
			}
		}
	}
}

func TestSyrkEqualsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range sizes {
		for _, tA := range []bool{false, true} {
			a, c := transposedIf(tA, r, n, 40), New(n, n)
			var want mat.Dense
			want.Mul(dense(a, tA), dense(a, !tA))
			if err := Syrk(ctx, tA, 1, a, 0, c); err != nil {
				t.Fatal(err)
			}
			if d := maxDiff(c, &want, true); d > 1e-12 {
				t.Errorf("n=%d tA=%v: off by %g", n, tA, d)
			}
			Mirror(c)
			if d := maxDiff(c, &want, false); d > 1e-12 {
				t.Errorf("n=%d tA=%v: mirrored off by %g", n, tA, d)
			}
		}
	}
}

// spd returns a well-conditioned symmetric positive definite matrix.
func spd(r *rand.Rand, n int) Matrix {
	a, s := random(r, n, n), New(n, n)
	for i := range n {
		s.Data[i*s.Stride+i] = float64(n)
	}
	if err := Syrk(ctx, false, 1, a, 1, s); err != nil {
		panic(err)
	}
	Mirror(s)
	return s
}

func TestCholeskySolveAndInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range append(sizes, 200) {
		a := spd(r, n)
		u, b := Clone(a), random(r, n, 3)
		if pivot, err := Factor(ctx, u, nil); pivot != -1 || err != nil {
			t.Fatalf("n=%d: pivot %d, %v", n, pivot, err)
		}
		x := Clone(b)
		if err := SolveCholesky(ctx, u, x); err != nil {
			t.Fatal(err)
		}
		var ax mat.Dense
		ax.Mul(dense(a, false), dense(x, false))
		if d := maxDiff(b, &ax, false); d > 1e-10 {
			t.Errorf("n=%d: A·x differs from b by %g", n, d)
		}
		inv, err := Inverse(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		var eye mat.Dense
		eye.Mul(dense(a, false), dense(inv, false))
		if !mat.EqualApprox(&eye, mat.NewDiagDense(n, ones(n)), 1e-10) {
			t.Errorf("n=%d: A·A⁻¹ is not the identity", n)
		}
	}
}

func TestInvertUpper(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 6))
	for _, n := range append(sizes, 600) {
		u := spd(r, n)
		if pivot, err := Factor(ctx, u, nil); pivot != -1 || err != nil {
			t.Fatal(pivot, err)
		}
		for i := range n {
			for j := range i {
				u.Data[i*u.Stride+j] = math.NaN() // neither read nor changed
			}
		}
		x := Clone(u)
		if err := InvertUpper(ctx, x); err != nil {
			t.Fatal(err)
		}
		for _, m := range []Matrix{u, x} {
			for i := range n {
				for j := range i {
					if !math.IsNaN(m.Data[i*m.Stride+j]) {
						t.Fatalf("n=%d: element below the diagonal changed", n)
					}
					m.Data[i*m.Stride+j] = 0
				}
			}
		}
		var eye mat.Dense
		eye.Mul(dense(u, false), dense(x, false))
		if !mat.EqualApprox(&eye, mat.NewDiagDense(n, ones(n)), 1e-10) {
			t.Errorf("n=%d: U·U⁻¹ is not the identity", n)
		}
	}
}

func ones(n int) []float64 {
	o := make([]float64, n)
	for i := range o {
		o[i] = 1
	}
	return o
}

func TestCholeskyNamesThePivot(t *testing.T) {
	for _, bad := range []int{0, 5, 63, 64, 100} {
		a := New(130, 130)
		for i := range 130 {
			a.Data[i*a.Stride+i] = 1
		}
		a.Data[bad*a.Stride+bad] = -1
		if pivot, err := Factor(ctx, a, nil); pivot != bad || err != nil {
			t.Errorf("pivot %d, want %d (%v)", pivot, bad, err)
		}
		a = New(2, 2)
		a.Data[0] = math.NaN()
		if pivot, _ := Factor(ctx, a, nil); pivot != 0 {
			t.Errorf("NaN: pivot %d, want 0", pivot)
		}
	}
}

// Columns beside the square take part.
func TestFactorOfAWideMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range append(sizes, 200) {
		a, b := spd(r, n), random(r, n, 3)
		wide, below := New(n, n+3), math.Inf(-1)
		for i := range n {
			copy(Row(wide, i), Row(a, i))
			copy(Row(wide, i)[n:], Row(b, i))
			for j := range i {
				wide.Data[i*wide.Stride+j] = below
			}
		}
		if pivot, err := Factor(ctx, wide, nil); pivot != -1 || err != nil {
			t.Fatalf("n=%d: pivot %d, %v", n, pivot, err)
		}
		if pivot, err := Factor(ctx, a, nil); pivot != -1 || err != nil {
			t.Fatalf("n=%d: pivot %d, %v", n, pivot, err)
		}
		if err := solveLeftTrans(ctx, a, b); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			row := Row(wide, i)
			if i > 0 && row[i-1] != below {
				t.Errorf("n=%d: row %d was written below the diagonal", n, i)
			}
			for j := i; j < n; j++ {
				if math.Abs(row[j]-Row(a, i)[j]) > 1e-12 {
					t.Errorf("n=%d: element %d, %d of the factor differs from that of the square alone", n, i, j)
				}
			}
		}
		if d := maxDiff(b, dense(View(wide, 0, n, n, n+3), false), false); d > 1e-12 {
			t.Errorf("n=%d: the columns differ from U⁻ᵀB by %g", n, d)
		}
	}
}

// Panels between reports of progress are larger than other tests are.
func TestFactorOfManyPanels(t *testing.T) {
	const n = largePanel + 40
	a := New(n, n)
	for i := range n {
		for j := i; j < min(i+3, n); j++ {
			a.Data[i*n+j] = []float64{6, -2, 1}[j-i]
		}
	}
	whole, last := Clone(a), 0
	pivot, err := Factor(ctx, a, func(done, total int) { last = done * 100 / total })
	if pivot >= 0 || err != nil || last != 100 {
		t.Fatalf("pivot %d, %v, %d %% done", pivot, err, last)
	}
	if pivot, err := factor(ctx, whole); pivot >= 0 || err != nil {
		t.Fatal(pivot, err)
	}
	for i := range n {
		for j := i; j < min(i+3, n); j++ {
			if d := math.Abs(a.Data[i*n+j] - whole.Data[i*n+j]); d > 1e-14 {
				t.Fatalf("element (%d, %d) is off by %g", i, j, d)
			}
		}
	}
}

func TestCholeskyAsGonumsBLASIsCalled(t *testing.T) {
	a := []float64{4, 2, -1, 0, 10, -1}
	if !Cholesky(2, a, 3) || a[0] != 2 || a[1] != 1 || a[2] != -1 || a[4] != 3 {
		t.Errorf("factor %v", a)
	}
	if Cholesky(2, []float64{1, 2, 2, 1}, 2) {
		t.Error("an indefinite matrix was factored")
	}
	if !Cholesky(0, nil, 1) {
		t.Error("an empty matrix was not factored")
	}
}

func TestRCond(t *testing.T) {
	a := New(3, 3)
	for i, v := range []float64{1, 1e-4, 1e-8} {
		a.Data[i*a.Stride+i] = v
	}
	norm := SymNorm(a)
	if _, err := Factor(ctx, a, nil); err != nil {
		t.Fatal(err)
	}
	if rc := RCond(a, norm); math.Abs(rc-1e-8) > 1e-16 {
		t.Errorf("reciprocal condition number %g, want 1e-8", rc)
	}
}

func TestCancelled(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	cancel()
	a := New(100, 100)
	for i := range 100 {
		a.Data[i*a.Stride+i] = 1
	}
	if _, err := Factor(done, a, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Cholesky: %v", err)
	}
	if err := Gemm(done, false, false, 1, a, a, 0, New(100, 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("Gemm: %v", err)
	}
}

func TestShapeMistakesPanic(t *testing.T) {
	for name, fn := range map[string]func(){
		"gemm": func() { _ = Gemm(ctx, false, false, 1, New(2, 3), New(2, 3), 0, New(2, 3)) },
		"view": func() { View(New(2, 3), 0, 3, 0, 1) },
		"lda":  func() { Cholesky(3, make([]float64, 9), 2) },
		"chol": func() { _, _ = Factor(ctx, New(3, 2), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			fn()
		}()
	}
}

func TestGemvEqualsGemm(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, shape := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {400, 300}, {0, 4}, {4, 0}} {
		a := New(shape[0], shape[1])
		for i := range a.Data {
			a.Data[i] = r.NormFloat64()
		}
		for _, trans := range []bool{false, true} {
			m, n := a.Rows, a.Cols
			if trans {
				m, n = n, m
			}
			x, y, want := New(n, 1), New(m, 1), New(m, 1)
			for i := range x.Data {
				x.Data[i] = r.NormFloat64()
			}
			for i := range y.Data {
				y.Data[i] = math.NaN() // is overwritten
			}
			Gemv(trans, a, x.Data, y.Data)
			if err := Gemm(ctx, trans, false, 1, a, x, 0, want); err != nil {
				t.Fatal(err)
			}
			for i, v := range want.Data {
				if !(math.Abs(y.Data[i]-v) <= 1e-12*float64(1+n)) {
					t.Fatalf("%v, transposed %v: element %d is %v, want %v", shape, trans, i, y.Data[i], v)
				}
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong length does not panic")
		}
	}()
	Gemv(true, New(2, 3), make([]float64, 3), make([]float64, 2))
}
