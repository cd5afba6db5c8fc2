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
func axpy(name, needs string, s isa, c constants) {
	s.update(name, "func(y, x *float64, n int, alpha float64)", "adds alpha times x to y", needs, "y", c,
		func(v VecVirtual, x Op, alpha VecVirtual) {
			VFMADD231PD(x, alpha, v)
		})
}

// gaps generates sum += |alpha − x|.
func gaps(name, needs string, s isa, c constants) {
	s.update(name, "func(sum, x *float64, n int, alpha float64)", "adds the distances of x from alpha to sum", needs,
		"sum", c, func(v VecVirtual, x Op, alpha VecVirtual) {
			d, sign := s.vec(), s.broadcast(c.sign)
			VSUBPD(x, alpha, d)
			VANDNPD(d, sign, d)
			VADDPD(v, d, v)
		})
}

// update generates a change of the n numbers of the argument into by those of x and by alpha.
func (s isa) update(
	name, signature, does, needs, into string, c constants, change func(v VecVirtual, x Op, alpha VecVirtual),
) {
	TEXT(name, NOSPLIT, signature)
	Doc(fmt.Sprintf("%s %s, n numbers, with %s.", name, does, needs))
	Pragma("noescape")
	y, x, n := Load(Param(into), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	alpha := s.argument("alpha")
	SUBQ(Imm(16), n)
	JL(LabelRef(name + "_rest"))
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
	JGE(LabelRef(name + "_loop"))
	Label(name + "_rest")
	ADDQ(Imm(16), n)
	s.rest(name, n, c, func(load func(Register) VecVirtual, store func(VecVirtual, Register)) {
		v := load(y)
		change(v, load(x), alpha)
		store(v, y)
	}, x, y)
	VZEROUPPER()
	RET()
}

// rest generates what body does to n numbers, vector by vector. The registers in pointers advance with them. load gives
// zeros for numbers that do not exist, and store leaves their places alone.
func (s isa) rest(
	name string, n Register, c constants,
	body func(load func(Register) VecVirtual, store func(VecVirtual, Register)), pointers ...Register,
) {
	SUBQ(Imm(uint64(s.lanes())), n)
	JL(LabelRef(name + "_last"))
	Label(name + "_vector")
	body(func(p Register) VecVirtual {
		v := s.vec()
		VMOVUPD(Mem{Base: p}, v)
		return v
	}, func(v VecVirtual, p Register) { VMOVUPD(v, Mem{Base: p}) })
	for _, p := range pointers {
		ADDQ(Imm(uint64(s.bytes)), p)
	}
	SUBQ(Imm(uint64(s.lanes())), n)
	JGE(LabelRef(name + "_vector"))
	Label(name + "_last")
	ADDQ(Imm(uint64(s.lanes())), n)
	JZ(LabelRef(name + "_end"))
	m := s.mask(c, n)
	body(func(p Register) VecVirtual { return s.loadPart(Mem{Base: p}, m) },
		func(v VecVirtual, p Register) { s.storePart(v, Mem{Base: p}, m) })
	Label(name + "_end")
}

// dot generates the dot product of n numbers: 32 partial sums, added by halves.
func dot(name, needs string, s isa, c constants) {
	TEXT(name, NOSPLIT, "func(x, y *float64, n int) float64")
	Doc(fmt.Sprintf("%s returns the product of x and y, n numbers, as %d partial sums added by halves, with %s.",
		name, sums, needs))
	Pragma("noescape")
	x, y, n := Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("n"), GP64())
	var acc []VecVirtual
	for at := 0; at < sums*8; at += s.bytes {
		v := s.vec()
		s.zero(v)
		acc = append(acc, v)
	}
	SUBQ(Imm(sums), n)
	JL(LabelRef(name + "_rest"))
	Label(name + "_loop")
	for i, sum := range acc {
		v := s.vec()
		VMOVUPD(Mem{Base: x, Disp: i * s.bytes}, v)
		VFMADD231PD(Mem{Base: y, Disp: i * s.bytes}, v, sum)
	}
	ADDQ(I32(sums*8), x)
	ADDQ(I32(sums*8), y)
	SUBQ(Imm(sums), n)
	JGE(LabelRef(name + "_loop"))
	Label(name + "_rest")
	ADDQ(Imm(sums), n)
	for i, sum := range acc {
		at := Mem{Base: x, Disp: i * s.bytes}
		other := Mem{Base: y, Disp: i * s.bytes}
		part := fmt.Sprintf("%s_part%d", name, i)
		CMPQ(n, Imm(uint64(s.lanes())))
		JL(LabelRef(part))
		v := s.vec()
		VMOVUPD(at, v)
		VFMADD231PD(other, v, sum)
		SUBQ(Imm(uint64(s.lanes())), n)
		if i+1 < len(acc) {
			JMP(LabelRef(fmt.Sprintf("%s_next%d", name, i)))
		}
		Label(part)
		TESTQ(n, n)
		JZ(LabelRef(name + "_sum"))
		m := s.mask(c, n)
		s.multiplyAddPart(s.loadPart(at, m), s.loadPart(other, m), sum, m)
		JMP(LabelRef(name + "_sum"))
		Label(fmt.Sprintf("%s_next%d", name, i))
	}
	Label(name + "_sum")
	for half := len(acc) / 2; half > 0; half /= 2 {
		for i := range half {
			VADDPD(acc[i+half], acc[i], acc[i])
		}
	}
	four := acc[0].AsY()
	if s.bytes == 64 {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), acc[0], upper)
		VADDPD(upper, four, four)
	}
	two, one := acc[0].AsX(), XMM()
	VEXTRACTF128(Imm(1), four, one)
	VADDPD(one, two, two)
	VPERMILPD(Imm(1), two, one)
	VADDSD(one, two, two)
	Store(two, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
