package qp

import (
	"context"
	"math"

	"rvflplus/blas"
)

// Inequalities are the rows of G in Gx ≥ h.
type Inequalities interface {
	// Len returns the number of rows.
	Len() int
	// Times sets dst to Gx.
	Times(x, dst []float64)
	// TransTimes sets dst to Gᵀz.
	TransTimes(z, dst []float64)
	// AddWeighted adds Gᵀ·diag(d)·G to the upper triangle of h.
	AddWeighted(ctx context.Context, d []float64, h blas.Matrix) error
}

// Bounds are the inequalities x ≥ h of that many unknowns.
type Bounds int

// Len implements Inequalities.
func (b Bounds) Len() int { return int(b) }

// Times implements Inequalities.
func (b Bounds) Times(x, dst []float64) { copy(dst, x) }

// TransTimes implements Inequalities.
func (b Bounds) TransTimes(z, dst []float64) { copy(dst, z) }

// AddWeighted implements Inequalities.
func (b Bounds) AddWeighted(_ context.Context, d []float64, h blas.Matrix) error {
	for i, v := range d {
		h.Data[i*h.Stride+i] += v
	}
	return nil
}

// Program is the convex program
//
//	min ½xᵀPx + qᵀx   subject to   Ax = b, Gx ≥ h.
type Program struct {
	P blas.Matrix // n×n, symmetric, upper triangle; positive semi-definite
	Q []float64   // n
	A blas.Matrix // p×n with p small; no rows without equalities
	B []float64   // p
	G Inequalities
	H []float64
	// Times multiplies by P, where that is cheaper or more precise than from both triangles of P; nil means from P.
	Times func(x, dst []float64)
}

// Interior solves p by Mehrotra's predictor-corrector method (SIAM J. Optim. 2, 1992): x, and z, the multipliers of the
// inequalities. Converged means a gap of at most tol·|objective| and residuals of that order; the best iterate is
// returned. KKT is the largest residual of the stationarity and feasibility conditions. Cost of an iteration n³/3
// operations and the cost of G's AddWeighted.
func Interior(ctx context.Context, p Program, tol float64, maxIter int) (x, z []float64, r Result, err error) {
	if p.Times == nil {
		p.Times = func(x, dst []float64) { blas.Gemv(false, p.P, x, dst) }
	}
	s := newInterior(p)
	if err := s.start(ctx); err != nil {
		return nil, nil, Result{}, err
	}
	best := math.Inf(1)
	stuck := 0
	for it := 0; ; it++ {
		now, merit := s.judge(tol)
		now.Iterations = it
		if stuck++; merit < best {
			best, stuck, r = merit, 0, now
			x, z = append(x[:0], s.x...), append(z[:0], s.z...)
		}
		if r.Converged || it >= maxIter || stuck > 8 {
			break
		}
		moved, err := s.step(ctx)
		if err != nil {
			return nil, nil, Result{}, err
		}
		if !moved {
			break
		}
	}
	if x == nil {
		return nil, nil, Result{}, notPositive()
	}
	return x, z, r, nil
}

// interior is the state of Interior: Gx − s = h, s and z > 0.
type interior struct {
	Program
	x, y, s, z     []float64 // y: multipliers of Ax = b
	rd, rp, rg     []float64 // residuals: stationarity, equalities, inequalities
	dx, dy, ds, dz []float64
	weight, buffer []float64 // z/s, and a buffer of G's length
	px             []float64
	rho            float64     // weight of AᵀA, which is added to the system: same solution, better condition
	factor         blas.Matrix // of the scaled P + Gᵀ(z/s)G
	scale          []float64
	hinvA          blas.Matrix // (P+GᵀDG)⁻¹Aᵀ, n×p
	schur          blas.Matrix // Cholesky's factor of A(P+GᵀDG)⁻¹Aᵀ
}

func newInterior(p Program) *interior {
	n, m, e := len(p.Q), p.G.Len(), p.A.Rows
	v := func(n int) []float64 { return make([]float64, n) }
	var trace float64
	for i := range n {
		trace += p.P.Data[i*(p.P.Stride+1)]
	}
	return &interior{
		rho: trace / float64(n), Program: p, x: v(n), y: v(e), s: v(m), z: v(m), rd: v(n), rp: v(e), rg: v(m),
		dx: v(n), dy: v(e), ds: v(m), dz: v(m), weight: v(m), buffer: v(m), px: v(n),
		factor: blas.New(n, n), scale: v(n), hinvA: blas.New(n, e), schur: blas.New(e, e),
	}
}

// start takes the minimiser of the objective plus ½‖Gx − h‖² and moves slacks and
// multipliers inside.
func (s *interior) start(ctx context.Context) error {
	for i := range s.weight {
		s.weight[i] = 1
	}
	if ok, err := s.factorise(ctx); err != nil {
		return err
	} else if !ok {
		return notPositive()
	}
	right := make([]float64, len(s.Q))
	s.G.TransTimes(s.H, right)
	for i := range right {
		right[i] -= s.Q[i]
	}
	if err := s.solve(ctx, right, s.B, s.x, s.y); err != nil {
		return err
	}
	s.G.Times(s.x, s.s)
	for i := range s.s {
		s.s[i] -= s.H[i]
		s.z[i] = -s.s[i]
	}
	makePositive(s.s)
	makePositive(s.z)
	return nil
}

// makePositive adds a number to all of v where some of it is not positive.
func makePositive(v []float64) {
	low := math.Inf(1)
	for _, x := range v {
		low = min(low, x)
	}
	if low > 1e-8 {
		return
	}
	for i := range v {
		v[i] += 1 - low
	}
}

// judge computes the residuals. The best iterate has the least merit.
func (s *interior) judge(tol float64) (r Result, merit float64) {
	s.residuals()
	objective, gap := 0.0, 0.0
	for i := range s.x {
		objective += s.x[i] * (s.px[i]/2 + s.Q[i])
	}
	for i := range s.s {
		gap += s.s[i] * s.z[i]
	}
	// The residuals may change the objective by this much.
	gap += math.Abs(blas.Dot(s.rd, s.x)) + math.Abs(blas.Dot(s.rg, s.z)) + math.Abs(blas.Dot(s.rp, s.y))
	infeasible := max(largest(s.rp)/(1+largest(s.B)), largest(s.rg)/(1+largest(s.H)))
	dual := largest(s.rd) / (1 + largest(s.Q))
	relative := gap / max(math.Abs(objective), 1e-300)
	merit = max(relative, infeasible, dual)
	r = Result{Objective: objective, Gap: gap, KKT: max(largest(s.rd), largest(s.rp), largest(s.rg))}
	r.Converged = relative <= tol && infeasible <= tol && dual <= tol
	return r, merit // NaN is never the best
}

func (s *interior) residuals() {
	s.Times(s.x, s.px)
	s.G.TransTimes(s.z, s.rd)
	for i := range s.rd {
		s.rd[i] = s.px[i] + s.Q[i] - s.rd[i]
	}
	for e := range s.rp {
		blas.Axpy(s.y[e], blas.Row(s.A, e), s.rd)
		s.rp[e] = blas.Dot(blas.Row(s.A, e), s.x) - s.B[e]
	}
	s.G.Times(s.x, s.rg)
	for i := range s.rg {
		s.rg[i] -= s.s[i] + s.H[i]
	}
}

// step makes one predictor and corrector step; false when nothing can be gained
// any more.
func (s *interior) step(ctx context.Context) (moved bool, err error) {
	for i := range s.s {
		s.weight[i] = s.z[i] / s.s[i]
	}
	if ok, err := s.factorise(ctx); err != nil || !ok {
		return false, err
	}
	mu := blas.Dot(s.s, s.z) / float64(len(s.s))
	if err := s.direction(ctx, 0, false); err != nil {
		return false, err
	}
	affine := s.longest()
	var after float64
	for i := range s.s {
		after += (s.s[i] + affine*s.ds[i]) * (s.z[i] + affine*s.dz[i])
	}
	center := math.Pow(max(0, after)/float64(len(s.s))/mu, 3)
	if err := s.direction(ctx, center*mu, true); err != nil {
		return false, err
	}
	t := min(1, 0.995*s.longest())
	if !(t > 1e-10) {
		return false, nil
	}
	blas.Axpy(t, s.dx, s.x)
	blas.Axpy(t, s.dy, s.y)
	blas.Axpy(t, s.ds, s.s)
	blas.Axpy(t, s.dz, s.z)
	return true, nil
}

// direction solves Newton's equations for s∘z = target; corrected takes in the
// product of the direction it finds in place.
func (s *interior) direction(ctx context.Context, target float64, corrected bool) error {
	for i := range s.s {
		c := s.s[i]*s.z[i] - target
		if corrected {
			c += s.ds[i] * s.dz[i]
		}
		s.dz[i] = c // kept until ds is known
		s.buffer[i] = c/s.s[i] + s.weight[i]*s.rg[i]
	}
	right, equal := make([]float64, len(s.x)), make([]float64, len(s.y))
	s.G.TransTimes(s.buffer, right)
	for i := range right {
		right[i] = -s.rd[i] - right[i]
	}
	for e := range equal {
		equal[e] = -s.rp[e]
	}
	if err := s.solve(ctx, right, equal, s.dx, s.dy); err != nil {
		return err
	}
	s.G.Times(s.dx, s.ds)
	for i := range s.ds {
		s.ds[i] += s.rg[i]
		s.dz[i] = -s.dz[i]/s.s[i] - s.weight[i]*s.ds[i]
	}
	return nil
}

// longest returns the step at which the first slack or multiplier vanishes, at
// most 1/0.995.
func (s *interior) longest() float64 {
	t := 1 / 0.995
	for i := range s.s {
		if s.ds[i] < 0 {
			t = min(t, -s.s[i]/s.ds[i])
		}
		if s.dz[i] < 0 {
			t = min(t, -s.z[i]/s.dz[i])
		}
	}
	return t
}

// factorise factors P + Gᵀ·diag(weight)·G + rho·AᵀA, its diagonal scaled to 1, with the smallest ridge that makes it
// positive definite in floating point, and then A(P+GᵀDG)⁻¹Aᵀ.
func (s *interior) factorise(ctx context.Context) (ok bool, err error) {
	for ridge := 1e-15; ridge < 1e-5; ridge *= 100 {
		if err := s.assemble(ctx, ridge); err != nil {
			return false, err
		}
		pivot, err := blas.Factor(ctx, s.factor, nil)
		if err != nil {
			return false, err
		}
		if pivot < 0 {
			return s.factoriseEqualities(ctx)
		}
	}
	return false, nil
}

func (s *interior) assemble(ctx context.Context, ridge float64) error {
	f := s.factor
	for i := range f.Rows {
		copy(blas.Row(f, i)[i:], blas.Row(s.P, i)[i:])
	}
	if err := s.G.AddWeighted(ctx, s.weight, f); err != nil {
		return err
	}
	for e := range s.A.Rows {
		a := blas.Row(s.A, e)
		for i, v := range a {
			if v != 0 {
				blas.Axpy(s.rho*v, a[i:], blas.Row(f, i)[i:])
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range s.scale {
		s.scale[i] = 1 / math.Sqrt(max(f.Data[i*f.Stride+i], math.SmallestNonzeroFloat64*1e20))
	}
	for i := range f.Rows {
		row := blas.Row(f, i)
		for j := i; j < len(row); j++ {
			row[j] *= s.scale[i] * s.scale[j]
		}
		row[i] += ridge
	}
	return nil
}

// factoriseEqualities prepares A(P+GᵀDG)⁻¹Aᵀ.
func (s *interior) factoriseEqualities(ctx context.Context) (ok bool, err error) {
	e := s.A.Rows
	if e == 0 {
		return true, nil
	}
	for i := range s.hinvA.Rows {
		for k := range e {
			s.hinvA.Data[i*e+k] = s.A.Data[k*s.A.Stride+i] * s.scale[i]
		}
	}
	if err := blas.SolveCholesky(ctx, s.factor, s.hinvA); err != nil {
		return false, err
	}
	for i := range s.hinvA.Rows {
		for k := range e {
			s.hinvA.Data[i*e+k] *= s.scale[i]
		}
	}
	if err := blas.Gemm(ctx, false, false, 1, s.A, s.hinvA, 0, s.schur); err != nil {
		return false, err
	}
	pivot, err := blas.Factor(ctx, s.schur, nil)
	return pivot < 0, err
}

// solve sets dx and dy to the solution of (P+GᵀDG)dx + Aᵀdy = right, A·dx = equal,
// refined once.
func (s *interior) solve(ctx context.Context, right, equal, dx, dy []float64) error {
	if err := s.solveOnce(ctx, right, equal, dx, dy); err != nil {
		return err
	}
	// What dx and dy leave of the right-hand sides is solved for again.
	rest, restEqual := make([]float64, len(dx)), make([]float64, len(dy))
	g, p := make([]float64, s.G.Len()), make([]float64, len(dx))
	s.G.Times(dx, g)
	for i := range g {
		g[i] *= s.weight[i]
	}
	s.G.TransTimes(g, rest)
	s.Times(dx, p)
	for i := range rest {
		rest[i] = right[i] - rest[i] - p[i]
	}
	for e := range dy {
		blas.Axpy(-dy[e], blas.Row(s.A, e), rest)
		restEqual[e] = equal[e] - blas.Dot(blas.Row(s.A, e), dx)
	}
	more, moreY := make([]float64, len(dx)), make([]float64, len(dy))
	if err := s.solveOnce(ctx, rest, restEqual, more, moreY); err != nil {
		return err
	}
	blas.Axpy(1, more, dx)
	blas.Axpy(1, moreY, dy)
	return nil
}

func (s *interior) solveOnce(ctx context.Context, right, equal, dx, dy []float64) error {
	copy(dx, right)
	for e, v := range equal {
		blas.Axpy(s.rho*v, blas.Row(s.A, e), dx)
	}
	for i := range dx {
		dx[i] *= s.scale[i]
	}
	solveCholesky(s.factor, dx)
	for i := range dx {
		dx[i] *= s.scale[i]
	}
	if len(dy) == 0 {
		return ctx.Err()
	}
	for e := range dy {
		dy[e] = blas.Dot(blas.Row(s.A, e), dx) - equal[e]
	}
	solveCholesky(s.schur, dy)
	for i := range dx {
		dx[i] -= blas.Dot(blas.Row(s.hinvA, i), dy)
	}
	return ctx.Err()
}
