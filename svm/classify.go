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
// appear among the rows, as LIBSVM has them; those without rows come last.
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
			return nil, fault.New(fault.Data, "the targets of row %d, %v, are not a class: expected one 1 among zeros, or ±1", i+1, blas.Row(y, i))
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

// pairs calls fn for every pair of places p < q, numbered from 0.
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
	return machines(ctx, t.progress, "support vector machines", len(t.places), func(ctx context.Context, pair int) (err error) {
		t.solutions[pair], err = t.machine(ctx, t.sides(pair))
		return t.name(err, pair)
	})
}

// name says which machine of several an error is about.
func (t *pairwise) name(err error, pair int) error {
	hint := fault.HintOf(err)
	if hint == "" || len(t.order) == 2 {
		return err
	}
	places := t.places[pair]
	return fault.New(fault.NotSolved, "classes number %d and %d: %w", t.order[places[0]]+1, t.order[places[1]]+1, err).WithHint("%s", hint)
}

// sides are the rows that one machine learns to tell apart.
type sides struct {
	rows   []int // the positive ones first
	first  int   // number of those
	weight [2]float64
}

// sides returns those of a pair of classes: rows of the class at place p are
// positive.
func (t *pairwise) sides(pair int) sides {
	p, q := t.places[pair][0], t.places[pair][1]
	return sides{slices.Concat(t.members[p], t.members[q]), len(t.members[p]), [2]float64{t.weights[p], t.weights[q]}}
}

// of returns the sign of row i of the sides and the weight of its class.
func (s sides) of(i int) (y, weight float64) {
	if i < s.first {
		return 1, s.weight[0]
	}
	return -1, s.weight[1]
}

// absent is the decision of sides that have rows of one sign only, or of none.
func (s sides) absent() float64 {
	return float64(min(1, s.first) - min(1, len(s.rows)-s.first))
}

// machine solves one; it is nil without rows of both signs.
func (t *pairwise) machine(ctx context.Context, s sides) (*qp.SMOSolution, error) {
	if s.first == 0 || s.first == len(s.rows) {
		return nil, nil
	}
	m := qp.SMO{K: kernel.NewRows(t.k, pick(t.rows.X, s.rows))}
	for i, r := range s.rows {
		y, weight := s.of(i)
		m.P, m.Y, m.C = append(m.P, -1), append(m.Y, y), append(m.C, t.C*weight*t.rows.Weight[r])
	}
	return t.Config.solve(ctx, m)
}

// model gathers the support vectors of all pairs.
func (t *pairwise) model() *Classifier {
	support := t.support()
	parts := ClassifierParts{
		Kernel: t.k, Order: t.order, Outputs: t.outputs,
		Support: pick(t.rows.X, slices.Concat(support...)), Offset: make([]float64, len(t.solutions)),
	}
	parts.Coef = blas.New(parts.Support.Rows, len(t.order)-1)
	first := make([]int, len(t.order)) // support vector of each class
	for p, rows := range support {
		parts.Count = append(parts.Count, len(rows))
		if p+1 < len(t.order) {
			first[p+1] = first[p] + len(rows)
		}
	}
	pairs(len(t.order), func(number, p, q int) {
		s := t.solutions[number]
		if s == nil {
			parts.Offset[number] = t.sides(number).absent()
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

// support returns, for each place, the rows that some machine needs.
func (t *pairwise) support() [][]int {
	needed := make([]bool, t.rows.X.Rows)
	pairs(len(t.order), func(number, p, q int) {
		if t.solutions[number] == nil {
			return
		}
		for i, r := range slices.Concat(t.members[p], t.members[q]) {
			needed[r] = needed[r] || t.solutions[number].Alpha[i] != 0
		}
	})
	out := make([][]int, len(t.order))
	for p, rows := range t.members {
		for _, r := range rows {
			if needed[r] {
				out[p] = append(out[p], r)
			}
		}
	}
	return out
}

// scale lets a sum of decisions break ties of votes, never outvote one.
func scale(sum float64) float64 {
	return sum / (3 * (1 + max(sum, -sum)))
}

// Decide returns the class of each row of outputs, by LIBSVM's rule: the most
// votes, of several classes with as many that which appeared first in training.
// With two classes f = 0 means the first.
func (m *Classifier) Decide(outputs *mat.Dense) []int {
	rows, _ := outputs.Dims()
	classes := make([]int, rows)
	for i := range classes {
		classes[i] = m.decide(outputs.RawRowView(i))
	}
	return classes
}

func (m *Classifier) decide(scores []float64) int {
	if len(m.parts.Order) == 2 {
		if scores[len(scores)-1] > 0 {
			return 1
		}
		return 0
	}
	best := m.parts.Order[0]
	for _, class := range m.parts.Order[1:] {
		if votes(scores[class]) > votes(scores[best]) {
			best = class
		}
	}
	return best
}
