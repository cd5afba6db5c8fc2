// Package demo compares models with and without privileged data on the generated
// data set: what rvfl demo shows.
package demo

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/ridge"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// Options say how large the comparison is. The zero value of a field means its
// default.
type Options struct {
	Rows    int     // training rows of one repetition; default 80
	Test    int     // test rows; default 1000
	Repeats int     // independent data sets; default 10
	Hidden  int     // enhancement nodes of the rvfl kinds; default 200
	Gain    float64 // strength of what only the privileged columns explain; default 1
	Seed    uint64
}

// Method is one row of the comparison.
type Method struct {
	Name       string       `json:"method"`
	Privileged bool         `json:"privileged"` // learns from privileged columns
	Errors     []float64    `json:"rmse"`       // test RMSE to f(x) of each repetition
	Mean       float64      `json:"mean"`
	SD         float64      `json:"sd"`
	config     param.Config //
	columns    dataset.Selection
}

var (
	cGrid     = []float64{0.1, 1, 10, 100}
	gammaGrid = []float64{0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5}
)

func methods(o Options) []Method {
	plain := dataset.Selection{Target: "y", Drop: "lab_*"}
	priv := dataset.Selection{Target: "y", Priv: "lab_*"}
	method := func(name, kind string, columns dataset.Selection, correction learn.Correction) Method {
		c := param.Default()
		c.Kind, c.Correction, c.Hidden, c.Seed = kind, correction, o.Hidden, o.Seed
		return Method{Name: name, Privileged: columns.Priv != "", columns: columns, config: c}
	}
	return []Method{
		method("RVFL", "rvfl", plain, learn.Paper),
		method("RVFL+ (projected)", "rvfl+", priv, learn.Projected),
		method("RVFL+ (paper)", "rvfl+", priv, learn.Paper),
		method("RVFL+ (derived)", "rvfl+", priv, learn.Derived),
		method("RVFL+ (additive)", "rvfl+", priv, learn.Additive),
		method("KRVFL", "krvfl", plain, learn.Paper),
		method("KRVFL+ (projected)", "krvfl+", priv, learn.Projected),
		method("KRVFL+ (paper)", "krvfl+", priv, learn.Paper),
		method("KRVFL+ (additive)", "krvfl+", priv, learn.Additive),
	}
}

// Run trains every method on every repetition, each tuned over the same grid of C
// (and γ where there is one) by exact leave-one-out on the training rows, and
// measures its error to the truth on fresh rows.
func Run(ctx context.Context, o Options, progress learn.Progress) ([]Method, error) {
	o.Rows, o.Test = cmp.Or(o.Rows, 80), cmp.Or(o.Test, 1000)
	o.Repeats, o.Hidden, o.Gain = cmp.Or(o.Repeats, 10), cmp.Or(o.Hidden, 200), cmp.Or(o.Gain, 1)
	if o.Rows < 10 || o.Test < 1 || o.Repeats < 1 {
		return nil, fault.New(fault.Usage,
			"the demo needs at least 10 training rows, 1 test row and 1 repetition, got %d, %d and %d", o.Rows, o.Test,
			o.Repeats)
	}
	need := ridge.DualBytes(o.Rows, true) + 100*float64(o.Rows+o.Test)
	if err := memory.Check(need, fmt.Sprintf("a kernel model of %d rows", o.Rows), "use fewer rows"); err != nil {
		return nil, err
	}
	all := methods(o)
	for r := range o.Repeats {
		table, truth := generated(o, o.Rows+o.Test, r).Table()
		train, test := table.Subset(numbers(0, o.Rows)), table.Subset(numbers(o.Rows, table.Rows))
		for i := range all {
			e, err := all[i].testError(ctx, train, test, truth[o.Rows:])
			if err != nil {
				return nil, err
			}
			all[i].Errors = append(all[i].Errors, e)
			progress.Tell("training and tuning", r*len(all)+i+1, o.Repeats*len(all))
		}
	}
	for i := range all {
		all[i].Mean, all[i].SD = spread(all[i].Errors)
	}
	return all, nil
}

// generated describes the data of a repetition. The training rows come first.
func generated(o Options, rows, repetition int) dataset.Synthetic {
	return dataset.Synthetic{Rows: rows, Strength: o.Gain, Noise: 0.3, Seed: o.Seed + uint64(repetition)}
}

// Data returns the training rows of the first repetition.
func Data(o Options) *dataset.Table {
	t, _ := generated(o, o.Rows, 0).Table()
	return t
}

func numbers(lo, hi int) []int {
	v := make([]int, hi-lo)
	for i := range v {
		v[i] = lo + i
	}
	return v
}

func (m Method) testError(ctx context.Context, train, test *dataset.Table, truth []float64) (float64, error) {
	best, err := m.tune(ctx, train)
	if err != nil {
		return 0, err
	}
	p, err := best.Predict(ctx, test, nil)
	if err != nil {
		return 0, err
	}
	want := blas.Matrix{Rows: len(truth), Cols: 1, Stride: 1, Data: truth}
	score, _ := metric.Regress(want, p.Outputs.RawMatrix(), nil)
	return score.RMSE, nil
}

// tune returns the model of least leave-one-out error over the grid.
func (m Method) tune(ctx context.Context, train *dataset.Table) (*pipeline.Model, error) {
	data, err := roles.Assign(train, m.columns)
	if err != nil {
		return nil, err
	}
	gammas := gammaGrid
	if !m.Privileged {
		gammas = []float64{1}
	}
	var best *pipeline.Model
	for _, c := range cGrid {
		for _, gamma := range gammas {
			config := m.config
			config.C, config.Gamma = c, gamma
			model, err := pipeline.Train(ctx, data, config, pipeline.Options{LeaveOneOut: learn.Always})
			if err != nil {
				return nil, err
			}
			if best == nil || loss(model) < loss(best) {
				best = model
			}
		}
	}
	return best, nil
}

func loss(m *pipeline.Model) float64 { return m.Report.LeaveOneOut.Metrics.Number.RMSE }

func spread(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / math.Max(1, float64(len(v)-1))
	}
	return mean, math.Sqrt(sd)
}
