package ridge

import (
	"context"
	"math"
	"sync"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// PathProblem is one pair of kernel matrices and what is left out together.
type PathProblem struct {
	Omega blas.Matrix // Ω, N×N, both triangles
	// Priv is Ω̃ of the first rows, which have privileged values, N_c×N_c, both
	// triangles; no rows mean no privileged part.
	Priv   blas.Matrix
	Y      blas.Matrix // N×m
	Weight []float64   // N, all > 0
	// Sets are the rows that leave together, each set by itself; a row may be in
	// several sets. nil leaves every row out alone.
	Sets [][]int
}

// Path predicts rows left out under many C and γ without refitting: the kernel
// matrices are formed once, each (C, γ) costs one factorisation. It is safe for
// concurrent use.
//
// With M = (Ω + Ω̃/γ + (CV)⁻¹)⁻¹ and a set F,
//
//	f⁻ᶠ = (Ωα′)_F − (ΩM)_FF M_FF⁻¹ α′_F,  α′ = α + κMΩ̃_{:F}v_F,
//
// where the second term of α′ is F leaving the sum Ω̃v. For centred targets
// (ȳ⁻ᶠ − ȳ)(1 − e_F) is added, e the same formula for targets of 1 and κ = 0. Without a
// privileged part ΩM = I − (CV)⁻¹M leaves f⁻ᶠ = y_F − M_FF⁻¹α_F. The weight of rows
// without privileged values is held fixed.
type Path struct {
	PathProblem
	total    float64 // Σv
	refits   bool    // the sets are so few and large that solving without each is cheaper
	cost     float64 // of the cheaper way, in N³ operations
	heldRows int
}

// NewPath returns the path of a problem. Shapes that do not agree panic.
func NewPath(p PathProblem) *Path {
	n := p.Y.Rows
	if p.Omega.Rows != n || p.Omega.Cols != n || p.Priv.Rows > n || p.Priv.Rows != p.Priv.Cols || len(p.Weight) != n {
		panic("ridge: dimension mismatch")
	}
	path := &Path{PathProblem: p, total: sum(p.Weight), heldRows: n}
	if p.Sets != nil {
		path.heldRows = 0
		refitting := 0.0
		for _, set := range p.Sets {
			path.heldRows += len(set)
			left := 1 - float64(len(set))/float64(n)
			refitting += left * left * left / 3
		}
		path.refits = refitting < path.leavingCost()
		path.cost = min(refitting, path.leavingCost())
	}
	return path
}

// leavingCost is what the sets cost without refitting, in N³ operations: a
// factorisation and the inverse of the factor, with privileged values M as well.
func (p *Path) leavingCost() float64 {
	if p.Priv.Rows == 0 {
		return 0.7
	}
	return 1.5
}

// PathBytes returns the memory that one call of HeldOut takes for n rows.
func PathBytes(n int) float64 { return 4 * 8 * float64(n) * float64(n) }

// HeldRows returns the number of predictions of HeldOut: the sum of the sets' sizes,
// or N.
func (p *Path) HeldRows() int { return p.heldRows }

// HeldOut sets dst to the predictions of the rows of every set, in the sets' order, by
// the model of the other rows. A system that cannot be solved, or that is not
// determined without a set, is a fault.NotSolved error. Cost in N³ operations: two
// thirds without privileged values, two with them, four for leave-one-out with a
// correction; fewer when the sets are few enough that refitting is cheaper, or when the
// ridge is so large that conjugate gradients (to a residual of 2⁻⁴⁰) are.
func (p *Path) HeldOut(ctx context.Context, q Params, dst blas.Matrix) error {
	return p.HeldOutEach(ctx, q, []learn.Correction{q.Correction}, []blas.Matrix{dst})
}

// leaving is one evaluation.
type leaving struct {
	*Path
	Params
	mean    []float64
	noise   []float64   // diagonal of (CV)⁻¹
	right   blas.Matrix // Y − 1ȳ − κΩ̃v, and a column of 1, N×(m+1)
	alpha   blas.Matrix // M·right
	fits    blas.Matrix // Ω·alpha; right without a privileged part
	half    blas.Matrix // U⁻¹, upper triangle, without a privileged part
	forward [][]float64 // columns of U⁻ᵀ·right without one; see back
	inverse blas.Matrix // M with one
	product blas.Matrix // ΩM once a correction has needed it
	moved   blas.Matrix // κMΩ̃_{:F}v_F, a column a set
	taken   []*[]float64
}

// rooms holds memory of N×N matrices: thousands are evaluated one after the other, and
// new memory costs as much as the arithmetic.
var rooms = sync.Pool{New: func() any { return new([]float64) }}

// square returns an n×n matrix of arbitrary numbers, until release.
func (l *leaving) square(n int) blas.Matrix { return l.room(n, n) }

func (l *leaving) room(rows, cols int) blas.Matrix {
	room := rooms.Get().(*[]float64)
	if cap(*room) < rows*cols {
		*room = blas.New(rows, cols).Data
	}
	l.taken = append(l.taken, room)
	return blas.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: (*room)[:rows*cols]}
}

func (l *leaving) release() {
	for _, room := range l.taken {
		rooms.Put(room)
	}
	l.taken = nil
}

func (l *leaving) complete() int { return l.Priv.Rows }

func (l *leaving) corrects() bool { return l.complete() > 0 && l.Correction != learn.Additive }

// setNoise sets the diagonal; rows without privileged values count less.
func (l *leaving) setNoise() error {
	lacking, nc := 1.0, l.complete()
	if nc > 0 && nc < len(l.Weight) {
		var trace float64
		for i := range nc {
			trace += l.Priv.Data[i*l.Priv.Stride+i] * l.Weight[i]
		}
		lacking = l.lackingFactor(trace, sum(l.Weight[:nc]))
	}
	l.noise = make([]float64, len(l.Weight))
	for i, v := range l.Weight {
		if i >= nc {
			v *= lacking
		}
		if l.noise[i] = 1 / (l.C * v); math.IsInf(l.noise[i], 0) {
			return fault.New(fault.NotSolved, "1/(C·weight) overflows for C = %g and a weight of %g", l.C, v)
		}
	}
	return nil
}

// system returns the factor U of Ω + Ω̃/γ + (CV)⁻¹ over the given rows, all for nil,
// and beside it U⁻ᵀ·right. What is below the diagonal is arbitrary.
func (l *leaving) system(ctx context.Context, rows []int, right blas.Matrix) (u, forward blas.Matrix, err error) {
	n := l.Y.Rows
	if rows != nil {
		n = len(rows)
	}
	wide, floor := l.room(n, n+right.Cols), math.Inf(1)
	u, forward = blas.View(wide, 0, n, 0, n), blas.View(wide, 0, n, n, wide.Cols)
	for i := range right.Rows {
		copy(blas.Row(forward, i), blas.Row(right, i))
	}
	for i := range n {
		at := i
		if rows != nil {
			at = rows[i]
		}
		dst := blas.Row(u, i)[i:]
		if rows == nil {
			copy(dst, blas.Row(l.Omega, i)[i:])
			if i < l.complete() {
				blas.Axpy(1/l.Gamma, blas.Row(l.Priv, i)[i:], dst[:l.complete()-i])
			}
		} else {
			l.gather(dst, at, rows[i:])
		}
		dst[0] += l.noise[at]
		floor = min(floor, l.noise[at])
	}
	return u, forward, factorise(ctx, wide, floor, nil)
}

// gather sets dst to the elements of Ω + Ω̃/γ of one row at the given, ascending,
// columns.
func (l *leaving) gather(dst []float64, row int, columns []int) {
	omega := blas.Row(l.Omega, row)
	for j, c := range columns {
		dst[j] = omega[c]
	}
	if row >= l.complete() {
		return
	}
	priv := blas.Row(l.Priv, row)
	for j, c := range columns {
		if c >= l.complete() {
			return
		}
		dst[j] += priv[c] / l.Gamma
	}
}

// invert sets M from the factor, which it uses up.
func (l *leaving) invert(ctx context.Context, u blas.Matrix) error {
	if err := blas.InvertUpper(ctx, u); err != nil {
		return err
	}
	l.inverse = l.square(u.Rows)
	clear(l.inverse.Data)
	for i := range u.Rows {
		clear(blas.Row(u, i)[:i])
	}
	return blas.TimesTransposed(ctx, u, l.inverse)
}

func (l *leaving) setRight() {
	n, m := l.Y.Rows, l.Y.Cols
	l.right = blas.New(n, m+1)
	for i := range n {
		shift := 0.0
		if l.corrects() && i < l.complete() {
			shift = l.kappa() * dot(blas.Row(l.Priv, i), l.Weight[:l.complete()])
		}
		r := blas.Row(l.right, i)
		for j, y := range blas.Row(l.Y, i) {
			r[j] = y - l.mean[j] - shift
		}
		r[m] = 1
	}
}
