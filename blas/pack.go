package blas

import (
	"sync"

	"rvflplus/blas/internal/kernel"
)

// kBlock is the largest length of a packed panel: an 8×384 panel of A fits a
// 32 KiB L1 cache. Sums over k are cut where panels end, so changing it changes bits.
const kBlock = 384

// Rows of A and columns of B that are packed at once, at most; with kBlock, about
// 13 MB each.
const (
	rowBlock = 22 * tileRows
	colBlock = 18 * tileCols
)

// Rows and columns of C that one goroutine computes at a time (multiples of every
// tile's sides): its panels of A, 192×384 numbers, stay in L2 while panels of B
// pass by.
const (
	tileRows = 192
	tileCols = 240
)

// share returns the size of the pieces, multiples of unit and at most largest,
// into which n is cut as evenly as can be.
func share(n, largest, unit int) int {
	pieces := max(1, (n+largest-1)/largest)
	return ((n+pieces-1)/pieces + unit - 1) / unit * unit
}

// packBuffers are reused between calls.
var packBuffers = sync.Pool{New: func() any { return new([]float64) }}

// edges hold a tile each, for tiles that reach beyond C.
var edges = sync.Pool{New: func() any { return new([kernel.MaxSize]float64) }}

func takeBuffer(n int) *[]float64 {
	buffer := packBuffers.Get().(*[]float64)
	if cap(*buffer) < n {
		*buffer = make([]float64, n)
		useHugePages(*buffer)
	}
	*buffer = (*buffer)[:n]
	return buffer
}

// strip is some rows of op(A), or columns of op(B), to be packed: width of them, of
// which the matrix may have fewer.
type strip struct {
	a         Matrix
	across    bool // the matrix's rows run along k
	lo, width int
	k0, kc    int
	alpha     float64
}

// have is the number of rows or columns that exist.
func (s strip) have() int {
	if s.across {
		return min(s.width, s.a.Rows-s.lo)
	}
	return min(s.width, s.a.Cols-s.lo)
}

// pack copies the strip times alpha into dst, k by k. What does not exist is 0.
func (s strip) pack(dst []float64, t kernel.Tile) {
	switch {
	case s.have() < s.width:
		s.packEdge(dst)
	case s.across:
		s.packAcross(dst, t)
	default:
		copyRows := t.CopyB
		if s.width == t.MR {
			copyRows = t.CopyA
		}
		from := s.a.Data[s.k0*s.a.Stride+s.lo:][:(s.kc-1)*s.a.Stride+s.width]
		copyRows(&dst[:s.kc*s.width][0], &from[0], s.kc, s.width, s.a.Stride, s.alpha)
	}
}

// packAcross transposes MR rows at a time.
func (s strip) packAcross(dst []float64, t kernel.Tile) {
	whole := s.kc / t.MR * t.MR
	for i := 0; i < s.width; i += t.MR {
		from := s.a.Data[(s.lo+i)*s.a.Stride+s.k0:][:(t.MR-1)*s.a.Stride+s.kc]
		t.Turn(&dst[:s.kc*s.width][i], &from[0], whole, s.width, s.a.Stride, s.alpha)
		for k := whole; k < s.kc; k++ {
			for j := range t.MR {
				dst[k*s.width+i+j] = s.alpha * from[j*s.a.Stride+k]
			}
		}
	}
}

func (s strip) packEdge(dst []float64) {
	stepI, stepK := 1, s.a.Stride
	if s.across {
		stepI, stepK = stepK, stepI
	}
	have := s.have()
	for k := range s.kc {
		row, at := dst[k*s.width:][:s.width], (s.k0+k)*stepK+s.lo*stepI
		for i := range have {
			row[i] = s.alpha * s.a.Data[at+i*stepI]
		}
		clear(row[have:])
	}
}
