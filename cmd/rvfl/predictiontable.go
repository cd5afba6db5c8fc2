package main

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/postgres"
	"rvflplus/internal/target"
)

// predictionTable is the table that predict writes: the id, the predicted class, and groups of columns of numbers.
type predictionTable struct {
	predictions *pipeline.Predictions
	classes     bool            // a class is predicted
	ids         *dataset.Column // nil without
	header      []string
	groups      []columnGroup
}

// columnGroup is a group of columns, one for each class or for each target: the scores of all classes, for example.
type columnGroup struct {
	names  []string // of the classes or targets
	values blas.Matrix
	single bool                       // one target: JSON has its number, not an object of one number
	field  func(*predictionJSON) *any // where JSON has the group
}

type predictionJSON struct {
	ID         *string `json:"id,omitempty"`
	Prediction any     `json:"prediction"` // a class, a number, or a number for each target
	Scores     any     `json:"scores,omitempty"`

	Probabilities any `json:"probabilities,omitempty"`
	Std           any `json:"std,omitempty"` // as prediction, like the following
	Lower         any `json:"lower,omitempty"`
	Upper         any `json:"upper,omitempty"`
}

// newPredictionTable arranges predictions in columns. An id column that is called like one of them is refused.
func newPredictionTable(
	m *pipeline.Model, p *pipeline.Predictions, ids *dataset.Column) (*predictionTable, error) {
	t := &predictionTable{predictions: p, classes: m.Coder.Task == target.Classification, ids: ids}
	if ids != nil {
		t.header = append(t.header, ids.Name)
	}
	ofClasses := func(prefix string, values blas.Matrix, field func(*predictionJSON) *any) {
		for _, class := range m.Coder.Classes {
			t.header = append(t.header, prefix+class)
		}
		t.groups = append(t.groups, columnGroup{m.Coder.Classes, values, false, field})
	}
	ofTargets := func(name string, values *mat.Dense, field func(*predictionJSON) *any) {
		if values == nil {
			return
		}
		single := len(m.Coder.Names) == 1
		if single {
			t.header = append(t.header, name)
		} else {
			for _, target := range m.Coder.Names {
				t.header = append(t.header, name+"_"+target)
			}
		}
		t.groups = append(t.groups, columnGroup{m.Coder.Names, values.RawMatrix(), single, field})
	}
	if t.classes {
		t.header = append(t.header, "prediction")
		ofClasses("score_", p.Scores, func(j *predictionJSON) *any { return &j.Scores })
	} else {
		ofTargets("prediction", p.Outputs, func(j *predictionJSON) *any { return &j.Prediction })
	}
	if m.HasProbabilities() {
		ofClasses("prob_", p.Probabilities, func(j *predictionJSON) *any { return &j.Probabilities })
	}
	ofTargets("std", p.Std, func(j *predictionJSON) *any { return &j.Std })
	ofTargets("lower", p.Lower, func(j *predictionJSON) *any { return &j.Lower })
	ofTargets("upper", p.Upper, func(j *predictionJSON) *any { return &j.Upper })
	if ids != nil && slices.Contains(t.header[1:], ids.Name) {
		return nil, fault.New(fault.Usage, "the id column is called %q, as a column of the predictions is", ids.Name).
			WithHint("rename it in the input, or choose another with --id")
	}
	return t, nil
}

// columns returns the columns of the table as a database holds them: the id and the class are texts.
func (t *predictionTable) columns() []postgres.SinkColumn {
	texts := 0
	if t.ids != nil {
		texts++
	}
	if t.classes {
		texts++
	}
	columns := make([]postgres.SinkColumn, len(t.header))
	for i, name := range t.header {
		columns[i] = postgres.SinkColumn{Name: name, Number: i >= texts}
	}
	return columns
}

// writeFile writes the table as a file called path would hold it; "" is standard output.
func (t *predictionTable) writeFile(w io.Writer, path string) error {
	separator := ','
	if tablefile.ByName(path) == tablefile.TSV {
		separator = '\t'
	}
	if inputfile.Compression(path) == "" {
		return t.writeText(w, separator)
	}
	z := gzip.NewWriter(w)
	if err := t.writeText(z, separator); err != nil {
		return err
	}
	return z.Close()
}

func (t *predictionTable) writeText(w io.Writer, separator rune) error {
	out := csv.NewWriter(w)
	out.Comma = separator
	if err := out.Write(t.header); err != nil {
		return err
	}
	for i := range t.predictions.Rows() {
		var record []string
		if t.ids != nil {
			record = append(record, t.ids.Text(i))
		}
		if t.classes {
			record = append(record, t.predictions.Class(i))
		}
		for _, g := range t.groups {
			for _, v := range blas.Row(g.values, i) {
				record = append(record, celltext.FormatNumber(v+0)) // -0 becomes 0
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// json returns what JSON says of row i.
func (t *predictionTable) json(i int) predictionJSON {
	var j predictionJSON
	if t.ids != nil {
		id := t.ids.Text(i)
		j.ID = &id
	}
	if t.classes {
		j.Prediction = t.predictions.Class(i)
	}
	for _, g := range t.groups {
		row := blas.Row(g.values, i)
		if g.single {
			*g.field(&j) = row[0]
			continue
		}
		named := map[string]float64{}
		for k, name := range g.names {
			named[name] = row[k]
		}
		*g.field(&j) = named
	}
	return j
}
