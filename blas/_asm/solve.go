package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// solve generates the end of a triangular solve for mr rows of nv vectors, which lie
// packed vectors apart. x holds
// the right-hand sides, t for each the sum over the rows that are solved; a the
// triangle, packed as for a tile: number j·mr+i is the coefficient of x's row j in
// equation i. The sums go on as one chain, and x = (x − t)/a.
func solve(name, needs string, mr, nv, packed int, s isa) {
	TEXT(name, NOSPLIT, "func(a, x, t *float64)")
	Doc(fmt.Sprintf("%s solves a %d×%d tile with %s.", name, mr, nv*s.lanes(), needs))
	Pragma("noescape")
	a, x, t := Load(Param("a"), GP64()), Load(Param("x"), GP64()), Load(Param("t"), GP64())
	at := func(base Register, i, j int) Mem { return Mem{Base: base, Disp: (i*packed + j) * s.bytes} }
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

// side is the number of columns of the matrix that factor takes.
const side = 32

// factor generates the elimination of n rows of a matrix with rows of side numbers, row by row. Groups of columns are
// vectors; what it leaves below the diagonal means nothing.
func factor(name, needs string, s isa) {
	TEXT(name, NOSPLIT, "func(a *float64, n int) int")
	Doc(fmt.Sprintf("%s factors the first n rows of a matrix with %d columns, in place, as UᵀU and returns the "+
		"first row whose pivot is not positive, or n, with %s.", name, side, needs))
	Pragma("noescape")
	a, n := Load(Param("a"), GP64()), Load(Param("n"), GP64())
	k, row := GP64(), GP64() // the pivot's row: number and address
	XORQ(k, k)
	MOVQ(a, row)
	groups := side / s.lanes()
	zero := XMM()
	VXORPD(zero, zero, zero)
	for g := range groups {
		next := fmt.Sprintf("%s_group%d", name, g+1)
		loop := fmt.Sprintf("%s_pivot%d", name, g)
		Label(loop)
		CMPQ(k, n)
		JGE(LabelRef(name + "_end"))
		if g+1 < groups {
			CMPQ(k, Imm(uint64((g+1)*s.lanes())))
			JGE(LabelRef(next))
		}
		pivot, divisor := XMM(), s.vec()
		diagonal := Mem{Base: row, Index: k, Scale: 8}
		VMOVSD(diagonal, pivot)
		VUCOMISD(zero, pivot)
		JBE(LabelRef(name + "_end"))
		VSQRTSD(pivot, pivot, pivot)
		VBROADCASTSD(pivot, divisor)
		held := make([]VecVirtual, groups)
		for c := g; c < groups; c++ {
			at := Mem{Base: row, Disp: c * s.bytes}
			held[c] = s.vec()
			VMOVUPD(at, held[c])
			VDIVPD(divisor, held[c], held[c])
			VMOVUPD(held[c], at)
		}
		VMOVSD(pivot, diagonal)
		// Row i, whose diagonal lies in group d, needs its groups from d on.
		i, other := GP64(), GP64()
		LEAQ(Mem{Base: k, Disp: 1}, i)
		LEAQ(Mem{Base: row, Disp: 8 * side}, other)
		done := fmt.Sprintf("%s_done%d", name, g)
		for d := g; d < groups; d++ {
			update, after := fmt.Sprintf("%s_row%d_%d", name, g, d), fmt.Sprintf("%s_row%d_%d", name, g, d+1)
			Label(update)
			CMPQ(i, n)
			JGE(LabelRef(done))
			if d+1 < groups {
				CMPQ(i, Imm(uint64((d+1)*s.lanes())))
				JGE(LabelRef(after))
			}
			factor := s.broadcast(Mem{Base: row, Index: i, Scale: 8})
			for c := d; c < groups; c++ {
				at, v := Mem{Base: other, Disp: c * s.bytes}, s.vec()
				VMOVUPD(at, v)
				VFNMADD231PD(factor, held[c], v)
				VMOVUPD(v, at)
			}
			INCQ(i)
			ADDQ(I32(8*side), other)
			JMP(LabelRef(update))
		}
		Label(done)
		INCQ(k)
		ADDQ(I32(8*side), row)
		JMP(LabelRef(loop))
		if g+1 < groups {
			Label(next)
		}
	}
	Label(name + "_end")
	Store(k, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// invert generates the inverse of n rows of an upper triangle with rows of side numbers, from the last row up:
// row i is (eᵢ − Σ uᵢₖ·row k)/uᵢᵢ. What lies below the diagonal must be 0, and stays so.
func invert(name, needs string, s isa, c constants) {
	TEXT(name, NOSPLIT, "func(a *float64, n int)")
	Doc(fmt.Sprintf("%s inverts the first n rows of an upper triangle with %d columns, in place, with %s.",
		name, side, needs))
	Pragma("noescape")
	a, n := Load(Param("a"), GP64()), Load(Param("n"), GP64())
	i, row := GP64(), GP64() // the row at work: number and address
	MOVQ(n, i)
	MOVQ(n, row)
	SHLQ(Imm(8), row) // 8·side
	ADDQ(a, row)
	groups := side / s.lanes()
	for g := groups - 1; g >= 0; g-- {
		loop, next := fmt.Sprintf("%s_row%d", name, g), fmt.Sprintf("%s_group%d", name, g)
		Label(loop)
		CMPQ(i, Imm(uint64(g*s.lanes())))
		JLE(LabelRef(next))
		DECQ(i)
		SUBQ(I32(8*side), row)
		sum := make([]VecVirtual, groups)
		for v := g; v < groups; v++ {
			sum[v] = s.vec()
			s.zero(sum[v])
		}
		k, other := GP64(), GP64()
		LEAQ(Mem{Base: i, Disp: 1}, k)
		LEAQ(Mem{Base: row, Disp: 8 * side}, other)
		update, divide := fmt.Sprintf("%s_sum%d", name, g), fmt.Sprintf("%s_divide%d", name, g)
		Label(update)
		CMPQ(k, n)
		JGE(LabelRef(divide))
		factor := s.broadcast(Mem{Base: row, Index: k, Scale: 8})
		for v := g; v < groups; v++ {
			VFNMADD231PD(Mem{Base: other, Disp: v * s.bytes}, factor, sum[v])
		}
		INCQ(k)
		ADDQ(I32(8*side), other)
		JMP(LabelRef(update))
		Label(divide)
		diagonal, one := Mem{Base: row, Index: i, Scale: 8}, XMM()
		pivot := s.broadcast(diagonal)
		VMOVSD(c.one, one)
		VDIVSD(pivot.AsX(), one, one)
		for v := g; v < groups; v++ {
			VDIVPD(pivot, sum[v], sum[v])
			VMOVUPD(sum[v], Mem{Base: row, Disp: v * s.bytes})
		}
		VMOVSD(one, diagonal)
		JMP(LabelRef(loop))
		Label(next)
	}
	VZEROUPPER()
	RET()
}
