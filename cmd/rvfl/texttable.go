package main

import (
	"fmt"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"rvflplus/internal/pipeline"
)

// newTable returns a plain table that writes to standard output. Its first column is aligned to the left, the others,
// of numbers, to the right.
func (a *app) newTable() table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(a.stdout)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "  ", ""
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.SetColumnConfigs(numbersRight(2, 12))
	return t
}

// newTextTable returns a table like newTable's with all columns aligned to the left.
func (a *app) newTextTable() table.Writer {
	t := a.newTable()
	t.SetColumnConfigs(nil)
	return t
}

// numbersRight aligns the columns from first to last, counted from 1, to the right.
func numbersRight(first, last int) []table.ColumnConfig {
	var configs []table.ColumnConfig
	for i := first; i <= last; i++ {
		configs = append(configs, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return configs
}

// section writes the title of a part of a long answer.
func (a *app) section(title string) { fmt.Fprintf(a.stdout, "\n%s\n", title) }

// scoredRow names a set of predictions and says how good they are.
type scoredRow struct {
	name    string
	metrics pipeline.Metrics
}

// printScores writes a table with one row for each set of predictions, all of one task.
func (a *app) printScores(rows []scoredRow) {
	t := a.newTable()
	switch {
	case rows[0].metrics.Class != nil:
		t.AppendHeader(table.Row{"", "accuracy", "balanced", "F1", "log loss"})
	case rows[0].metrics.Number != nil:
		t.AppendHeader(table.Row{"", "RMSE", "MAE", "R²"})
	}
	for _, r := range rows {
		if c := r.metrics.Class; c != nil {
			t.AppendRow(table.Row{
				r.name, percent(c.Accuracy), percent(c.BalancedAccuracy), percent(c.F1), digits(c.LogLoss),
			})
		} else if n := r.metrics.Number; n != nil {
			t.AppendRow(table.Row{r.name, digits(n.RMSE), digits(n.MAE), digits(n.R2)})
		}
	}
	t.Render()
}

// printFit writes the scores of a fit: on the training rows, and by leave-one-out where it was computed.
func (a *app) printFit(r pipeline.Report) {
	rows := []scoredRow{{"training rows", r.Train.Metrics}}
	if r.LeaveOneOut != nil {
		name := "leave-one-out"
		if r.Outcome != nil {
			name = r.Outcome.Left
		}
		rows = append(rows, scoredRow{name, r.LeaveOneOut.Metrics})
	}
	a.printScores(rows)
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + " %" }
func digits(v float64) string  { return strconv.FormatFloat(v, 'g', 5, 64) }
