package svm

import (
	"context"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/qp"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Train fits C-SVC. Targets are one column of ±1 or a one-hot column a class.
// Every pair of classes has a machine of its own:
//
//	min ½‖w‖² + CΣvᵢξᵢ   subject to   yᵢ(wᵀφ(xᵢ) + b) ≥ 1 − ξᵢ,  ξ ≥ 0
//
// by its dual max 1ᵀα − ½αᵀQα, yᵀα = 0, 0 ≤ αᵢ ≤ Cvᵢ, where vᵢ is the weight of
// the row times that of its class. A machine that does not reach the tolerance is
// a fault.NotSolved error.
func (c Config) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	t, err := c.pairwise(p)
	if err != nil {
		return nil, learn.Report{}, err
	}
	if err := t.solve(ctx); err != nil {
		return nil, learn.Report{}, err
	}
	m := t.model()
	report := learn.Report{Solver: "smo", Size: m.parts.Support.Rows, Optimum: sum(t.solutions)}
	if c.Probability {
		if m.parts.Sigmoids, err = t.sigmoids(ctx); err != nil {
			return nil, learn.Report{}, err
		}
	}
	return m, report, learn.CheckWeights(m.parts.Coef)
}

// groups are the rows of each class. Classes stand in the order in which they
// appear among the rows, as LIBSVM has them; classes without rows come last.
type groups struct {
	order   []int   // class number at each place
	members [][]int // rows of the class at each place
	weights []float64
	outputs int // columns of the targets
}

// group reads the classes from ±1 or one-hot targets.
func group(y blas.Matrix, weights []float64) (*groups, error) {
	g := &groups{outputs: y.Cols}
	place := map[int]int{}
	for i := range y.Rows {
		class, ok := classOf(blas.Row(y, i))
		if !ok {
			return nil, fault.New(fault.Data,
				"the targets of row %d, %v, are not a class: expected one 1 among zeros, or ±1", i+1, blas.Row(y, i))
		}
		if _, seen := place[class]; !seen {
			place[class] = len(g.order)
			g.order, g.members = append(g.order, class), append(g.members, nil)
		}
		g.members[place[class]] = append(g.members[place[class]], i)
	}
	for class := range max(2, y.Cols) {
		if _, seen := place[class]; !seen {
			g.order, g.members = append(g.order, class), append(g.members, nil)
		}
	}
	if weights != nil && len(weights) != len(g.order) {
		return nil, fault.New(fault.Usage, "%d class weights for %d classes", len(weights), len(g.order))
	}
	for _, class := range g.order {
		g.weights = append(g.weights, 1)
		if weights != nil {
			g.weights[len(g.weights)-1] = weights[class]
		}
	}
	return g, nil
}

func classOf(row []float64) (class int, ok bool) {
	if len(row) == 1 {
		return int(row[0]+1) / 2, row[0] == 1 || row[0] == -1
	}
	class = slices.Index(row, 1)
	for j, v := range row {
		ok = ok || v == 1
		if v != 0 && j != class {
			return 0, false
		}
	}
	return class, ok
}

// pairs calls fn for every pair of places p < q of k classes, numbered from 0.
func pairs(k int, fn func(number, p, q int)) {
	number := 0
	for p := range k {
		for q := p + 1; q < k; q++ {
			fn(number, p, q)
			number++
		}
	}
}

func pairCount(k int) int { return k * (k - 1) / 2 }

// pairwise is one run of Config.Train.
type pairwise struct {
	Config
	*groups
	rows      learn.Ordered
	k         kernel.Kernel
	places    [][2]int          // p < q of each pair
	solutions []*qp.SMOSolution // nil where a class has no rows
	progress  learn.Progress
}

// pairwise checks the problem and sorts its rows by class.
func (c Config) pairwise(p learn.Problem) (*pairwise, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := &pairwise{Config: c, progress: p.Progress}
	var err error
	if t.rows, t.k, err = t.start(p); err != nil {
		return nil, err
	}
	if t.groups, err = group(t.rows.Y, c.ClassWeight); err != nil {
		return nil, err
	}
	pairs(len(t.order), func(_, p, q int) { t.places = append(t.places, [2]int{p, q}) })
	machines := len(t.places)
	if c.Probability {
		machines *= folds
	}
	return t, t.share(t.rows.X, min(machines, runtime.GOMAXPROCS(0)))
}

// solve runs the machines of all pairs.
func (t *pairwise) solve(ctx context.Context) error {
	t.solutions = make([]*qp.SMOSolution, len(t.places))
	solve := func(ctx context.Context, pair int) (err error) {
		t.solutions[pair], err = t.machine(ctx, t.binary(pair))
		return t.name(err, pair)
	}
	return machines(ctx, t.progress, "support vector machines", len(t.places), solve)
}

// name says which machine of several an error is about.
func (t *pairwise) name(err error, pair int) error {
	if fault.HintOf(err) == "" || len(t.order) == 2 {
		return err
	}
	p, q := t.places[pair][0], t.places[pair][1]
	return fault.New(fault.NotSolved, "classes number %d and %d: %w", t.order[p]+1, t.order[q]+1, err).
		WithHint("%s", fault.HintText(err))
}

// binary is the problem of one machine: rows of two classes.
type binary struct {
	rows     []int // of the positive class first
	positive int   // number of rows of the positive class
	weight   [2]float64
}

// binary returns the problem of a pair of classes: rows of the class at place p are positive.
func (t *pairwise) binary(pair int) binary {
	p, q := t.places[pair][0], t.places[pair][1]
	rows := slices.Concat(t.members[p], t.members[q])
	return binary{rows, len(t.members[p]), [2]float64{t.weights[p], t.weights[q]}}
}

// of returns the sign of row i of the problem and the weight of its class.
func (b binary) of(i int) (y, weight float64) {
	if i < b.positive {
		return 1, b.weight[0]
	}
	return -1, b.weight[1]
}

// constant is the decision of a problem that has rows of one class only, or of none.
func (b binary) constant() float64 {
	return float64(min(1, b.positive) - min(1, len(b.rows)-b.positive))
}

// machine solves a problem; the solution is nil without rows of both classes.
func (t *pairwise) machine(ctx context.Context, b binary) (*qp.SMOSolution, error) {
	if b.positive == 0 || b.positive == len(b.rows) {
		return nil, nil
	}
	m := qp.SMO{K: kernel.NewRows(t.k, blas.Gather(t.rows.X, b.rows))}
	for i, r := range b.rows {
		y, weight := b.of(i)
		m.P, m.Y, m.C = append(m.P, -1), append(m.Y, y), append(m.C, t.C*weight*t.rows.Weight[r])
	}
	return t.Config.solve(ctx, m)
}

// model gathers the support vectors of all pairs.
func (t *pairwise) model() *Classifier {
	needed := make([]bool, t.rows.X.Rows) // by some machine
	for pair, s := range t.solutions {
		if s == nil {
			continue
		}
		for i, r := range t.binary(pair).rows {
			needed[r] = needed[r] || s.Alpha[i] != 0
		}
	}
	parts := ClassifierParts{Kernel: t.k, Order: t.order, Outputs: t.outputs, Offset: make([]float64, len(t.solutions))}
	support := make([][]int, len(t.order)) // rows of each place
	first := make([]int, len(t.order))     // number of the first support vector of each place
	total := 0
	for p, rows := range t.members {
		first[p] = total
		for _, r := range rows {
			if needed[r] {
				support[p] = append(support[p], r)
			}
		}
		total += len(support[p])
		parts.Count = append(parts.Count, len(support[p]))
	}
	parts.Support = blas.Gather(t.rows.X, slices.Concat(support...))
	parts.Coef = blas.New(total, len(t.order)-1)
	pairs(len(t.order), func(number, p, q int) {
		s := t.solutions[number]
		if s == nil {
			parts.Offset[number] = t.binary(number).constant()
			return
		}
		parts.Offset[number] = -s.Rho
		fill := func(place, column int, y float64, alpha []float64) {
			for i, r := range support[place] {
				at, _ := slices.BinarySearch(t.members[place], r)
				parts.Coef.Data[(first[place]+i)*parts.Coef.Stride+column] = y * alpha[at]
			}
		}
		fill(p, q-1, 1, s.Alpha)
		fill(q, p, -1, s.Alpha[len(t.members[p]):])
	})
	return &Classifier{parts}
}

// scale lets a sum of decisions break ties of votes, never outvote one.
func scale(sum float64) float64 {
	return sum / (3 * (1 + max(sum, -sum)))
}

// Decide returns the class of each row of outputs, by LIBSVM's rule: the class of most votes, of several the one that
// appeared first in training. With two classes f = 0 means the first.
func (m *Classifier) Decide(outputs *mat.Dense) []int {
	rows, _ := outputs.Dims()
	classes := make([]int, rows)
	for i := range classes {
		scores := outputs.RawRowView(i)
		if len(m.parts.Order) == 2 {
			if scores[len(scores)-1] > 0 {
				classes[i] = 1
			}
			continue
		}
		classes[i] = m.parts.Order[0]
		for _, class := range m.parts.Order[1:] {
			if votes(scores[class]) > votes(scores[classes[i]]) {
				classes[i] = class
			}
		}
	}
	return classes
}
