package blas

import (
	"context"
	"math"
	"runtime"

	"rvflplus/blas/internal/kernel"
	"rvflplus/internal/parallel"
)

// Gemm computes C ← alpha·op(A)·op(B) + beta·C, where op transposes when tA or
// tB is true. C must not overlap A or B. Cost 2·m·n·k floating-point operations.
// It returns ctx's error, with C unspecified, when ctx is cancelled.
func Gemm(ctx context.Context, tA, tB bool, alpha float64, a, b Matrix, beta float64, c Matrix) error {
	p := product{tA: tA, tB: tB, alpha: alpha, a: a, b: b, c: c, k: innerDim(tA, tB, a, b, c)}
	return p.run(ctx, beta)
}

// Syrk computes the upper triangle of C ← alpha·op(A)·op(A)ᵀ + beta·C, where
// op(A) is A, or Aᵀ when tA is true. The strict lower triangle is left alone;
// Mirror makes it follow. Cost n²·k floating-point operations for an n×n result.
func Syrk(ctx context.Context, tA bool, alpha float64, a Matrix, beta float64, c Matrix) error {
	p := product{tA: tA, tB: !tA, alpha: alpha, a: a, b: a, c: c, part: upperPart, k: innerDim(tA, !tA, a, a, c)}
	return p.run(ctx, beta)
}

// triangle is the part of C that is computed.
type triangle int

const (
	allOfIt triangle = iota
	upperPart
	lowerPart
)

// misses reports whether the rows i0 … i1-1 and columns j0 … j1-1 lie wholly
// outside the part.
func (t triangle) misses(i0, i1, j0, j1 int) bool {
	return t == upperPart && i0 >= j1 || t == lowerPart && j0 >= i1
}

// cuts reports whether only some of those elements belong to the part.
func (t triangle) cuts(i0, i1, j0, j1 int) bool {
	return t == upperPart && i1 > j0+1 || t == lowerPart && j1 > i0+1
}

// columns returns the columns of row i, from those between j0 and j1, that belong
// to the part.
func (t triangle) columns(i, j0, j1 int) (from, to int) {
	switch t {
	case upperPart:
		return min(max(j0, i), j1), j1
	case lowerPart:
		return j0, max(j0, min(j1, i+1))
	}
	return j0, j1
}

func innerDim(tA, tB bool, a, b, c Matrix) int {
	m, k := a.Rows, a.Cols
	if tA {
		m, k = k, m
	}
	kb, n := b.Rows, b.Cols
	if tB {
		kb, n = n, kb
	}
	if m != c.Rows || n != c.Cols || k != kb {
		panic("blas: dimension mismatch")
	}
	return k
}

// product is one call of Gemm or Syrk. An element of C is a sum over blocks of
// k, each one chain of fused multiply-adds, whatever the tile, the thread and
// the place of the element.
type product struct {
	tA, tB  bool
	alpha   float64
	a, b, c Matrix
	part    triangle
	k       int
	t       kernel.Tile
	fresh   bool // C holds nothing yet
	// rowShare is the number of rows of A that are packed at once, taskRows that of
	// C's rows one goroutine computes at a time.
	rowShare, taskRows int
	// each runs independent pieces of the work.
	each func(ctx context.Context, n int, fn func(i int)) error
}

func (p *product) run(ctx context.Context, beta float64) error {
	if p.c.Rows == 0 || p.c.Cols == 0 {
		return ctx.Err()
	}
	if p.alpha == 0 || p.k == 0 {
		return p.scale(ctx, beta)
	}
	if systemProduct(p, beta) {
		return ctx.Err()
	}
	if p.small() {
		p.runSmall(beta)
		return ctx.Err()
	}
	p.t = kernel.Best
	p.fresh = beta == 0
	if p.fresh {
		beta = 1 // the first block of k overwrites C
	}
	if err := p.scale(ctx, beta); err != nil {
		return err
	}
	p.each = forWork(float64(p.c.Rows) * float64(p.c.Cols) * float64(p.k))
	p.rowShare = share(p.c.Rows, rowBlock, tileRows)
	p.taskRows = taskRows(p.c.Rows, p.c.Cols)
	colShare, kShare := share(p.c.Cols, colBlock, tileCols), share(p.k, kBlock, 8)
	for j0 := 0; j0 < p.c.Cols; j0 += colShare {
		for k0 := 0; k0 < p.k; k0 += kShare {
			if err := p.columns(ctx, j0, min(j0+colShare, p.c.Cols), k0, min(kShare, p.k-k0)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// small reports whether packing would cost more than the product.
func (p *product) small() bool {
	return p.k <= kBlock && p.c.Rows*p.c.Cols*p.k <= 256
}

// runSmall computes the product element by element, with the same operations.
func (p *product) runSmall(beta float64) {
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

// scale multiplies C by beta; beta 0 clears it, whatever it held.
func (p *product) scale(ctx context.Context, beta float64) error {
	if beta == 1 {
		return ctx.Err()
	}
	return parallel.Blocks(ctx, p.c.Rows, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			from, to := p.part.columns(i, 0, p.c.Cols)
			row := Row(p.c, i)[from:to]
			if beta == 0 {
				clear(row)
				continue
			}
			for j := range row {
				row[j] *= beta
			}
		}
	})
}

// columns passes every block of A over one block of B.
func (p *product) columns(ctx context.Context, j0, j1, k0, kc int) error {
	packedB := takeBuffer(whole(j1-j0, p.t.NR) * kc)
	defer packBuffers.Put(packedB)
	toPack := p.strips(p.b, p.tB, j0, j1, p.t.NR, k0, kc, 1, *packedB)
	for i0 := 0; i0 < p.c.Rows; i0 += p.rowShare {
		i1 := min(i0+p.rowShare, p.c.Rows)
		if p.part.misses(i0, i1, j0, j1) {
			continue
		}
		if err := p.rows(ctx, i0, i1, j0, j1, k0, kc, toPack, *packedB); err != nil {
			return err
		}
		toPack = packing{}
	}
	return ctx.Err()
}

// rows packs one block of A, and B's if that is still to be done, and computes the
// tiles of C that the two give.
func (p *product) rows(ctx context.Context, i0, i1, j0, j1, k0, kc int, packB packing, packedB []float64) error {
	packedA := takeBuffer(whole(i1-i0, p.t.MR) * kc)
	defer packBuffers.Put(packedA)
	packA := p.strips(p.a, !p.tA, i0, i1, p.t.MR, k0, kc, p.alpha, *packedA)
	if err := p.each(ctx, packA.n+packB.n, func(i int) {
		if i < packA.n {
			packA.pack(i)
		} else {
			packB.pack(i - packA.n)
		}
	}); err != nil {
		return err
	}
	across := (j1 - j0 + tileCols - 1) / tileCols
	down := (i1 - i0 + p.taskRows - 1) / p.taskRows
	return p.each(ctx, down*across, func(t int) {
		i, j := i0+t/across*p.taskRows, j0+t%across*tileCols
		p.block(i, min(i+p.taskRows, i1), j, min(j+tileCols, j1), kc, !p.fresh || k0 > 0, (*packedA)[(i-i0)*kc:], packedB[(j-j0)*kc:])
	})
}

// packing is n independent pieces of copying.
type packing struct {
	n    int
	pack func(i int)
}

// strips copies rows lo … hi-1 of op(A) (columns of op(B)) into strips of the given
// width. across says that the matrix's rows run along k.
func (p *product) strips(a Matrix, across bool, lo, hi, width, k0, kc int, alpha float64, to []float64) packing {
	return packing{(hi - lo + width - 1) / width, func(s int) {
		strip{a, across, lo + s*width, width, k0, kc, alpha}.pack(to[s*width*kc:(s+1)*width*kc], p.t)
	}}
}

// whole rounds n up to a multiple of unit.
func whole(n, unit int) int { return (n + unit - 1) / unit * unit }

// block computes C's rows i0 … i1-1 and columns j0 … j1-1 from panels that begin
// there, or adds to them.
func (p *product) block(i0, i1, j0, j1, kc int, add bool, packedA, packedB []float64) {
	edge := edges.Get().(*[kernel.MaxSize]float64)
	defer edges.Put(edge)
	for j := j0; j < j1; j += p.t.NR {
		b, jEnd := &packedB[(j-j0)*kc], min(j+p.t.NR, j1)
		for i := i0; i < i1; i += p.t.MR {
			iEnd := min(i+p.t.MR, i1)
			if p.part.misses(i, iEnd, j, jEnd) {
				continue
			}
			a, next := &packedA[(i-i0)*kc], b
			if at := (j-j0+p.t.NR)*kc + (i-i0)*kc*p.t.NR/tileRows; at < len(packedB) {
				next = &packedB[at]
			}
			if iEnd == i+p.t.MR && jEnd == j+p.t.NR && !p.part.cuts(i, iEnd, j, jEnd) {
				p.t.Run(kc, a, b, &p.c.Data[i*p.c.Stride+j], p.c.Stride, add, next)
				continue
			}
			p.t.Run(kc, a, b, &edge[0], p.t.NR, false, next)
			p.takeEdge(edge[:], i, iEnd, j, jEnd, add)
		}
	}
}

// takeEdge sets or adds what of a tile belongs to C.
func (p *product) takeEdge(edge []float64, i0, i1, j0, j1 int, add bool) {
	for i := i0; i < i1; i++ {
		from, to := p.part.columns(i, j0, j1)
		row := p.c.Data[i*p.c.Stride+from:][:to-from]
		sums := edge[(i-i0)*p.t.NR+from-j0:][:to-from]
		if !add {
			copy(row, sums)
			continue
		}
		for j, v := range sums {
			row[j] += v
		}
	}
}

// Mirror copies the strict upper triangle of the square matrix c below its
// diagonal.
func Mirror(c Matrix) {
	for i := range c.Rows {
		for j := range i {
			c.Data[i*c.Stride+j] = c.Data[j*c.Stride+i]
		}
	}
}

// Chain returns Σ xᵢyᵢ with the bits that Gemm gives the same inner product, so
// that squared norms and inner products of equal rows are equal.
func Chain(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("blas: length mismatch")
	}
	var sum float64
	for step := share(len(x), kBlock, 8); len(x) > 0; {
		n := min(step, len(x))
		var s float64
		for i, v := range x[:n] {
			s = math.FMA(v, y[i], s)
		}
		sum += s
		x, y = x[n:], y[n:]
	}
	return sum
}

// Dot returns Σ xᵢyᵢ, the same bits on every machine.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("blas: length mismatch")
	}
	return kernel.Dot(x, y)
}
