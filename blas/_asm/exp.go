package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The exponential is 2ⁿ·p(r) with n = round(x/ln 2), r = x − n·ln 2 in two parts
// and p the Taylor polynomial of degree 13, by Horner's rule in fused
// multiply-adds. |r| ≤ 0.347, so that p's own error is below 0.02 ulp.
const (
	expDegree = 13
	log2e     = 1.4426950408889634
	ln2Hi     = 6.93147180369123816490e-01
	ln2Lo     = 1.90821492927058770002e-10
	expMax    = 710  // exp of anything larger overflows
	expMin    = -746 // exp of anything smaller is 0
)

func constant(name string, v float64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(v))) // F64 would write a whole number as an integer
	return m
}

// constants of the exponential; polynomial[k] is 1/k!.
type constants struct {
	log2e, ln2Hi, ln2Lo, max, min, one, zero Mem
	bias                                     Mem
	polynomial                               []Mem
}

func newConstants() constants {
	c := constants{
		log2e: constant("log2e", log2e), ln2Hi: constant("ln2Hi", ln2Hi), ln2Lo: constant("ln2Lo", ln2Lo),
		max: constant("expMax", expMax), min: constant("expMin", expMin), one: constant("one", 1), zero: constant("zero", 0),
	}
	c.bias = GLOBL("bias", RODATA|NOPTR)
	DATA(0, U64(1023))
	factorial := 1.0
	for k := range expDegree + 1 {
		if k > 0 {
			factorial *= float64(k)
		}
		c.polynomial = append(c.polynomial, constant(fmt.Sprintf("taylor%d", k), 1/factorial))
	}
	return c
}

// expOf replaces the vector x by its exponential.
func (s isa) expOf(c constants, x VecVirtual) {
	load := func(m Mem) VecVirtual {
		v := s.vec()
		VBROADCASTSD(m, v)
		return v
	}
	// The operand order lets NaN pass.
	VMINPD(x, load(c.max), x)
	VMAXPD(x, load(c.min), x)
	n := s.vec()
	VMULPD(load(c.log2e), x, n)
	s.round(n)
	VFNMADD231PD(load(c.ln2Hi), n, x)
	VFNMADD231PD(load(c.ln2Lo), n, x)
	p := load(c.polynomial[expDegree])
	for k := expDegree - 1; k >= 0; k-- {
		VFMADD213PD(load(c.polynomial[k]), x, p)
	}
	s.scale(c, p, n, x)
}

// scaleAVX512 sets x to p·2ⁿ.
func scaleAVX512(_ constants, p, n, x VecVirtual) { VSCALEFPD(n, p, x) }

// scaleAVX2 multiplies by two powers of two, so that the first product is exact
// and the second rounds, over- or underflows once.
func scaleAVX2(c constants, p, n, x VecVirtual) {
	whole, first := XMM(), XMM()
	VCVTPD2DQY(n, whole)
	VPSRAD(Imm(1), whole, first)
	VPSUBD(first, whole, whole)
	bias := YMM()
	VPBROADCASTQ(c.bias, bias)
	for _, half := range []VecVirtual{first, whole} {
		power := YMM()
		VPMOVSXDQ(half, power)
		VPADDQ(bias, power, power)
		VPSLLQ(Imm(52), power, power)
		VMULPD(power, p, p)
	}
	VMOVAPD(p, x)
}

// slices generates name(x, n): in place over n numbers, a multiple of the
// vector's length.
func (s isa) slices(name, does, needs string, c constants, body func(x VecVirtual)) {
	TEXT(name, NOSPLIT, "func(x *float64, n int)")
	Doc(fmt.Sprintf("%s %s of n numbers, a multiple of %d, with %s.", name, does, s.bytes/8, needs))
	Pragma("noescape")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	v := s.vec()
	VMOVUPD(Mem{Base: x}, v)
	body(v)
	VMOVUPD(v, Mem{Base: x})
	ADDQ(Imm(uint64(s.bytes)), x)
	SUBQ(Imm(uint64(s.bytes/8)), n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	VZEROUPPER()
	RET()
}

func (s isa) exponentials(suffix, needs string, c constants) {
	s.slices("exp"+suffix, "sets x to exp(x)", needs, c, func(x VecVirtual) { s.expOf(c, x) })
	s.slices("sigmoid"+suffix, "sets x to 1/(1+exp(-x))", needs, c, func(x VecVirtual) {
		zero, one := s.vec(), s.vec()
		VBROADCASTSD(c.zero, zero)
		VSUBPD(x, zero, x)
		s.expOf(c, x)
		VBROADCASTSD(c.one, one)
		VADDPD(one, x, x)
		VDIVPD(x, one, x)
	})
}
