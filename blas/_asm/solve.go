package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// solve generates the end of a triangular solve for mr rows of nv vectors. x holds
// the right-hand sides, t for each the sum over the rows that are solved; a the
// triangle, packed as for a tile: number j·mr+i is the coefficient of x's row j in
// equation i. The sums go on as one chain, and x = (x − t)/a.
func solve(name, needs string, mr, nv int, s isa) {
	TEXT(name, NOSPLIT, "func(a, x, t *float64)")
	Doc(fmt.Sprintf("%s solves a %d×%d tile with %s.", name, mr, nv*s.lanes(), needs))
	Pragma("noescape")
	a, x, t := Load(Param("a"), GP64()), Load(Param("x"), GP64()), Load(Param("t"), GP64())
	at := func(base Register, i, j int) Mem { return Mem{Base: base, Disp: (i*nv + j) * s.bytes} }
	acc := make([][]VecVirtual, mr)
	for i := range acc {
		for j := range nv {
			v := s.vec()
			VMOVUPD(at(t, i, j), v)
			acc[i] = append(acc[i], v)
		}
	}
	for i := range acc {
		diagonal := s.broadcast(Mem{Base: a, Disp: 8 * (i*mr + i)})
		for j := range nv {
			v := s.vec()
			VMOVUPD(at(x, i, j), v)
			VSUBPD(acc[i][j], v, acc[i][j])
			VDIVPD(diagonal, acc[i][j], acc[i][j])
			VMOVUPD(acc[i][j], at(x, i, j))
		}
		for l := i + 1; l < mr; l++ {
			c := s.broadcast(Mem{Base: a, Disp: 8 * (i*mr + l)})
			for j := range nv {
				VFMADD231PD(c, acc[i][j], acc[l][j])
			}
		}
	}
	VZEROUPPER()
	RET()
}
