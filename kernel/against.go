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
	scaled  []*Against  // for each term with relevance its kernel against the rows times it; nil for other terms
}

// NewAgainst prepares the fixed rows, N×n, which must not change. It keeps a second copy of them, 8·N·n bytes, for
// kernels that are made of inner products, and as much again for each term with relevance.
func NewAgainst(k Kernel, rows blas.Matrix) *Against {
	a := &Against{terms: termsOf(k), rows: rows}
	a.scaled = make([]*Against, len(a.terms))
	for i, t := range a.terms {
		if r, is := t.(Relevant); is {
			a.scaled[i] = NewAgainst(r.Kernel, scaled(rows, r.Factor))
		}
	}
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
	size := 2*n + len(x)
	*buffer = slices.Grow((*buffer)[:0], size)[:size]
	products, values, room := (*buffer)[:n], (*buffer)[n:2*n], (*buffer)[2*n:]
	clear(products)
	row := line(x)
	var norm float64
	if a.columns.Rows > 0 {
		norm = blas.Chain(x, x)
		_ = blas.Gemm(context.Background(), false, false, 1, row, a.columns, 0, line(products))
	}
	clear(dst)
	for i, t := range a.terms {
		switch k := t.(type) {
		case Relevant:
			a.scaled[i].Row(values, scaleRow(room, x, k.Factor))
		case ofRow:
			copy(values, products)
			k.fromRow(values, a.norms, norm)
		default:
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
