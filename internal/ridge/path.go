package ridge

import (
	"context"
	"errors"
	"math"
	"sync"

	"rvflplus/blas"
	"rvflplus/learn"
)

// PathProblem is one pair of kernel matrices and the folds of rows that are held out together.
type PathProblem struct {
	Omega blas.Matrix // Ω, N×N, both triangles
	// Priv is Ω̃ of the first rows, which have privileged values: N_c×N_c, both triangles. A matrix without rows means
	// no privileged part.
	Priv   blas.Matrix
	Y      blas.Matrix // N×m
	Weight []float64   // N, all > 0
	// Sets are the folds, each held out by itself; a row may be in several folds. nil holds out every row alone.
	Sets [][]int
}

// Path predicts held-out rows for many C and γ without a fit for each fold: the kernel matrices are formed once, and
// each (C, γ) costs one factorisation. It is safe for concurrent use. Its equations stand in dual_loo.go. The weight
// of rows without privileged values is held fixed.
type Path struct {
	PathProblem
	total    float64 // Σv
	refits   bool    // the folds are so few and large that a fit without each is cheaper
	cost     float64 // of the cheaper way, in N³ operations
	heldRows int
}

// NewPath returns the path of a problem. Shapes that do not agree panic.
func NewPath(p PathProblem) *Path {
	n := p.Y.Rows
	if p.Omega.Rows != n || p.Omega.Cols != n || p.Priv.Rows > n || p.Priv.Rows != p.Priv.Cols || len(p.Weight) != n {
		panic("ridge: dimension mismatch")
	}
	path := &Path{PathProblem: p, total: sum(p.Weight), heldRows: heldRows(p.Sets, n)}
	if p.Sets == nil {
		return path
	}
	// In N³ operations: one factorisation for each fold, or one factorisation and the inverse of the factor, with
	// privileged values M as well.
	refitting, closedForm := 0.0, 0.7
	if p.Priv.Rows > 0 {
		closedForm = 1.5
	}
	for _, fold := range p.Sets {
		left := 1 - float64(len(fold))/float64(n)
		refitting += left * left * left / 3
	}
	path.refits, path.cost = refitting < closedForm, min(refitting, closedForm)
	return path
}

// heldRows returns the sum of the folds' sizes, or n when every row is held out alone.
func heldRows(folds [][]int, n int) int {
	if folds == nil {
		return n
	}
	rows := 0
	for _, fold := range folds {
		rows += len(fold)
	}
	return rows
}

// PathBytes returns the memory that one call of HeldOut takes for n rows.
func PathBytes(n int) float64 { return 4 * 8 * float64(n) * float64(n) }

// HeldRows returns the number of predictions of HeldOut: the sum of the folds' sizes, or N.
func (p *Path) HeldRows() int { return p.heldRows }

// HeldOut sets dst to the predictions of the rows of every fold, in the order of the folds, by the model of the other
// rows. A system that cannot be solved, or that is not determined without a fold, is a fault.NotSolved error. Cost in
// N³ operations: two thirds without privileged values, two with them, four for leave-one-out with a correction. It is
// less when the folds are so few that a fit without each is cheaper, or when the ridge is so large that conjugate
// gradients (to a residual of 2⁻⁴⁰) are.
func (p *Path) HeldOut(ctx context.Context, q Params, dst blas.Matrix) error {
	return p.HeldOutEach(ctx, q, []learn.Correction{q.Correction}, []blas.Matrix{dst})
}

// HeldOutEach is HeldOut with each correction in turn, instead of q's own, into one dst each. The factorisation and the
// inverse, which cost most, are computed once.
func (p *Path) HeldOutEach(
	ctx context.Context, q Params, corrections []learn.Correction, dst []blas.Matrix,
) error {
	s := &looSolver{Path: p, Params: q, mean: mean(p.Y, p.Weight, p.total, q.Center)}
	defer s.release()
	if err := s.setNoise(); err != nil {
		return err
	}
	var open []int // corrections that conjugate gradients do not solve
	cg := s.conjugateGradients()
	for k, c := range corrections {
		if dst[k].Rows != p.heldRows || dst[k].Cols != p.Y.Cols {
			panic("ridge: dimension mismatch")
		}
		s.Correction = c
		solved := false
		if cg != nil {
			var err error
			if solved, err = cg.solve(ctx, dst[k]); err != nil {
				return err
			}
		}
		if !solved {
			open = append(open, k)
		}
	}
	if len(open) == 0 {
		return nil
	}
	solutions, err := s.solve(ctx, learn.Gather(corrections, open))
	if err != nil {
		return err
	}
	holdOut := s.holdOutRows
	switch {
	case p.refits:
		holdOut = s.refitFolds
	case p.Sets != nil:
		holdOut = s.holdOutFolds
	}
	for i, k := range open {
		s.Correction, s.solution = corrections[k], solutions[i]
		if err := holdOut(ctx, dst[k]); err != nil {
			return err
		}
	}
	return nil
}

// looSolver computes the held-out predictions of a Path for one C and γ.
type looSolver struct {
	*Path
	Params
	mean  []float64
	noise []float64 // diagonal of (CV)⁻¹
	solution
	// Without a privileged part M is not formed.
	inverseFactor blas.Matrix // U⁻¹, upper triangle
	forward       [][]float64 // columns of U⁻ᵀ·right; see setAlpha
	// With a privileged part it is.
	inverse  blas.Matrix // M
	smoother blas.Matrix // ΩM once a correction has needed it

	workspaces []*[]float64
}

// solution solves the system of all rows for one correction. Its last column is for targets of 1.
type solution struct {
	right blas.Matrix // Y − 1ȳ − κΩ̃v, N×(m+1)
	alpha blas.Matrix // M·right
	fits  blas.Matrix // Ω·alpha; right without a privileged part
}

// workspaces keeps the memory of N×N matrices: thousands of (C, γ) are evaluated one after the other, and new memory
// costs as much as the arithmetic.
var workspaces = sync.Pool{New: func() any { return new([]float64) }}

// workspace returns a matrix of arbitrary numbers, until release.
func (s *looSolver) workspace(rows, cols int) blas.Matrix {
	w := workspaces.Get().(*[]float64)
	s.workspaces = append(s.workspaces, w)
	return takeRoom(w, rows, cols)
}

// takeRoom returns a matrix of arbitrary numbers in w, which grows when it is too small.
func takeRoom(w *[]float64, rows, cols int) blas.Matrix {
	if cap(*w) < rows*cols {
		*w = blas.New(rows, cols).Data
	}
	return blas.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: (*w)[:rows*cols]}
}

func (s *looSolver) release() {
	for _, w := range s.workspaces {
		workspaces.Put(w)
	}
	s.workspaces = nil
}

func (s *looSolver) complete() int { return s.Priv.Rows }

func (s *looSolver) corrects() bool { return s.Params.corrects(s.complete()) }

func (s *looSolver) setNoise() (err error) {
	var trace float64
	for i := range s.complete() {
		trace += s.Priv.Data[i*s.Priv.Stride+i] * s.Weight[i]
	}
	s.noise, err = s.Params.noise(s.Weight, s.complete(), trace)
	return err
}

// system returns the factor U of Ω + Ω̃/γ + (CV)⁻¹ over the given ascending rows, all for nil, and U⁻ᵀ·right. The
// elements below the diagonal are arbitrary.
func (s *looSolver) system(ctx context.Context, rows []int, right blas.Matrix) (u, forward blas.Matrix, err error) {
	n := s.Y.Rows
	if rows != nil {
		n = len(rows)
	}
	wide, floor := s.workspace(n, n+right.Cols), math.Inf(1)
	u, forward = blas.View(wide, 0, n, 0, n), blas.View(wide, 0, n, n, wide.Cols)
	for i := range right.Rows {
		copy(blas.Row(forward, i), blas.Row(right, i))
	}
	for i := range n {
		at, dst := i, blas.Row(u, i)[i:]
		if rows == nil {
			copy(dst, blas.Row(s.Omega, i)[i:])
			if i < s.complete() {
				blas.Axpy(1/s.Gamma, blas.Row(s.Priv, i)[i:], dst[:s.complete()-i])
			}
		} else {
			columns := rows[i:]
			at = columns[0]
			gatherTo(dst, blas.Row(s.Omega, at), columns)
			for j := 0; at < s.complete() && j < len(columns) && columns[j] < s.complete(); j++ {
				dst[j] += s.Priv.Data[at*s.Priv.Stride+columns[j]] / s.Gamma
			}
		}
		dst[0] += s.noise[at]
		floor = min(floor, s.noise[at])
	}
	return u, forward, factorise(ctx, wide, floor, nil)
}

// shift returns κΩ̃v, 0 for rows without privileged values.
func (s *looSolver) shift() []float64 {
	shift := make([]float64, s.Y.Rows)
	for i := 0; s.corrects() && i < s.complete(); i++ {
		shift[i] = s.kappa() * dot(blas.Row(s.Priv, i), s.Weight[:s.complete()])
	}
	return shift
}

// solve solves the system of all rows for every correction, and sets inverseFactor or inverse, unless each fold has a
// fit.
func (s *looSolver) solve(ctx context.Context, corrections []learn.Correction) ([]solution, error) {
	solutions := make([]solution, len(corrections))
	if s.refits {
		return solutions, nil
	}
	if s.complete() == 0 { // corrections do not differ
		right := rightHandSide(s.Y, s.mean, s.shift())
		u, forward, err := s.system(ctx, nil, right)
		if err != nil {
			return nil, err
		}
		s.inverseFactor = u
		if err := blas.InvertUpper(ctx, u); err != nil {
			return nil, err
		}
		for j := range forward.Cols {
			s.forward = append(s.forward, column(forward, j))
		}
		alpha := blas.New(right.Rows, right.Cols)
		for k := range solutions {
			solutions[k] = solution{right, alpha, right}
		}
		return solutions, nil
	}
	u, _, err := s.system(ctx, nil, blas.Matrix{})
	if err != nil {
		return nil, err
	}
	for k, c := range corrections {
		s.Correction = c
		right := rightHandSide(s.Y, s.mean, s.shift())
		solutions[k] = solution{right, blas.Clone(right), blas.New(right.Rows, right.Cols)}
		if err := blas.SolveCholesky(ctx, u, solutions[k].alpha); err != nil {
			return nil, err
		}
		if err := blas.Gemm(ctx, false, false, 1, s.Omega, solutions[k].alpha, 0, solutions[k].fits); err != nil {
			return nil, err
		}
	}
	if err := blas.InvertUpper(ctx, u); err != nil {
		return nil, err
	}
	s.inverse = s.workspace(u.Rows, u.Rows)
	clear(s.inverse.Data)
	for i := range u.Rows {
		clear(blas.Row(u, i)[:i])
	}
	return solutions, blas.TimesTransposed(ctx, u, s.inverse)
}

// setAlpha sets the given rows of α when M was not formed: α = U⁻¹·forward.
func (s *looSolver) setAlpha(rows ...int) {
	for _, i := range rows {
		for j, v := range s.forward {
			s.alpha.Data[i*s.alpha.Stride+j] = dot(blas.Row(s.inverseFactor, i)[i:], v[i:])
		}
	}
}

// own returns Mᵢᵢ.
func (s *looSolver) own(i int) float64 {
	if s.complete() > 0 {
		return s.inverse.Data[i*s.inverse.Stride+i]
	}
	upper := blas.Row(s.inverseFactor, i)[i:]
	return dot(upper, upper)
}

// holdOutRows holds out every row alone.
func (s *looSolver) holdOutRows(ctx context.Context, dst blas.Matrix) error {
	nc, m := s.complete(), dst.Cols
	if s.corrects() && s.smoother.Data == nil {
		s.smoother = s.workspace(s.Y.Rows, s.Y.Rows)
		if err := blas.Gemm(ctx, false, false, 1, s.Omega, s.inverse, 0, s.smoother); err != nil {
			return err
		}
	}
	var told trap
	for i := range dst.Rows {
		var ratio, moved, fitMoved float64
		own := s.own(i)
		switch {
		case nc == 0:
			s.setAlpha(i)
			ratio = 1 / own
		case s.corrects():
			ratio = s.smoother.Data[i*s.smoother.Stride+i] / own
		default:
			ratio = dot(blas.Row(s.Omega, i), blas.Row(s.inverse, i)) / own
		}
		if s.corrects() && i < nc {
			kv, priv := s.kappa()*s.Weight[i], blas.Row(s.Priv, i)
			moved = kv * dot(blas.Row(s.inverse, i)[:nc], priv)
			fitMoved = kv * dot(blas.Row(s.smoother, i)[:nc], priv)
		}
		if s.meanUndefined(s.Weight[i], s.total) || ratio-ratio != 0 {
			return leverageOne(i)
		}
		alpha, fit := blas.Row(s.alpha, i), blas.Row(s.fits, i)
		told.add(alpha[m] / own)
		constant := fit[m] - ratio*alpha[m]
		for j, row := 0, blas.Row(dst, i); j < m; j++ {
			row[j] = fit[j] + fitMoved - ratio*(alpha[j]+moved) + s.mean[j]
			if s.Center {
				row[j] += s.meanShift(s.Weight[i], s.total, s.Y.Data[i*s.Y.Stride+j]-s.mean[j]) * (1 - constant)
			}
		}
	}
	return errors.Join(ctx.Err(), told.err(s.Params))
}
