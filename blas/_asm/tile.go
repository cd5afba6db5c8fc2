package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tile generates a kernel of mr rows and nv vectors of columns. It computes a tile
// of C = A·B, or C += A·B, from packed panels: C has row stride ldc, A holds kc
// columns of mr numbers, B kc rows of packed vectors, of which the first nv are used.
// Every element is one chain of fused multiply-adds over k from zero, then stored in
// or added to C.
func tile(name, needs string, mr, nv, packed int, s isa) {
	TEXT(name, NOSPLIT, "func(kc int, a, b, c *float64, ldc int, add bool, next *float64)")
	Doc(fmt.Sprintf("%s computes C = A·B, or C += A·B, for a %d×%d tile with %s.", name, mr, nv*s.lanes(), needs))
	Pragma("noescape")
	kc := Load(Param("kc"), GP64())
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	ldc, next := Load(Param("ldc"), GP64()), Load(Param("next"), GP64())
	acc := make([][]VecVirtual, mr)
	for i := range acc {
		for range nv {
			v := s.vec()
			s.zero(v)
			acc[i] = append(acc[i], v)
		}
	}
	// The tile of C is asked for shortly before it is needed: asked for at once it
	// would be driven out of L1 by the panels, the more so when C's rows lie a power
	// of two apart.
	SHLQ(Imm(3), ldc)
	SUBQ(Imm(lastSteps), kc)
	JLE(LabelRef(name + "_fetch"))
	Label(name + "_first")
	s.step(acc, nv, packed, a, b, next)
	DECQ(kc)
	JNZ(LabelRef(name + "_first"))
	Label(name + "_fetch")
	s.fetch(mr, nv, c, ldc)
	ADDQ(Imm(lastSteps), kc)
	JZ(LabelRef(name + "_store"))
	Label(name + "_last")
	s.step(acc, nv, packed, a, b, next)
	DECQ(kc)
	JNZ(LabelRef(name + "_last"))
	Label(name + "_store")
	add := Load(Param("add"), GP8())
	top := GP64()
	MOVQ(c, top)
	TESTB(add, add)
	JZ(LabelRef(name + "_set"))
	s.store(acc, c, ldc, true)
	VZEROUPPER()
	RET()
	Label(name + "_set")
	s.store(acc, top, ldc, false)
	VZEROUPPER()
	RET()
}

// lastSteps is the number of steps left when C is asked for: some 700 cycles.
const lastSteps = 28

// nextShare is what a tile asks for of the next panel of B, which another level of
// cache still holds: in a block of 192 rows the tiles of one panel fetch the next.
const nextShare = 24

// fetch asks for the tile of C; ldc is in bytes.
func (s isa) fetch(mr, nv int, c, ldc Register) {
	ahead := GP64()
	MOVQ(c, ahead)
	for i := range mr {
		for at := 0; at < nv*s.bytes; at += 64 {
			PREFETCHT0(Mem{Base: ahead, Disp: at})
		}
		PREFETCHT0(Mem{Base: ahead, Disp: nv*s.bytes - 8})
		if i+1 < mr {
			ADDQ(ldc, ahead)
		}
	}
}

// step adds one column of A times one row of B.
func (s isa) step(acc [][]VecVirtual, nv, packed int, a, b, next Register) {
	// The panel of B is larger than L1: fetch what comes in eight steps.
	for j := range nv {
		PREFETCHT0(Mem{Base: b, Disp: 8*packed*s.bytes + j*s.bytes})
	}
	if nv == packed {
		PREFETCHT1(Mem{Base: next})
		ADDQ(Imm(uint64(len(acc)*nv*s.lanes()/nextShare)), next)
	}
	row := make([]VecVirtual, nv)
	for j := range row {
		row[j] = s.vec()
		VMOVUPD(Mem{Base: b, Disp: j * s.bytes}, row[j])
	}
	for i := range acc {
		one := s.vec()
		VBROADCASTSD(Mem{Base: a, Disp: 8 * i}, one)
		for j := range row {
			VFMADD231PD(one, row[j], acc[i][j])
		}
	}
	ADDQ(Imm(uint64(8*len(acc))), a)
	ADDQ(Imm(uint64(packed*s.bytes)), b)
}

// store puts the sums into C, or adds them.
func (s isa) store(acc [][]VecVirtual, c, ldc Register, add bool) {
	for i := range acc {
		for j := range acc[i] {
			if add {
				VADDPD(Mem{Base: c, Disp: j * s.bytes}, acc[i][j], acc[i][j])
			}
			VMOVUPD(acc[i][j], Mem{Base: c, Disp: j * s.bytes})
		}
		if i+1 < len(acc) {
			ADDQ(ldc, c)
		}
	}
}
