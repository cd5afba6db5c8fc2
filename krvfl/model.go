package krvfl

import (
	"context"
	"errors"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Model is a trained KRVFL or KRVFL+, f(x) = Σ k(x,·)α + ȳ with one term for each kernel. It is immutable and safe for
// concurrent use.
type Model struct {
	support     blas.Matrix // training rows, N×n
	terms       []Term      // at least one
	offset      []float64   // ȳ, m
	privKernel  kernel.Kernel
	privSupport blas.Matrix // training rows with privileged values, N_c×d
	privAlpha   blas.Matrix // N_c×m
	projectC    float64

	single  sync.Once         // makes against
	against []*kernel.Against // the rows of each term, for the prediction of single rows
}

// Term is one kernel expansion of a model, k(x,·)α over some of the support's rows.
type Term struct {
	Kernel kernel.Kernel // the whole sum, linear part included
	From   int           // the first row of the support that the term stands on
	Alpha  blas.Matrix   // α, a row for each of the term's R rows, m columns
	// The posterior of the term: its prior covariance is Scale² times the kernel, and its standard deviation at x is
	// Scale times √(k(x,x) − ‖Factor⁻ᵀk(x)‖²). Empty when the model has none.
	Factor blas.Matrix // R×R, upper triangular
	Scale  []float64   // m
}

// rows returns the rows of the support that a term stands on.
func (t Term) rows(support blas.Matrix) blas.Matrix {
	return blas.View(support, t.From, t.From+t.Alpha.Rows, 0, support.Cols)
}

// Parts are the numbers a model consists of. They share the model's memory and
// must not be written.
type Parts struct {
	Support blas.Matrix // N×n; with learn.Projected, unlabelled rows come last
	// Terms has one element; with learn.Projected a second one, the projection of what the privileged features
	// explain.
	Terms  []Term
	Offset []float64 // m
	// The correcting function g(x̃) = k̃(x̃,·)·PrivAlpha, such that
	// y = f(x) + g(x̃) + ε; nil and empty without privileged features or when the
	// model was saved without them.
	PrivKernel  kernel.Kernel
	PrivSupport blas.Matrix // N_c×d
	PrivAlpha   blas.Matrix // N_c×m
	ProjectC    float64     // regularisation of the second stage of learn.Projected, else 0
}

// Parts returns the model's parts.
func (m *Model) Parts() Parts {
	return Parts{m.support, m.terms, m.offset, m.privKernel, m.privSupport, m.privAlpha, m.projectC}
}

// FromParts returns the model of the given parts, or a fault.Data error when
// their shapes do not fit together.
func FromParts(p Parts) (*Model, error) {
	if len(p.Terms) == 0 || len(p.Offset) == 0 || p.Support.Rows == 0 || p.Support.Cols == 0 {
		return nil, fault.New(fault.Data, "the model has %d kernels, %d outputs and a support of %d×%d",
			len(p.Terms), len(p.Offset), p.Support.Rows, p.Support.Cols)
	}
	for k, t := range p.Terms {
		if !t.fits(p) {
			return nil, fault.New(fault.Data, "%s is %d×%d, support.x and output.offset ask for %d×%d",
				[]string{"output.alpha", "project.alpha"}[min(k, 1)], t.Alpha.Rows, t.Alpha.Cols, p.Support.Rows,
				len(p.Offset))
		}
	}
	if p.PrivKernel != nil && (p.PrivAlpha.Rows != p.PrivSupport.Rows || p.PrivAlpha.Cols != len(p.Offset)) {
		return nil, fault.New(fault.Data, "priv.support.x and priv.output.alpha do not fit together")
	}
	if err := errors.Join(checkPosterior(p), checkRelevance(p)); err != nil {
		return nil, err
	}
	return &Model{
		support: p.Support, terms: p.Terms, offset: p.Offset,
		privKernel: p.PrivKernel, privSupport: p.PrivSupport, privAlpha: p.PrivAlpha,
		projectC: p.ProjectC,
	}, nil
}

// checkRelevance judges the relevance in the kernels of all terms and of the privileged space.
func checkRelevance(p Parts) error {
	for _, t := range p.Terms {
		if err := kernel.CheckFeatures(t.Kernel, p.Support.Cols); err != nil {
			return err
		}
	}
	if p.PrivKernel == nil {
		return nil
	}
	return kernel.CheckFeatures(p.PrivKernel, p.PrivSupport.Cols)
}

// fits reports whether a term stands on rows of the support and has the model's outputs; a term alone stands on all.
func (t Term) fits(p Parts) bool {
	return t.Kernel != nil && t.From >= 0 && t.From <= p.Support.Rows-t.Alpha.Rows && t.Alpha.Cols == len(p.Offset) &&
		(len(p.Terms) > 1 || t.Alpha.Rows == p.Support.Rows)
}

// Dims returns the number of features and of outputs.
func (m *Model) Dims() (features, outputs int) { return m.support.Cols, len(m.offset) }

// PredictTo sets row i of dst to f(row i of x). Cost proportional to N·(n+m) a row. A
// single row is predicted without new memory; the first one keeps a second copy of a
// support of at most 8 MB.
func (m *Model) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	out := dst.RawMatrix()
	for i := range out.Rows {
		copy(blas.Row(out, i), m.offset)
	}
	if in := x.RawMatrix(); in.Rows != 1 || m.support.Rows*m.support.Cols > mostCopied {
		for _, t := range m.terms {
			_ = times(context.Background(), t.Kernel, in, t.rows(m.support), t.Alpha, out)
		}
		return
	}
	m.single.Do(func() {
		for _, t := range m.terms {
			m.against = append(m.against, kernel.NewAgainst(t.Kernel, t.rows(m.support)))
		}
	})
	buffer := buffers.Get().(*blas.Matrix)
	defer buffers.Put(buffer)
	if len(buffer.Data) < m.support.Rows {
		*buffer = blas.New(1, m.support.Rows)
	}
	for k, t := range m.terms {
		n := t.Alpha.Rows
		values := blas.Matrix{Rows: 1, Cols: n, Stride: n, Data: buffer.Data[:n]}
		m.against[k].Row(values.Data, x.RawRowView(0))
		_ = blas.Gemm(context.Background(), false, false, 1, values, t.Alpha, 1, out)
	}
}

// mostCopied is the number of numbers up to which a support is copied for single rows;
// larger ones are worth several cores.
const mostCopied = 1 << 20
