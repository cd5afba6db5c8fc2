package blas

import (
	"context"

	gblas "gonum.org/v1/gonum/blas"

	"rvflplus/blas/internal/kernel"
)

// strips is the largest side of a triangle that is solved strip by strip.
const strips = 256

// middle splits n near its half, at a multiple of every tile's rows and columns.
func middle(n int) int { return (n/2 + 12) / 24 * 24 }

// triangular is a kind of triangular system.
type triangular struct {
	side                gblas.Side // the side of X on which the triangle stands
	upper, trans, isOne bool       // upper triangle; transposed; diagonal of ones
}

// swapped reports whether the coefficient of unknown p in equation i is A's
// element (p, i), not (i, p).
func (t triangular) swapped() bool { return t.trans != (t.side == gblas.Right) }

// forward reports whether unknown 0 depends on no other, not the last.
func (t triangular) forward() bool { return t.upper == t.swapped() }

// solve overwrites B with the solution X of op(A)·X = B or X·op(A) = B, by halves
// of A: the part of X that depends on no other comes first, then leaves the rest
// of B by a product.
func (t triangular) solve(ctx context.Context, a, b Matrix) error {
	if b.Rows == 0 || b.Cols == 0 {
		return ctx.Err()
	}
	if systemSolve(t, a, b) {
		return ctx.Err()
	}
	n := a.Rows
	if n <= strips {
		return t.solveStrips(ctx, a, b)
	}
	h := middle(n)
	corner := View(a, 0, h, h, n)
	if !t.upper {
		corner = View(a, h, n, 0, h)
	}
	a1, a2 := View(a, 0, h, 0, h), View(a, h, n, h, n)
	b1, b2 := t.split(b, h)
	if !t.forward() {
		a1, a2, b1, b2 = a2, a1, b2, b1
	}
	if err := t.solve(ctx, a1, b1); err != nil {
		return err
	}
	if err := t.subtract(ctx, corner, b1, b2); err != nil {
		return err
	}
	return t.solve(ctx, a2, b2)
}

func (t triangular) split(b Matrix, h int) (first, second Matrix) {
	if t.side == gblas.Left {
		return View(b, 0, h, 0, b.Cols), View(b, h, b.Rows, 0, b.Cols)
	}
	return View(b, 0, b.Rows, 0, h), View(b, 0, b.Rows, h, b.Cols)
}

// subtract subtracts the products of the solved unknowns from the other equations.
func (t triangular) subtract(ctx context.Context, corner, solved, rest Matrix) error {
	if t.side == gblas.Left {
		return Gemm(ctx, t.trans, false, -1, corner, solved, 1, rest)
	}
	return Gemm(ctx, false, t.trans, -1, solved, corner, 1, rest)
}

// solveStrips packs the triangle and solves strips of B, each as wide as a tile,
// which do not depend on each other.
func (t triangular) solveStrips(ctx context.Context, a, b Matrix) error {
	if t.side == gblas.Left && t.upper && b.Cols <= few {
		t.solveFew(a, b)
		return ctx.Err()
	}
	s := stripSolver{triangular: t, n: a.Rows, b: b, tile: kernel.Best}
	packed := s.packTriangle(a)
	defer packBuffers.Put(packed)
	width := b.Cols
	if t.side == gblas.Right {
		width = b.Rows
	}
	nr := s.tile.NR
	return forWork(float64(s.n)*float64(s.n)*float64(width)/2)(ctx, (width+nr-1)/nr, func(i int) {
		s.solve(*packed, i*nr, min(i*nr+nr, width))
	})
}

// few is the number of columns up to which packing the triangle costs more than it saves.
const few = 6

// solveFew solves few columns with an upper triangle: each unknown, once solved, is added to the sums of the equations
// that are left, in the order in which strips add it.
func (t triangular) solveFew(a, b Matrix) {
	n := a.Rows
	buffer := takeBuffer(n * (n + b.Cols))
	defer packBuffers.Put(buffer)
	all := (*buffer)[n*n:] // of every column
	clear(all)
	coefficients := a // row i: of unknown i in the other equations
	if !t.trans {
		coefficients = Matrix{Rows: n, Cols: n, Stride: n, Data: (*buffer)[:n*n]}
		mirrorTo(coefficients, a)
	}
	for k := range n {
		i, lo, hi := k, k+1, n
		if !t.trans {
			i, lo, hi = n-1-k, 0, n-1-k
		}
		row := Row(coefficients, i)[lo:hi]
		for c := range b.Cols {
			sums := all[c*n:][:n]
			x := b.Data[i*b.Stride+c] - sums[i]
			if !t.isOne {
				x /= a.Data[i*(a.Stride+1)]
			}
			b.Data[i*b.Stride+c] = x
			Axpy(x, row, sums[lo:hi])
		}
	}
}

// stripSolver solves L·X = B for n equations in the order in which they can be
// solved: equation i is A's row or column at(i), L lower triangular.
type stripSolver struct {
	triangular
	n    int
	b    Matrix
	tile kernel.Tile
}

func (s stripSolver) at(i int) int {
	if s.forward() {
		return i
	}
	return s.n - 1 - i
}

// padded is n rounded up to whole tiles; the equations added read x = 0.
func (s stripSolver) padded() int { return (s.n + s.tile.MR - 1) / s.tile.MR * s.tile.MR }

// start is where the panel of the tile that begins with equation i0 lies: MR
// numbers for each unknown up to the tile's last.
func (s stripSolver) start(i0 int) int { return i0 * (i0 + s.tile.MR) / 2 }

// packTriangle packs L by panels of MR equations.
func (s stripSolver) packTriangle(a Matrix) *[]float64 {
	packed := takeBuffer(s.start(s.padded()))
	mr := s.tile.MR
	for first := 0; first < s.padded(); first += mr {
		panel, done := (*packed)[s.start(first):], 0
		if first > 0 && first+mr <= s.n && s.packBefore(panel, a, first) {
			done = first
		}
		for i := range mr {
			s.packEquation(panel[i:], a, first+i, done, first+mr)
		}
	}
	return packed
}

// packBefore sets the coefficients of a whole panel's equations for the unknowns before
// its first, when rows of A can be copied or transposed as they are.
func (s stripSolver) packBefore(to []float64, a Matrix, first int) bool {
	mr, row := s.tile.MR, a.Stride
	switch {
	case s.swapped() && s.forward():
		s.tile.CopyA(&to[0], &a.Data[first], first, mr, row, 1)
	case s.swapped():
		return false
	case s.forward():
		s.tile.Turn(&to[0], &a.Data[first*row], first, mr, row, 1)
	default: // the last unknown before comes first in A's row
		i := s.at(first)
		s.tile.Turn(&to[(first-1)*mr], &a.Data[i*row+i+1], first, -mr, -row, 1)
	}
	return true
}

// packEquation sets every MR-th number of to to the coefficients of equation i for the unknowns done … n-1; the
// coefficients of unknowns after i are 0.
func (s stripSolver) packEquation(to []float64, a Matrix, i, done, n int) {
	mr, known := s.tile.MR, done
	if i < s.n {
		known = i
		step, row := 1, a.Stride
		if s.swapped() {
			step, row = row, step
		}
		from := s.at(i)*row + s.at(0)*step
		if !s.forward() {
			step = -step
		}
		for p := done; p < i; p++ {
			to[p*mr] = a.Data[from+p*step]
		}
	}
	for p := known; p < n; p++ {
		to[p*mr] = 0
	}
	to[i*mr] = 1
	if i < s.n && !s.isOne {
		to[i*mr] = a.Data[s.at(i)*(a.Stride+1)]
	}
}

// solve solves columns lo … hi-1 of X (rows, when the triangle stands on the
// right).
func (s stripSolver) solve(packed []float64, lo, hi int) {
	mr, nr := s.tile.MR, s.tile.NR
	x, sums := takeBuffer(s.padded()*nr), edges.Get().(*[kernel.MaxSize]float64)
	defer packBuffers.Put(x)
	defer edges.Put(sums)
	s.exchange(*x, lo, hi, true)
	run, solve, width := s.tile.Run, s.tile.Solve, nr
	if hi-lo <= nr-mr {
		run, solve, width = s.tile.RunNarrow, s.tile.SolveNarrow, mr
	}
	for i := 0; i < s.padded(); i += mr {
		panel := packed[s.start(i):]
		for c := 0; c < hi-lo; c += width {
			run(i, &panel[0], &(*x)[c], &sums[c], nr, false, &panel[0])
			solve(&panel[i*mr], &(*x)[i*nr+c], &sums[c])
		}
	}
	s.exchange(*x, lo, hi, false)
}

// exchange copies a strip of B into x, equation by equation with zeros beyond, or
// x back into B.
func (s stripSolver) exchange(x []float64, lo, hi int, in bool) {
	nr := s.tile.NR
	if in && hi-lo < nr {
		clear(x)
	} else if in {
		clear(x[s.n*nr:])
	}
	if s.side == gblas.Left {
		s.exchangeRows(x, lo, hi, in)
		return
	}
	done, wide := 0, (hi-lo)/s.tile.MR*s.tile.MR // unknowns and columns that are exchanged by tiles
	if s.forward() {
		done = s.n / s.tile.MR * s.tile.MR
		s.exchangeColumns(x, lo, done, wide, in)
	}
	for c := range hi - lo {
		first := done
		if c >= wide {
			first = 0
		}
		for i := first; i < s.n; i++ {
			there, here := &s.b.Data[s.at(i)+(lo+c)*s.b.Stride], &x[i*nr+c]
			if in {
				*here = *there
			} else {
				*there = *here
			}
		}
	}
}

// exchangeRows copies columns lo … hi-1, row by row.
func (s stripSolver) exchangeRows(x []float64, lo, hi int, in bool) {
	nr := s.tile.NR
	if hi-lo < nr {
		for i := range s.n {
			there, here := Row(s.b, s.at(i))[lo:hi], x[i*nr:][:hi-lo]
			if in {
				copy(here, there)
			} else {
				copy(there, here)
			}
		}
		return
	}
	first, step := s.at(0), s.b.Stride
	if !s.forward() {
		step = -step
	}
	there := &s.b.Data[first*s.b.Stride+lo]
	if in {
		s.tile.CopyB(&x[0], there, s.n, nr, step, 1)
	} else {
		s.tile.CopyB(there, &x[0], s.n, step, nr, 1)
	}
}

// exchangeColumns copies the first n columns of rows lo … lo+wide-1, which are the columns of x.
func (s stripSolver) exchangeColumns(x []float64, lo, n, wide int, in bool) {
	mr, nr, stride := s.tile.MR, s.tile.NR, s.b.Stride
	if n == 0 || wide == 0 {
		return
	}
	if in {
		for c := 0; c < wide; c += mr {
			s.tile.Turn(&x[c], &s.b.Data[(lo+c)*stride], n, nr, stride, 1)
		}
		return
	}
	for i := 0; i < n; i += mr {
		s.tile.Turn(&s.b.Data[lo*stride+i], &x[i*nr], wide, stride, nr, 1)
	}
}
