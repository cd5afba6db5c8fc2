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

// axpy generates y += alpha·x.
func axpy(name, needs string, s isa) {
	s.update(name, "func(y, x *float64, n int, alpha float64)", "adds alpha times x to y", needs, "y",
		func(v VecVirtual, x Mem, alpha VecVirtual) {
			VFMADD231PD(x, alpha, v)
		})
}

// gaps generates sum += |alpha − x|.
func gaps(name, needs string, s isa, c constants) {
	s.update(name, "func(sum, x *float64, n int, alpha float64)", "adds the distances of x from alpha to sum", needs,
		"sum", func(v VecVirtual, x Mem, alpha VecVirtual) {
			d, sign := s.vec(), s.broadcast(c.sign)
			VSUBPD(x, alpha, d)
			VANDNPD(d, sign, d)
			VADDPD(v, d, v)
		})
}

// update generates a change of the n numbers of the argument into, a multiple of
// 16, by those of x and by alpha.
func (s isa) update(name, signature, does, needs, into string, change func(v VecVirtual, x Mem, alpha VecVirtual)) {
	TEXT(name, NOSPLIT, signature)
	Doc(fmt.Sprintf("%s %s, n numbers, a multiple of 16, with %s.", name, does, needs))
	Pragma("noescape")
	y, x, n := Load(Param(into), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	alpha := s.argument("alpha")
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	for at := 0; at < 16*8; at += s.bytes {
		v := s.vec()
		VMOVUPD(Mem{Base: y, Disp: at}, v)
		change(v, Mem{Base: x, Disp: at}, alpha)
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
	out, x, y, n := Load(Param("sums"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64()),
		Load(Param("n"), GP64())
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
