package svm

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Classifier is a trained C-SVC. It is immutable and safe for concurrent use.
type Classifier struct{ parts ClassifierParts }

// ClassifierParts are the numbers a Classifier of k classes consists of. They
// share its memory and must not be written. Classes stand in the order of their
// first rows in training; pairs of places p < q in the order (0,1), (0,2) …
// A positive decision of a pair votes for p, any other for q.
type ClassifierParts struct {
	Kernel  kernel.Kernel
	Support blas.Matrix // S×n, place by place
	Count   []int       // support vectors of each place, k
	// Coef holds αᵢyᵢ, S×(k−1): for a support vector of place p, column q−1 is of
	// the pair with q > p, column q of the pair with q < p.
	Coef    blas.Matrix
	Offset  []float64 // b of each pair, k(k−1)/2
	Order   []int     // the class at each place
	Outputs int       // 1: f, > 0 for the second of two classes; k: a score for each class
	// Sigmoids are Platt's, one a pair: P(p | p or q) = 1/(1+exp(A·f+B)); nil
	// when not asked for.
	Sigmoids []Sigmoid
}

// Sigmoid is the curve 1/(1+exp(A·f+B)) of a decision f.
type Sigmoid struct{ A, B float64 }

// Parts returns the model's parts.
func (m *Classifier) Parts() ClassifierParts { return m.parts }

// ClassifierFromParts returns the model of the given parts, or a fault.Data error when they do not fit together.
func ClassifierFromParts(p ClassifierParts) (*Classifier, error) {
	k := len(p.Order)
	total, err := p.countSupport()
	if err = errors.Join(err, kernel.CheckFeatures(p.Kernel, p.Support.Cols)); err != nil {
		return nil, err
	}
	if !isPermutation(p.Order) {
		return nil, fault.New(fault.Data, "class.order is no order of %d classes: %v", k, p.Order)
	}
	got := [...]int{len(p.Count), total, p.Coef.Rows, p.Coef.Cols}
	want := [...]int{k, p.Support.Rows, total, k - 1}
	switch {
	case p.Kernel == nil || p.Support.Cols == 0 || k < 2 || got != want:
		return nil, fault.New(fault.Data,
			"dual.coef is %d×%d, support.x has %d rows of %d classes, class.support counts %d",
			p.Coef.Rows, p.Coef.Cols, p.Support.Rows, k, total)
	case len(p.Offset) != pairCount(k) || p.Sigmoids != nil && len(p.Sigmoids) != pairCount(k):
		return nil, fault.New(fault.Data, "%d offsets and %d sigmoids for the pairs of %d classes",
			len(p.Offset), len(p.Sigmoids), k)
	case p.Outputs != k && (p.Outputs != 1 || k != 2):
		return nil, fault.New(fault.Data, "%d outputs of %d classes", p.Outputs, k)
	}
	return &Classifier{p}, nil
}

// countSupport returns the number of support vectors of all classes.
func (p ClassifierParts) countSupport() (total int, err error) {
	for _, n := range p.Count {
		if n < 0 || n > p.Support.Rows {
			return 0, fault.New(fault.Data, "class.support holds %d of %d support vectors", n, p.Support.Rows)
		}
		total += n
	}
	return total, nil
}

// isPermutation reports whether order holds each number below its length once.
func isPermutation(order []int) bool {
	for i, class := range slices.Sorted(slices.Values(order)) {
		if class != i {
			return false
		}
	}
	return true
}

// Dims returns the number of features and of outputs: 1 when trained on ±1, else
// the number of classes.
func (m *Classifier) Dims() (features, outputs int) { return m.parts.Support.Cols, m.parts.Outputs }

// PredictTo sets row i of dst to the scores of row i of x. Two classes have −f
// and f (or f alone); more have their votes plus s/(3(1+|s|)), s being the sum of
// the class's decisions, which is less than a vote. Cost proportional to
// S·(n+k) a row.
func (m *Classifier) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(m, dst, x)
	m.decisions(x, func(row int, f []float64) { m.score(dst.RawRowView(row), f) })
}

// Decisions returns the decision of every pair for each row of x, rows ×
// k(k−1)/2, as LIBSVM's svm_predict_values.
func (m *Classifier) Decisions(x *mat.Dense) *mat.Dense {
	out := mat.NewDense(x.RawMatrix().Rows, len(m.parts.Offset), nil)
	m.decisions(x, func(row int, f []float64) { copy(out.RawRowView(row), f) })
	return out
}

// decisions calls fn with the decisions of each row.
func (m *Classifier) decisions(x *mat.Dense, fn func(row int, f []float64)) {
	k := len(m.parts.Order)
	f := make([]float64, len(m.parts.Offset))
	inBlocks(m.parts.Kernel, x, m.parts.Support, func(lo int, values blas.Matrix) {
		sums := m.contributions(values)
		for i := range values.Rows {
			pairs(k, func(number, p, q int) {
				f[number] = blas.Row(sums[p], i)[q-1] + blas.Row(sums[q], i)[p] + m.parts.Offset[number]
			})
			fn(lo+i, f)
		}
	})
}

// contributions returns, for each place, the sums that its support vectors add to its k−1 decisions.
func (m *Classifier) contributions(values blas.Matrix) []blas.Matrix {
	var out []blas.Matrix
	first := 0
	for _, n := range m.parts.Count {
		sums, coef := blas.New(values.Rows, m.parts.Coef.Cols), m.parts.Coef
		own := blas.View(values, 0, values.Rows, first, first+n)
		addTimes(own, blas.View(coef, first, first+n, 0, coef.Cols), sums)
		out = append(out, sums)
		first += n
	}
	return out
}

// score turns the decisions of one row into outputs.
func (m *Classifier) score(dst, f []float64) {
	order := m.parts.Order
	if len(order) == 2 {
		second := f[0]
		if order[0] == 0 {
			second = -second
		}
		dst[0] = -second
		dst[len(dst)-1] = second
		return
	}
	clear(dst)
	sums := make([]float64, len(order))
	pairs(len(order), func(number, p, q int) {
		winner := q
		if f[number] > 0 {
			winner = p
		}
		dst[order[winner]]++
		sums[order[p]] += f[number]
		sums[order[q]] -= f[number]
	})
	for class, sum := range sums {
		dst[class] += scale(sum)
	}
}

// votes returns the number of votes in a score: scale keeps the other part below half a vote.
func votes(score float64) float64 { return math.Round(score) }
