package rvflplus

import (
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
)

// PredictOptions say what is predicted. The zero value predicts what the model was trained for, without intervals.
type PredictOptions struct {
	// Level, within (0, 1), asks for intervals that are to cover this share of new targets; 0 means none. The model
	// must have been trained with Config.Intervals; a level that its number of rows cannot support is a fault.Usage
	// error.
	Level float64
	// Threshold, when not nil, decides between two classes: the second of Model.Classes is predicted where its
	// probability, or its score if the model was trained without Config.Proba, is at least Threshold. It must be a
	// finite number, for probabilities from 0 to 1.
	Threshold *float64
	// Progress, when not nil, is told that done of total rows are done. It is called from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// Predict predicts every row of t, which must have the normal columns that the model was trained on, by name and in
// any order. Other columns, privileged ones among them, are not looked at. A column that lacks, a missing cell that
// the model does not fill, and text where training had numbers are fault.Data errors. Values outside the training
// range and unknown categories are told by the notes of the Predictions. The bits of a row do not depend on the other
// rows.
//
// Cost a row: for rvfl kinds proportional to columns × nodes, for kernels to training rows × columns.
func (m *Model) Predict(ctx context.Context, t *Table, o PredictOptions) (*Predictions, error) {
	if t == nil {
		return nil, fault.New(fault.Usage, "there is no table")
	}
	p, err := m.p.Widened(t.Names()).PredictAt(ctx, t.t, o.Level, o.Progress)
	if err != nil {
		return nil, err
	}
	return o.decided(&Predictions{*p})
}

// decided applies the threshold.
func (o PredictOptions) decided(p *Predictions) (*Predictions, error) {
	if o.Threshold == nil {
		return p, nil
	}
	if err := p.p.Threshold(*o.Threshold); err != nil {
		return nil, err
	}
	return p, nil
}

// Row is the normal cells of one row by the names of their columns. A number is a value of any numeric type of Go, a
// category a string (or a number, where categories are numbers). A string in a column of numbers is read as the cells
// of the training table were: "1.4%", "1,234", "2024-01-31". nil, NaN and "" are missing cells.
type Row map[string]any

// PredictRow is Predict for one row, fast: no more than two allocations and some microseconds for a kernel model of
// 100 rows and 100 columns. Every normal column must have a key; other keys are not looked at.
func (m *Model) PredictRow(ctx context.Context, row Row, o PredictOptions) (*Predictions, error) {
	if m.p.Foreign() {
		return m.predictForeignRow(ctx, row, o)
	}
	r := m.rows.Get().(*pipeline.Row)
	defer m.rows.Put(r)
	for j, c := range m.p.Schema.Normal {
		cell, has := row[c.Name]
		if !has {
			return nil, fault.New(fault.Data, "the row has no cell %q, which the model needs", c.Name).
				WithHint("a cell that is not known is nil, if the model fills missing cells")
		}
		switch v := cell.(type) {
		case float64:
			r.SetNumber(j, v)
		case string:
			if v == "" {
				r.SetMissing(j)
			} else {
				r.SetText(j, v)
			}
		case nil:
			r.SetMissing(j)
		default:
			number, ok := asFloat(v)
			if !ok {
				return nil, fault.New(fault.Usage, "the cell %q is a %T, neither a number nor a string", c.Name, v)
			}
			r.SetNumber(j, number)
		}
	}
	return m.predictRow(ctx, r, o)
}

// predictForeignRow predicts a row of a model that LIBSVM trained as a table: the row may
// have more features than the model's file tells of.
func (m *Model) predictForeignRow(ctx context.Context, row Row, o PredictOptions) (*Predictions, error) {
	var columns []Column
	for _, name := range slices.Sorted(maps.Keys(row)) {
		v, is := asFloat(row[name])
		if !is {
			return nil, fault.New(fault.Usage, "the cell %q is a %T, not a number", name, row[name])
		}
		columns = append(columns, Column{Name: name, Numbers: []float64{v}})
	}
	t, err := NewTable(columns...)
	if err != nil {
		return nil, err
	}
	return m.Predict(ctx, t, o)
}

// asFloat converts the numeric types of Go.
func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case int:
		return float64(v), true
	case int8:
		return float64(v), true
	case int16:
		return float64(v), true
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint:
		return float64(v), true
	case uint8:
		return float64(v), true
	case uint16:
		return float64(v), true
	case uint32:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return math.NaN(), false
}

func (m *Model) predictRow(ctx context.Context, r *pipeline.Row, o PredictOptions) (*Predictions, error) {
	out := new(Predictions)
	if err := m.p.PredictRow(ctx, r, o.Level, o.Progress, &out.p); err != nil {
		return nil, err
	}
	return o.decided(out)
}

// PredictMatrix is Predict for the rows of x, whose columns are the normal columns in the order of Model.Columns, all
// numeric. NaN is a missing cell. A single row is as fast as with PredictRow. Another number of columns, and a model
// with categorical columns, are fault.Usage errors.
func (m *Model) PredictMatrix(ctx context.Context, x mat.Matrix, o PredictOptions) (*Predictions, error) {
	rows, columns := x.Dims()
	schema := m.p.Schema.Normal
	switch {
	case m.categorical != "":
		return nil, fault.New(fault.Usage, "column %q is categorical: a matrix has numbers only", m.categorical).
			WithHint("use Predict or PredictRow")
	case columns != len(schema):
		return nil, fault.New(fault.Usage, "the matrix has %d columns, the model %d", columns, len(schema))
	}
	if rows == 1 {
		r := m.rows.Get().(*pipeline.Row)
		defer m.rows.Put(r)
		for j := range schema {
			r.SetNumber(j, x.At(0, j))
		}
		return m.predictRow(ctx, r, o)
	}
	t := &dataset.Table{Rows: rows}
	for j, c := range schema {
		t.Columns = append(t.Columns, dataset.Column{Name: c.Name, Numbers: mat.Col(nil, j, x)})
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	all := make([]*dataset.Column, columns)
	for j := range all {
		all[j] = &t.Columns[j]
	}
	p, err := m.p.PredictColumns(ctx, all, rows, o.Level, o.Progress)
	if err != nil {
		return nil, err
	}
	return o.decided(&Predictions{*p})
}

// Predictions are a model's answers for some rows. Rows, targets and classes are numbered from 0: targets in the
// order of Model.Targets, classes in that of Model.Classes. Methods panic when there is no such row, target or class,
// and when the task has no such answer: Has methods tell. Matrices that methods return belong to the Predictions and
// must not be changed.
type Predictions struct{ p pipeline.Predictions }

// Rows returns the number of rows that were predicted.
func (p *Predictions) Rows() int { return p.p.Rows() }

// Notes tells what the user should know about the rows: values outside the training range, unknown categories.
func (p *Predictions) Notes() []string { return p.p.Notes }

func (p *Predictions) classification() bool { return p.p.Coder.Task == target.Classification }

// Value returns the number that a regression predicts for a row, in the target's unit.
func (p *Predictions) Value(row, target int) float64 {
	if p.classification() {
		panic("rvflplus: Value of a classification, which has a Label")
	}
	return p.p.Outputs.At(row, target)
}

// Label returns the class that a classification predicts for a row.
func (p *Predictions) Label(row int) string {
	if !p.classification() {
		panic("rvflplus: Label of a regression, which has a Value")
	}
	return p.p.Class(row)
}

// Score returns the score of a class in a classification. The class with the largest score is predicted, the first of
// equal ones; support vector machines of several classes vote, and a score is the votes and a fraction.
func (p *Predictions) Score(row, class int) float64 {
	return at(p.scores(), row, class)
}

func (p *Predictions) scores() blas.Matrix {
	if !p.classification() {
		panic("rvflplus: scores of a regression, which has values")
	}
	return p.p.Scores
}

// at returns an element after a check of its place.
func at(m blas.Matrix, i, j int) float64 {
	if i < 0 || i >= m.Rows || j < 0 || j >= m.Cols {
		panic("rvflplus: no such row or column")
	}
	return m.Data[i*m.Stride+j]
}

// HasProbabilities reports whether there are probabilities: those of a classification trained with Config.Proba.
func (p *Predictions) HasProbabilities() bool { return p.p.Probabilities.Cols > 0 }

// Probability returns the probability of a class, within [0, 1]; those of all classes sum to 1.
func (p *Predictions) Probability(row, class int) float64 {
	if !p.HasProbabilities() {
		panic("rvflplus: there are no probabilities, see Config.Proba")
	}
	return at(p.p.Probabilities, row, class)
}

// HasIntervals reports whether there are intervals: those of a regression trained with Config.Intervals and predicted
// with PredictOptions.Level.
func (p *Predictions) HasIntervals() bool { return p.p.Lower != nil }

// Interval returns the ends of the interval that is to cover a new target, in the target's unit.
func (p *Predictions) Interval(row, target int) (lower, upper float64) {
	if !p.HasIntervals() {
		panic("rvflplus: there are no intervals, see PredictOptions.Level")
	}
	return p.p.Lower.At(row, target), p.p.Upper.At(row, target)
}

// HasStd reports whether there are standard deviations: those of a regression trained with Config.Std.
func (p *Predictions) HasStd() bool { return p.p.Std != nil }

// Std returns the posterior standard deviation of the predicted number, in the target's unit. It does not include the
// noise of single observations.
func (p *Predictions) Std(row, target int) float64 {
	if !p.HasStd() {
		panic("rvflplus: there are no standard deviations, see Config.Std")
	}
	return p.p.Std.At(row, target)
}

// Matrix returns all values of a regression, rows × targets, or all scores of a classification, rows × classes.
func (p *Predictions) Matrix() *mat.Dense {
	if !p.classification() {
		return p.p.Outputs
	}
	return dense(p.p.Scores)
}

// Probabilities returns all probabilities, rows × classes; nil without them.
func (p *Predictions) Probabilities() *mat.Dense {
	if !p.HasProbabilities() {
		return nil
	}
	return dense(p.p.Probabilities)
}

// Intervals returns the ends of all intervals, rows × targets each; nil without them.
func (p *Predictions) Intervals() (lower, upper *mat.Dense) { return p.p.Lower, p.p.Upper }

// Stds returns all standard deviations, rows × targets; nil without them.
func (p *Predictions) Stds() *mat.Dense { return p.p.Std }

// dense returns m, which may have no rows, as a matrix of gonum; it shares m's memory.
func dense(m blas.Matrix) *mat.Dense {
	out := new(mat.Dense)
	if m.Rows > 0 && m.Cols > 0 {
		out.SetRawMatrix(m)
	}
	return out
}
