package kernel

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/internal/parallel"
)

// Rows computes single rows of the matrix of k between the rows of x, for solvers
// that need few of them. It is safe for concurrent use.
type Rows struct {
	k       Kernel
	x       blas.Matrix
	columns blas.Matrix // xᵀ, for kernels made of inner products
	norms   []float64
	diag    []float64
}

// NewRows prepares the rows of x, which must not change. It keeps a second copy of
// x where that makes rows faster, and one times its relevance where k has one.
func NewRows(k Kernel, x blas.Matrix) *Rows {
	if relevant, is := k.(Relevant); is {
		return NewRows(relevant.Kernel, scaled(x, relevant.Factor))
	}
	r := &Rows{k: k, x: x, diag: make([]float64, x.Rows)}
	if _, fast := k.(ofRow); fast {
		r.transpose()
	}
	for i := range r.diag {
		r.fill(r.diag[i:i+1], i, i)
	}
	return r
}

// transpose also sums squared norms in the order of products, so that the
// distance of equal rows is exactly 0.
func (r *Rows) transpose() {
	r.columns, r.norms = blas.New(r.x.Cols, r.x.Rows), make([]float64, r.x.Rows)
	for i := range r.x.Rows {
		for j, v := range blas.Row(r.x, i) {
			r.columns.Data[j*r.columns.Stride+i] = v
			r.norms[i] = math.FMA(v, v, r.norms[i])
		}
	}
}

// Size returns the number of rows.
func (r *Rows) Size() int { return r.x.Rows }

// Diag returns k(xᵢ, xᵢ) for all i, to be read only.
func (r *Rows) Diag() []float64 { return r.diag }

// strip is the number of elements computed at once: their products stay in cache.
const strip = 512

// worthSharing is the number of multiplications from which on other cores help.
const worthSharing = 1 << 20

// Row sets dst, as long as x has rows, to row i.
func (r *Rows) Row(dst []float64, i int) {
	loop := parallel.Serial
	if len(dst)*r.x.Cols >= worthSharing {
		loop = parallel.For
	}
	_ = loop(context.Background(), (len(dst)+strip-1)/strip, func(t int) {
		lo := t * strip
		r.fill(dst[lo:min(lo+strip, len(dst))], i, lo)
	})
}

// fill sets dst to the elements of row i from column lo on.
func (r *Rows) fill(dst []float64, i, lo int) {
	k, fast := r.k.(ofRow)
	if !fast {
		r.blocks(dst, i, lo)
		return
	}
	clear(dst)
	for j, v := range blas.Row(r.x, i) {
		at := j*r.columns.Stride + lo
		blas.Axpy(v, r.columns.Data[at:at+len(dst)], dst)
	}
	k.fromRow(dst, r.norms[lo:lo+len(dst)], r.norms[i])
}

// blocks is fill for any kernel.
func (r *Rows) blocks(dst []float64, i, lo int) {
	one := blas.View(r.x, i, i+1, 0, r.x.Cols)
	for len(dst) > 0 {
		n := min(side, len(dst))
		part := blas.Matrix{Rows: 1, Cols: n, Stride: n, Data: dst[:n]}
		r.k.Block(part, one, blas.View(r.x, lo, lo+n, 0, r.x.Cols))
		dst, lo = dst[n:], lo+n
	}
}

// ofRow is a kernel that is a function of inner products and squared norms.
type ofRow interface {
	// fromRow replaces the inner products with a row of squared norm norm by values
	// of the kernel; norms are those of the other rows.
	fromRow(dst, norms []float64, norm float64)
}
