package krvfl

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Model is a trained KRVFL or KRVFL+, f(x) = k(x,·)α + ȳ. It is immutable and
// safe for concurrent use.
type Model struct {
	kernel      kernel.Kernel
	support     blas.Matrix // training rows, N×n
	alpha       blas.Matrix // α, N×m
	offset      []float64   // ȳ, m
	privKernel  kernel.Kernel
	privSupport blas.Matrix // training rows with privileged values, N_c×d
	privAlpha   blas.Matrix // N_c×m
	factor      blas.Matrix // N×N, no rows without a posterior
	scale       []float64   // m

	single  sync.Once       // makes against
	against *kernel.Against // the support, for the prediction of single rows
}

// Parts are the numbers a model consists of. They share the model's memory and
// must not be written.
type Parts struct {
	Kernel  kernel.Kernel // the whole sum, linear part included
	Support blas.Matrix   // N×n
	Alpha   blas.Matrix   // N×m
	Offset  []float64     // m
	// The correcting function g(x̃) = k̃(x̃,·)·PrivAlpha, such that
	// y = f(x) + g(x̃) + ε; nil and empty without privileged features or when the
	// model was saved without them.
	PrivKernel  kernel.Kernel
	PrivSupport blas.Matrix // N_c×d
	PrivAlpha   blas.Matrix // N_c×m
	// The posterior of f: its prior covariance is Scale² times the kernel, and its standard deviation at x is
	// Scale times √(k(x,x) − ‖Factor⁻ᵀk(x)‖²). Empty when the model has none.
	Factor blas.Matrix // N×N, upper triangular
	Scale  []float64   // m
}

// Parts returns the model's parts.
func (m *Model) Parts() Parts {
	return Parts{m.kernel, m.support, m.alpha, m.offset, m.privKernel, m.privSupport, m.privAlpha, m.factor, m.scale}
}

// FromParts returns the model of the given parts, or a fault.Data error when
// their shapes do not fit together.
func FromParts(p Parts) (*Model, error) {
	switch {
	case p.Kernel == nil || p.Alpha.Rows != p.Support.Rows || p.Alpha.Cols != len(p.Offset) || len(p.Offset) == 0 ||
		p.Support.Rows == 0 || p.Support.Cols == 0:
		return nil, fault.New(fault.Data, "output.alpha is %d×%d, support.x and output.offset ask for %d×%d",
			p.Alpha.Rows, p.Alpha.Cols, p.Support.Rows, len(p.Offset))
	case p.PrivKernel != nil && (p.PrivAlpha.Rows != p.PrivSupport.Rows || p.PrivAlpha.Cols != len(p.Offset)):
		return nil, fault.New(fault.Data, "priv.support.x and priv.output.alpha do not fit together")
	}
	if err := checkPosterior(p); err != nil {
		return nil, err
	}
	return &Model{
		kernel: p.Kernel, support: p.Support, alpha: p.Alpha, offset: p.Offset,
		privKernel: p.PrivKernel, privSupport: p.PrivSupport, privAlpha: p.PrivAlpha, factor: p.Factor, scale: p.Scale,
	}, nil
}

// Dims returns the number of features and of outputs.
func (m *Model) Dims() (features, outputs int) { return m.support.Cols, m.alpha.Cols }

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
		_ = times(context.Background(), m.kernel, in, m.support, m.alpha, out)
		return
	}
	m.single.Do(func() { m.against = kernel.NewAgainst(m.kernel, m.support) })
	buffer := buffers.Get().(*blas.Matrix)
	defer buffers.Put(buffer)
	if len(buffer.Data) < m.support.Rows {
		*buffer = blas.New(1, m.support.Rows)
	}
	values := blas.Matrix{Rows: 1, Cols: m.support.Rows, Stride: m.support.Rows, Data: buffer.Data[:m.support.Rows]}
	m.against.Row(values.Data, x.RawRowView(0))
	_ = blas.Gemm(context.Background(), false, false, 1, values, m.alpha, 1, out)
}

// mostCopied is the number of numbers up to which a support is copied for single rows;
// larger ones are worth several cores.
const mostCopied = 1 << 20
