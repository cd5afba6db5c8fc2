package relevance

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/parallel"
	"rvflplus/internal/ridge"
	"rvflplus/kernel"
)

// space is one space while its widths are learned. θ of a column is −log of its width in units of the automatic one;
// features are multiplied by r = exp(θ·power) before the kernel.
type space struct {
	Space
	family
	term   kernel.Term // whose width is learned
	groups int         // columns, 0 when no width is learned
	of     []int       // the column of each feature
	first  int         // number of the first θ in a point
	width  float64     // automatic
	fixed  blas.Matrix // kernel matrix of the terms that do not change
	affine blas.Matrix // of the affine terms, where their share is learned
	shares bool
}

// newSpace resolves what does not depend on a point.
func newSpace(of Space, seed uint64) (*space, error) {
	s := &space{Space: of}
	var held, affine kernel.Spec
	for _, t := range of.Kernel {
		switch {
		case t.Params["width"] == kernel.Learned:
			if s.groups > 0 {
				return nil, fault.New(fault.Usage, "the widths of one term of a kernel can be learned, not of two: %s",
					of.Kernel)
			}
			s.term, s.groups = t, 1
		case of.Share && t.Name == "affine":
			affine = append(affine, t)
		default:
			held = append(held, t)
		}
	}
	s.fixed = blas.New(of.X.Rows, of.X.Rows)
	s.shares = affine != nil
	for _, part := range []struct {
		spec kernel.Spec
		dst  *blas.Matrix
	}{{held, &s.fixed}, {affine, &s.affine}} {
		if part.spec == nil {
			continue
		}
		k, err := part.spec.Resolve(of.X, seed)
		if err != nil {
			return nil, err
		}
		*part.dst = blas.New(of.X.Rows, of.X.Rows)
		if err := kernel.NewMatrices(of.X).MatrixTo(context.Background(), k, *part.dst); err != nil {
			return nil, err
		}
	}
	if s.groups == 0 {
		return s, nil
	}
	return s, s.setUp(seed)
}

// setUp finds the automatic width and numbers the columns.
func (s *space) setUp(seed uint64) error {
	var known bool
	if s.family, known = families[s.term.Name]; !known {
		return fault.New(fault.Usage, "kernel %s has no width for each feature", s.term.Name).
			WithHint("use rbf, laplacian or wavelet")
	}
	params := map[string]float64{}
	for key, v := range s.term.Params {
		if key != "width" {
			params[key] = v
		}
	}
	own := kernel.Spec{{Name: s.term.Name, Params: params}}
	k, err := own.Resolve(s.X, seed)
	if err != nil {
		return err
	}
	s.term = k.Spec()[0]
	s.width = s.term.Params["width"]
	s.of, s.groups = make([]int, s.X.Cols), 0
	numbers := map[int]int{}
	for j := range s.of {
		column := j
		if s.Columns != nil {
			column = s.Columns[j]
		}
		g, known := numbers[column]
		if !known {
			g = s.groups
			numbers[column] = g
			s.groups++
		}
		s.of[j] = g
	}
	return nil
}

// factors returns the factor of each feature.
func (s *space) factors(theta []float64) []float64 {
	r := make([]float64, s.X.Cols)
	for j := range r {
		r[j] = math.Exp(theta[s.of[j]] * s.power)
	}
	return r
}

// insignificant is the factor, relative to the largest, below which a feature is left out: its column has e¹⁴ of the
// widest column's width.
const insignificant = 1e-3

// spec returns the kernel of a point. The width is that of the most relevant column, whose factor is 1.
func (s *space) spec(theta []float64, share float64) (kernel.Spec, error) {
	var out kernel.Spec
	for _, t := range s.Kernel {
		switch {
		case t.Params["width"] == kernel.Learned:
			most := math.Inf(-1)
			for _, v := range theta {
				most = max(most, v)
			}
			r := s.factors(theta)
			for j := range r {
				if r[j] /= math.Exp(most * s.power); r[j] < insignificant {
					r[j] = 0
				}
			}
			if !slices.ContainsFunc(r, func(v float64) bool { return v != 1 }) {
				r = nil // one width for all
			}
			learned := kernel.Term{Name: s.term.Name, Params: map[string]float64{}, Relevance: r}
			for key, v := range s.term.Params {
				learned.Params[key] = v
			}
			learned.Params["width"] = s.width * math.Exp(-most)
			out = append(out, learned)
		case s.Share && t.Name == "affine":
			k, err := kernel.Spec{t}.Kernel()
			if err != nil {
				return nil, err
			}
			a := k.(kernel.Affine)
			out = append(out, kernel.Affine{Slope: a.Slope * share, Offset: a.Offset * share}.Spec()...)
		default:
			out = append(out, t)
		}
	}
	k, err := out.Resolve(s.X, 0)
	if err != nil {
		return nil, err
	}
	return k.Spec(), nil
}

// evaluation is the kernel matrix of a space at a point.
type evaluation struct {
	*space
	work   *ridge.Workspace
	scaled blas.Matrix // features times their factors
	values blas.Matrix // of the term whose width is learned
	total  blas.Matrix
	affine blas.Matrix // times its share
}

func (s *space) evaluate(ctx context.Context, theta []float64, share float64, work *ridge.Workspace) (
	*evaluation, error) {
	e := &evaluation{space: s, work: work, total: work.Clone(s.fixed)}
	if s.shares {
		e.affine = work.Clone(s.affine)
		for i := range e.affine.Data {
			e.affine.Data[i] *= share
		}
		blas.Axpy(1, e.affine.Data, e.total.Data)
	}
	if s.groups == 0 {
		return e, nil
	}
	e.scaled = work.Clone(s.X)
	r := s.factors(theta)
	for i := range e.scaled.Rows {
		row := blas.Row(e.scaled, i)
		for j := range row {
			row[j] *= r[j]
		}
	}
	plain := kernel.Spec{{Name: s.term.Name, Params: s.term.Params}}
	k, err := plain.Kernel()
	if err != nil {
		return nil, err
	}
	e.values = work.New(s.X.Rows, s.X.Rows)
	if err := kernel.AddSymmetric(ctx, k, 1, e.scaled, e.values, nil); err != nil {
		return nil, err
	}
	blas.Mirror(e.values)
	blas.Axpy(1, e.values.Data, e.total.Data)
	return e, nil
}

// derive adds Σᵢₖ Gᵢₖ ∂Ωᵢₖ/∂θ to dst, for the derivatives G of the loss by the elements of the kernel matrix.
func (e *evaluation) derive(ctx context.Context, g blas.Matrix, dst []float64) error {
	if e.groups == 0 {
		return nil
	}
	weighed := e.work.New(g.Rows, g.Rows)
	for i := range g.Rows {
		row, values := blas.Row(weighed, i), blas.Row(e.values, i)
		for k, v := range blas.Row(g, i) {
			row[k] = v * values[k]
		}
	}
	features := make([]float64, e.X.Cols)
	if err := e.derivative(ctx, e, g, weighed, features); err != nil {
		return err
	}
	for j, v := range features {
		dst[e.of[j]] += v
	}
	return nil
}

// family is what kernels with a width a feature differ in.
type family struct {
	power float64 // r = exp(θ·power)
	// derivative sets dst, an element for each feature, to Σᵢₖ Gᵢₖ ∂kᵢₖ/∂θⱼ; weighed holds Gᵢₖkᵢₖ.
	derivative func(ctx context.Context, e *evaluation, g, weighed blas.Matrix, dst []float64) error
}

var families = map[string]family{
	"rbf":       {0.5, squaredDifferences},
	"laplacian": {1, absoluteDifferences},
	"wavelet":   {0.5, waves},
}

// squaredDifferences is the derivative of exp(−Σ zⱼ²/width), z = r∘(x − y): ∂k/∂θⱼ = −zⱼ²k/width. With W = G∘k the sum
// is −(2Σᵢ xᵢⱼ²(W1)ᵢ − 2xⱼᵀWxⱼ)/width: one product of matrices for all features.
func squaredDifferences(ctx context.Context, e *evaluation, _, weighed blas.Matrix, dst []float64) error {
	product := e.work.New(e.scaled.Rows, e.scaled.Cols)
	if err := blas.Gemm(ctx, false, false, 1, weighed, e.scaled, 0, product); err != nil {
		return err
	}
	clear(dst)
	for i := range e.scaled.Rows {
		var total float64
		for _, w := range blas.Row(weighed, i) {
			total += w
		}
		p := blas.Row(product, i)
		for j, x := range blas.Row(e.scaled, i) {
			dst[j] -= 2 * x * (x*total - p[j]) / e.width
		}
	}
	return nil
}

// byFeature sets dst[j] to the sum over pairs i < k of term(j, i, k), given all values of each feature.
func byFeature(ctx context.Context, e *evaluation, dst []float64, row func(x []float64, i int) float64) error {
	columns := e.work.New(e.scaled.Cols, e.scaled.Rows)
	for i := range e.scaled.Rows {
		for j, v := range blas.Row(e.scaled, i) {
			columns.Data[j*columns.Stride+i] = v
		}
	}
	return parallel.For(ctx, len(dst), func(j int) {
		dst[j] = 0
		x := blas.Row(columns, j)
		for i := range x {
			dst[j] += row(x, i)
		}
	})
}

// absoluteDifferences is the derivative of exp(−Σ|zⱼ|/width): ∂k/∂θⱼ = −|zⱼ|k/width.
func absoluteDifferences(ctx context.Context, e *evaluation, _, weighed blas.Matrix, dst []float64) error {
	return byFeature(ctx, e, dst, func(x []float64, i int) float64 {
		var sum float64
		w, xi := blas.Row(weighed, i)[i+1:], x[i]
		for k, v := range x[i+1:] {
			sum += w[k] * math.Abs(xi-v)
		}
		return -2 * sum / e.width
	})
}

// waves is the derivative of Π cos(f·zⱼ/a)·exp(−zⱼ²/width): ∂k/∂θⱼ = −zⱼ²k/width − ½(f·zⱼ/a)·tan(f·zⱼ/a)·k.
func waves(ctx context.Context, e *evaluation, g, weighed blas.Matrix, dst []float64) error {
	rate := e.term.Params["frequency"] / e.term.Params["dilation"]
	return byFeature(ctx, e, dst, func(x []float64, i int) float64 {
		var sum float64
		w, xi := blas.Row(weighed, i)[i+1:], x[i]
		for k, v := range x[i+1:] {
			z := xi - v
			u := rate * z
			sum -= w[k] * (z*z/e.width + u*math.Tan(u)/2)
		}
		return 2 * sum
	})
}
