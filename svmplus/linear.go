package svmplus

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/internal/qp"
)

// linearSolver returns the solver of linear Fast SVM+:
//
//	min ½(‖w‖² + b²) + (γ/2)(‖w̃‖² + b̃²) + Σcᵢξᵢ
//	subject to ξᵢ = w̃ᵀx̃ᵢ + b̃ ≥ 0, yᵢ(wᵀxᵢ + b) ≥ 1 − ξᵢ,
//
// by interior points in u = [w, b, w̃, b̃]. Cost of an iteration N(n+d)² operations.
func (t *training) linearSolver() func(context.Context, *machine) error {
	return func(ctx context.Context, m *machine) error {
		l := t.linear(m)
		err := t.interior(ctx, l, m, slices.Max(l.c))
		if err == nil && !m.result.Converged {
			// The multipliers are of another size than c: the objective is half their sum.
			err = t.interior(ctx, l, m, 2*math.Abs(m.result.Objective)/float64(len(m.y)))
		}
		if err == nil {
			t.warnConstant(m, blas.Dot(m.weight, m.weight)+m.bias*m.bias)
		}
		return err
	}
}

// interior solves with multipliers measured in units of scale.
func (t *training) interior(ctx context.Context, l *linear, m *machine, scale float64) error {
	u, z, r, err := qp.Interior(ctx, l.program(scale), t.Tolerance/10, t.cap(len(m.y)))
	if err != nil {
		return err
	}
	for i := range z {
		z[i] *= scale
	}
	l.raise(u)
	m.weight, m.bias = u[:l.normal-1], u[l.normal-1]
	m.alphaY = make([]float64, len(m.y))
	m.result = l.judge(u, z, t.Tolerance)
	m.result.Iterations = r.Iterations
	l.support(m, z)
	return nil
}

// linear holds the rows [yx, y, x̃, 1] of a problem.
type linear struct {
	z, priv blas.Matrix // N×(n+1+d+1), and its last d+1 columns
	normal  int         // n+1
	gamma   float64
	c       []float64
}

func (t *training) linear(m *machine) *linear {
	x, priv := t.rows.X, t.rows.Priv
	l := &linear{z: blas.New(x.Rows, x.Cols+priv.Cols+2), normal: x.Cols + 1, gamma: t.Gamma, c: t.c}
	for i, y := range m.y {
		row := blas.Row(l.z, i)
		blas.Axpy(y, blas.Row(x, i), row[:x.Cols])
		row[x.Cols] = y
		row[l.normal+copy(row[l.normal:], blas.Row(priv, i))] = 1
	}
	l.priv = blas.View(l.z, 0, x.Rows, l.normal, l.z.Cols)
	return l
}

// program is the problem with its objective divided by scale.
func (l *linear) program(scale float64) qp.Program {
	width, n := l.z.Cols, l.z.Rows
	p := qp.Program{P: blas.New(width, width), A: blas.New(0, width), G: l}
	p.Q, p.H = make([]float64, width), make([]float64, 2*n)
	for j := range width {
		p.P.Data[j*(width+1)] = l.penalty(j) / scale
	}
	blas.Gemv(true, l.priv, l.c, p.Q[l.normal:])
	for j := range p.Q {
		p.Q[j] /= scale
	}
	for i := range n {
		p.H[i] = 1
	}
	return p
}

// penalty returns the quadratic weight of unknown j.
func (l *linear) penalty(j int) float64 {
	if j < l.normal {
		return 1
	}
	return l.gamma
}

// Len implements qp.Inequalities: N margins, then N slacks.
func (l *linear) Len() int { return 2 * l.z.Rows }

// Times implements qp.Inequalities.
func (l *linear) Times(u, dst []float64) {
	n := l.z.Rows
	blas.Gemv(false, l.z, u, dst[:n])
	blas.Gemv(false, l.priv, u[l.normal:], dst[n:])
}

// TransTimes implements qp.Inequalities.
func (l *linear) TransTimes(z, dst []float64) {
	n := l.z.Rows
	slack := make([]float64, l.priv.Cols)
	blas.Gemv(true, l.priv, z[n:], slack)
	blas.Gemv(true, l.z, z[:n], dst)
	blas.Axpy(1, slack, dst[l.normal:])
}

// AddWeighted implements qp.Inequalities, a block of rows at a time.
func (l *linear) AddWeighted(ctx context.Context, d []float64, h blas.Matrix) error {
	n := l.z.Rows
	corner := blas.View(h, l.normal, h.Rows, l.normal, h.Cols)
	if err := addSquares(ctx, l.z, d[:n], h); err != nil {
		return err
	}
	return addSquares(ctx, l.priv, d[n:], corner)
}

// addSquares adds Aᵀ·diag(d)·A to the upper triangle of h.
func addSquares(ctx context.Context, a blas.Matrix, d []float64, h blas.Matrix) error {
	const block = 4096
	buffer := blas.New(min(block, a.Rows), a.Cols)
	for lo := 0; lo < a.Rows; lo += block {
		hi := min(lo+block, a.Rows)
		part := blas.View(buffer, 0, hi-lo, 0, a.Cols)
		for i := range part.Rows {
			row := blas.Row(part, i)
			root := math.Sqrt(d[lo+i])
			for j, v := range blas.Row(a, lo+i) {
				row[j] = root * v
			}
		}
		if err := blas.Syrk(ctx, true, 1, part, 1, h); err != nil {
			return err
		}
	}
	return nil
}

// raise lifts b̃ to where all margins and slacks are feasible.
func (l *linear) raise(u []float64) {
	n := l.z.Rows
	s := make([]float64, 2*n)
	l.Times(u, s)
	var by float64
	for i := range n {
		by = max(by, 1-s[i], -s[n+i])
	}
	u[len(u)-1] += by
}

// judge computes the objective, the gap and the KKT violation of a feasible u and multipliers z = (α, β) ≥ 0. KKT is
// the largest min(αᵢ/cᵢ, slack) of both kinds of multipliers.
func (l *linear) judge(u, z []float64, tol float64) (r qp.Result) {
	n := l.z.Rows
	s, left := make([]float64, 2*n), make([]float64, len(u))
	l.Times(u, s)
	l.TransTimes(z, left) // [w, b, γw̃ + Σcx̃, …] at the optimum
	slack := make([]float64, l.priv.Cols)
	blas.Gemv(true, l.priv, l.c, slack)
	blas.Axpy(-1, slack, left[l.normal:])
	var primal float64
	for j := range u {
		primal += l.penalty(j) * u[j] * u[j] / 2
		r.Objective -= left[j] * left[j] / l.penalty(j) / 2
	}
	for i, c := range l.c {
		primal += c * s[n+i]
		r.Objective += z[i]
		r.KKT = max(r.KKT, min(z[i]/c, s[i]-1), min(z[n+i]/c, s[n+i]))
	}
	r.Gap = max(0, primal-r.Objective)
	r.Converged = r.Gap <= tol*math.Abs(r.Objective)
	return r
}

// support sets α∘y, without the multipliers that are not 0 only because interior points stay away from bounds.
func (l *linear) support(m *machine, z []float64) {
	for i, y := range m.y {
		if z[i] > 1e-6*l.c[i] {
			m.alphaY[i] = z[i] * y
		}
	}
}
