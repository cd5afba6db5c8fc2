package svmplus

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Model is a trained SVM+, f(x) = k(x,·)α + b, or xᵀw + b with a linear kernel. The
// labels' signs are in α. It is immutable and safe for concurrent use.
type Model struct{ parts Parts }

// Parts are the numbers a model consists of. They share the model's memory and
// must not be written.
type Parts struct {
	Kernel     kernel.Kernel
	PrivKernel kernel.Kernel // resolved; not used in prediction, nil when not known
	Support    blas.Matrix   // S×n support vectors; none with a linear kernel
	Alpha      blas.Matrix   // S×m
	Weight     blas.Matrix   // n×m with a linear kernel
	Offset     []float64     // b, m
}

// Linear reports whether the model holds weights instead of support vectors.
func (p Parts) Linear() bool { return p.Weight.Rows > 0 }

// Parts returns the model's parts.
func (m *Model) Parts() Parts { return m.parts }

// FromParts returns the model of the given parts, or a fault.Data error when
// their shapes do not fit together.
func FromParts(p Parts) (*Model, error) {
	outputs, rows := p.Alpha.Cols, p.Alpha.Rows
	if p.Linear() {
		outputs, rows = p.Weight.Cols, 0
	}
	_, linear := p.Kernel.(kernel.Linear)
	if p.Kernel == nil || linear != p.Linear() || outputs != len(p.Offset) || outputs == 0 ||
		rows != p.Support.Rows || !p.Linear() && p.Support.Cols == 0 {
		return nil, fault.New(fault.Data,
			"output.alpha or output.weight, support.x and output.offset do not fit together")
	}
	if err := kernel.CheckFeatures(p.Kernel, p.Support.Cols); err != nil {
		return nil, err
	}
	return &Model{p}, nil
}

// Dims returns the number of features and of outputs.
func (m *Model) Dims() (features, outputs int) {
	if m.parts.Linear() {
		return m.parts.Weight.Rows, len(m.parts.Offset)
	}
	return m.parts.Support.Cols, len(m.parts.Offset)
}

// PredictTo sets row i of dst to the decision values for row i of x. Cost
// proportional to S·(n+m) a row, to n·m with a linear kernel.
func (m *Model) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	ctx, out, rows := context.Background(), dst.RawMatrix(), x.RawMatrix()
	for i := range out.Rows {
		copy(blas.Row(out, i), m.parts.Offset)
	}
	if m.parts.Linear() {
		_ = blas.Gemm(ctx, false, false, 1, rows, m.parts.Weight, 1, out)
		return
	}
	for lo := 0; lo < rows.Rows && m.parts.Support.Rows > 0; lo += learn.PredictBlock {
		hi := min(lo+learn.PredictBlock, rows.Rows)
		k := blas.New(hi-lo, m.parts.Support.Rows)
		_ = kernel.Add(ctx, m.parts.Kernel, 1, blas.View(rows, lo, hi, 0, rows.Cols), m.parts.Support, k)
		_ = blas.Gemm(ctx, false, false, 1, k, m.parts.Alpha, 1, blas.View(out, lo, hi, 0, out.Cols))
	}
}
