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
	laneBits, laneWords                           Mem // masks, see isa.mask
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
	c.laneBits = GLOBL("laneBits", RODATA|NOPTR)
	for n := range 8 {
		DATA(n, U8(1<<n-1))
	}
	c.laneWords = GLOBL("laneWords", RODATA|NOPTR)
	for n := range 8 {
		DATA(8*n, U64([]uint64{math.MaxUint64, 0}[n/4]))
	}
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

// slices generates a function of n numbers from x on, in place; prepare reads further arguments before the loop, and
// body may load from other, unless it is nil, what lies beside x.
func (s isa) slices(
	name, signature, does, needs string, c constants, prepare func() (other Register),
	body func(s isa, x VecVirtual, load func() VecVirtual),
) {
	TEXT(name, NOSPLIT, signature)
	Doc(fmt.Sprintf("%s %s, n numbers, with %s.", name, does, needs))
	Pragma("noescape")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	pointers := []Register{x}
	other := prepare()
	if other != nil {
		pointers = append(pointers, other)
	}
	s = s.hold(c.all()...)
	s.rest(name, n, c, func(load func(Register) VecVirtual, store func(VecVirtual, Register)) {
		v := load(x)
		body(s, v, func() VecVirtual { return load(other) })
		store(v, x)
	}, pointers...)
	VZEROUPPER()
	RET()
}

func nothing() Register { return nil }

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
		func() Register {
			scale = s.argument("scale")
			return nil
		}, func(s isa, x VecVirtual, _ func() VecVirtual) {
			VMULPD(scale, x, x)
			s.expOf(c, x)
		})
	s.slices("sigmoid"+suffix, plain, "sets x to 1/(1+exp(-x))", needs, c, nothing,
		func(s isa, x VecVirtual, _ func() VecVirtual) {
			zero, one := s.broadcast(c.zero), s.broadcast(c.one)
			VSUBPD(x, zero, x)
			s.expOf(c, x)
			VADDPD(one, x, x)
			VDIVPD(x, one, x)
		})
	s.slices("tanh"+suffix, plain, "sets x to tanh(x)", needs, c, nothing,
		func(s isa, x VecVirtual, _ func() VecVirtual) { s.tanhOf(c, x) })
	s.rbf("rbf"+suffix, needs, c)
}

// rbf generates exp(scale·d) of the squared distances d = (norm − x) + (norms[i] − x)
// that inner products x and squared norms give, d at least 0.
func (s isa) rbf(name, needs string, c constants) {
	var norm, scale VecVirtual
	s.slices(name, "func(x, norms *float64, n int, norm, scale float64)",
		"sets x to exp(scale·max(0, (norm-x)+(norms-x)))", needs, c, func() Register {
			norm, scale = s.argument("norm"), s.argument("scale")
			return Load(Param("norms"), GP64())
		}, func(s isa, x VecVirtual, load func() VecVirtual) {
			d, other := s.vec(), load()
			VSUBPD(x, norm, d)
			VSUBPD(x, other, other)
			VADDPD(other, d, d)
			VMAXPD(d, s.broadcast(c.zero), x)
			VMULPD(scale, x, x)
			s.expOf(c, x)
		})
}
