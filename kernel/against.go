package kernel

import (
	"context"
	"slices"
	"sync"

	"rvflplus/blas"
)

// Against evaluates a kernel between one row at a time and fixed rows, such as the support of a model. It is
// immutable and safe for concurrent use.
type Against struct {
	terms   Sum
	rows    blas.Matrix // N×n
	columns blas.Matrix // the rows transposed, n×N; empty where no term is made of inner products
	norms   []float64   // ‖rowᵢ‖²
}

// NewAgainst prepares the fixed rows, N×n, which must not change. It keeps a second copy of them, 8·N·n bytes, for
// kernels that are made of inner products.
func NewAgainst(k Kernel, rows blas.Matrix) *Against {
	a := &Against{terms: termsOf(k), rows: rows}
	if a.terms.ofProducts() {
		a.norms = squaredNorms(rows)
		a.columns = blas.New(rows.Cols, rows.Rows)
		for i := range rows.Rows {
			for j, v := range blas.Row(rows, i) {
				a.columns.Data[j*rows.Rows+i] = v
			}
		}
	}
	return a
}

// rowBuffers are reused, as tiles are.
var rowBuffers = sync.Pool{New: func() any { return new([]float64) }}

// Row sets dst, of length N, to the values of the kernel between x, of length n, and the fixed rows: with the bits of
// Add to a matrix of zeros. Cost proportional to N·n, on the caller's goroutine.
func (a *Against) Row(dst, x []float64) {
	n := a.rows.Rows
	if len(dst) != n || len(x) != a.rows.Cols {
		panic("kernel: dimension mismatch")
	}
	buffer := rowBuffers.Get().(*[]float64)
	defer rowBuffers.Put(buffer)
	*buffer = slices.Grow((*buffer)[:0], 2*n)[:2*n]
	products, values := (*buffer)[:n], (*buffer)[n:]
	clear(products)
	row := line(x)
	var norm float64
	if a.columns.Rows > 0 {
		norm = blas.Chain(x, x)
		_ = blas.Gemm(context.Background(), false, false, 1, row, a.columns, 0, line(products))
	}
	clear(dst)
	for _, t := range a.terms {
		if k, is := t.(ofRow); is {
			copy(values, products)
			k.fromRow(values, a.norms, norm)
		} else {
			for lo := 0; lo < n; lo += side {
				hi := min(lo+side, n)
				t.Block(line(values[lo:hi]), row, blas.View(a.rows, lo, hi, 0, a.rows.Cols))
			}
		}
		blas.Axpy(1, values, dst)
	}
}

// line returns v as a matrix of one row.
func line(v []float64) blas.Matrix {
	return blas.Matrix{Rows: 1, Cols: len(v), Stride: max(1, len(v)), Data: v}
}
