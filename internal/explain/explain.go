// Package explain measures what each column is worth to a model: normal columns by the predictions that a trained model
// makes when a column's cells are permuted, privileged columns by the leave-one-out loss of models that are trained
// without a column.
package explain

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"rvflplus/fault"
)

// Part is what columns of one kind are worth.
type Part struct {
	Rows    int
	Loss    float64  // mean loss of the rows with all columns as they are
	SE      float64  // its standard error
	Of      string   // what a loss is, for people
	Columns []Column // the largest change first
	// Together is the change when all columns are silent at once; nil where there is one column only, and where it was
	// not measured.
	Together *Column
	Notes    []fault.Text
}

// Column is what one column is worth: by how much the mean loss grows where the column says nothing. A change below 0
// says that predictions are better without.
type Column struct {
	Name   string
	Change float64
	// SE is the standard error of Change: over the rows, whose losses with and without the column are paired.
	SE float64
}

// columnOf returns the mean of the growth of the rows' losses without a column.
func columnOf(name string, growth []float64) Column {
	mean, se := meanOf(growth)
	return Column{name, mean, se}
}

// meanOf returns the mean of numbers and its standard error, NaN of one number.
func meanOf(v []float64) (mean, se float64) {
	if len(v) < 2 {
		return v[0], math.NaN()
	}
	mean, sd := stat.MeanStdDev(v, nil)
	return mean, sd / math.Sqrt(float64(len(v)))
}

// sort puts the columns with the largest changes first; equal ones stay in the order of the table.
func (p *Part) sort() {
	slices.SortStableFunc(p.Columns, func(a, b Column) int { return cmp.Compare(b.Change, a.Change) })
}
