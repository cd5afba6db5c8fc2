package pipeline

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/kind"
	"rvflplus/internal/namelist"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Model is a trained model over tables. It is immutable and safe for concurrent
// use.
type Model struct {
	Kind      kind.Kind
	Config    param.Config // with the task, and automatic widths as numbers
	Schema    Schema
	Normal    *prep.Space
	Priv      *prep.Space // nil without privileged columns; prediction never uses it
	Coder     *target.Coder
	Estimator learn.Model
	Report    Report

	Proba     *calibrate.Classes // nil without probabilities, and where Estimator has its own: see HasProbabilities
	Intervals *Intervals         // nil without intervals
}

// Schema names the columns a model was trained on.
type Schema struct {
	Normal     []SchemaColumn `json:"normal"`
	Privileged []SchemaColumn `json:"privileged"`
	ID         string         `json:"id,omitempty"`
	Weight     string         `json:"weight,omitempty"`
	TargetFile bool           `json:"target_file,omitempty"` // targets came from a file of their own
	// Targets holds the readings of the targets, in their order; nil if all are plain.
	Targets []*dataset.Reading `json:"target_readings,omitempty"`
	// Missing is dataset.Cells.Missing that the table was read with.
	Missing *[]string `json:"missing,omitempty"`
}

// SchemaColumn is a column's name and type, "numeric" or "categorical", and how its numbers are written, nil for plain
// numbers.
type SchemaColumn struct {
	Name    string           `json:"name"`
	Type    string           `json:"type"`
	Reading *dataset.Reading `json:"reading,omitempty"`
}

// ReadBy returns how a later table's column is read: nil for categories, whose cells are taken as they are.
func (c SchemaColumn) ReadBy() *dataset.Reading {
	switch {
	case c.Type != "numeric":
		return nil
	case c.Reading == nil:
		return &dataset.Reading{}
	}
	return c.Reading
}

// Markers returns the list of missing cells that the model was trained with, nil for the usual ones.
func (s *Schema) Markers() []string {
	if s.Missing == nil {
		return nil
	}
	return *s.Missing
}

// Reads reports whether a column has a reading of its own, or missing cells a list.
func (s *Schema) Reads() bool {
	has := func(c SchemaColumn) bool { return c.Reading != nil }
	return s.Missing != nil || s.Targets != nil || slices.ContainsFunc(s.Normal, has) ||
		slices.ContainsFunc(s.Privileged, has)
}

// Selection names the columns in the roles that they had when the model was trained.
func (m *Model) Selection() dataset.Selection {
	s := dataset.Selection{Target: roles.ByName(m.Coder.Names)}
	var categorical []string
	names := func(columns []SchemaColumn) (all []string) {
		for _, c := range columns {
			all = append(all, c.Name)
			if c.Type == "categorical" {
				categorical = append(categorical, c.Name)
			}
		}
		return all
	}
	s.Normal, s.Priv = roles.ByName(names(m.Schema.Normal)), roles.ByName(names(m.Schema.Privileged))
	s.Categorical = roles.ByName(categorical)
	if m.Schema.Weight != "" {
		s.Weight = roles.ByName([]string{m.Schema.Weight})
	}
	return s
}

func schemaOf(d *roles.Data, m *Model) Schema {
	s := Schema{
		Normal:     describe(m.Normal, d.Pick(d.Roles.Normal)),
		Privileged: describe(m.Priv, d.Pick(d.Roles.Priv)),
		TargetFile: d.TargetFile,
	}
	if d.Missing != nil {
		s.Missing = &d.Missing
	}
	for _, c := range d.Pick(d.Roles.Target) {
		if c.Reading != nil && s.Targets == nil {
			s.Targets = make([]*dataset.Reading, len(d.Roles.Target))
		}
	}
	for i, c := range d.Pick(d.Roles.Target) {
		if s.Targets != nil {
			s.Targets[i] = c.Reading
		}
	}
	if d.Roles.ID >= 0 {
		s.ID = d.Columns[d.Roles.ID].Name
	}
	if d.Roles.Weight >= 0 {
		s.Weight = d.Columns[d.Roles.Weight].Name
	}
	return s
}

// describe describes the prepared columns, which were made of those that were read.
func describe(space *prep.Space, read []*dataset.Column) []SchemaColumn {
	columns := []SchemaColumn{}
	if space == nil {
		return columns
	}
	for i, c := range space.Columns {
		columns = append(columns, SchemaColumn{c.Name, ColumnType(c), read[i].Reading})
	}
	return columns
}

// ColumnType returns the schema's word for a prepared column.
func ColumnType(c prep.Column) string {
	if c.Levels != nil {
		return "categorical"
	}
	return "numeric"
}

// Predictions are a model's answers for some rows.
type Predictions struct {
	Coder   *target.Coder
	Outputs *mat.Dense  // rows × m, as the model computed them
	Scores  blas.Matrix // classification: rows × classes
	Labels  []int       // classification: the class number of each row
	Notes   []string    // what the user should know about the rows

	Probabilities blas.Matrix // rows × classes, or empty: see Config.Proba
	Std           *mat.Dense  // rows × m, or nil: see Config.Std
	Lower, Upper  *mat.Dense  // rows × m, or nil: see PredictAt

	one oneOutput
}

// Rows returns the number of rows that were predicted.
func (p *Predictions) Rows() int { return p.Outputs.RawMatrix().Rows }

// Class returns the predicted class of row i of a classification.
func (p *Predictions) Class(i int) string { return p.Coder.Classes[p.Labels[i]] }

// Predict predicts every row of a table that has the normal columns, in any
// order; other columns are not looked at.
func (m *Model) Predict(ctx context.Context, t *dataset.Table, progress learn.Progress) (*Predictions, error) {
	return m.PredictAt(ctx, t, 0, progress)
}

// PredictAt is Predict with intervals that are to cover the share level, in
// (0, 1), of new targets; 0 means without. A model that was trained without
// Config.Intervals, and a level that its number of training rows cannot support, are
// fault.Usage errors.
func (m *Model) PredictAt(
	ctx context.Context, t *dataset.Table, level float64, progress learn.Progress,
) (*Predictions, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	columns, err := m.normalColumns(t)
	if err != nil {
		return nil, err
	}
	return m.PredictColumns(ctx, columns, t.Rows, level, progress)
}

// PredictColumns is PredictAt for the model's normal columns in the schema's order, each of the given number of cells.
func (m *Model) PredictColumns(
	ctx context.Context, columns []*dataset.Column, rows int, level float64, progress learn.Progress,
) (*Predictions, error) {
	if err := m.CheckLevel(level); err != nil {
		return nil, err
	}
	x, seen, err := m.Normal.Apply(columns, rows)
	if err != nil {
		return nil, err
	}
	p := &Predictions{Coder: m.Coder, Notes: seenNotes(seen)}
	if p.Outputs, err = m.outputs(ctx, x, progress); err != nil {
		return nil, err
	}
	return p, m.interpret(ctx, p, x, level, progress)
}

// interpret fills in what follows from the outputs of p for prepared rows x.
func (m *Model) interpret(
	ctx context.Context, p *Predictions, x *mat.Dense, level float64, progress learn.Progress,
) error {
	if m.Coder.Task == target.Classification {
		p.Scores = m.Coder.Scores(p.Outputs)
		p.Labels = m.decide(p.Outputs)
	}
	return m.uncertain(ctx, p, x, level, progress)
}

// decide returns the class of each row of outputs: by the estimator's own rule
// (the votes of a support vector machine), else that of the largest score.
func (m *Model) decide(outputs *mat.Dense) []int {
	if own, ok := m.Estimator.(interface {
		Decide(outputs *mat.Dense) []int
	}); ok {
		return own.Decide(outputs)
	}
	return m.Coder.Decide(m.Coder.Scores(outputs))
}

func (m *Model) normalColumns(t *dataset.Table) ([]*dataset.Column, error) {
	var columns []*dataset.Column
	for _, c := range m.Schema.Normal {
		column := t.Find(c.Name)
		if column == nil {
			return nil, MissingColumn(c.Name, t.Names())
		}
		if r := c.ReadBy(); r != nil {
			own := *column
			if err := own.ReadBy(r, m.Schema.Markers()); err != nil {
				return nil, err
			}
			column = &own
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// Encode returns what the estimator sees of a table's rows, at least one: the
// prepared normal features and the coded targets. A class that the model does not
// know is a fault.Data error.
func (m *Model) Encode(t *dataset.Table, targets []*dataset.Column) (x, y *mat.Dense, err error) {
	if err := t.Check(); err != nil {
		return nil, nil, err
	}
	if t.Rows == 0 {
		return nil, nil, roles.NoRows(t)
	}
	columns, err := m.normalColumns(t)
	if err != nil {
		return nil, nil, err
	}
	if x, _, err = m.Normal.Apply(columns, t.Rows); err != nil {
		return nil, nil, err
	}
	if len(targets) != len(m.Coder.Names) {
		return nil, nil, m.otherTargets(targets)
	}
	known, unknown, err := truthOf(m.Coder, targets, t.Rows)
	if err != nil {
		return nil, nil, err
	}
	if len(unknown) > 0 {
		return nil, nil, fault.New(fault.Data, "the model does not know the classes %s", namelist.Abbreviate(unknown))
	}
	return x, m.Coder.Code(known.labels, known.y), nil
}

// otherTargets is the error for another number of target columns than the model has.
func (m *Model) otherTargets(targets []*dataset.Column) error {
	return fault.New(fault.Usage, "the model has %d targets, %d columns are given", len(m.Coder.Names), len(targets))
}

var positional = regexp.MustCompile(`^c[0-9]+$`)

// MissingColumn is the error for a normal column that the input lacks.
func MissingColumn(name string, have []string) error {
	e := fault.New(fault.Data, "the input has no column %q, which the model needs", name)
	if positional.MatchString(name) {
		return e.WithHint("the model was trained on a file without column names: use %s", fault.Name("no-header"))
	}
	return e.WithHint("the input's columns are: %s", namelist.Abbreviate(have))
}

func seenNotes(seen prep.Seen) []string {
	var notes []string
	examples := strings.Join(seen.Examples, "; ")
	if seen.OutOfRange > 0 {
		notes = append(notes, fmt.Sprintf("%d values lie outside the training range", seen.OutOfRange))
	}
	if seen.Unknown > 0 {
		const unknown = "%d cells hold categories that training did not have; they count as none of the known ones"
		notes = append(notes, fmt.Sprintf(unknown, seen.Unknown))
	}
	if seen.Varied > 0 {
		const varied = "%d cells differ from a column that was constant in training; they count as its training value"
		notes = append(notes, fmt.Sprintf(varied, seen.Varied))
	}
	if len(notes) > 0 {
		notes[len(notes)-1] += " (" + examples + ")"
	}
	return notes
}
