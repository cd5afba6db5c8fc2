package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// ahead is how many rows before their turn rows are asked for: rows of a large
// matrix lie in other pages, where the processor does not look by itself.
const ahead = 16

// copyRows generates a function that copies n rows of nv vectors, times alpha;
// rows lie srcStep and dstStep numbers apart.
func copyRows(name, needs string, nv int, s isa) {
	TEXT(name, NOSPLIT, "func(dst, src *float64, n, dstStep, srcStep int, alpha float64)")
	Doc(fmt.Sprintf("%s sets n rows of %d numbers to alpha times those of src, with %s.", name, nv*s.lanes(), needs))
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	dstStep, srcStep := Load(Param("dstStep"), GP64()), Load(Param("srcStep"), GP64())
	alpha := s.argument("alpha")
	SHLQ(Imm(3), dstStep)
	SHLQ(Imm(3), srcStep)
	later := GP64()
	IMUL3Q(Imm(ahead), srcStep, later)
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	for j := 0; j < nv*s.bytes; j += 64 {
		PREFETCHT0(Mem{Base: src, Index: later, Scale: 1, Disp: j})
	}
	PREFETCHT0(Mem{Base: src, Index: later, Scale: 1, Disp: nv*s.bytes - 8})
	for j := range nv {
		v := s.vec()
		VMULPD(Mem{Base: src, Disp: j * s.bytes}, alpha, v)
		VMOVUPD(v, Mem{Base: dst, Disp: j * s.bytes})
	}
	ADDQ(srcStep, src)
	ADDQ(dstStep, dst)
	DECQ(n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	VZEROUPPER()
	RET()
}

// turn generates a function that transposes as many rows as a vector has lanes,
// times alpha: n columns, a multiple of the lanes, become rows dstStep apart.
func turn(name, needs string, s isa) {
	TEXT(name, NOSPLIT, "func(dst, src *float64, n, dstStep, srcStep int, alpha float64)")
	Doc(fmt.Sprintf("%s sets n rows of %[2]d numbers to alpha times the columns of src's %[2]d rows, "+
		"n a multiple of %[2]d, with %[3]s.", name, s.lanes(), needs))
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	dstStep, srcStep := Load(Param("dstStep"), GP64()), Load(Param("srcStep"), GP64())
	alpha := s.argument("alpha")
	SHLQ(Imm(3), dstStep)
	SHLQ(Imm(3), srcStep)
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	rows, from := make([]VecVirtual, s.lanes()), GP64()
	MOVQ(src, from)
	for i := range rows {
		rows[i] = s.vec()
		VMULPD(Mem{Base: from}, alpha, rows[i])
		ADDQ(srcStep, from)
	}
	for _, column := range s.turn(rows) {
		VMOVUPD(column, Mem{Base: dst})
		ADDQ(dstStep, dst)
	}
	ADDQ(Imm(uint64(s.bytes)), src)
	SUBQ(Imm(uint64(s.lanes())), n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	VZEROUPPER()
	RET()
}

// turnAVX512 transposes 8×8 numbers: pairs of rows, then quarters of vectors.
func turnAVX512(rows []VecVirtual) []VecVirtual {
	columns := make([]VecVirtual, 8)
	for odd := range 2 {
		var pairs [4]VecVirtual
		for i := range pairs {
			pairs[i] = interleave(odd, rows[2*i], rows[2*i+1], ZMM())
		}
		for i := range 2 { // columns odd+2i and odd+2i+4
			upper, lower := quarters(i, pairs[0], pairs[1]), quarters(i, pairs[2], pairs[3])
			columns[odd+2*i], columns[odd+2*i+4] = quarters(0, upper, lower), quarters(1, upper, lower)
		}
	}
	return columns
}

func interleave(odd int, x, y, out VecVirtual) VecVirtual {
	if odd == 1 {
		VUNPCKHPD(y, x, out)
	} else {
		VUNPCKLPD(y, x, out)
	}
	return out
}

// quarters joins the even (0) or odd (1) quarters of x and those of y.
func quarters(odd int, x, y VecVirtual) VecVirtual {
	out := ZMM()
	VSHUFF64X2(Imm([]uint64{0x88, 0xdd}[odd]), y, x, out)
	return out
}

// turnAVX2 transposes 4×4 numbers: pairs of rows, then halves of vectors.
func turnAVX2(rows []VecVirtual) []VecVirtual {
	columns := make([]VecVirtual, 4)
	for odd := range 2 {
		upper, lower := interleave(odd, rows[0], rows[1], YMM()), interleave(odd, rows[2], rows[3], YMM())
		for i, half := range []uint64{0x20, 0x31} {
			columns[odd+2*i] = YMM()
			VPERM2F128(Imm(half), lower, upper, columns[odd+2*i])
		}
	}
	return columns
}
