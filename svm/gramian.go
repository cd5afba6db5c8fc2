package svm

import (
	"context"

	"rvflplus/blas"
	"rvflplus/internal/parallel"
	"rvflplus/kernel"
)

// gramian is the kernel matrix of rows x, computed row by row.
type gramian struct {
	k    kernel.Kernel
	x    blas.Matrix
	diag []float64
}

func newGramian(k kernel.Kernel, x blas.Matrix) *gramian {
	g := &gramian{k, x, make([]float64, x.Rows)}
	for i := range g.diag {
		one := blas.Matrix{Rows: 1, Cols: 1, Stride: 1, Data: g.diag[i : i+1]}
		row := blas.View(x, i, i+1, 0, x.Cols)
		k.Block(one, row, row)
	}
	return g
}

// Size implements qp.Rows.
func (g *gramian) Size() int { return g.x.Rows }

// Diag implements qp.Rows.
func (g *gramian) Diag() []float64 { return g.diag }

// side is the number of columns that kernel.Kernel computes at once.
const side = 128

// worthSharing is the number of multiplications from which on other cores help.
const worthSharing = 1 << 20

// Row implements qp.Rows.
func (g *gramian) Row(dst []float64, i int) {
	xi := blas.View(g.x, i, i+1, 0, g.x.Cols)
	tile := func(t int) {
		lo, hi := t*side, min((t+1)*side, len(dst))
		part := blas.Matrix{Rows: 1, Cols: hi - lo, Stride: hi - lo, Data: dst[lo:hi]}
		g.k.Block(part, xi, blas.View(g.x, lo, hi, 0, g.x.Cols))
	}
	loop := parallel.Serial
	if len(dst)*g.x.Cols >= worthSharing {
		loop = parallel.For
	}
	_ = loop(context.Background(), (len(dst)+side-1)/side, tile)
}
