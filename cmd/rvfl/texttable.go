package main

import (
	"fmt"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"rvflplus/internal/kind"
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

// printFit writes the scores of a fit: on the training rows, and by leave-one-out where it was computed.
func (a *app) printFit(m *pipeline.Model) {
	r := m.Report
	rows := []scoredRow{{"training rows", r.Train.Metrics}}
	if r.LeaveOneOut != nil {
		name := "leave-one-out"
		if k, err := kind.ByName(m.Config.Kind); r.Outcome != nil && err == nil && len(k.Chosen) > 0 {
			name = r.Outcome.Left // other kinds are trained, with what was chosen, by their own leave-one-out
		}
		rows = append(rows, scoredRow{name, r.LeaveOneOut.Metrics})
	}
	a.printScores(rows)
	a.printClassScores(rows[len(rows)-1])
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + " %" }
func digits(v float64) string  { return strconv.FormatFloat(v, 'g', 5, 64) }
