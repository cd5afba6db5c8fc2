package qp

import (
	"context"
	"math"

	"rvflplus/blas"
)

// GSMO solves p by generalised sequential minimal optimisation (Pechyony, Izmailov, Vashist, Vapnik, DMIN 2010) with
// second-order working sets of two and three variables. After every 5N of them, or 2,000, Newton steps on the face of
// the positive variables finish what pairs approach too slowly. Cost of an iteration proportional to N; a Newton step
// costs F³/3 operations for F positive variables.
func GSMO(ctx context.Context, p SVMPlusDual, tol float64, maxIter int) (SVMPlusSolution, error) {
	return newGSMO(p).run(ctx, tol, maxIter)
}

// PlainGSMO is GSMO as it was published, to compare with: the steepest direction of the three kinds moves, and there
// are no Newton steps.
func PlainGSMO(ctx context.Context, p SVMPlusDual, tol float64, maxIter int) (SVMPlusSolution, error) {
	s := newGSMO(p)
	s.plain, s.newtonEvery = true, math.MaxInt
	return s.run(ctx, tol, maxIter)
}

// run makes moves, and now and then Newton steps, until the gap is closed or neither gains anything.
func (s *gsmoState) run(ctx context.Context, tol float64, maxIter int) (SVMPlusSolution, error) {
	n := s.n()
	f := &face{point: s.point, free: make([]bool, 2*n), ridge: 1e-13}
	best := s.judge(tol)
	it, newtonSteps := 0, 10+n/10 // steps in a row: pairs drop variables at less cost
	for ; it < maxIter && !best.Converged; it++ {
		if it%1024 == 0 && ctx.Err() != nil {
			return best, ctx.Err()
		}
		m := s.choose()
		if m.gain > 0 {
			s.apply(m)
		}
		if m.gain > 0 && (it+1)%s.newtonEvery != 0 {
			if (it+1)%max(n/2, 10) == 0 {
				best = s.judge(tol)
			}
			continue
		}
		if s.plain {
			break
		}
		before := s.judge(tol).Objective
		f.freePositive()
		err := f.descend(ctx, f.steps+newtonSteps)
		s.refresh()
		if best = s.judge(tol); err != nil {
			return best, err
		}
		if newtonSteps = min(2*newtonSteps, 2*n); m.gain <= 0 && best.Objective <= before {
			break
		}
	}
	s.refresh()
	best = s.judge(tol)
	best.Iterations = it
	if s.indefinite || best.ClassNormals < -1e-6*best.Objective {
		return best, notPositive()
	}
	return best, nil
}

func largestDiagonal(a blas.Matrix) float64 {
	var m float64
	for i := range a.Rows {
		m = max(m, math.Abs(a.Data[i*(a.Stride+1)]))
	}
	return m
}

// gsmoState is a point on its way along circuits of the equalities.
type gsmoState struct {
	*point
	scale       float64 // of the curvatures
	indefinite  bool    // a direction of negative curvature was met
	plain       bool    // the steepest direction moves
	newtonEvery int     // moves between Newton steps
}

func newGSMO(p SVMPlusDual) *gsmoState {
	scale := largestDiagonal(p.K) + largestDiagonal(p.Priv)/p.Gamma
	return &gsmoState{point: newPoint(p), scale: scale, newtonEvery: max(5*len(p.Y), 2000)}
}

// move is a direction in at most four variables and how far it may go.
type move struct {
	index []int // into x
	step  []float64
	slope float64
	curve float64
	gain  float64 // slope²/curve, or the steepness; 0 for no move
}

// consider takes a direction into m when its gain is larger.
func (s *gsmoState) consider(m *move, index []int, step []float64, slope, curve float64) {
	s.indefinite = s.indefinite || curve < -1e-6*s.scale
	curve = max(curve, 1e-12)
	gain := slope * slope / curve
	if s.plain {
		gain = -slope
	}
	if slope < 0 && gain > m.gain {
		m.index = append(m.index[:0], index...)
		m.step = append(m.step[:0], step...)
		m.slope, m.curve, m.gain = slope, curve, gain
	}
}

// choose returns the move of the largest gain.
func (s *gsmoState) choose() (m move) {
	s.slackPair(&m)
	for _, y := range []float64{1, -1} {
		s.classPair(&m, y)
	}
	s.triple(&m, 1)
	s.triple(&m, -1)
	if !s.plain {
		s.marginPair(&m)
	}
	return m
}

func distance(k blas.Matrix, i, j int) float64 {
	return k.Data[i*(k.Stride+1)] + k.Data[j*(k.Stride+1)] - 2*k.Data[i*k.Stride+j]
}

// slackPair raises one β and lowers another.
func (s *gsmoState) slackPair(m *move) {
	n, i := s.n(), 0
	for j, g := range s.g {
		if g < s.g[i] {
			i = j
		}
	}
	for j, b := range s.beta() {
		if b > 0 && s.g[j] > s.g[i] {
			s.consider(m, []int{n + i, n + j}, []float64{1, -1}, s.g[i]-s.g[j], distance(s.Priv, i, j)/s.Gamma)
		}
	}
}

// extreme returns the α of class y with the least gradient, or the positive one with the largest; -1 without any.
func (s *gsmoState) extreme(y float64, least bool) int {
	at := -1
	for i, a := range s.alpha() {
		if s.Y[i] != y || !least && a <= 0 {
			continue
		}
		if at < 0 || least && s.gradient[i] < s.gradient[at] || !least && s.gradient[i] > s.gradient[at] {
			at = i
		}
	}
	return at
}

// classPair raises one α and lowers another of the same class.
func (s *gsmoState) classPair(m *move, y float64) {
	i := s.extreme(y, true)
	for j, a := range s.alpha() {
		if a > 0 && s.Y[j] == y && s.gradient[j] > s.gradient[i] {
			curve := distance(s.K, i, j) + distance(s.Priv, i, j)/s.Gamma
			s.consider(m, []int{i, j}, []float64{1, -1}, s.gradient[i]-s.gradient[j], curve)
		}
	}
}

// triple moves an α of each class by sign, and a β by twice as much against it.
func (s *gsmoState) triple(m *move, sign float64) {
	p, q := s.extreme(1, sign > 0), s.extreme(-1, sign > 0)
	if p < 0 || q < 0 {
		return
	}
	n, priv := s.n(), s.Priv
	sum := priv.Data[p*(priv.Stride+1)] + priv.Data[q*(priv.Stride+1)] + 2*priv.Data[p*priv.Stride+q]
	base := distance(s.K, p, q) + sum/s.Gamma
	rowP, rowQ := blas.Row(priv, p), blas.Row(priv, q)
	for k, b := range s.beta() {
		slope := sign * (s.gradient[p] + s.gradient[q] - 2*s.g[k])
		if slope < 0 && (sign < 0 || b > 0) {
			curve := base + 4*(priv.Data[k*(priv.Stride+1)]-rowP[k]-rowQ[k])/s.Gamma
			s.consider(m, []int{p, q, n + k}, []float64{sign, sign, -2 * sign}, slope, curve)
		}
	}
}

// marginPair is the step of a machine without privileged features: α+β stays as it is, so that the objective changes in
// the normal space only.
func (s *gsmoState) marginPair(m *move) {
	n, i := s.n(), -1
	value := func(k int) float64 { return s.f[k] - s.Y[k] }
	// shrinking is the place of the variable of row k, α or β, that shrinks when yα moves by sign.
	shrinking := func(k int, sign float64) int {
		if s.Y[k] == sign {
			return n + k
		}
		return k
	}
	for k := range n {
		if s.x[shrinking(k, 1)] > 0 && (i < 0 || value(k) < value(i)) {
			i = k
		}
	}
	if i < 0 {
		return
	}
	for j := range n {
		if s.x[shrinking(j, -1)] > 0 && value(j) > value(i) {
			index := []int{i, n + i, j, n + j}
			step := []float64{s.Y[i], -s.Y[i], -s.Y[j], s.Y[j]}
			s.consider(m, index, step, value(i)-value(j), distance(s.K, i, j))
		}
	}
}

// apply makes the move, up to the nearest bound; variables there become exactly 0.
func (s *gsmoState) apply(m move) {
	t := -m.slope / m.curve
	for k, i := range m.index {
		if m.step[k] < 0 {
			t = min(t, s.x[i]/-m.step[k])
		}
	}
	n := s.n()
	for k, i := range m.index {
		by := t * m.step[k]
		if m.step[k] < 0 && s.x[i] <= -by*(1+1e-15) {
			s.x[i] = 0
		} else {
			s.x[i] = math.Max(0, s.x[i]+by)
		}
		if i < n {
			blas.Axpy(by*s.Y[i], blas.Row(s.K, i), s.f)
		}
		if len(m.index) < 4 {
			s.r[i%n] += by
			blas.Axpy(by/s.Gamma, blas.Row(s.Priv, i%n), s.g)
		}
	}
	s.collect()
}
