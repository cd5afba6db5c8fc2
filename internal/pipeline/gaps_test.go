package pipeline

import (
	"context"
	"math"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/param"
	"rvflplus/kernel"
)

// withGaps has a column of numbers whose missing cells tell the target, one of categories of which some are rare, and
// one that nothing lacks in.
func withGaps(rows int) *dataset.Table {
	t := &dataset.Table{Rows: rows}
	test, plain := make([]float64, rows), make([]float64, rows)
	y, codes := make([]float64, rows), make([]int, rows)
	for i := range rows {
		test[i], plain[i] = math.Sin(float64(3*i)), math.Cos(float64(2*i))
		y[i] = plain[i] + 0.1*math.Sin(float64(5*i))
		if i%3 == 0 {
			test[i] = math.NaN()
			y[i] += 4
		}
		if codes[i] = i % 2; i%11 == 10 {
			codes[i] = 2 + i%3
		}
		if i%13 == 12 {
			codes[i] = -1
		}
	}
	t.Columns = []dataset.Column{
		{Name: "test", Numbers: test}, {Name: "plain", Numbers: plain},
		{Name: "town", Codes: codes, Levels: []string{"a", "b", "c", "d", "e"}}, {Name: "y", Numbers: y},
	}
	return t
}

func TestIndicatorsAndGroupsInAModel(t *testing.T) {
	c := param.With(func(c *param.Config) {
		c.Kind, c.Kernel, c.C = "krvfl", kernel.Must("rbf:width=3,relevance=1/1/1/1/1/1/1"), 100
		c.Impute, c.MissingIndicator, c.MinCategory = "mean", true, 5
	})
	table := withGaps(66)
	m := train(t, table, dataset.Selection{Target: "y"}, c)
	if got := m.Normal.Width(); got != 7 { // test and its indicator; plain; a, b, the rare ones and an indicator
		t.Fatalf("%d features", got)
	}
	if r2 := m.Report.LeaveOneOut.Metrics.Number.R2; r2 < 0.9 {
		t.Errorf("R² %v by leave-one-out, although missing cells tell the target", r2)
	}
	c.MissingIndicator, c.Kernel = false, kernel.Must("rbf:width=3")
	without := train(t, table, dataset.Selection{Target: "y"}, c)
	if r2 := without.Report.LeaveOneOut.Metrics.Number.R2; r2 > 0.5 {
		t.Errorf("R² %v without indicators", r2)
	}
	// A column with its indicator, or with its categories, has one share.
	if len(m.Report.Columns) != 3 || m.Report.Columns[0].Name != "test" {
		t.Errorf("shares %v", m.Report.Columns)
	}
	found := false
	for _, note := range m.Report.Notes {
		found = found || strings.Contains(note.String(), "categories of fewer than 5 rows count as one: town (3 of 5)")
	}
	if !found {
		t.Errorf("notes %v", m.Report.Notes)
	}
	// Rows by themselves are predicted as in a table: with missing, rare and unknown cells.
	use := &dataset.Table{Rows: 4, Columns: []dataset.Column{
		{Name: "test", Numbers: []float64{math.NaN(), 0.5, 0.2, math.NaN()}},
		{Name: "plain", Numbers: []float64{0.1, 0.2, math.NaN(), 0.4}},
		{Name: "town", Codes: []int{0, 1, 2, -1}, Levels: []string{"e", "new", "a"}},
	}}
	all, err := m.Predict(context.Background(), use, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range use.Rows {
		row, p := m.NewRow(), new(Predictions)
		for j := range use.Columns {
			switch column := &use.Columns[j]; {
			case column.Missing(i):
				row.SetMissing(j)
			case column.Numeric():
				row.SetNumber(j, column.Numbers[i])
			default:
				row.SetText(j, column.Text(i))
			}
		}
		if err := m.PredictRow(context.Background(), row, 0, nil, p); err != nil {
			t.Fatal(err)
		}
		if got, want := p.Outputs.At(0, 0), all.Outputs.At(i, 0); got != want {
			t.Errorf("row %d alone: %v, in a table %v", i, got, want)
		}
	}
	if all.Outputs.At(0, 0) < all.Outputs.At(1, 0)+2 {
		t.Errorf("a missing cell changes nothing: %v", all.Outputs.RawMatrix().Data)
	}
}
