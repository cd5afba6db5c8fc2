package krvfl

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// checkPosterior refuses a factor that no fit could have given.
func checkPosterior(p Parts) error {
	n := p.Support.Rows
	if p.Factor.Rows == 0 && len(p.Scale) == 0 {
		return nil
	}
	if p.Factor.Rows != n || p.Factor.Cols != n || len(p.Scale) != len(p.Offset) {
		return fault.New(fault.Data,
			"the posterior is %d×%d for %d outputs, support.x and output.offset ask for %d×%d and %d",
			p.Factor.Rows, p.Factor.Cols, len(p.Scale), n, n, len(p.Offset))
	}
	for i := range n {
		row := blas.Row(p.Factor, i)
		if !(row[i] > 0) || slices.ContainsFunc(row[:i], func(v float64) bool { return v != 0 }) {
			return fault.New(fault.Data,
				"the posterior's factor is not upper triangular with a positive diagonal in row %d", i+1)
		}
	}
	if slices.ContainsFunc(p.Scale, func(v float64) bool { return !(v >= 0) }) {
		return fault.New(fault.Data, "the posterior's scale must be >= 0, got %v", p.Scale)
	}
	return nil
}

// HasPosterior implements learn.Posterior.
func (m *Model) HasPosterior() bool { return len(m.scale) > 0 }

// StdTo implements learn.Posterior: the posterior standard deviation of f, which
// does not include the noise of single observations. Cost N² operations a row.
func (m *Model) StdTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	if !m.HasPosterior() {
		panic("krvfl: a model without a posterior")
	}
	in, out := x.RawMatrix(), dst.RawMatrix()
	for lo := 0; lo < in.Rows; lo += learn.PredictBlock {
		hi := min(lo+learn.PredictBlock, in.Rows)
		m.stdBlock(blas.View(out, lo, hi, 0, out.Cols), blas.View(in, lo, hi, 0, in.Cols))
	}
}

// stdBlock is StdTo for a block of rows.
func (m *Model) stdBlock(out, in blas.Matrix) {
	ctx := context.Background()
	k := blas.New(in.Rows, m.support.Rows)
	_ = kernel.Add(ctx, m.kernel, 1, in, m.support, k)
	_ = blas.SolveRight(ctx, k, m.factor)
	prior := gramian{m.kernel, in}.Diag()
	for i := range out.Rows {
		row := blas.Row(k, i)
		root := math.Sqrt(max(0, prior[i]-blas.Dot(row, row))) // rounding may leave less than 0
		for j, s := range m.scale {
			out.Data[i*out.Stride+j] = s * root
		}
	}
}
