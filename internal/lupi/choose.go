package lupi

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/parallel"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// choice is a setting of a ridge regression with its predictions of rows left out.
type choice struct {
	r    int // representation
	c    float64
	loss float64    // mean over rows
	out  *mat.Dense // predictions of rows left out
}

// target is what ridge regressions are chosen for.
type target struct {
	y      blas.Matrix
	weight []float64
	folds  [][]int
	center bool
	scale  []float64 // of each output's error
	counts []float64 // what rows count as in losses; nil: weight
}

// targets returns the targets of the rows.
func (f *fit) targets() target {
	return target{y: f.rows.Y.RawMatrix(), weight: f.weight, folds: f.folds, center: f.Center, scale: f.scale}
}

// predict returns the predictions of rows left out, in the order of the rows.
func (t target) predict(ctx context.Context, path *ridge.Path, c float64) (*mat.Dense, error) {
	return t.predictBy(ctx, path, ridge.Params{C: c, Center: t.center})
}

// predictBy is predict with privileged features too.
func (t target) predictBy(ctx context.Context, path *ridge.Path, p ridge.Params) (*mat.Dense, error) {
	out := blas.New(path.HeldRows(), t.y.Cols)
	if err := path.HeldOut(ctx, p, out); err != nil {
		return nil, err
	}
	if err := learn.CheckWeights(out); err != nil {
		return nil, err
	}
	if t.folds == nil {
		return mat.NewDense(out.Rows, out.Cols, out.Data), nil
	}
	ordered, at := mat.NewDense(t.y.Rows, t.y.Cols, nil), 0
	for _, fold := range t.folds {
		for _, row := range fold {
			ordered.SetRow(row, blas.Row(out, at))
			at++
		}
	}
	return ordered, nil
}

// columns returns the mean squared error of each output.
func (t target) columns(out *mat.Dense) []float64 {
	sums := make([]float64, t.y.Cols)
	var total float64
	counts := t.counts
	if counts == nil {
		counts = t.weight
	}
	for i, v := range counts {
		total += v
		for j, y := range blas.Row(t.y, i) {
			d := (out.At(i, j) - y) * t.scale[j]
			sums[j] += v * d * d
		}
	}
	for j := range sums {
		sums[j] /= total
	}
	return sums
}

func (t target) loss(out *mat.Dense) float64 {
	var sum float64
	columns := t.columns(out)
	for _, v := range columns {
		sum += v
	}
	return sum / float64(len(columns))
}

// ridges evaluates the ridge regressions of every inner product and C and returns the best choice of each, of equal
// ones the first. Settings that cannot be solved are passed over.
func (f *fit) ridges(ctx context.Context, inner []blas.Matrix, cs []float64, t target) ([]choice, error) {
	losses := slices.Repeat([]float64{math.Inf(1)}, len(inner)*len(cs))
	paths := make([]*ridge.Path, len(inner))
	for r, m := range inner {
		paths[r] = ridge.NewPath(ridge.PathProblem{Omega: m, Y: t.y, Weight: t.weight, Sets: t.folds})
	}
	errs := make([]error, len(losses))
	err := f.each(ctx, len(losses), t.y.Rows, 1, func(k int) {
		out, err := t.predict(ctx, paths[k/len(cs)], cs[k%len(cs)])
		if errs[k] = err; err == nil {
			losses[k] = t.loss(out)
		}
	})
	if err != nil {
		return nil, err
	}
	best := make([]choice, len(inner))
	for r := range best {
		best[r] = choice{r: r, loss: math.Inf(1)}
		for k, c := range cs {
			if loss := losses[r*len(cs)+k]; loss < best[r].loss {
				best[r].c, best[r].loss = c, loss
			}
		}
		if math.IsInf(best[r].loss, 1) {
			continue
		}
		if best[r].out, err = t.predict(ctx, paths[r], best[r].c); err != nil {
			return nil, err
		}
	}
	if least(best) < 0 {
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		return nil, fault.New(fault.Data, "targets are so large that the squares of their differences overflow").
			WithHint("use other units for the target")
	}
	return best, nil
}

// least returns the number of the choice of the least loss, of equal ones the first; -1 if none could be evaluated.
func least(choices []choice) int {
	best := -1
	for i, c := range choices {
		if !math.IsInf(c.loss, 1) && (best < 0 || c.loss < choices[best].loss) {
			best = i
		}
	}
	return best
}

// manyRows is the number of rows from which on the work inside a setting is spread over the cores, instead of the
// settings.
const manyRows = 600

// each calls use for n settings of problems of some rows, and tells of each. Once the budget is used up only the first
// must settings are tried, and those that are not tried are counted.
func (f *fit) each(ctx context.Context, n, rows, must int, use func(k int)) error {
	loop := parallel.For
	if rows >= manyRows {
		loop = parallel.Serial
	}
	return loop(ctx, n, func(k int) {
		if k < must || !f.late() {
			use(k)
		} else {
			f.skip()
		}
		f.tell(1)
	})
}
