// Package kerneltest checks the properties that every kernel must have.
package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/kernel"
)

// Run checks k on n random rows with non-negative features: symmetry, no
// negative eigenvalue, single pairs equal blocks bit for bit, the symmetric
// matrix equals the full one, and the text form gives the same kernel back.
func Run(t *testing.T, k kernel.Kernel) {
	t.Helper()
	x := rows(70, 3)
	full := matrix(t, k, x)
	checkSymmetricAndPositive(t, k, full)
	checkPairs(t, k, x, full)
	checkText(t, k, x, full)
}

func rows(n, width int) blas.Matrix {
	r := rand.New(rand.NewPCG(11, 12))
	x := blas.New(n, width)
	for i := range x.Data {
		x.Data[i] = r.Float64()
	}
	return x
}

func matrix(t *testing.T, k kernel.Kernel, x blas.Matrix) blas.Matrix {
	t.Helper()
	full, upper := blas.New(x.Rows, x.Rows), blas.New(x.Rows, x.Rows)
	if err := kernel.Add(context.Background(), k, 1, x, x, full); err != nil {
		t.Fatal(err)
	}
	if err := kernel.AddSymmetric(context.Background(), k, 1, x, upper, nil); err != nil {
		t.Fatal(err)
	}
	blas.Mirror(upper)
	for i, v := range full.Data {
		if !(math.Abs(v-upper.Data[i]) <= 1e-15*(1+math.Abs(v))) {
			t.Fatalf("%s: element %d is %g in the full matrix, %g in the symmetric one", k, i, v, upper.Data[i])
		}
	}
	return full
}

func checkSymmetricAndPositive(t *testing.T, k kernel.Kernel, full blas.Matrix) {
	t.Helper()
	sym := mat.NewSymDense(full.Rows, nil)
	for i := range full.Rows {
		for j := range full.Rows {
			a, b := full.Data[i*full.Stride+j], full.Data[j*full.Stride+i]
			if !(math.Abs(a-b) <= 1e-14*(1+math.Abs(a))) {
				t.Fatalf("%s: k(%d,%d)=%g but k(%d,%d)=%g", k, i, j, a, j, i, b)
			}
			sym.SetSym(i, j, a)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, false) {
		t.Fatalf("%s: eigenvalues did not converge", k)
	}
	values := eig.Values(nil)
	if !(values[0] >= -1e-12*values[len(values)-1]) {
		t.Errorf("%s: smallest eigenvalue %g", k, values[0])
	}
}

// checkPairs evaluates single pairs, which must equal the blocks' bits.
func checkPairs(t *testing.T, k kernel.Kernel, x, full blas.Matrix) {
	t.Helper()
	one := blas.New(1, 1)
	for i := 0; i < x.Rows; i += 23 {
		for j := 0; j < x.Rows; j += 7 {
			k.Block(one, blas.View(x, i, i+1, 0, x.Cols), blas.View(x, j, j+1, 0, x.Cols))
			if want := full.Data[i*full.Stride+j]; one.Data[0] != want {
				t.Fatalf("%s: k(%d,%d) is %v alone, %v in a block", k, i, j, one.Data[0], want)
			}
		}
	}
}

func checkText(t *testing.T, k kernel.Kernel, x, full blas.Matrix) {
	t.Helper()
	spec, err := kernel.Parse(k.String())
	if err != nil {
		t.Fatal(err)
	}
	again, err := spec.Resolve(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if again.String() != k.String() {
		t.Errorf("%s reads back as %s", k, again)
	}
	if got := matrix(t, again, x); got.Data[1] != full.Data[1] {
		t.Errorf("%s: other values after reading its text", k)
	}
}
