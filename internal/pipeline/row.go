package pipeline

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/internal/celltext"
	"rvflplus/learn"
)

// Row is room for the normal cells of one row, in the order of the schema. It serves one prediction after the other.
type Row struct {
	table   dataset.Table // of one row
	columns []*dataset.Column
	numbers []float64
	codes   []int
	levels  []string
	schema  *Schema
	x       *mat.Dense // prepared
}

// NewRow returns a row whose cells are to be set.
func (m *Model) NewRow() *Row {
	n := len(m.Schema.Normal)
	r := &Row{
		table:   dataset.Table{Rows: 1, Columns: make([]dataset.Column, n)},
		columns: make([]*dataset.Column, n),
		numbers: make([]float64, n), codes: make([]int, n), levels: make([]string, n), schema: &m.Schema,
		x: mat.NewDense(1, m.Normal.Width(), nil),
	}
	for j, c := range m.Schema.Normal {
		r.table.Columns[j].Name = c.Name
		r.columns[j] = &r.table.Columns[j]
	}
	return r
}

// SetNumber sets cell j to a number, NaN for one that is missing.
func (r *Row) SetNumber(j int, v float64) {
	c := r.columns[j]
	r.numbers[j] = v
	c.Numbers, c.Codes, c.Levels = r.numbers[j:j+1], nil, nil
}

// SetText sets cell j to a category, or to the number that the text is by the column's reading.
func (r *Row) SetText(j int, text string) {
	c := r.columns[j]
	if reading := r.schema.Normal[j].ReadBy(); reading != nil {
		if v, ok := reading.Parse(text); ok {
			r.SetNumber(j, v)
			return
		}
		if celltext.Markers(r.schema.Markers()).Has(text) {
			r.SetMissing(j)
			return
		}
	}
	r.numbers[j], r.codes[j], r.levels[j] = 0, 0, text
	c.Numbers, c.Codes, c.Levels = nil, r.codes[j:j+1], r.levels[j:j+1]
}

// SetMissing sets cell j to one that is missing.
func (r *Row) SetMissing(j int) { r.SetNumber(j, math.NaN()) }

// oneOutput is room for the outputs of one row.
type oneOutput struct {
	dense  mat.Dense
	values [8]float64
}

// PredictRow is PredictAt for one row, into p, which must be zero.
func (m *Model) PredictRow(ctx context.Context, r *Row, level float64, progress learn.Progress, p *Predictions) error {
	if err := m.CheckLevel(level); err != nil {
		return err
	}
	for _, v := range r.numbers {
		if v-v != 0 && v == v { // infinite
			return r.table.Check()
		}
	}
	seen, err := m.Normal.ApplyTo(r.x, r.columns)
	if err != nil {
		return err
	}
	n := m.Coder.Outputs()
	values := p.one.values[:min(n, len(p.one.values))]
	if n > len(values) {
		values = make([]float64, n)
	}
	p.one.dense.SetRawMatrix(blas64.General{Rows: 1, Cols: n, Stride: n, Data: values})
	p.Coder, p.Notes, p.Outputs = m.Coder, seenNotes(seen), &p.one.dense
	if err := ctx.Err(); err != nil {
		return err
	}
	m.Estimator.PredictTo(p.Outputs, r.x)
	if err := finite(p.Outputs.RawMatrix()); err != nil {
		return err
	}
	return m.interpret(ctx, p, r.x, level, progress)
}
