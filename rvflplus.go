// Package rvflplus trains and uses models that learn with privileged
// information: columns that exist when a model is trained and not when it is
// used. It bundles the packages most programs need; the estimators themselves
// are in rvfl and krvfl, which work on matrices.
package rvflplus

import (
	"context"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// Config says what is trained and how; its zero value trains RVFL+ with the
// documented defaults.
type Config = pipeline.Config

// Columns names the columns by role, each with a selector: names, positions a:b
// and globs, separated by commas. Columns that are not named are normal features.
type Columns = dataset.Selection

// Table is some rows of named, typed columns.
type Table = dataset.Table

// Predictions are a model's answers for some rows.
type Predictions = pipeline.Predictions

// Model is a trained model. It is immutable and safe for concurrent use.
type Model struct{ p *pipeline.Model }

// Train trains a model on the rows of t, with exact leave-one-out scores in its
// report. Errors a user can cause are of package fault.
func Train(ctx context.Context, t *Table, columns Columns, c Config) (*Model, error) {
	data, err := roles.Assign(t, columns)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Train(ctx, data, c, pipeline.Options{LeaveOneOut: learn.WhenCheap})
	if err != nil {
		return nil, err
	}
	return &Model{p}, nil
}

// Load reads a model that Save or the rvfl command wrote.
func Load(path string) (*Model, error) {
	p, err := modelfile.Load(path)
	if err != nil {
		return nil, err
	}
	return &Model{p}, nil
}

// Save writes the model to path, as a whole or not at all.
func (m *Model) Save(ctx context.Context, path string) error {
	return modelfile.Save(ctx, path, m.p, false)
}

// Predict predicts every row of t, which must have the normal columns the model
// was trained on, in any order. Privileged columns are not needed.
func (m *Model) Predict(ctx context.Context, t *Table) (*Predictions, error) {
	return m.p.Predict(ctx, t, nil)
}

// PredictAt is Predict with intervals Lower to Upper that are to cover the share
// level of new targets, for models trained with Config.Intervals.
func (m *Model) PredictAt(ctx context.Context, t *Table, level float64) (*Predictions, error) {
	return m.p.PredictAt(ctx, t, level, nil)
}

// Evaluation is the comparison of predictions with known targets.
type Evaluation = pipeline.Evaluation

// Evaluate predicts the rows of t, which must have the target columns too, by the
// names they had in training, and scores the predictions.
func (m *Model) Evaluate(ctx context.Context, t *Table) (*Evaluation, error) {
	var targets []*dataset.Column
	for _, name := range m.p.Coder.Names {
		column := t.Find(name)
		if column == nil {
			return nil, fault.New(fault.Usage, "the table has no target column %q", name)
		}
		targets = append(targets, column)
	}
	return m.p.Evaluate(ctx, t, targets, nil)
}

// Report tells how training went: rows, solver, training and leave-one-out
// scores, and warnings about the data.
func (m *Model) Report() pipeline.Report { return m.p.Report }

// Pipeline returns the model's parts: schema, preparation, estimator.
func (m *Model) Pipeline() *pipeline.Model { return m.p }

// Layout says how a text file is laid out; its zero value reads a header line and
// finds the separator itself.
type Layout = csv.Options

// ReadCSV reads a CSV or TSV file (plain or .gz) with a header line into memory.
func ReadCSV(ctx context.Context, path string) (*Table, error) {
	return ReadCSVAs(ctx, path, Layout{})
}

// ReadCSVAs reads a file of separated values of the given layout.
func ReadCSVAs(ctx context.Context, path string, layout Layout) (*Table, error) {
	layout.Name = path
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := csv.NewReader(f, layout)
	if err != nil {
		return nil, err
	}
	return Read(ctx, r)
}

// Read reads all rows and columns of a source into memory: of a file in any format,
// or a public data set, which package dataset/open opens.
func Read(ctx context.Context, src dataset.Source) (*Table, error) {
	return dataset.Collect(ctx, src, make([]dataset.ReadAs, len(src.Fields())))
}
