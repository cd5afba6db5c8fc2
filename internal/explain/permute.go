package explain

import (
	"context"
	"math"
	"runtime"
	"sync"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/parallel"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Options say how importances are measured.
type Options struct {
	Repeats  int    // permutations of each column, at least 1
	Seed     uint64 // of the permutations
	Progress learn.Progress
}

// manyRows is the number of rows from which on the cores share the work of a prediction, instead of the columns.
const manyRows = 2000

// Permute measures the importance of the normal columns of m on the rows of t, which has the targets in the given
// columns: by how much the mean loss grows when the cells of one column go to other rows at random. All features of a
// column move together, one-hot codes and indicators too. Every column gets the same permutations, so that their
// changes compare well. L. Breiman, Random Forests, Machine Learning 45 (2001), doi:10.1023/A:1010933404324; for any
// model A. Fisher, C. Rudin and F. Dominici, JMLR 20 (2019).
//
// A loss is 1 for a wrong class and 0 for a right one; of numbers it is the squared error in units of the target's
// variance, whose mean is 1 − R². Cost: columns × Repeats predictions of all rows.
func Permute(ctx context.Context, m *pipeline.Model, t *dataset.Table, targets []*dataset.Column, o Options) (
	*Part, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	switch {
	case t.Rows == 0:
		return nil, roles.NoRows(t)
	case t.Rows == 1:
		return nil, fault.New(fault.Data, "one row cannot be permuted").WithHint("give a table with more rows")
	case o.Repeats < 1:
		return nil, fault.Param("repeats", "a whole number >= 1", o.Repeats)
	}
	judge, err := m.Judge(t, targets)
	if err != nil {
		return nil, err
	}
	p := permuting{judge: judge, orders: orders(t.Rows, o), progress: o.Progress}
	if p.plain, err = judge.Losses(ctx, judge.Columns()); err != nil {
		return nil, err
	}
	out := &Part{Rows: t.Rows, Of: "share of wrong classes", Columns: make([]Column, len(judge.Columns()))}
	if m.Coder.Task == target.Regression {
		out.Of = "mean squared error, that of the target's mean being 1"
	}
	out.Loss, out.SE = meanOf(p.plain)
	if err := p.measure(ctx, m.Normal.Width(), out.Columns); err != nil {
		return nil, err
	}
	if seen, err := trainedOn(ctx, m, t, targets); err != nil {
		return nil, err
	} else if seen {
		out.Notes = append(out.Notes, fault.Textf("these rows seem to be those that the model was trained on: it "+
			"knows them, and importances on rows that it does not know may be smaller"))
	}
	out.sort()
	return out, nil
}

// orders draws the permutations.
func orders(rows int, o Options) [][]int {
	random := rng.New(o.Seed, "permutation importance")
	out := make([][]int, o.Repeats)
	for r := range out {
		out[r] = random.Perm(rows)
	}
	return out
}

// permuting is one measurement.
type permuting struct {
	judge    *pipeline.Judge
	orders   [][]int
	plain    []float64 // losses of the rows as they are
	progress learn.Progress
	lock     sync.Mutex
	done     int
}

// measure fills in the columns.
func (p *permuting) measure(ctx context.Context, width int, columns []Column) error {
	each, workers := parallel.For, float64(runtime.GOMAXPROCS(0))
	if len(p.plain) >= manyRows {
		each, workers = parallel.Serial, 1
	}
	const cell, copies = 8, 4 // prepared rows, what a kernel makes of a block of them, outputs, the permuted column
	bytes := cell * copies * workers * float64(len(p.plain)) * float64(width)
	if err := memory.Check(bytes, "permuting columns", "use fewer rows, or fewer threads with %s",
		fault.Name("threads")); err != nil {
		return err
	}
	p.progress.Tell("columns", 0, len(columns))
	errs := make([]error, len(columns))
	err := each(ctx, len(columns), func(j int) {
		columns[j], errs[j] = p.column(ctx, j)
		p.tell(len(columns))
	})
	for _, failure := range errs {
		if err == nil {
			err = failure
		}
	}
	return err
}

// column measures one column: the loss of a row is its mean over the permutations.
func (p *permuting) column(ctx context.Context, j int) (Column, error) {
	all := p.judge.Columns()
	columns := append([]*dataset.Column{}, all...)
	growth := make([]float64, len(p.plain))
	for _, order := range p.orders {
		one := &dataset.Table{Rows: len(order), Columns: []dataset.Column{*all[j]}}
		columns[j] = &one.Subset(order).Columns[0]
		losses, err := p.judge.Losses(ctx, columns)
		if err != nil {
			return Column{}, err
		}
		for i, loss := range losses {
			growth[i] += (loss - p.plain[i]) / float64(len(p.orders))
		}
	}
	return columnOf(all[j].Name, growth), nil
}

func (p *permuting) tell(of int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done++
	p.progress.Tell("columns", p.done, of)
}

// trainedOn reports whether a table seems to be the one that the model was trained on: as many rows, with the same
// score to the last digits.
func trainedOn(ctx context.Context, m *pipeline.Model, t *dataset.Table, targets []*dataset.Column) (bool, error) {
	if m.Foreign() || t.Rows != m.Report.Rows {
		return false, nil
	}
	var o pipeline.EvaluateOptions
	if c := t.Find(m.Schema.Weight); c != nil {
		o.Weight = c.Numbers
	}
	e, err := m.Evaluate(ctx, t, targets, o)
	if err != nil {
		return false, err
	}
	_, then := m.Report.Train.Metrics.Main()
	_, now := e.Metrics.Main()
	return math.Abs(then-now) <= 1e-12*math.Abs(then), nil
}
