package relevance

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/rng"
	"rvflplus/learn"
)

// Shares says how much of a model's answers each raw column makes. It looks at the outputs alone, so that it serves any
// model: sums, kernels with or without a width a feature, linear parts. With f_o the output o, s_o its factor and x|j a
// row whose features of column j are replaced by their means over all rows,
//
//	v_j = mean over rows and outputs of (s_o·(f_o(x) − f_o(x|j)))²,   share_j = v_j / Σ v.
//
// Columns that stand for each other divide what both tell. A share says what the model uses, not what causes what.
// Replacing a feature by its mean is known as feature ablation or occlusion (M. Zeiler, R. Fergus, Visualizing and
// Understanding Convolutional Networks, 2014; I. Covert, S. Lundberg, S. Lee, Explaining by Removing, JMLR 22, 2021).
type Shares struct {
	Model   learn.Model
	X       *mat.Dense // training rows × prepared features
	Columns []int      // the number of the raw column, from 0 and ascending, of each feature
	Scale   []float64  // s, a factor for each output
	Support int        // rows that the model's answers stand on, for the cost
	Seed    uint64     // draws the rows
	// Progress is told how many columns are done.
	Progress learn.Progress
}

const (
	mostShareRows  = 500  // rows that are looked at
	fewestShareRow = 20   // with fewer a share is hardly more than chance
	mostShareWork  = 2e10 // columns × rows × features × support rows: some seconds
)

// Rows returns the number of rows that are looked at: all, at most 500, and so few that columns × rows × features ×
// support rows is at most 2·10¹⁰. Where fewer than 20 of more are left it is 0: to measure would take too long.
func (s Shares) Rows() int {
	rows := s.X.RawMatrix().Rows
	afford := mostShareWork / (float64(s.columns()) * float64(len(s.Columns)) * float64(max(1, s.Support)))
	most := min(rows, mostShareRows, int(min(afford, mostShareRows)))
	if most < min(rows, fewestShareRow) {
		return 0
	}
	return most
}

func (s Shares) columns() int { return s.Columns[len(s.Columns)-1] + 1 }

// Measure returns the share of each column: 0 … 1, with the sum 1. It is nil where Rows is 0, where the outputs depend
// on no column, and where they overflow. Cost: columns × Rows predictions, and memory for 1,024 rows. The result
// depends on the seed and not on the number of threads.
func (s Shares) Measure(ctx context.Context) ([]float64, error) {
	r := s.Rows()
	if r == 0 {
		return nil, nil
	}
	n := s.X.RawMatrix().Rows
	x := learn.GatherRows(s.X, slices.Sorted(slices.Values(rng.New(s.Seed, "columns that count").Perm(n)[:r])))
	plain, err := learn.Predict(ctx, s.Model, x, nil)
	if err != nil {
		return nil, err
	}
	means, changes := s.means(), make([]float64, s.columns())
	at := max(1, 4*learn.PredictBlock/r) // columns that are predicted at once
	for first := 0; first < len(changes); first += at {
		part := changes[first:min(first+at, len(changes))]
		without := mat.NewDense(r*len(part), len(s.Columns), nil)
		for k := range part {
			own := learn.Rows(without, k*r, (k+1)*r)
			own.Copy(x)
			s.silence(own, first+k, means)
		}
		out, err := learn.Predict(ctx, s.Model, without, nil)
		if err != nil {
			return nil, err
		}
		for k := range part {
			part[k] = s.change(plain, learn.Rows(out, k*r, (k+1)*r))
		}
		s.Progress.Tell("columns", first+len(part), len(changes))
	}
	return normalised(changes), nil
}

// means returns the mean of each feature over all rows. That of equal values is exactly their value.
func (s Shares) means() []float64 {
	n := s.X.RawMatrix().Rows
	means := make([]float64, len(s.Columns))
	for j := range means {
		v := mat.Col(nil, j, s.X)
		for _, x := range v {
			means[j] += x / float64(n)
		}
		means[j] = min(max(means[j], slices.Min(v)), slices.Max(v))
	}
	return means
}

// silence sets the features of a column to their means.
func (s Shares) silence(x *mat.Dense, column int, means []float64) {
	first, _ := slices.BinarySearch(s.Columns, column)
	last, _ := slices.BinarySearch(s.Columns, column+1)
	for i := range x.RawMatrix().Rows {
		copy(x.RawRowView(i)[first:last], means[first:last])
	}
}

// change returns the sum of the squared differences of outputs, in units of their scale.
func (s Shares) change(a, b *mat.Dense) float64 {
	var sum float64
	for i := range a.RawMatrix().Rows {
		from, to := a.RawRowView(i), b.RawRowView(i)
		for o, v := range from {
			d := s.Scale[o] * (v - to[o])
			sum += d * d
		}
	}
	return sum
}

// normalised divides numbers by their sum; it returns nil where the sum is 0 or not finite.
func normalised(v []float64) []float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil
	}
	for j := range v {
		v[j] /= sum
	}
	return v
}
