// Package blas holds the matrix products, the Cholesky factorisation and the
// triangular solves that training rests on.
//
// Matrices are row-major blas64.General values. Products are computed in tiles of
// the output by AVX-512 or AVX2 instructions where the machine has them (portable
// Go elsewhere and with the build tag purego). An element is always the same chain
// of operations, so the bits of a product depend neither on the instructions nor
// on the number of threads nor on where in the matrix the element stands. Shape
// mistakes panic.
package blas

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Matrix is a row-major matrix: element (i, j) is Data[i*Stride+j].
type Matrix = blas64.General

var impl gonum.Implementation

// New returns a zeroed r×c matrix.
func New(r, c int) Matrix {
	data := make([]float64, r*c)
	useHugePages(data)
	return Matrix{Rows: r, Cols: c, Stride: max(1, c), Data: data}
}

// View returns the block of rows [i0, i1) and columns [j0, j1) of a; it shares
// a's memory.
func View(a Matrix, i0, i1, j0, j1 int) Matrix {
	if i0 < 0 || i1 < i0 || i1 > a.Rows || j0 < 0 || j1 < j0 || j1 > a.Cols {
		panic("blas: view out of range")
	}
	v := Matrix{Rows: i1 - i0, Cols: j1 - j0, Stride: a.Stride}
	if v.Rows > 0 && v.Cols > 0 {
		v.Data = a.Data[i0*a.Stride+j0 : (i1-1)*a.Stride+j1]
	}
	return v
}

// Row returns row i of a; it shares a's memory.
func Row(a Matrix, i int) []float64 {
	if a.Cols == 0 {
		return nil
	}
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// Gather returns a copy of the given rows of a, in their order; a row may occur twice.
func Gather(a Matrix, rows []int) Matrix {
	out := New(len(rows), a.Cols)
	for k, i := range rows {
		copy(Row(out, k), Row(a, i))
	}
	return out
}

// Stack returns the rows of a followed by those of b, which has as many columns.
func Stack(a, b Matrix) Matrix {
	out := New(a.Rows+b.Rows, a.Cols)
	for i := range out.Rows {
		if i < a.Rows {
			copy(Row(out, i), Row(a, i))
		} else {
			copy(Row(out, i), Row(b, i-a.Rows))
		}
	}
	return out
}

// smallCopy is a number of elements for which large pages do not matter.
const smallCopy = 1 << 18

// Clone returns a copy of a without gaps between rows.
func Clone(a Matrix) Matrix {
	if n := a.Rows * a.Cols; a.Stride == a.Cols && n < smallCopy { // memory that is not set to 0 first
		return Matrix{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: slices.Clone(a.Data[:n])}
	}
	c := New(a.Rows, a.Cols)
	for i := range a.Rows {
		copy(Row(c, i), Row(a, i))
	}
	return c
}
