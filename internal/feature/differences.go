package feature

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"rvflplus/blas"
	"rvflplus/internal/rng"
)

// differences draws each node from two rows x₁, x₂ whose targets differ:
//
//	U·(w·x + b), w = 2(x₂−x₁)/‖x₂−x₁‖², b = (x₁+x₂)·(x₁−x₂)/‖x₂−x₁‖²
//
// is −U at x₁, U at x₂ and 0 half-way between them (W. Zhu, J. Miao, L. Qing, "Constrained extreme learning machine: a
// novel highly discriminative random feedforward neural network", IJCNN 2014). Cost 5·n operations a node.
func (d Draw) differences(rows Sample) *Links {
	l := &Links{Activation: d.Activation, NoDirect: d.NoDirect}
	l.Weight, l.Bias = blas.New(d.Nodes, rows.X.Cols), make([]float64, d.Nodes)
	p := newPairs(rows, rng.New(d.Seed, d.Stream))
	for i := range l.Bias {
		a, b, ok := p.draw()
		if !ok {
			continue // a node that is the same for all rows
		}
		weight, square := blas.Row(l.Weight, i), p.square(a, b)
		for j, from := range blas.Row(rows.X, a) {
			to := blas.Row(rows.X, b)[j]
			weight[j] = d.U * 2 * (to - from) / square
			l.Bias[i] += d.U * (from + to) * (from - to) / square
		}
	}
	return l
}

// pairs draws pairs of rows. Of classes two different ones are drawn, and a row of each; of numbers two rows. Of
// several such pairs one is taken with probability proportional to ‖y₂−y₁‖/‖x₂−x₁‖, the slope of the targets between
// the rows (E. L. Bolager, I. Burak, C. Datar, Q. Sun, F. Dietrich, "Sampling weights of deep neural networks", NeurIPS
// 2023). A row is drawn in proportion to its weight.
type pairs struct {
	Sample
	random   *rand.Rand
	classes  []urn     // the rows of each class; nil for numbers
	all      urn       // all rows
	variance []float64 // of each target
	least    float64   // squared distance up to which rows count as equal
}

const (
	choices    = 5    // pairs of which one is taken
	mostTries  = 100  // pairs in a row that count as equal
	leastShare = 1e-3 // of the root mean square distance of two rows
)

func newPairs(rows Sample, random *rand.Rand) *pairs {
	p := &pairs{Sample: rows, random: random, variance: variances(rows.Y)}
	p.classes, p.all = urnsOf(rows)
	for _, v := range variances(rows.X) {
		p.least += leastShare * leastShare * 2 * v // the mean squared distance is twice the sum of the variances
	}
	return p
}

// variances returns the variance of each column.
func variances(m blas.Matrix) []float64 {
	out := make([]float64, m.Cols)
	for j := range out {
		var mean float64
		for i := range m.Rows {
			v := m.Data[i*m.Stride+j]
			delta := v - mean
			mean += delta / float64(i+1)
			out[j] += delta * (v - mean) / float64(m.Rows)
		}
	}
	return out
}

// draw returns two rows that differ; ok is false when none were found.
func (p *pairs) draw() (a, b int, ok bool) {
	if p.X.Rows < 2 {
		return 0, 0, false
	}
	var total float64
	for range choices {
		c, d, found := p.differing()
		if !found {
			continue
		}
		if !ok {
			a, b, ok = c, d, true
		}
		slope := math.Sqrt(p.rise(c, d) / p.square(c, d))
		if total += slope; p.random.Float64()*total < slope {
			a, b = c, d
		}
	}
	return a, b, ok
}

// differing draws pairs until the features of one differ.
func (p *pairs) differing() (a, b int, ok bool) {
	for range mostTries {
		if a, b = p.pair(); p.square(a, b) > p.least {
			return a, b, true
		}
	}
	return 0, 0, false
}

func (p *pairs) pair() (a, b int) {
	if p.classes == nil {
		return p.all.draw(p.random), p.all.draw(p.random)
	}
	first, second := p.random.IntN(len(p.classes)), p.random.IntN(len(p.classes)-1)
	if second >= first {
		second++
	}
	return p.classes[first].draw(p.random), p.classes[second].draw(p.random)
}

// square returns ‖x₂−x₁‖².
func (p *pairs) square(a, b int) float64 {
	var sum float64
	for j, v := range blas.Row(p.X, a) {
		d := v - blas.Row(p.X, b)[j]
		sum += d * d
	}
	return sum
}

// rise returns ‖y₂−y₁‖² of standardised targets; different classes are all as far from each other.
func (p *pairs) rise(a, b int) float64 {
	if p.classes != nil {
		return 1
	}
	var sum float64
	for j, v := range blas.Row(p.Y, a) {
		if d := v - blas.Row(p.Y, b)[j]; d != 0 {
			sum += d * d / p.variance[j]
		}
	}
	return sum
}

// urn holds rows that are drawn in proportion to their weights.
type urn struct {
	rows []int
	upTo []float64 // sums of weights
}

func (u *urn) add(row int, weight float64) {
	if len(u.upTo) > 0 {
		weight += u.upTo[len(u.upTo)-1]
	}
	u.rows, u.upTo = append(u.rows, row), append(u.upTo, weight)
}

func (u *urn) draw(random *rand.Rand) int {
	last := len(u.upTo) - 1
	at := random.Float64() * u.upTo[last]
	return u.rows[sort.Search(last, func(k int) bool { return at < u.upTo[k] })]
}

// urnsOf returns the rows of each class, at least two, and all rows. There are no classes where targets are numbers.
func urnsOf(rows Sample) (classes []urn, all urn) {
	coded, numbers := true, map[int]int{} // numbers of classes by code
	for i := range rows.X.Rows {
		weight := 1.0
		if rows.Weight != nil {
			weight = rows.Weight[i]
		}
		all.add(i, weight)
		code, is := codeOf(blas.Row(rows.Y, i))
		if coded = coded && is; !coded {
			continue
		}
		if _, known := numbers[code]; !known {
			numbers[code] = len(classes)
			classes = append(classes, urn{})
		}
		classes[numbers[code]].add(i, weight)
	}
	if !coded || len(classes) < 2 {
		return nil, all
	}
	return classes, all
}

// codeOf returns what tells the class of targets that code one: the sign of a single ±1, or the place of the only 1
// among zeros.
func codeOf(y []float64) (code int, ok bool) {
	if len(y) == 1 {
		return int(y[0]), y[0] == 1 || y[0] == -1
	}
	at := slices.Index(y, 1)
	for j, v := range y {
		if v != 0 && j != at {
			return 0, false
		}
	}
	return at, at >= 0
}
