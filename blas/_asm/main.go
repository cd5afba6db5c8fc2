// Command _asm generates the assembly of package blas/internal/kernel:
//
//	go run . -out ../internal/kernel/kernel_amd64.s
//
// All instruction sets, and the portable code, do the same operations on every
// number in the same order, and so give the same bits.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	tile("tile8x24", "AVX-512", 8, 3, 3, avx512)
	tile("tile4x12", "AVX2 and FMA", 4, 3, 3, avx2)
	tile("tile8x8", "AVX-512", 8, 1, 3, avx512)
	tile("tile4x4", "AVX2 and FMA", 4, 1, 3, avx2)
	solve("solve8x24", "AVX-512", 8, 3, 3, avx512)
	solve("solve4x12", "AVX2 and FMA", 4, 3, 3, avx2)
	solve("solve8x8", "AVX-512", 8, 1, 3, avx512)
	solve("solve4x4", "AVX2 and FMA", 4, 1, 3, avx2)
	factor("factorAVX512", "AVX-512", avx512)
	factor("factorAVX2", "AVX2 and FMA", avx2)
	copyRows("copy8", "AVX-512", 1, avx512)
	copyRows("copy24", "AVX-512", 3, avx512)
	copyRows("copy4", "AVX2", 1, avx2)
	copyRows("copy12", "AVX2", 3, avx2)
	turn("turn8", "AVX-512", avx512)
	turn("turn4", "AVX2", avx2)
	c := newConstants()
	invert("invertAVX512", "AVX-512", avx512, c)
	invert("invertAVX2", "AVX2 and FMA", avx2, c)
	axpy("axpyAVX512", "AVX-512", avx512, c)
	axpy("axpyAVX2", "AVX2 and FMA", avx2, c)
	dot("dotAVX512", "AVX-512", avx512, c)
	dot("dotAVX2", "AVX2 and FMA", avx2, c)
	gaps("gapsAVX512", "AVX-512", avx512, c)
	gaps("gapsAVX2", "AVX2", avx2, c)
	avx512.exponentials("AVX512", "AVX-512", c)
	avx2.exponentials("AVX2", "AVX2 and FMA", c)
	Generate()
}

// isa holds the parts of an instruction set that the tiles need.
type isa struct {
	bytes int // of a vector
	vec   func() VecVirtual
	zero  func(v Op)
	round func(v Op)                            // to the nearest whole number
	scale func(c constants, p, n, x VecVirtual) // x = p·2ⁿ
	turn  func(rows []VecVirtual) []VecVirtual  // a square of numbers, transposed
	held  map[string]VecVirtual                 // constants in registers, by name
}

var (
	avx512 = isa{64, func() VecVirtual { return ZMM() }, func(v Op) { VPXORQ(v, v, v) },
		func(v Op) { VRNDSCALEPD(Imm(8), v, v) }, scaleAVX512, turnAVX512, nil}
	avx2 = isa{32, func() VecVirtual { return YMM() }, func(v Op) { VPXOR(v, v, v) },
		func(v Op) { VROUNDPD(Imm(8), v, v) }, scaleAVX2, turnAVX2, nil}
)

// lanes is the number of float64 in a vector.
func (s isa) lanes() int { return s.bytes / 8 }

// broadcast returns one number in every lane: a register that is held, which must
// not be written, or a new one.
func (s isa) broadcast(m Mem) VecVirtual {
	if v, held := s.held[m.Symbol.Name]; held {
		return v
	}
	v := s.vec()
	VBROADCASTSD(m, v)
	return v
}

// copyOf returns the number in every lane of a register of its own.
func (s isa) copyOf(m Mem) VecVirtual {
	held, ok := s.held[m.Symbol.Name]
	if !ok {
		return s.broadcast(m)
	}
	v := s.vec()
	VMOVAPD(held, v)
	return v
}

// hold loads constants before a loop, if there are registers for all.
func (s isa) hold(all ...Mem) isa {
	if s.bytes < 64 {
		return s
	}
	held := map[string]VecVirtual{}
	for _, m := range all {
		held[m.Symbol.Name] = s.broadcast(m)
	}
	s.held = held
	return s
}

// mask selects the first n lanes, 0 < n < lanes.
func (s isa) mask(c constants, n Register) Op {
	table := GP64()
	if s.bytes == 64 {
		m := K()
		LEAQ(c.laneBits, table)
		KMOVB(Mem{Base: table, Index: n, Scale: 1}, m)
		return m
	}
	m, from := YMM(), GP64()
	LEAQ(c.laneWords, table)
	MOVQ(U32(4), from)
	SUBQ(n, from)
	VMOVUPD(Mem{Base: table, Index: from, Scale: 8}, m)
	return m
}

// loadPart returns the selected numbers, and 0 in the other lanes, whose memory is not read.
func (s isa) loadPart(m Mem, mask Op) VecVirtual {
	v := s.vec()
	if s.bytes == 64 {
		VMOVUPD_Z(m, mask, v)
	} else {
		VMASKMOVPD(m, mask, v)
	}
	return v
}

// storePart writes the selected numbers.
func (s isa) storePart(v VecVirtual, m Mem, mask Op) {
	if s.bytes == 64 {
		VMOVUPD(v, mask, m)
	} else {
		VMASKMOVPD(v, mask, m)
	}
}

// multiplyAddPart adds x·y to the selected lanes of sum.
func (s isa) multiplyAddPart(x, y, sum VecVirtual, mask Op) {
	if s.bytes == 64 {
		VFMADD231PD(x, y, mask, sum)
		return
	}
	VFMADD213PD(sum, x, y)
	VBLENDVPD(mask, y, sum, sum)
}
