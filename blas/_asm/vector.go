package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sums is the number of partial sums of a dot product: number i of the vectors
// belongs to sum i mod 32.
const sums = 32

// axpy generates y += alpha·x over n numbers, a multiple of 16.
func axpy(name, needs string, s isa) {
	TEXT(name, NOSPLIT, "func(y, x *float64, n int, alpha float64)")
	Doc(fmt.Sprintf("%s adds alpha times x to y, n numbers, a multiple of 16, with %s.", name, needs))
	Pragma("noescape")
	y, x, n := Load(Param("y"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	alpha := s.argument("alpha")
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	for at := 0; at < 16*8; at += s.bytes {
		v := s.vec()
		VMOVUPD(Mem{Base: y, Disp: at}, v)
		VFMADD231PD(Mem{Base: x, Disp: at}, alpha, v)
		VMOVUPD(v, Mem{Base: y, Disp: at})
	}
	ADDQ(Imm(16*8), x)
	ADDQ(Imm(16*8), y)
	SUBQ(Imm(16), n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	VZEROUPPER()
	RET()
}

// dot generates the partial sums of a dot product of n numbers, a multiple of 32.
func dot(name, needs string, s isa) {
	TEXT(name, NOSPLIT, "func(sums, x, y *float64, n int)")
	Doc(fmt.Sprintf("%s sets 32 partial sums of the products of x and y, n a multiple of 32, with %s.", name, needs))
	Pragma("noescape")
	out, x, y, n := Load(Param("sums"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("n"), GP64())
	var acc []VecVirtual
	for at := 0; at < sums*8; at += s.bytes {
		v := s.vec()
		s.zero(v)
		acc = append(acc, v)
	}
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	for i, sum := range acc {
		v := s.vec()
		VMOVUPD(Mem{Base: x, Disp: i * s.bytes}, v)
		VFMADD231PD(Mem{Base: y, Disp: i * s.bytes}, v, sum)
	}
	ADDQ(I32(sums*8), x)
	ADDQ(I32(sums*8), y)
	SUBQ(Imm(sums), n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	for i, sum := range acc {
		VMOVUPD(sum, Mem{Base: out, Disp: i * s.bytes})
	}
	VZEROUPPER()
	RET()
}

// gaps generates sum += |alpha − x| over n numbers, a multiple of 16.
func gaps(name, needs string, s isa, c constants) {
	TEXT(name, NOSPLIT, "func(sum, x *float64, n int, alpha float64)")
	Doc(fmt.Sprintf("%s adds the distances of x from alpha to sum, n numbers, a multiple of 16, with %s.", name, needs))
	Pragma("noescape")
	sum, x, n := Load(Param("sum"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	alpha, sign := s.argument("alpha"), s.broadcast(c.sign)
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	for at := 0; at < 16*8; at += s.bytes {
		v := s.vec()
		VSUBPD(Mem{Base: x, Disp: at}, alpha, v)
		VANDNPD(v, sign, v)
		VADDPD(Mem{Base: sum, Disp: at}, v, v)
		VMOVUPD(v, Mem{Base: sum, Disp: at})
	}
	ADDQ(Imm(16*8), x)
	ADDQ(Imm(16*8), sum)
	SUBQ(Imm(16), n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	VZEROUPPER()
	RET()
}
