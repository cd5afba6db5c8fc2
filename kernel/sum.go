package kernel

import "rvflplus/blas"

// Sum is the sum of its kernels; an empty Sum is 0 everywhere.
type Sum []Kernel

// Block implements Kernel. Inner products are formed once for all terms that are
// made of them.
func (k Sum) Block(dst, x, y blas.Matrix) {
	for i := range dst.Rows {
		clear(blas.Row(dst, i))
	}
	if dst.Rows*dst.Cols > side*side {
		panic("kernel: the block is too large")
	}
	part, products := newBlock(dst), newBlock(dst)
	defer tiles.Put(part.buffer)
	defer tiles.Put(products.buffer)
	formed := false
	for _, t := range k {
		if p, ok := t.(ofProducts); ok {
			if !formed {
				dots(products.values, x, y)
				formed = true
			}
			copy(part.values.Data, products.values.Data)
			p.fromProducts(part.values, x, y)
		} else {
			t.Block(part.values, x, y)
		}
		for i := range dst.Rows {
			blas.Axpy(1, blas.Row(part.values, i), blas.Row(dst, i))
		}
	}
}

// ofProducts is a kernel that is a function of inner products.
type ofProducts interface {
	// fromProducts replaces the inner products of the rows of x and y by values of
	// the kernel.
	fromProducts(dst, x, y blas.Matrix)
}

// block is buffer for values, to be put back into tiles.
type block struct {
	buffer *[side * side]float64
	values blas.Matrix
}

// newBlock returns buffer in the shape of dst.
func newBlock(dst blas.Matrix) block {
	buffer := tiles.Get().(*[side * side]float64)
	return block{buffer, blas.Matrix{Rows: dst.Rows, Cols: dst.Cols, Stride: max(1, dst.Cols),
		Data: buffer[:dst.Rows*dst.Cols]}}
}

// Spec implements Kernel: the terms of all summands.
func (k Sum) Spec() Spec {
	var all Spec
	for _, t := range k {
		all = append(all, t.Spec()...)
	}
	return all
}

// String implements Kernel.
func (k Sum) String() string {
	if len(k) == 0 {
		return ""
	}
	return k.Spec().String()
}
