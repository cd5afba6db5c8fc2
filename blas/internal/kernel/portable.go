package kernel

import (
	"math"
	"unsafe"
)

var portable = Tile{"portable", 2, 4, tile2x4}

// tile2x4 keeps its eight sums in registers.
func tile2x4(kc int, a, b, c *float64, ldc int) {
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
	top[0], top[1], top[2], top[3] = top[0]+s00, top[1]+s01, top[2]+s02, top[3]+s03
	bottom[0], bottom[1], bottom[2], bottom[3] = bottom[0]+s10, bottom[1]+s11, bottom[2]+s12, bottom[3]+s13
}
