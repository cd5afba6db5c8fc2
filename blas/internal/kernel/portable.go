package kernel

import (
	"math"
	"unsafe"
)

var portable = Tile{"portable", 2, 4, tile2x4, tile2x2, solve2x4, solve2x2, factorRows, invertRows,
	copyRows(2), copyRows(4), turn2}

// tile2x4 keeps its eight sums in registers.
func tile2x4(kc int, a, b, c *float64, ldc int, add bool, _ *float64) {
	av, bv := unsafe.Slice(a, 2*kc), unsafe.Slice(b, 4*kc)
	var s00, s01, s02, s03, s10, s11, s12, s13 float64
	for len(av) >= 2 && len(bv) >= 4 {
		a0, a1 := av[0], av[1]
		b0, b1, b2, b3 := bv[0], bv[1], bv[2], bv[3]
		s00, s01, s02, s03 = math.FMA(a0, b0, s00), math.FMA(a0, b1, s01), math.FMA(a0, b2, s02), math.FMA(a0, b3, s03)
		s10, s11, s12, s13 = math.FMA(a1, b0, s10), math.FMA(a1, b1, s11), math.FMA(a1, b2, s12), math.FMA(a1, b3, s13)
		av, bv = av[2:], bv[4:]
	}
	out := unsafe.Slice(c, ldc+4)
	top, bottom := out[:4], out[ldc:]
	if !add {
		top[0], top[1], top[2], top[3] = s00, s01, s02, s03
		bottom[0], bottom[1], bottom[2], bottom[3] = s10, s11, s12, s13
		return
	}
	top[0], top[1], top[2], top[3] = top[0]+s00, top[1]+s01, top[2]+s02, top[3]+s03
	bottom[0], bottom[1], bottom[2], bottom[3] = bottom[0]+s10, bottom[1]+s11, bottom[2]+s12, bottom[3]+s13
}

// tile2x2 reads the first two columns of a panel of four; behind them the last row may end.
func tile2x2(kc int, a, b, c *float64, ldc int, add bool, _ *float64) {
	av, bv := unsafe.Slice(a, 2*kc), unsafe.Slice(b, max(0, 4*kc-2))
	var s00, s01, s10, s11 float64
	for k := range kc {
		a0, a1, b0, b1 := av[2*k], av[2*k+1], bv[4*k], bv[4*k+1]
		s00, s01 = math.FMA(a0, b0, s00), math.FMA(a0, b1, s01)
		s10, s11 = math.FMA(a1, b0, s10), math.FMA(a1, b1, s11)
	}
	out := unsafe.Slice(c, ldc+2)
	top, bottom := out[:2], out[ldc:]
	if !add {
		top[0], top[1], bottom[0], bottom[1] = s00, s01, s10, s11
		return
	}
	top[0], top[1], bottom[0], bottom[1] = top[0]+s00, top[1]+s01, bottom[0]+s10, bottom[1]+s11
}

func solve2x4(a, x, t *float64) { solveColumns(a, x, t, 4) }
func solve2x2(a, x, t *float64) { solveColumns(a, x, t, 2) }

// solveColumns solves the first n of 4 columns.
func solveColumns(a, x, t *float64, n int) {
	tri, xs, ts := unsafe.Slice(a, 4), unsafe.Slice(x, 8), unsafe.Slice(t, 8)
	for j := range n {
		first := (xs[j] - ts[j]) / tri[0]
		xs[j], xs[4+j] = first, (xs[4+j]-math.FMA(tri[1], first, ts[4+j]))/tri[3]
	}
}

func copyRows(width int) func(dst, src *float64, n, dstStep, srcStep int, alpha float64) {
	return func(dst, src *float64, n, dstStep, srcStep int, alpha float64) {
		for k := range n {
			row := numbers(dst, k*dstStep, width)
			for i, v := range numbers(src, k*srcStep, width) {
				row[i] = alpha * v
			}
		}
	}
}

// numbers returns the n numbers that begin at words from p.
func numbers(p *float64, at, n int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(p), 8*at)), n)
}

func turn2(dst, src *float64, n, dstStep, srcStep int, alpha float64) {
	first, second := numbers(src, 0, n), numbers(src, srcStep, n)
	for k := range n {
		row := numbers(dst, k*dstStep, 2)
		row[0], row[1] = alpha*first[k], alpha*second[k]
	}
}

func factorRows(a *float64, n int) int {
	for k := range n {
		row := numbers(a, k*Side, Side)
		if !(row[k] > 0) {
			return k
		}
		row[k] = math.Sqrt(row[k])
		for j := k + 1; j < n; j++ {
			row[j] /= row[k]
		}
		for i := k + 1; i < n; i++ {
			other := numbers(a, i*Side, Side)
			for j := i; j < n; j++ {
				other[j] = math.FMA(-row[i], row[j], other[j])
			}
		}
	}
	return n
}

func invertRows(a *float64, n int) {
	for i := n - 1; i >= 0; i-- {
		row := numbers(a, i*Side, Side)
		var sum [Side]float64
		sum[i] = 1
		for k := i + 1; k < n; k++ {
			other := numbers(a, k*Side, Side)
			for j := k; j < n; j++ {
				sum[j] = math.FMA(-row[k], other[j], sum[j])
			}
		}
		pivot := row[i]
		for j := i; j < n; j++ {
			row[j] = sum[j] / pivot
		}
	}
}
