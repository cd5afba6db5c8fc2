//go:build openblas && cgo

package blas

/*
#cgo LDFLAGS: -lopenblas
void cblas_dgemm(int order, int tA, int tB, int m, int n, int k, double alpha, const double *a, int lda,
	const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dsyrk(int order, int uplo, int trans, int n, int k, double alpha, const double *a, int lda,
	double beta, double *c, int ldc);
void cblas_dtrsm(int order, int side, int uplo, int trans, int diag, int m, int n, double alpha,
	const double *a, int lda, double *b, int ldb);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void openblas_set_num_threads(int threads);
*/
import "C"

import (
	"math"
	"runtime"
	"slices"
	"unsafe"

	gblas "gonum.org/v1/gonum/blas"
)

// With the build tag openblas, products, triangular solves and factorisations are
// OpenBLAS's. Their bits may then depend on the number of threads, on the machine
// and on where in a matrix an element stands, and a product that has begun is not
// cancelled.

// Values of CBLAS's enumerations.
const (
	rowMajor       = 101
	noTrans, trans = 111, 112
	upper, lower   = 121, 122
	nonUnit, unit  = 131, 132
	left, right    = 141, 142
)

func choose(second bool, a, b C.int) C.int {
	if second {
		return b
	}
	return a
}

func pointer(a Matrix) *C.double { return (*C.double)(unsafe.SliceData(a.Data)) }

// fits reports whether sizes can be passed as C's int.
func fits(all ...Matrix) bool {
	for _, a := range all {
		if max(a.Rows, a.Cols, a.Stride) > math.MaxInt32 {
			return false
		}
	}
	C.openblas_set_num_threads(C.int(runtime.GOMAXPROCS(0)))
	return true
}

func systemProduct(p product, beta float64) bool {
	if !fits(p.a, p.b, p.c) || p.part != wholeMatrix && p.c.Rows != p.c.Cols {
		return false
	}
	m, n, k := C.int(p.c.Rows), C.int(p.c.Cols), C.int(p.k)
	tA := choose(p.tA, noTrans, trans)
	if p.part == wholeMatrix {
		C.cblas_dgemm(rowMajor, tA, choose(p.tB, noTrans, trans), m, n, k, C.double(p.alpha),
			pointer(p.a), C.int(p.a.Stride), pointer(p.b), C.int(p.b.Stride),
			C.double(beta), pointer(p.c), C.int(p.c.Stride))
		return true
	}
	C.cblas_dsyrk(rowMajor, choose(p.part == lowerPart, upper, lower), tA, n, k, C.double(p.alpha),
		pointer(p.a), C.int(p.a.Stride), C.double(beta), pointer(p.c), C.int(p.c.Stride))
	return true
}

func systemSolve(t triangular, a, b Matrix) bool {
	if !fits(a, b) {
		return false
	}
	C.cblas_dtrsm(rowMajor, choose(t.side == gblas.Right, left, right), choose(t.upper, lower, upper),
		choose(t.trans, noTrans, trans), choose(t.isOne, nonUnit, unit), C.int(b.Rows), C.int(b.Cols), 1,
		pointer(a), C.int(a.Stride), pointer(b), C.int(b.Stride))
	return true
}

// systemFactor factors the lower triangle of the transposed matrix, as LAPACK,
// which knows columns, sees it.
func systemFactor(a Matrix) (pivot int, done bool) {
	if !fits(a) || a.Rows == 0 {
		return -1, false
	}
	n, lda, info, uplo := C.int(a.Rows), C.int(a.Stride), C.int(0), C.char('L')
	C.dpotrf_(&uplo, &n, pointer(a), &lda, &info)
	if info < 0 {
		panic("blas: dpotrf was called wrongly")
	}
	if info == 0 { // NaN goes unnoticed there
		return slices.IndexFunc(diagonal(a), math.IsNaN), true
	}
	return int(info) - 1, true
}

func diagonal(a Matrix) []float64 {
	d := make([]float64, a.Rows)
	for i := range d {
		d[i] = a.Data[i*a.Stride+i]
	}
	return d
}
