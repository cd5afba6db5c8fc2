package kernel

import (
	"context"
	"slices"
	"sync"

	"rvflplus/blas"
)

// Sum is the sum of its kernels; an empty Sum is 0 everywhere.
type Sum []Kernel

// termsOf returns the terms of k, or k as the only term.
func termsOf(k Kernel) Sum {
	if s, is := k.(Sum); is {
		return s
	}
	return Sum{k}
}

// Block implements Kernel. Inner products are formed once for all terms that are
// made of them.
func (k Sum) Block(dst, x, y blas.Matrix) {
	k.fill(dst, k.prepare(x, y, false))
}

// prepare returns the pairs of rows x and y with what the terms want to know of all rows beforehand. The norms of
// the same rows within one tile are left to the diagonal of its products.
func (k Sum) prepare(x, y blas.Matrix, same bool) pairs {
	p := pairs{x: x, y: y, same: same}
	if k.ofProducts() && !(same && x.Rows <= side) {
		p.xNorms = squaredNorms(x)
		if p.yNorms = p.xNorms; !same {
			p.yNorms = squaredNorms(y)
		}
	}
	for n, t := range k {
		if r, is := t.(Relevant); is {
			if p.scaled == nil {
				p.scaled = make([]*pairs, len(k))
			}
			sx := scaled(x, r.Factor)
			sy := sx
			if !same {
				sy = scaled(y, r.Factor)
			}
			own := termsOf(r.Kernel).prepare(sx, sy, same)
			p.scaled[n] = &own
		}
	}
	return p
}

// ofProducts reports whether some term is made of inner products.
func (k Sum) ofProducts() bool {
	return slices.ContainsFunc(k, func(t Kernel) bool { _, is := t.(ofRow); return is })
}

// pairs are the rows whose values under a kernel are asked for.
type pairs struct {
	x, y           blas.Matrix
	xNorms, yNorms []float64 // squared norms, for terms that are made of inner products; nil: those of one tile
	same           bool      // x and y are the same rows: values below the diagonal are not asked for
	scaled         []*pairs  // for each term with relevance the rows times it, nil for other terms; nil without any
}

// tile returns the pairs of rows i0 … i1-1 of x and rows j0 … j1-1 of y.
func (p pairs) tile(i0, i1, j0, j1 int) pairs {
	p.x, p.y, p.same = blas.View(p.x, i0, i1, 0, p.x.Cols), blas.View(p.y, j0, j1, 0, p.y.Cols), p.same && i0 == j0
	if p.xNorms != nil {
		p.xNorms, p.yNorms = p.xNorms[i0:i1], p.yNorms[j0:j1]
	}
	whole := p.scaled
	p.scaled = make([]*pairs, len(whole))
	for n, s := range whole {
		if s != nil {
			own := s.tile(i0, i1, j0, j1)
			p.scaled[n] = &own
		}
	}
	return p
}

// first is the first row of y that is asked for with row i of x.
func (p pairs) first(i int) int {
	if p.same {
		return i
	}
	return 0
}

// dots sets dst[i,j] to the inner product of row i of x and row j of y.
func (p pairs) dots(dst blas.Matrix) {
	if p.same {
		_ = blas.Syrk(context.Background(), false, 1, p.x, 0, dst)
		return
	}
	dots(dst, p.x, p.y)
}

// fill sets dst to the sum of the terms' values.
func (k Sum) fill(dst blas.Matrix, p pairs) {
	if len(k) == 0 {
		clearRows(dst)
		return
	}
	if dst.Rows*dst.Cols > side*side {
		panic("kernel: the block is too large")
	}
	part, products := newBlock(dst), newBlock(dst)
	defer tiles.Put(part.buffer)
	defer tiles.Put(products.buffer)
	formed := false
	for n, t := range k {
		values := part.values
		if n == 0 {
			values = dst
		}
		inRows, ofProducts := t.(ofRow)
		relevant, ofScaled := t.(Relevant)
		switch {
		case ofScaled:
			termsOf(relevant.Kernel).fill(values, *p.scaled[n])
		case !ofProducts:
			t.Block(values, p.x, p.y)
		case !formed:
			p.dots(products.values)
			formed = true
			if p.same && p.xNorms == nil {
				p.xNorms = diagonal(products.values)
				p.yNorms = p.xNorms
			}
		}
		for i := range dst.Rows {
			from := p.first(i)
			row := blas.Row(values, i)[from:]
			if ofProducts {
				copy(row, blas.Row(products.values, i)[from:])
				inRows.fromRow(row, p.yNorms[from:], p.xNorms[i])
			}
			if n > 0 {
				blas.Axpy(1, row, blas.Row(dst, i)[from:])
			}
		}
	}
}

func diagonal(m blas.Matrix) []float64 {
	d := make([]float64, m.Rows)
	for i := range d {
		d[i] = m.Data[i*(m.Stride+1)]
	}
	return d
}

func clearRows(m blas.Matrix) {
	for i := range m.Rows {
		clear(blas.Row(m, i))
	}
}

// block is buffer for values, to be put back into tiles.
type block struct {
	buffer *[side * side]float64
	values blas.Matrix
}

// tiles are reused: beside a matrix of many gigabytes, discarded ones would pile up
// before they are collected.
var tiles = sync.Pool{New: func() any { return new([side * side]float64) }}

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
