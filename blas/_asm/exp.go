package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The exponential is 2ⁿ·p(r) with n = round(x/ln 2), r = x − n·ln 2 in two parts
// and p(r) = 1 + r + r²·s(r) by Horner's rule in fused multiply-adds. s, of degree
// 9, interpolates (exp(r) − 1 − r)/r² at the ten Chebyshev points of
// |r| ≤ ln 2/2: p's own error is below 0.15 ulp.
const (
	expDegree = 11
	log2e     = 1.4426950408889634
	ln2Hi     = 6.93147180369123816490e-01
	ln2Lo     = 1.90821492927058770002e-10
	expMax    = 710  // exp of anything larger overflows
	expMin    = -746 // exp of anything smaller is 0
	tanhMax   = 20   // tanh of anything larger is 1
)

func constant(name string, v float64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(v))) // F64 would write a whole number as an integer
	return m
}

// constants of the exponential.
type constants struct {
	log2e, ln2Hi, ln2Lo, max, min, one, two, zero Mem
	tanhMax, sign                                 Mem
	bias                                          Mem
	polynomial                                    []Mem
}

func newConstants() constants {
	c := constants{
		log2e: constant("log2e", log2e), ln2Hi: constant("ln2Hi", ln2Hi), ln2Lo: constant("ln2Lo", ln2Lo),
		max: constant("expMax", expMax), min: constant("expMin", expMin), one: constant("one", 1),
		two: constant("two", 2), zero: constant("zero", 0),
		tanhMax: constant("tanhMax", tanhMax), sign: constant("sign", math.Copysign(0, -1)),
	}
	c.bias = GLOBL("bias", RODATA|NOPTR)
	DATA(0, U64(1023))
	for k, v := range polynomial {
		m := c.one
		if v != 1 {
			m = constant(fmt.Sprintf("series%d", k), v)
		}
		c.polynomial = append(c.polynomial, m)
	}
	return c
}

// all lists the constants of exp. 1 is two of the coefficients.
func (c constants) all() []Mem {
	return append([]Mem{c.log2e, c.ln2Hi, c.ln2Lo, c.max, c.min}, c.polynomial...)
}

// polynomial holds p's coefficients, that of r⁰ first.
var polynomial = [expDegree + 1]float64{
	1, 1,
	0.5000000000000001, 0.16666666666666669, 0.04166666666662413,
	0.008333333333330062, 0.0013888888917213717, 0.00019841269863053618,
	2.4801521295954376e-05, 2.7557268459997064e-06, 2.7620088445409746e-07,
	2.510038549551032e-08,
}

// reduce sets n to the whole number nearest x/ln 2 and x to the rest r.
func (s isa) reduce(c constants, x VecVirtual) (n VecVirtual) {
	n = s.vec()
	VMULPD(s.broadcast(c.log2e), x, n)
	s.round(n)
	VFNMADD231PD(s.broadcast(c.ln2Hi), n, x)
	VFNMADD231PD(s.broadcast(c.ln2Lo), n, x)
	return n
}

// series returns the sum of the polynomial's terms from on, over x^from.
func (s isa) series(c constants, x VecVirtual, from int) VecVirtual {
	p := s.copyOf(c.polynomial[expDegree])
	for k := expDegree - 1; k >= from; k-- {
		VFMADD213PD(s.broadcast(c.polynomial[k]), x, p)
	}
	return p
}

// expOf replaces the vector x by its exponential.
func (s isa) expOf(c constants, x VecVirtual) {
	// The operand order lets NaN pass.
	VMINPD(x, s.broadcast(c.max), x)
	VMAXPD(x, s.broadcast(c.min), x)
	n := s.reduce(c, x)
	p := s.series(c, x, 0)
	s.scale(c, p, n, x)
}

// tanhOf replaces the vector x by its hyperbolic tangent, e/(e+2) with
// e = exp(2|x|) − 1 = 2ⁿ·(exp(r) − 1) + (2ⁿ − 1), and x's sign.
func (s isa) tanhOf(c constants, x VecVirtual) {
	sign, y, one := s.vec(), s.vec(), s.broadcast(c.one)
	VANDPD(s.broadcast(c.sign), x, sign)
	VXORPD(sign, x, y)
	VMINPD(y, s.broadcast(c.tanhMax), y)
	VADDPD(y, y, y)
	n := s.reduce(c, y)
	q, square, power := s.series(c, y, 2), s.vec(), s.vec()
	VMULPD(y, y, square)
	VFMADD213PD(y, square, q) // exp(r) − 1
	s.scale(c, one, n, power)
	e := s.vec()
	VSUBPD(s.broadcast(c.one), power, e)
	VFMADD231PD(q, power, e)
	VADDPD(s.broadcast(c.two), e, x)
	VDIVPD(x, e, x)
	VORPD(sign, x, x)
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

// slices generates a function of n numbers from x on, a multiple of the vector's
// length, in place; prepare reads further arguments before the loop.
func (s isa) slices(
	name, signature, does, needs string, c constants,
	prepare func(), body func(s isa, x VecVirtual), advance func(),
) {
	TEXT(name, NOSPLIT, signature)
	Doc(fmt.Sprintf("%s %s, n numbers, a multiple of %d, with %s.", name, does, s.lanes(), needs))
	Pragma("noescape")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	prepare()
	s = s.hold(c.all()...)
	TESTQ(n, n)
	JZ(LabelRef(name + "_end"))
	Label(name + "_loop")
	v := s.vec()
	VMOVUPD(Mem{Base: x}, v)
	body(s, v)
	VMOVUPD(v, Mem{Base: x})
	ADDQ(Imm(uint64(s.bytes)), x)
	advance()
	SUBQ(Imm(uint64(s.lanes())), n)
	JNZ(LabelRef(name + "_loop"))
	Label(name + "_end")
	VZEROUPPER()
	RET()
}

func nothing() {}

// argument loads a float64 argument into every lane.
func (s isa) argument(name string) VecVirtual {
	x, v := XMM(), s.vec()
	Load(Param(name), x)
	VBROADCASTSD(x, v)
	return v
}

func (s isa) exponentials(suffix, needs string, c constants) {
	const plain = "func(x *float64, n int)"
	var scale VecVirtual
	s.slices("exp"+suffix, "func(x *float64, n int, scale float64)", "sets x to exp(x·scale)", needs, c,
		func() { scale = s.argument("scale") }, func(s isa, x VecVirtual) {
			VMULPD(scale, x, x)
			s.expOf(c, x)
		}, nothing)
	s.slices("sigmoid"+suffix, plain, "sets x to 1/(1+exp(-x))", needs, c, nothing, func(s isa, x VecVirtual) {
		zero, one := s.broadcast(c.zero), s.broadcast(c.one)
		VSUBPD(x, zero, x)
		s.expOf(c, x)
		VADDPD(one, x, x)
		VDIVPD(x, one, x)
	}, nothing)
	s.slices("tanh"+suffix, plain, "sets x to tanh(x)", needs, c, nothing,
		func(s isa, x VecVirtual) { s.tanhOf(c, x) }, nothing)
	s.rbf("rbf"+suffix, needs, c)
}

// rbf generates exp(scale·d) of the squared distances d = (norm − x) + (norms[i] − x)
// that inner products x and squared norms give, d at least 0.
func (s isa) rbf(name, needs string, c constants) {
	var norms Register
	var norm, scale VecVirtual
	s.slices(name, "func(x, norms *float64, n int, norm, scale float64)",
		"sets x to exp(scale·max(0, (norm-x)+(norms-x)))", needs, c, func() {
			norms, norm, scale = Load(Param("norms"), GP64()), s.argument("norm"), s.argument("scale")
		}, func(s isa, x VecVirtual) {
			d, other := s.vec(), s.vec()
			VSUBPD(x, norm, d)
			VMOVUPD(Mem{Base: norms}, other)
			VSUBPD(x, other, other)
			VADDPD(other, d, d)
			VMAXPD(d, s.broadcast(c.zero), x)
			VMULPD(scale, x, x)
			s.expOf(c, x)
		}, func() { ADDQ(Imm(uint64(s.bytes)), norms) })
}
