package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/report"
)

// mostColumns is how many of the columns that count are listed and drawn one by one.
const mostColumns = 25

// columnsSentence names the columns with the largest shares; "" where shares were not measured.
func columnsSentence(r pipeline.Report) string {
	var parts []string
	for _, c := range r.ColumnsThatCount() {
		parts = append(parts, fmt.Sprintf("%s (%s)", cutName(c.Name), shareText(c.Share)))
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("The columns that count: %s of %d.", strings.Join(parts, ", "), len(r.Columns))
}

// cutName is a name as it stands in a sentence.
func cutName(name string) string {
	const most = 40
	if r := []rune(name); len(r) > most {
		name = string(r[:most-1]) + "…"
	}
	return printable(name)
}

// shareText writes a share as a whole percentage, a small one with one digit that is not 0.
func shareText(share float64) string {
	if share > 0 && share < 0.01 {
		return fmt.Sprintf("%.1g %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// printColumnShares writes how much each column counts, and its width in kernels with a width for each column.
func (a *app) printColumnShares(m *pipeline.Model) {
	const mostKernels = 3
	largest, rest := m.Report.LargestColumns(mostColumns)
	terms := kind.RelevantTerms(m.Estimator)
	terms = terms[:min(len(terms), mostKernels)]
	t := a.newTable()
	header := table.Row{"column", "share", ""}
	var widths []map[string]float64
	for _, term := range terms {
		header = append(header, "width of "+term.Name)
		widths = append(widths, m.ColumnWidths(term))
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(append(numbersRight(2, 2), append(numbersRight(4, 3+mostKernels), shortNames)...))
	for _, c := range largest {
		bar := strings.Repeat("#", int(math.Round(40*c.Share/largest[0].Share)))
		row := table.Row{printable(c.Name), percent(c.Share), bar}
		for _, of := range widths {
			row = append(row, widthText(of[c.Name]))
		}
		t.AppendRow(row)
	}
	if n := len(m.Report.Columns) - len(largest); n > 0 {
		t.AppendRow(table.Row{restName(n), percent(rest)})
	}
	t.Render()
	fmt.Fprintln(a.stdout, "  A share tells what the model uses, not what causes what: the squared change of the\n"+
		"  answers when the column always says its mean, as a part of the sum over columns.")
}

func restName(n int) string { return count(n, "other column") }

// widthText writes the width of a column; a kernel leaves a column of infinite width out.
func widthText(width float64) string {
	if math.IsInf(width, 1) {
		return "∞"
	}
	return digits3(width)
}

// drawColumnShares draws how much each column counts.
func drawColumnShares(ctx context.Context, path, model string, m *pipeline.Model) error {
	r := m.Report
	if r.Columns == nil {
		return fault.New(fault.Usage, "--plot %s: the model %s does not tell which columns count", path, model).
			WithHint("train it without -m, or with -m krvfl --width relevance")
	}
	largest, rest := r.LargestColumns(mostColumns)
	picture := &report.Shares{
		Title: fmt.Sprintf("The columns that count in %s", strings.Join(m.Coder.Names, ", ")),
		Note: "share of the change of the answers when a column always says its mean: what the model uses, " +
			"not what causes what",
	}
	for _, c := range largest {
		picture.Parts = append(picture.Parts, report.Part{Name: c.Name, Share: c.Share})
	}
	if n := len(r.Columns) - len(largest); n > 0 {
		picture.Rest = &report.Part{Name: restName(n), Share: rest}
	}
	return writePicture(ctx, path, picture)
}
