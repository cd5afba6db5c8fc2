package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"rvflplus/internal/celltext"
	"rvflplus/internal/pipeline"
)

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
		t.AppendHeader(table.Row{"", "accuracy", "balanced", "F1", "ROC AUC", "PR AUC", "Brier", "log loss"})
	case rows[0].metrics.Number != nil:
		t.AppendHeader(table.Row{"", "RMSE", "MAE", "R²"})
	}
	scoresOnly := false
	for _, r := range rows {
		if c := r.metrics.Class; c != nil {
			t.AppendRow(table.Row{
				r.name, percent(c.Accuracy), percent(c.BalancedAccuracy), percent(c.F1), share(c.ROCAUC),
				share(c.PRAUC), optional(c.Brier, digits), optional(c.LogLoss, digits),
			})
			scoresOnly = scoresOnly || c.LogLoss == nil
		} else if n := r.metrics.Number; n != nil {
			t.AppendRow(table.Row{r.name, digits(n.RMSE), digits(n.MAE), digits(n.R2)})
		}
	}
	t.Render()
	if scoresOnly {
		fmt.Fprintf(a.stdout, "  %s: Brier score and log loss are of probabilities, which --proba gives\n", none)
	}
}

// mostClasses is the number of classes up to which the scores of each class are printed.
const mostClasses = 10

// printClassScores writes the scores of each class, and how many of its rows were taken for which class. JSON has those
// of many classes too.
func (a *app) printClassScores(r scoredRow) {
	c := r.metrics.Class
	if c == nil || c.PerClass == nil || len(c.Classes) > mostClasses {
		return
	}
	fmt.Fprintf(a.stdout, "\n%s by class; → counts the rows that were taken for a class:\n\n", r.name)
	t := a.newTable()
	t.SetColumnConfigs(append(numbersRight(2, 7+len(c.Classes)), shortNames))
	header := table.Row{"class", "rows", "precision", "recall", "F1", "ROC AUC", "PR AUC"}
	for _, name := range c.Classes {
		header = append(header, "→ "+printable(name))
	}
	t.AppendHeader(header)
	for k, name := range c.Classes {
		own := c.PerClass[name]
		row := table.Row{printable(name), celltext.FormatNumber(own.Rows), share(own.Precision), share(own.Recall),
			share(own.F1), share(own.ROCAUC), share(own.PRAUC)}
		for _, n := range c.Confusion[k] {
			row = append(row, celltext.FormatNumber(n))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// none stands for a score that is not defined.
const none = "–"

// optional writes a score, none if it is nil.
func optional(v *float64, write func(float64) string) string {
	if v == nil {
		return none
	}
	return write(*v)
}

func share(v *float64) string { return optional(v, percent) }
