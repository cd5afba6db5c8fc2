package qp

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
)

// SVMPlusDual is the dual of SVM+, a margin problem whose slacks are a function in the space of the privileged
// features:
//
//	max 1ᵀα − ½(α∘y)ᵀK(α∘y) − (1/2γ) rᵀK̃r,   r = α + β − c,
//	subject to yᵀα = 0, 1ᵀr = 0, α ≥ 0, β ≥ 0.
//
// There must be rows of both signs. Its optimum lies between 0 and Σc.
type SVMPlusDual struct {
	K, Priv blas.Matrix // N×N, both triangles
	Y       []float64   // ±1
	C       []float64   // > 0
	Gamma   float64     // > 0
}

// SVMPlusSolution is a point of an SVMPlusDual problem with the offsets that make the primal problem feasible.
type SVMPlusSolution struct {
	Alpha, Beta  []float64
	R            []float64 // α + β − c, without the rounding of that sum
	Bias         float64   // b
	PrivBias     float64   // b̃
	Result                 // Objective in maximisation form
	ClassNormals float64   // (α∘y)ᵀK(α∘y) = ‖w‖²
}

// point is an iterate: x holds α, then β; gradient is the gradient of the negative objective.
type point struct {
	SVMPlusDual
	x, gradient []float64
	r           []float64
	f, g        []float64 // K(α∘y), and K̃r/γ
}

// newPoint starts from α = 0, β = c.
func newPoint(p SVMPlusDual) *point {
	n := len(p.Y)
	s := &point{SVMPlusDual: p, x: make([]float64, 2*n), gradient: make([]float64, 2*n)}
	s.r, s.f, s.g = make([]float64, n), make([]float64, n), make([]float64, n)
	copy(s.x[n:], p.C)
	s.collect()
	return s
}

func (s *point) n() int           { return len(s.Y) }
func (s *point) alpha() []float64 { return s.x[:s.n()] }
func (s *point) beta() []float64  { return s.x[s.n():] }

// refresh computes f and g anew.
func (s *point) refresh() {
	ay := make([]float64, s.n())
	for i, a := range s.alpha() {
		ay[i] = a * s.Y[i]
	}
	blas.Gemv(false, s.K, ay, s.f)
	blas.Gemv(false, s.Priv, s.r, s.g)
	for i := range s.g {
		s.g[i] /= s.Gamma
	}
	s.collect()
}

// collect computes the gradient from f and g.
func (s *point) collect() {
	n := s.n()
	for i, g := range s.g {
		s.gradient[i] = s.Y[i]*s.f[i] + g - 1
		s.gradient[n+i] = g
	}
}

// biases returns the offsets that make w, w̃ feasible at the least cost.
func (s *point) biases() (b, privB float64) {
	top := [2]float64{math.Inf(-1), math.Inf(-1)}
	least := math.Inf(-1)
	for i := range s.Y {
		k := 0
		if s.Y[i] < 0 {
			k = 1
		}
		top[k] = max(top[k], -s.gradient[i])
		least = max(least, -s.g[i])
	}
	return (top[0] - top[1]) / 2, max((top[0]+top[1])/2, least)
}

// judge computes the objective, the gap and the KKT violation of the point. KKT is the largest min(αᵢ/cᵢ, slack) over
// both kinds of multipliers: the offsets make all slacks ≥ 0.
func (s *point) judge(tol float64) (sol SVMPlusSolution) {
	n := s.n()
	sol = SVMPlusSolution{Alpha: s.alpha(), Beta: s.beta(), R: s.r}
	sol.Bias, sol.PrivBias = s.biases()
	var linear, privileged float64
	for i := range n {
		a, b := s.x[i], s.x[n+i]
		sol.Gap += a*s.gradient[i] + b*s.g[i] + s.C[i]*sol.PrivBias
		linear += a
		sol.ClassNormals += a * s.Y[i] * s.f[i]
		privileged += s.r[i] * s.g[i]
		slack, privSlack := s.gradient[i]+s.Y[i]*sol.Bias+sol.PrivBias, s.g[i]+sol.PrivBias
		sol.KKT = max(sol.KKT, min(a/s.C[i], slack), min(b/s.C[i], privSlack))
	}
	sol.Objective = linear - sol.ClassNormals/2 - privileged/2
	sol.Gap = max(0, sol.Gap)
	sol.Converged = sol.Gap <= tol*math.Abs(sol.Objective) && sol.Objective > 0
	return sol
}

// InteriorSVMPlus solves p by interior points in the variables α and r, in
// units of the largest c: the quadratic form is then block-diagonal. Cost of an iteration
// 8N³/3 operations, memory 64N² bytes.
func InteriorSVMPlus(ctx context.Context, p SVMPlusDual, tol float64, maxIter int) (SVMPlusSolution, error) {
	first, err := p.interior(ctx, slices.Max(p.C), tol, maxIter)
	if err != nil || first.Converged {
		return first, err
	}
	// α is of another size than c: the objective is about half its sum.
	second, err := p.interior(ctx, 2*math.Abs(first.Objective)/float64(len(p.Y)), tol, maxIter)
	if err != nil || !second.Converged && first.Gap < second.Gap {
		return first, err
	}
	return second, nil
}

// interior solves with multipliers measured in units of scale.
func (p SVMPlusDual) interior(ctx context.Context, scale, tol float64, maxIter int) (SVMPlusSolution, error) {
	n := len(p.Y)
	x, z, r, err := Interior(ctx, p.scaled(scale), tol/1000, maxIter)
	if err != nil {
		return SVMPlusSolution{}, err
	}
	s := newPoint(p)
	for i := range n {
		s.x[i] = max(0, scale*x[i])
		s.r[i] = scale * x[n+i]
		s.x[n+i] = max(0, s.r[i]-s.x[i]+p.C[i])
	}
	s.refresh()
	sol := s.judge(tol)
	if !sol.Converged && r.Iterations < maxIter {
		if better, err := s.polish(ctx, z, tol); err == nil && better.Gap < sol.Gap {
			sol = better
		}
	}
	sol.Iterations = r.Iterations
	return sol, ctx.Err()
}

// polish goes to the optimum of a face: the variables that, in units of the largest of their kind, are larger than
// their multipliers z, which are slacks of margins of 1. It begins with r as small as the face and the equalities
// allow. The r of an interior point may be large in directions that K̃ maps to almost 0, and then K̃r is nothing but
// rounding.
func (s *point) polish(ctx context.Context, z []float64, tol float64) (SVMPlusSolution, error) {
	q, n := newPoint(s.SVMPlusDual), s.n()
	f := &face{point: q, free: make([]bool, 2*n), ridge: 1e-13, precise: true}
	unit := [2]float64{largest(s.alpha()), largest(s.beta())}
	for i, v := range s.x {
		f.free[i] = v > z[i]*unit[i/n]
	}
	copy(q.alpha(), s.alpha())
	for i := range n {
		if !f.free[i] {
			q.x[i] = 0
		}
	}
	if !f.balance() {
		return s.judge(tol), nil
	}
	q.refresh()
	const steps = 30
	err := f.descend(ctx, steps)
	return q.judge(tol), err
}

// balance changes the largest α of one class, and the free β alike, so that the
// equalities hold; ok is false when a variable would be negative.
func (f *face) balance() (ok bool) {
	n, excess, most := f.n(), 0.0, -1
	for i, y := range f.Y {
		excess += y * f.x[i]
	}
	for i, y := range f.Y {
		if y*excess < 0 && (most < 0 || f.x[i] > f.x[most]) {
			most = i
		}
	}
	if most >= 0 {
		f.x[most] += math.Abs(excess)
	}
	sum, free := 0.0, 0
	for i, c := range f.C {
		if f.r[i] = 0; f.free[n+i] {
			free++
			continue
		}
		f.r[i] = f.x[i] - c
		sum += f.r[i]
	}
	ok = free > 0
	for i, c := range f.C {
		if f.x[n+i] = 0; f.free[n+i] {
			f.r[i] = -sum / float64(free)
			f.x[n+i] = c - f.x[i] + f.r[i]
			ok = ok && f.x[n+i] >= 0
		}
	}
	return ok
}

// scaled is p in the variables α and r, in units of scale.
func (p SVMPlusDual) scaled(scale float64) Program {
	n := len(p.Y)
	q := Program{P: blas.New(2*n, 2*n), Q: make([]float64, 2*n), A: blas.New(2, 2*n), B: make([]float64, 2)}
	q.G, q.H = orderedPairs(n), make([]float64, 2*n)
	for i := range n {
		k, priv := blas.Row(p.K, i), blas.Row(p.Priv, i)
		top, low := blas.Row(q.P, i)[:n], blas.Row(q.P, n+i)[n:]
		for j := range n {
			top[j] = scale * p.Y[i] * p.Y[j] * k[j]
			low[j] = scale / p.Gamma * priv[j]
		}
		q.Q[i], q.H[n+i] = -1, -p.C[i]/scale
		blas.Row(q.A, 0)[i], blas.Row(q.A, 1)[n+i] = p.Y[i], 1
	}
	signed := make([]float64, n)
	q.Times = func(x, dst []float64) { // block by block
		for i, y := range p.Y {
			signed[i] = y * x[i]
		}
		blas.Gemv(false, p.K, signed, dst[:n])
		blas.Gemv(false, p.Priv, x[n:], dst[n:])
		for i, y := range p.Y {
			dst[i] *= scale * y
			dst[n+i] *= scale / p.Gamma
		}
	}
	return q
}

// orderedPairs are the inequalities u ≥ h₁, v − u ≥ h₂ of n unknowns u and n unknowns v.
type orderedPairs int

func (m orderedPairs) Len() int { return 2 * int(m) }

func (m orderedPairs) Times(x, dst []float64) {
	n := int(m)
	for i := range n {
		dst[i], dst[n+i] = x[i], x[n+i]-x[i]
	}
}

func (m orderedPairs) TransTimes(z, dst []float64) {
	n := int(m)
	for i := range n {
		dst[i], dst[n+i] = z[i]-z[n+i], z[n+i]
	}
}

func (m orderedPairs) AddWeighted(_ context.Context, d []float64, h blas.Matrix) error {
	n := int(m)
	for i := range n {
		h.Data[i*h.Stride+i] += d[i] + d[n+i]
		h.Data[i*h.Stride+n+i] -= d[n+i]
		h.Data[(n+i)*h.Stride+n+i] += d[n+i]
	}
	return nil
}
