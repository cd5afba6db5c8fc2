package kernel

import (
	"strings"

	"rvflplus/blas"
)

// Sum is the sum of its kernels; an empty Sum is 0 everywhere.
type Sum []Kernel

// Block implements Kernel.
func (k Sum) Block(dst, x, y blas.Matrix) {
	for i := range dst.Rows {
		clear(blas.Row(dst, i))
	}
	if dst.Rows*dst.Cols > side*side {
		panic("kernel: the block is too large")
	}
	room := tiles.Get().(*[side * side]float64)
	defer tiles.Put(room)
	part := blas.Matrix{Rows: dst.Rows, Cols: dst.Cols, Stride: max(1, dst.Cols), Data: room[:dst.Rows*dst.Cols]}
	for _, t := range k {
		t.Block(part, x, y)
		for i := range dst.Rows {
			row := blas.Row(dst, i)
			for j, v := range blas.Row(part, i) {
				row[j] += v
			}
		}
	}
}

// String implements Kernel.
func (k Sum) String() string {
	var terms []string
	for _, t := range k {
		terms = append(terms, t.String())
	}
	return strings.Join(terms, "+")
}
