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

// checkPosterior refuses a factor that no fit could have given. Either all terms have a posterior or none.
func checkPosterior(p Parts) error {
	for _, t := range p.Terms {
		if (len(t.Scale) == 0) != (len(p.Terms[0].Scale) == 0) {
			return fault.New(fault.Data, "some terms have a posterior and some have none")
		}
		if err := t.checkPosterior(len(p.Offset)); err != nil {
			return err
		}
	}
	return nil
}

func (t Term) checkPosterior(outputs int) error {
	n := t.Alpha.Rows
	if t.Factor.Rows == 0 && len(t.Scale) == 0 {
		return nil
	}
	if t.Factor.Rows != n || t.Factor.Cols != n || len(t.Scale) != outputs {
		return fault.New(fault.Data,
			"the posterior is %d×%d for %d outputs, support.x and output.offset ask for %d×%d and %d",
			t.Factor.Rows, t.Factor.Cols, len(t.Scale), n, n, outputs)
	}
	for i := range n {
		row := blas.Row(t.Factor, i)
		if !(row[i] > 0) || slices.ContainsFunc(row[:i], func(v float64) bool { return v != 0 }) {
			return fault.New(fault.Data,
				"the posterior's factor is not upper triangular with a positive diagonal in row %d", i+1)
		}
	}
	if slices.ContainsFunc(t.Scale, func(v float64) bool { return !(v >= 0) }) {
		return fault.New(fault.Data, "the posterior's scale must be >= 0, got %v", t.Scale)
	}
	return nil
}

// HasPosterior implements learn.Posterior.
func (m *Model) HasPosterior() bool { return len(m.terms[0].Scale) > 0 }

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
	for i := range out.Rows {
		clear(blas.Row(out, i))
	}
	for _, t := range m.terms {
		t.addVariance(out, in, t.rows(m.support))
	}
	for i := range out.Rows {
		for j, v := range blas.Row(out, i) {
			out.Data[i*out.Stride+j] = math.Sqrt(v)
		}
	}
}

// addVariance adds the term's posterior variances for rows in.
func (t Term) addVariance(out, in, support blas.Matrix) {
	ctx := context.Background()
	k := blas.New(in.Rows, support.Rows)
	_ = kernel.Add(ctx, t.Kernel, 1, in, support, k)
	_ = blas.SolveRight(ctx, k, t.Factor)
	prior := (&gramian{k: t.Kernel, x: in}).Diag()
	for i := range out.Rows {
		row := blas.Row(k, i)
		left := max(0, prior[i]-blas.Dot(row, row)) // rounding may leave less than 0
		for j, s := range t.Scale {
			out.Data[i*out.Stride+j] += s * s * left
		}
	}
}
