package relevance

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/ridge"
)

// objective is what is minimised. Its point is [θ…, θ̃…, log C, log γ, log s], as far as they are free.
type objective struct {
	Problem
	normal, priv   *space // priv is nil without a privileged part
	c, gamma, part int    // numbers of these parameters in a point; -1 for those that are held
	size           int
	work           ridge.Workspace // of the point evaluated last
}

func newObjective(p Problem) (*objective, error) {
	o := &objective{Problem: p, c: -1, gamma: -1, part: -1}
	var err error
	if o.normal, err = newSpace(p.Normal, p.Seed); err != nil {
		return nil, err
	}
	o.size = o.normal.groups
	if p.Priv.X.Rows > 0 {
		if o.priv, err = newSpace(p.Priv, p.Seed); err != nil {
			return nil, err
		}
		o.priv.first = o.size
		o.size += o.priv.groups
	}
	free := func(is bool, at *int) {
		if is {
			*at = o.size
			o.size++
		}
	}
	free(p.C == 0, &o.c)
	free(o.priv != nil && p.Gamma == 0, &o.gamma)
	free(o.normal.shares, &o.part)
	return o, nil
}

// theta returns the θ of a space.
func (o *objective) theta(point []float64, s *space) []float64 {
	return point[s.first : s.first+s.groups]
}

// share returns the factor of the affine terms.
func (o *objective) share(point []float64) float64 {
	if o.part < 0 {
		return 1
	}
	return math.Exp(point[o.part])
}

func (o *objective) params(point []float64) ridge.Params {
	q := ridge.Params{C: o.C, Gamma: o.Gamma, Correction: o.Correction, Center: o.Center}
	if o.c >= 0 {
		q.C = math.Exp(point[o.c])
	}
	if o.gamma >= 0 {
		q.Gamma = math.Exp(point[o.gamma])
	}
	return q
}

// loss returns log L and a function for its derivatives, which is to be called before the next point is evaluated.
func (o *objective) loss(ctx context.Context, point []float64) (float64, func(context.Context, []float64) error,
	error) {
	o.work.Reset()
	own, err := o.normal.evaluate(ctx, o.theta(point, o.normal), o.share(point), &o.work)
	if err != nil {
		return 0, nil, err
	}
	p := ridge.GradientProblem{Scale: o.Scale, Whole: o.Whole, Space: &o.work, PathProblem: ridge.PathProblem{
		Omega: own.total, Y: o.Y, Weight: o.Weight, Sets: o.Folds}}
	var hidden *evaluation
	if o.priv != nil {
		if hidden, err = o.priv.evaluate(ctx, o.theta(point, o.priv), 1, &o.work); err != nil {
			return 0, nil, err
		}
		p.Priv = hidden.total
	}
	loss, derive, err := p.Loss(ctx, o.params(point))
	if err != nil {
		return 0, nil, err
	}
	return math.Log(loss), func(ctx context.Context, dst []float64) error {
		g, err := derive(ctx)
		if err != nil {
			return err
		}
		clear(dst)
		if err := own.derive(ctx, g.Omega, o.theta(dst, o.normal)); err != nil {
			return err
		}
		if o.priv != nil {
			if err := hidden.derive(ctx, g.Priv, o.theta(dst, o.priv)); err != nil {
				return err
			}
		}
		if o.c >= 0 {
			dst[o.c] = g.LogC
		}
		if o.gamma >= 0 {
			dst[o.gamma] = g.LogGamma
		}
		if o.part >= 0 {
			dst[o.part] = inner(g.Omega, own.affine)
		}
		for i := range dst {
			dst[i] /= loss
		}
		return nil
	}, nil
}

// inner returns Σᵢⱼ aᵢⱼbᵢⱼ.
func inner(a, b blas.Matrix) float64 {
	var sum float64
	for i := range a.Rows {
		sum += blas.Dot(blas.Row(a, i), blas.Row(b, i))
	}
	return sum
}

// The ranges that parameters stay in: a quadratic wall keeps them there.
const (
	mostTheta           = 7 // widths from e⁻⁷ to e⁷ of the automatic one
	leastLogC, mostLogC = -9, 12
	mostLogShare        = 7
)

// penalty adds the penalty of a point and the walls, and their derivatives to dst, which may be nil.
func (o *objective) penalty(point, dst []float64, strength float64) float64 {
	var sum float64
	add := func(i int, value, slope float64) {
		sum += value
		if dst != nil {
			dst[i] += slope
		}
	}
	wall := func(i int, low, high float64) {
		if d := point[i] - min(max(point[i], low), high); d != 0 {
			add(i, d*d, 2*d)
		}
	}
	for _, s := range o.learning() {
		theta := o.theta(point, s)
		var mean float64
		for _, v := range theta {
			mean += v / float64(len(theta))
		}
		for g, v := range theta {
			if !math.IsInf(strength, 1) { // the derivative of the mean cancels
				d := v - mean
				add(s.first+g, strength*d*d/float64(len(theta)), 2*strength*d/float64(len(theta)))
			}
			wall(s.first+g, -mostTheta, mostTheta)
		}
	}
	if o.c >= 0 {
		wall(o.c, leastLogC, mostLogC)
	}
	if o.gamma >= 0 {
		wall(o.gamma, leastLogC, mostLogC)
	}
	if o.part >= 0 {
		wall(o.part, -mostLogShare, mostLogShare)
	}
	return sum
}

// starts returns the best of some points with equal widths, to start from while they stay equal, and points with
// moderate C to start from when they part: what is best for equal widths can be far from what is best for others.
func (o *objective) starts(ctx context.Context) (equal []float64, apart [][]float64, err error) {
	least := math.Inf(1)
	var last error
	for _, theta := range []float64{-math.Log(4), 0, math.Log(4)} {
		for _, c := range []float64{1, 10, 100} {
			if o.c < 0 && c != 10 {
				continue
			}
			point := make([]float64, o.size)
			for i := range o.first() {
				point[i] = theta
			}
			if o.c >= 0 {
				point[o.c] = math.Log(c)
			}
			loss, _, err := o.loss(ctx, point)
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if err != nil {
				last = err
				continue
			}
			if c == 10 {
				apart = append(apart, point)
			}
			if loss < least {
				equal, least = point, loss
			}
		}
	}
	if equal == nil {
		return nil, nil, last
	}
	return equal, apart, nil
}

// first is the number of the first parameter that is not of a column.
func (o *objective) first() int {
	if o.priv != nil {
		return o.priv.first + o.priv.groups
	}
	return o.normal.groups
}

// mostSteps bounds the steps of a minimisation: what is gained after them is less than what rows left out can tell.
// fewSteps is enough to see which of several starts leads far.
const mostSteps, fewSteps = 25, 8

// minimise returns the best point that L-BFGS finds from a start, and its penalised loss. With an infinite strength all
// columns of a space move together.
func (o *objective) minimise(ctx context.Context, from []float64, strength float64, steps int) (
	[]float64, float64, error) {
	together := math.IsInf(strength, 1)
	m := &minimiser{objective: o, ctx: ctx, strength: strength, together: together, least: math.Inf(1)}
	x := m.shrink(from)
	problem := optimize.Problem{
		Func: m.value,
		Grad: m.slope,
		Status: func() (optimize.Status, error) {
			if m.err != nil {
				return optimize.Failure, m.err
			}
			return optimize.NotTerminated, ctx.Err()
		},
	}
	settings := &optimize.Settings{MajorIterations: steps, GradientThreshold: 1e-4,
		Converger: &optimize.FunctionConverge{Absolute: 1e-3, Iterations: 3}}
	_, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{})
	if err := errors.Join(m.err, ctx.Err()); err != nil {
		return nil, 0, err
	}
	if m.best == nil { // not even the start can be solved
		return nil, 0, fault.New(fault.NotSolved, "no width could be evaluated: %v", err)
	}
	return m.best, m.least, nil // a line search that ends without a step leaves the best point so far
}

// minimiser is one run of minimise.
type minimiser struct {
	*objective
	ctx      context.Context
	strength float64
	together bool
	err      error
	best     []float64
	least    float64

	last    []float64 // the point evaluated last
	current float64
	derive  func(context.Context, []float64) error
}

// shrink returns the variables of a point: with all columns together one for each space.
func (m *minimiser) shrink(point []float64) []float64 {
	if !m.together {
		return slices.Clone(point)
	}
	var out []float64
	for _, s := range m.learning() {
		out = append(out, point[s.first])
	}
	return append(out, point[m.first():]...)
}

// learning lists the spaces whose widths are learned.
func (o *objective) learning() []*space {
	var out []*space
	for _, s := range []*space{o.normal, o.priv} {
		if s != nil && s.groups > 0 {
			out = append(out, s)
		}
	}
	return out
}

// grow is the inverse of shrink.
func (m *minimiser) grow(x []float64) []float64 {
	if !m.together {
		return slices.Clone(x)
	}
	out, spaces := make([]float64, m.size), m.learning()
	for k, s := range spaces {
		for g := range s.groups {
			out[s.first+g] = x[k]
		}
	}
	copy(out[m.first():], x[len(spaces):])
	return out
}

// at evaluates a point unless it is the last one.
func (m *minimiser) at(x []float64) {
	if m.last != nil && slices.Equal(m.last, x) {
		return
	}
	m.last = slices.Clone(x)
	point := m.grow(x)
	loss, derive, err := m.loss(m.ctx, point)
	if err != nil {
		m.current, m.derive = math.Inf(1), nil
		if !errors.Is(err, fault.NotSolved) {
			m.err = err
		}
		return
	}
	m.current, m.derive = loss+m.penalty(point, nil, m.strength), derive
	if m.current < m.least {
		m.best, m.least = point, m.current
	}
}

func (m *minimiser) value(x []float64) float64 {
	m.at(x)
	return m.current
}

func (m *minimiser) slope(dst, x []float64) {
	m.at(x)
	clear(dst)
	if m.derive == nil {
		return
	}
	full := make([]float64, m.size)
	if err := m.derive(m.ctx, full); err != nil {
		m.err = err
		return
	}
	m.penalty(m.grow(x), full, m.strength)
	if !m.together {
		copy(dst, full)
		return
	}
	spaces := m.learning()
	for k, s := range spaces {
		for _, v := range m.theta(full, s) {
			dst[k] += v
		}
	}
	copy(dst[len(spaces):], full[m.first():])
}
