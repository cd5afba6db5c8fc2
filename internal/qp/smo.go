package qp

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
)

// SMO is the problem
//
//	min ½αᵀQα + pᵀα   subject to   yᵀα = δ,  0 ≤ αᵢ ≤ Cᵢ,   Qᵢⱼ = yᵢyⱼK(i, j)
//
// with K positive semi-definite, solved by sequential minimal optimisation:
// pairs of variables chosen with second-order information (Fan, Chen and Lin,
// JMLR 6, 2005, WSS 2), with shrinking and a cache of rows of K. It is one
// goroutine's work, and deterministic.
type SMO struct {
	K    Rows
	Of   []int     // the row of K that each variable stands for; nil: variable i for row i
	P    []float64 // p
	Y    []float64 // each 1 or −1
	C    []float64 // each ≥ 0
	From []float64 // feasible α to start from, which gives δ; nil is 0

	Tolerance     float64 // largest KKT violation that counts as solved; > 0
	MaxIterations int     // 0: MaxIterations of the number of variables
	CacheBytes    int64   // for rows of K; at least two rows are kept
	NoShrinking   bool
}

// SMOSolution is the result of Solve. Objective is the minimum; Gap the duality
// gap, which bounds how far Objective is above the optimum; KKT the largest
// violation max{yᵢgᵢ : αᵢyᵢ may fall} − min{yᵢgᵢ : αᵢyᵢ may rise}, g = Qα + p.
// All three come from a gradient computed afresh from Alpha.
type SMOSolution struct {
	Result
	Alpha []float64
	Rho   float64 // multiplier of yᵀα = δ: yᵢgᵢ of the free variables
}

// MaxIterations is the default cap for a problem of n variables, LIBSVM's.
func MaxIterations(n int) int { return max(10_000_000, 100*n) }

// Solve returns the solution; when the cap on iterations ends it, Converged is
// false and no error is returned. A pair of negative curvature shows that K is
// not positive semi-definite and is a fault.NotSolved error. A cancelled context
// ends it with the context's error. Cost of an iteration: proportional to the
// variables that are not shrunk, and up to two rows of K.
func (p SMO) Solve(ctx context.Context) (*SMOSolution, error) {
	if len(p.P) != len(p.Y) || len(p.C) != len(p.Y) || p.Of == nil && p.K.Size() != len(p.Y) {
		panic("qp: length mismatch")
	}
	s := newSMO(p)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.solution(), nil
}

// smoState works on x = y∘α, which turns the problem into
// min ½xᵀKx + (y∘p)ᵀx, Σx constant, lo ≤ x ≤ hi, with gradient g = Kx + y∘p.
// Variables are kept in a changing order, the shrunk ones last.
type smoState struct {
	SMO
	cache  *rowCache
	id     []int // variable at each place
	of     []int32
	x, g   []float64
	lo, hi []float64
	linear []float64 // y∘p
	diag   []float64
	// 0 where x may rise (fall), else +Inf: added to (taken from) g, they leave a
	// variable out of the search without a branch.
	noRise, noFall []float64
	active         int
	// What the last scan of the active variables found.
	rise      int // the place of the least g among variables that may rise
	low, high float64
	fresh     bool // g is computed anew, and no variable is shrunk
	unshrunk  bool
	iteration int
}

func newSMO(p SMO) *smoState {
	n := len(p.Y)
	s := &smoState{SMO: p, cache: newRowCache(p.K, p.CacheBytes), active: n}
	s.id, s.of = make([]int, n), make([]int32, n)
	for _, v := range []*[]float64{&s.x, &s.g, &s.lo, &s.hi, &s.linear, &s.diag, &s.noRise, &s.noFall} {
		*v = make([]float64, n)
	}
	if s.SMO.MaxIterations == 0 {
		s.SMO.MaxIterations = MaxIterations(n)
	}
	diag := p.K.Diag()
	for i, y := range p.Y {
		s.id[i], s.of[i] = i, int32(i)
		if p.Of != nil {
			s.of[i] = int32(p.Of[i])
		}
		if p.From != nil {
			s.x[i] = y * p.From[i]
		}
		s.lo[i], s.hi[i] = min(0, y*p.C[i]), max(0, y*p.C[i])
		s.linear[i], s.diag[i] = y*p.P[i], diag[s.of[i]]
		s.setBounds(i)
	}
	return s
}

// setBounds notes in which directions the variable at place t may move.
func (s *smoState) setBounds(t int) {
	s.noRise[t], s.noFall[t] = 0, 0
	if s.x[t] >= s.hi[t] {
		s.noRise[t] = math.Inf(1)
	}
	if s.x[t] <= s.lo[t] {
		s.noFall[t] = math.Inf(1)
	}
}

// shrinkEvery is the number of iterations after which variables are shrunk. LIBSVM
// waits ten times as long; shuttle and segment take up to twice the time then.
const shrinkEvery = 100

// run ends when a gradient computed afresh says so.
func (s *smoState) run(ctx context.Context) error {
	if slices.ContainsFunc(s.diag, func(v float64) bool { return v-v != 0 }) {
		return errOverflow
	}
	err := s.restart(ctx)
	for err == nil {
		switch ended := s.high-s.low < s.Tolerance || s.iteration >= s.SMO.MaxIterations; {
		case ended && s.fresh:
			return nil
		case ended:
			err = s.restart(ctx)
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err = s.step(); err != nil {
			return err
		}
		if s.iteration++; !s.NoShrinking && s.iteration%shrinkEvery == 0 {
			err = s.shrink(ctx)
		}
	}
	return err
}

// restart brings all variables back and computes the gradient anew, so that rounding in its updates does not decide the
// end.
func (s *smoState) restart(ctx context.Context) error {
	s.active, s.fresh = len(s.x), true
	err := s.computeGradient(ctx, 0)
	s.scan()
	return err
}

// computeGradient computes g from x, for the places from on.
func (s *smoState) computeGradient(ctx context.Context, from int) error {
	// Variables that share a row of K share its product.
	x, product := make([]float64, s.K.Size()), make([]float64, s.K.Size())
	for t, v := range s.x {
		x[s.of[t]] += v
	}
	for r, v := range x {
		if v == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		blas.Axpy(v, s.cache.row(r), product)
	}
	for u := from; u < len(s.g); u++ {
		s.g[u] = s.linear[u] + product[s.of[u]]
	}
	return nil
}

// scan finds the ends of the interval that a solution would close.
func (s *smoState) scan() {
	s.rise, s.low, s.high = -1, math.Inf(1), math.Inf(-1)
	for t, g := range s.g[:s.active] {
		if v := g + s.noRise[t]; v < s.low {
			s.rise, s.low = t, v
		}
		s.high = max(s.high, g-s.noFall[t])
	}
}

var errOverflow = fault.New(fault.NotSolved, "the kernel's values overflow").
	WithHint("scale the features, or use a smaller C")

// minCurvature replaces a curvature that is not positive, as LIBSVM's TAU.
const minCurvature = 1e-12

// step moves the best pair and scans on the way.
func (s *smoState) step() error {
	i := s.rise
	if i < 0 { // all gradients are NaN
		return errOverflow
	}
	rowI := s.cache.row(int(s.of[i]))
	j := s.partner(i, rowI)
	if j < 0 {
		return errOverflow
	}
	curvature := s.diag[i] + s.diag[j] - 2*rowI[s.of[j]]
	if curvature < -1e-8*(math.Abs(s.diag[i])+math.Abs(s.diag[j])) {
		return fault.New(fault.NotSolved,
			"the kernel matrix is not positive semi-definite: rows %d and %d have squared distance %g",
			s.of[i]+1, s.of[j]+1, curvature).WithHint("use a positive semi-definite kernel")
	}
	d := (s.g[j] - s.g[i]) / max(curvature, minCurvature)
	d = min(d, s.hi[i]-s.x[i], s.x[j]-s.lo[j])
	s.move(i, d, d == s.hi[i]-s.x[i], s.hi[i])
	s.move(j, -d, d == s.x[j]-s.lo[j], s.lo[j])
	s.fresh = false
	s.update(d, rowI, s.cache.row(int(s.of[j])))
	return nil
}

// move adds d to a variable; one that hits its bound gets exactly that.
func (s *smoState) move(t int, d float64, hits bool, bound float64) {
	s.x[t] += d
	if hits {
		s.x[t] = bound
	}
	s.setBounds(t)
}

// partner returns the place j that, moved against i, lowers the objective most
// by second-order information: the largest b²/a, b = gⱼ − gᵢ > 0.
func (s *smoState) partner(i int, row []float64) int {
	n := s.active
	g, noFall, diag, of := s.g[:n], s.noFall[:n], s.diag[:n], s.of[:n]
	gi, di := s.g[i], s.diag[i]
	best, j := 0.0, -1
	for t := range g {
		b := g[t] - noFall[t] - gi
		if !(b > 0) { // nearly always, near the end
			continue
		}
		a := di + diag[t] - 2*row[of[t]]
		if b*b > best*a {
			if gain := b * b / max(a, minCurvature); gain > best {
				best, j = gain, t
			}
		}
	}
	return j
}

// update adds the change by a step d of rows i and j to the gradient, and scans.
func (s *smoState) update(d float64, rowI, rowJ []float64) {
	n := s.active
	g, noRise, noFall, of := s.g[:n], s.noRise[:n], s.noFall[:n], s.of[:n]
	rowJ = rowJ[:len(rowI)]
	rise, low, high := -1, math.Inf(1), math.Inf(-1)
	for t := range g {
		r := of[t]
		v := g[t] + d*(rowI[r]-rowJ[r])
		g[t] = v
		if up := v + noRise[t]; up < low {
			rise, low = t, up
		}
		if down := v - noFall[t]; down > high {
			high = down
		}
	}
	s.rise, s.low, s.high = rise, low, high
}

// shrink moves variables that are at a bound and far from leaving it behind the
// active ones. Near the end all are brought back once.
func (s *smoState) shrink(ctx context.Context) error {
	if !s.unshrunk && s.high-s.low <= 10*s.Tolerance {
		s.unshrunk = true
		if err := s.computeGradient(ctx, s.active); err != nil {
			return err
		}
		s.active = len(s.x)
		s.scan()
	}
	for t := s.active - 1; t >= 0; t-- {
		if s.shrinkable(t) {
			s.active--
			s.swap(t, s.active)
		}
	}
	s.scan()
	return nil
}

// shrinkable reports whether the variable at t forms no violating pair.
func (s *smoState) shrinkable(t int) bool {
	return s.noRise[t] > 0 && s.g[t] < s.low || s.noFall[t] > 0 && s.g[t] > s.high
}

func (s *smoState) swap(a, b int) {
	s.id[a], s.id[b] = s.id[b], s.id[a]
	s.of[a], s.of[b] = s.of[b], s.of[a]
	for _, v := range [][]float64{s.x, s.g, s.lo, s.hi, s.linear, s.diag, s.noRise, s.noFall} {
		v[a], v[b] = v[b], v[a]
	}
}

func (s *smoState) solution() *SMOSolution {
	out := &SMOSolution{Alpha: make([]float64, len(s.x)), Rho: s.rho()}
	for t, x := range s.x {
		slack := s.g[t] - out.Rho
		out.Objective += x * (s.g[t] + s.linear[t]) / 2
		out.Gap += (x-s.lo[t])*max(0, slack) + (s.hi[t]-x)*max(0, -slack)
		out.Alpha[s.id[t]] = math.Abs(x)
	}
	out.KKT = max(0, s.high-s.low)
	out.Converged = s.high-s.low < s.Tolerance
	out.Iterations = s.iteration
	return out
}

// rho is the mean g of the free variables; without any, the middle of the interval that the others leave.
func (s *smoState) rho() float64 {
	var sum, free float64
	for t, g := range s.g {
		if s.noRise[t] == 0 && s.noFall[t] == 0 {
			sum += g
			free++
		}
	}
	switch {
	case free > 0:
		return sum / free
	case math.IsInf(s.low, 1):
		return s.high
	case math.IsInf(s.high, -1):
		return s.low
	}
	return (s.low + s.high) / 2
}
