package blas

import (
	"context"
	"math"
	"runtime"
	"sync"

	"rvflplus/blas/internal/kernel"
	"rvflplus/internal/parallel"
)

// product is one call of Gemm or Syrk. An element of C is a sum over blocks of
// k, each one chain of fused multiply-adds, whatever the tile, the thread and
// the place of the element.
type product struct {
	tA, tB  bool
	alpha   float64
	a, b, c Matrix
	part    triangle
	k       int
	packed  []float64 // all of B, see Packed; nil otherwise
}

func (p product) compute(ctx context.Context, beta float64) error {
	if p.c.Rows == 0 || p.c.Cols == 0 {
		return ctx.Err()
	}
	empty := p.alpha == 0 || p.k == 0
	if !empty && systemProduct(p, beta) {
		return ctx.Err()
	}
	if !empty && p.small() {
		p.computeSmall(beta)
		return ctx.Err()
	}
	if !empty && p.oneRow() {
		p.computeOneRow(beta)
		return ctx.Err()
	}
	r := runs.Get().(*run)
	defer r.release()
	r.product, r.beta = p, beta
	r.each = forWork(float64(p.c.Rows) * float64(p.c.Cols) * float64(p.k+8))
	if empty {
		return r.scale(ctx)
	}
	return r.compute(ctx)
}

// small reports whether packing would cost more than the product.
func (p product) small() bool {
	return p.k <= kBlock && p.c.Rows*p.c.Cols*p.k <= 256
}

// computeSmall computes the product element by element, with the same operations.
func (p product) computeSmall(beta float64) {
	stepI, stepK := steps(p.a, p.tA)
	rowB, colB := steps(p.b, p.tB)
	for i := range p.c.Rows {
		from, to := p.part.columns(i, 0, p.c.Cols)
		row := Row(p.c, i)
		for j := from; j < to; j++ {
			var s float64
			for k := range p.k {
				s = math.FMA(p.alpha*p.a.Data[i*stepI+k*stepK], p.b.Data[k*rowB+j*colB], s)
			}
			switch beta {
			case 0:
				row[j] = s
			case 1:
				row[j] += s
			default:
				row[j] = float64(row[j]*beta) + s
			}
		}
	}
}

// steps returns how far apart rows and columns of op(A) lie.
func steps(a Matrix, transposed bool) (row, column int) {
	if transposed {
		return 1, a.Stride
	}
	return a.Stride, 1
}

// forWork returns the loop for some multiply-adds: below some 70 microseconds' worth
// it stays on one core.
func forWork(multiplyAdds float64) func(ctx context.Context, n int, fn func(i int)) error {
	if multiplyAdds < 1<<21 {
		return parallel.Serial
	}
	return parallel.For
}

// taskRows is tileRows, or less where that makes too few tasks to keep all cores
// busy to the end.
func taskRows(rows, cols int) int {
	size := tileRows
	for threads := runtime.GOMAXPROCS(0); threads > 1 && size > 48 && (rows/size+1)*(cols/tileCols+1) < 12*threads; {
		size /= 2
	}
	return size
}

// run is a product while it is computed. Runs and the functions that their loops
// call are reused, so that a call allocates nothing.
type run struct {
	product
	beta  float64
	t     kernel.Tile
	fresh bool // C holds nothing yet
	// rowShare is the number of rows of A that are packed at once, taskRows the number of rows of C that one goroutine
	// computes at a time.
	rowShare, taskRows int
	// each runs independent pieces of the work.
	each func(ctx context.Context, n int, fn func(i int)) error

	i0, i1, j0, j1, k0, kc int // the block at work
	packedA, packedB       []float64
	stripsA                int // strips of A to be packed before those of B

	scaleRow, packStrip, computeTask func(i int)
}

var runs = sync.Pool{New: func() any {
	r := new(run)
	r.scaleRow, r.packStrip, r.computeTask = r.doScaleRow, r.doPackStrip, r.doComputeTask
	return r
}}

// release gives the run back; it keeps no matrix alive.
func (r *run) release() {
	r.product, r.packedA, r.packedB = product{}, nil, nil
	runs.Put(r)
}

func (r *run) compute(ctx context.Context) error {
	r.t = kernel.Best
	r.fresh = r.beta == 0 // the first block of k overwrites C
	if !r.fresh {
		if err := r.scale(ctx); err != nil {
			return err
		}
	}
	r.rowShare = share(r.c.Rows, rowBlock, tileRows)
	r.taskRows = taskRows(r.c.Rows, r.c.Cols)
	colShare, kShare := share(r.c.Cols, r.colBlock(), tileCols), share(r.k, kBlock, 8)
	for r.j0 = 0; r.j0 < r.c.Cols; r.j0 += colShare {
		r.j1 = min(r.j0+colShare, r.c.Cols)
		for r.k0 = 0; r.k0 < r.k; r.k0 += kShare {
			r.kc = min(kShare, r.k-r.k0)
			if err := r.columns(ctx); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// scale multiplies C by beta; beta 0 clears it, whatever it held.
func (r *run) scale(ctx context.Context) error {
	if r.beta == 1 {
		return ctx.Err()
	}
	return r.each(ctx, r.c.Rows, r.scaleRow)
}

func (r *run) doScaleRow(i int) {
	from, to := r.part.columns(i, 0, r.c.Cols)
	row := Row(r.c, i)[from:to]
	if r.beta == 0 {
		clear(row)
		return
	}
	for j := range row {
		row[j] *= r.beta
	}
}

// columns passes every block of A over one block of B.
func (r *run) columns(ctx context.Context) error {
	stripsB := 0
	if r.packed != nil {
		r.packedB = r.packed[r.k0*roundUp(r.c.Cols, r.t.NR)+r.j0*r.kc:][:roundUp(r.j1-r.j0, r.t.NR)*r.kc]
	} else {
		packedB := takeBuffer(roundUp(r.j1-r.j0, r.t.NR) * r.kc)
		defer packBuffers.Put(packedB)
		r.packedB = *packedB
		stripsB = (r.j1 - r.j0 + r.t.NR - 1) / r.t.NR
	}
	for r.i0 = 0; r.i0 < r.c.Rows; r.i0 += r.rowShare {
		r.i1 = min(r.i0+r.rowShare, r.c.Rows)
		if r.part.misses(r.i0, r.i1, r.j0, r.j1) {
			continue
		}
		if err := r.rows(ctx, stripsB); err != nil {
			return err
		}
		stripsB = 0
	}
	return ctx.Err()
}

// rows packs one block of A, and stripsB strips of B's, and computes the tiles of C
// that the two give.
func (r *run) rows(ctx context.Context, stripsB int) error {
	packedA := takeBuffer(roundUp(r.i1-r.i0, r.t.MR) * r.kc)
	defer packBuffers.Put(packedA)
	r.packedA = *packedA
	r.stripsA = (r.i1 - r.i0 + r.t.MR - 1) / r.t.MR
	if err := r.each(ctx, r.stripsA+stripsB, r.packStrip); err != nil {
		return err
	}
	return r.each(ctx, (r.i1-r.i0+r.taskRows-1)/r.taskRows*r.across(), r.computeTask)
}

// across is the number of tasks for the same rows.
func (r *run) across() int { return (r.j1 - r.j0 + tileCols - 1) / tileCols }

// doPackStrip copies rows of op(A), or columns of op(B), as wide as a tile is.
func (r *run) doPackStrip(i int) {
	if i < r.stripsA {
		s := strip{r.a, !r.tA, r.i0 + i*r.t.MR, r.t.MR, r.k0, r.kc, r.alpha}
		s.pack(r.packedA[i*r.t.MR*r.kc:][:r.t.MR*r.kc], r.t)
		return
	}
	i -= r.stripsA
	s := strip{r.b, r.tB, r.j0 + i*r.t.NR, r.t.NR, r.k0, r.kc, 1}
	s.pack(r.packedB[i*r.t.NR*r.kc:][:r.t.NR*r.kc], r.t)
}

func (r *run) doComputeTask(task int) {
	i, j := r.i0+task/r.across()*r.taskRows, r.j0+task%r.across()*tileCols
	a, b := r.packedA[(i-r.i0)*r.kc:], r.packedB[(j-r.j0)*r.kc:]
	r.block(i, min(i+r.taskRows, r.i1), j, min(j+tileCols, r.j1), a, b)
}

// roundUp rounds n up to a multiple of unit.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// block computes C's rows i0 … i1-1 and columns j0 … j1-1 from panels that begin
// there, or adds to them.
func (r *run) block(i0, i1, j0, j1 int, packedA, packedB []float64) {
	edge := edges.Get().(*[kernel.MaxSize]float64)
	defer edges.Put(edge)
	mr, nr := r.t.MR, r.t.NR
	for j := j0; j < j1; j += nr {
		b, jEnd := (j-j0)*r.kc, min(j+nr, j1)
		for i := i0; i < i1; i += mr {
			iEnd := min(i+mr, i1)
			if r.part.misses(i, iEnd, j, jEnd) {
				continue
			}
			a, next := &packedA[(i-i0)*r.kc], &packedB[b]
			if at := b + nr*r.kc + (i-i0)*r.kc*nr/tileRows; at < len(packedB) {
				next = &packedB[at]
			}
			from, _ := r.part.columns(i, j, jEnd)
			_, to := r.part.columns(iEnd-1, j, jEnd)
			first, last := (from-j)/mr*mr, roundUp(to-j, mr)
			if last-first == nr {
				r.tile(r.t.Run, nr, a, &packedB[b], next, i, iEnd, j, jEnd, edge)
				continue
			}
			for at := first; at < last; at += mr {
				r.tile(r.t.RunNarrow, mr, a, &packedB[b+at], next, i, iEnd, j+at, min(j+at+mr, jEnd), edge)
			}
		}
	}
}

// tile computes C's rows i0 … i1-1 and columns j0 … j1-1 by run, whose tile has width columns.
func (r *run) tile(
	run func(kc int, a, b, c *float64, ldc int, add bool, next *float64), width int, a, b, next *float64,
	i0, i1, j0, j1 int, edge *[kernel.MaxSize]float64,
) {
	add := !r.fresh || r.k0 > 0
	if i1 == i0+r.t.MR && j1 == j0+width && !r.part.cuts(i0, i1, j0, j1) {
		run(r.kc, a, b, &r.c.Data[i0*r.c.Stride+j0], r.c.Stride, add, next)
		return
	}
	run(r.kc, a, b, &edge[0], width, false, next)
	for i := i0; i < i1; i++ {
		from, to := r.part.columns(i, j0, j1)
		row := r.c.Data[i*r.c.Stride+from:][:to-from]
		sums := edge[(i-i0)*width+from-j0:][:to-from]
		if !add {
			copy(row, sums)
			continue
		}
		for j, v := range sums {
			row[j] += v
		}
	}
}

// colBlock is the largest number of columns of B that are packed at once. For a C with few rows it is so small that the
// columns are still in the second level of cache when they are used.
func (r *run) colBlock() int {
	if r.c.Rows <= tileRows/4 {
		return tileCols
	}
	return colBlock
}
