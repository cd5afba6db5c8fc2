package pipeline

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// Intervals holds what prediction intervals are computed from. With the models
// without one row each they are those of the jackknife+ (R. F. Barber, E. J.
// Candès, A. Ramdas and R. J. Tibshirani, "Predictive inference with the
// jackknife+", Annals of Statistics 49 (2021)),
//
//	[⌊α(N+1)⌋-th smallest of f⁽⁻ⁱ⁾(x) − rᵢ, ⌈(1−α)(N+1)⌉-th smallest of f⁽⁻ⁱ⁾(x) + rᵢ],
//
// else those of the plain jackknife, f(x) ± the ⌈(1−α)(N+1)⌉-th smallest rᵢ, where rᵢ
// is |yᵢ − f⁽⁻ⁱ⁾(xᵢ)|. Each target has its own; row weights shape the models but
// the residuals count equally.
type Intervals struct {
	Residual blas.Matrix // rᵢ, N×m
	LeftOut  learn.Model // see learn.Report; nil for the plain jackknife
}

// Name returns "jackknife+" or "jackknife".
func (v *Intervals) Name() string {
	if v.LeftOut == nil {
		return "plain jackknife (jackknife+ needs the models without one row each, kept up to 5,000 rows and 25 " +
			"million numbers, and a ridge)"
	}
	return "jackknife+"
}

// block is the number of rows whose left-out predictions take about 32 MB.
func (v *Intervals) block() int {
	return max(1, min(learn.PredictBlock, 4<<20/(v.Residual.Rows*v.Residual.Cols)))
}

func (v *Intervals) setResiduals(y, leaveOneOut blas.Matrix) {
	v.Residual = blas.New(y.Rows, y.Cols)
	for i := range y.Rows {
		for j, t := range blas.Row(y, i) {
			v.Residual.Data[i*y.Cols+j] = math.Abs(t - leaveOneOut.Data[i*leaveOneOut.Stride+j])
		}
	}
}

// promise says what is known of intervals at a level.
func (v *Intervals) promise(level float64) string {
	if v.LeftOut == nil {
		return fmt.Sprintf("intervals of the plain jackknife: meant to cover %g of new rows, without a guarantee",
			level)
	}
	return fmt.Sprintf("intervals of the jackknife+: they cover about %g of new rows like the training rows; "+
		"guaranteed on average over training sets is 1 - 2α = %.4g", level, max(0, 2*level-1))
}

// CheckLevel returns a fault.Usage error for a level that is not within (0, 1) or
// that the model cannot give intervals at; 0 means no intervals.
func (m *Model) CheckLevel(level float64) error {
	if level == 0 {
		return nil
	}
	if !(level > 0 && level < 1) {
		return fault.Param("level", "a number > 0 and < 1", level)
	}
	if m.Intervals == nil {
		return fault.New(fault.Usage, "the model was trained without intervals").
			WithHint("train it with %s", fault.Name("intervals"))
	}
	if n := m.Intervals.Residual.Rows; upperRank(level, n) > n {
		return fault.New(fault.Usage, "level %g needs more than the %d rows the model was trained on", level, n).
			WithHint("the highest level of this model is %.4g", float64(n)/float64(n+1))
	}
	return nil
}

// upperRank is ⌈(1−α)(n+1)⌉, from 1; rounding in the product does not count.
func upperRank(level float64, n int) int {
	return max(1, int(math.Ceil(level*float64(n+1)-1e-9)))
}

// quantiles computes intervals at one level.
type quantiles struct {
	*Intervals
	rank  int       // of the upper end, from 1; the lower one is as far from the other end
	width []float64 // plain jackknife: half widths, one a target
}

func (v *Intervals) at(level float64) quantiles {
	q := quantiles{Intervals: v, rank: upperRank(level, v.Residual.Rows)}
	for j := range v.Residual.Cols {
		column := make([]float64, v.Residual.Rows)
		for i := range column {
			column[i] = v.Residual.Data[i*v.Residual.Stride+j]
		}
		slices.Sort(column)
		q.width = append(q.width, column[q.rank-1])
	}
	return q
}

// set fills the rows of lower and upper for outputs f at prepared rows x.
func (q quantiles) set(lower, upper, f, x *mat.Dense) {
	if q.LeftOut == nil {
		for i := range f.RawMatrix().Rows {
			for j, w := range q.width {
				lower.Set(i, j, f.At(i, j)-w)
				upper.Set(i, j, f.At(i, j)+w)
			}
		}
		return
	}
	n, m := q.Residual.Rows, q.Residual.Cols
	left := mat.NewDense(x.RawMatrix().Rows, n*m, nil)
	q.LeftOut.PredictTo(left, x)
	low, high := make([]float64, n), make([]float64, n)
	for i := range left.RawMatrix().Rows {
		row := left.RawRowView(i)
		for j := range m {
			for k := range n {
				r := q.Residual.Data[k*q.Residual.Stride+j]
				low[k], high[k] = row[k*m+j]-r, row[k*m+j]+r
			}
			slices.Sort(low)
			slices.Sort(high)
			lower.Set(i, j, low[n-q.rank])
			upper.Set(i, j, high[q.rank-1])
		}
	}
}
