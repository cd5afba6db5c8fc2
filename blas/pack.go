package blas

import "sync"

// kBlock is the length of a packed panel: an 8×384 panel of A fits a 32 KiB
// L1 cache. Sums over k are cut at its multiples, so changing it changes bits.
const kBlock = 384

// Rows of A and columns of B that are packed at once (multiples of every tile's
// sides); with kBlock, about 12 MB each.
const (
	rowBlock = 4080
	colBlock = 4080
)

// Rows and columns of C that one goroutine computes at a time: its panels of A,
// 96×384 numbers, stay in L2 while panels of B pass by.
const (
	tileRows = 96
	tileCols = 240
)

// packBuffers are reused between calls.
var packBuffers = sync.Pool{New: func() any { return new([]float64) }}

func takeBuffer(n int) *[]float64 {
	buffer := packBuffers.Get().(*[]float64)
	if cap(*buffer) < n {
		*buffer = make([]float64, n)
		useHugePages(*buffer)
	}
	*buffer = (*buffer)[:n]
	return buffer
}

// packPanel copies a strip of op(A), width wide and kc long, into dst, k by k,
// times alpha; missing rows up to width are zeros. across says that a's rows run
// along k.
func packPanel(dst []float64, a Matrix, lo, width, k0, kc int, across bool, alpha float64) {
	have := min(width, extent(a, across)-lo)
	if have < width {
		clear(dst[:kc*width])
	}
	if across {
		packAcross(dst, a, lo, have, width, k0, kc, alpha)
		return
	}
	for k := range kc {
		from := a.Data[(k0+k)*a.Stride+lo:][:have]
		to := dst[k*width:][:have]
		if alpha == 1 {
			copy(to, from)
			continue
		}
		for i, v := range from {
			to[i] = alpha * v
		}
	}
}

// extent is the number of strips' elements: the dimension that is not k.
func extent(a Matrix, across bool) int {
	if across {
		return a.Rows
	}
	return a.Cols
}

// packAcross turns rows into columns, four rows at a time so that each cache line
// it writes is filled at once.
func packAcross(dst []float64, a Matrix, lo, have, width, k0, kc int, alpha float64) {
	i := 0
	for ; i+4 <= have; i += 4 {
		at := (lo+i)*a.Stride + k0
		r0, r1 := a.Data[at:][:kc], a.Data[at+a.Stride:][:kc]
		r2, r3 := a.Data[at+2*a.Stride:][:kc], a.Data[at+3*a.Stride:][:kc]
		to := dst[i:]
		for k := range kc {
			q := to[k*width:][:4]
			q[0], q[1], q[2], q[3] = alpha*r0[k], alpha*r1[k], alpha*r2[k], alpha*r3[k]
		}
	}
	for ; i < have; i++ {
		row := a.Data[(lo+i)*a.Stride+k0:][:kc]
		for k, v := range row {
			dst[k*width+i] = alpha * v
		}
	}
}
