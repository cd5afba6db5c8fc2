package repro

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rvflplus/internal/report"
)

const readingLegend = "Mean ± standard deviation of the trials on test rows. s.e.: standard error of the mean. " +
	"Chance: the share of the range from the lowest to the highest reading that is within two standard errors of " +
	"some reading, so the chance that a number from anywhere there would find one. Bold or *: the nearest to the " +
	"paper's number among the readings that leak nothing; " + mark + ": more than two standard errors from it."

// readingSections lays the result out: the nearest readings, how near readings come over all data sets, and all cells.
func (r *Result) readingSections(grids []grid) []section {
	texts := []string{
		"The paper's protocol with its ranges, folds, γ = 5000 and one width for KRVFL+, under every combination of " +
			"normal columns and normalisation. The paper says neither which half of the columns is normal nor " +
			"whether its L1 norm is one of rows or of columns.",
		"Normal columns: the first half; the second half, as many; odd, that is every other one from the first; " +
			"even, every other one from the second. Normalisation: rows divided by their L1 norm in each space; " +
			"columns divided by their L1 norm in the training rows; columns standardised on the training rows. " +
			"“Joint rows” divides rows by one norm over both spaces: it tells the normal columns something of the " +
			"privileged ones, also in use, so it never counts as nearest.",
	}
	var lists []list
	for i := range grids {
		for _, l := range r.lists(&grids[i]) {
			if i == 0 || strings.HasPrefix(l.Heading, notFinished) { // all readings are run alike
				lists = append(lists, l)
			}
		}
	}
	var sections []section
	for i := range r.Experiment.Methods {
		m := &r.Experiment.Methods[i]
		if near := r.nearestOf(m.Name); len(near) > 0 {
			sections = append(sections,
				section{Heading: m.Name + ": nearest reading by data set", Text: texts, Table: r.nearestTable(near)},
				section{Heading: m.Name + ": over all data sets", Text: []string{r.overallText()},
					Table: r.overallTable(m.Name)},
				section{Heading: m.Name + ": all readings", Table: r.cellTable(grids, m), Lists: lists},
			)
			texts, lists = nil, nil // stand once
		}
	}
	return sections
}

// nearestTable has a row for each data set.
func (r *Result) nearestTable(near []Nearest) table {
	number := r.Experiment.number
	t := table{Names: 2, Head: []string{
		"data", "nearest reading", r.Experiment.unit() + " here", "s.e.", "paper", "within 2 s.e.", "lowest", "highest",
		"chance", "joint rows",
	}}
	for _, n := range near {
		joint := none
		if n.Joint != nil {
			joint = number(n.Joint[0]) + " to " + number(n.Joint[1])
		}
		se := none
		if n.SE != nil {
			se = number(*n.SE)
		}
		sd := nan
		if n.SD != nil {
			sd = *n.SD
		}
		t.Rows = append(t.Rows, []slot{
			stack(nameLines(n.Dataset)...), stack(n.Reading), stack(r.Experiment.spread(n.Value, sd)), stack(se),
			stack(number(n.Paper)), stack(fmt.Sprintf("%d of %d", n.Within, n.Readings)), stack(number(n.Low)),
			stack(number(n.High)), stack(fmt.Sprintf("%.0f %%", 100*n.Covered)), stack(joint),
		})
	}
	return t
}

func (r *Result) overallText() string {
	unit := "in points"
	if !r.Experiment.greater() {
		unit = "in percent of the paper's number"
	}
	return "Mean and median absolute difference from the paper's numbers, " + unit + ", and on how many data sets " +
		"the reading is within two standard errors. Where classes are grouped in several ways, the grouping nearest " +
		"to the paper counts."
}

// overallTable has a row for each reading, the nearest first.
func (r *Result) overallTable(method string) table {
	t := table{Names: 1, Head: []string{"reading", "mean difference", "median", "within 2 s.e.", "grouping"}}
	of := slices.DeleteFunc(slices.Clone(r.Overall), func(o Overall) bool { return o.Method != method })
	slices.SortStableFunc(of, func(a, b Overall) int { return cmp.Compare(a.Difference, b.Difference) })
	for i, o := range of {
		groupings := none
		if o.Groupings != nil {
			groupings = enumerate(o.Groupings)
		}
		t.Rows = append(t.Rows, []slot{
			stack(o.Reading), {[]string{fmt.Sprintf("%.2f", o.Difference)}, i == 0},
			stack(fmt.Sprintf("%.2f", o.Median)), stack(fmt.Sprintf("%d of %d", len(o.Within), o.Rows)),
			stack(groupings),
		})
	}
	return t
}

// cellTable has a row for each reading and a column for each data set.
func (r *Result) cellTable(grids []grid, m *Method) table {
	t := table{Names: 1, Head: []string{"reading"}}
	paper := []slot{stack("the paper")}
	near := r.nearestOf(m.Name)
	for _, n := range near {
		t.Head, paper = append(t.Head, n.Dataset), append(paper, stack(r.Experiment.number(n.Paper)))
	}
	t.Rows = append(t.Rows, paper)
	for i := range grids {
		line := []slot{stack(grids[i].protocol.Name)}
		for _, n := range near {
			s := stack(none)
			for _, row := range grids[i].rows {
				if c := grids[i].cell(row.dataset, m); c != nil && row.dataset.Name == n.Dataset {
					s = slot{[]string{r.value(c)}, n.Reading == c.Protocol}
				}
			}
			line = append(line, s)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// readingPicture shows every reading as a point: a panel for each method, a line for each data set.
func (r *Result) readingPicture() *report.Points {
	v := &report.Points{
		Title: r.title(), Label: r.Experiment.quantity() + ", mean ± 2 standard errors", Tick: "in the paper",
		Log: r.Experiment.Metric == rmse,
	}
	for _, p := range r.Experiment.Protocols {
		if p.Reading.Columns == "" {
			v.Series = append(v.Series, normalisation(p))
		}
		if p.Reading.Norm == r.Experiment.Protocols[0].Reading.Norm && p.Scale == r.Experiment.Protocols[0].Scale {
			v.Shapes = append(v.Shapes, normalColumns(p))
		}
	}
	for i := range r.Experiment.Methods {
		m := &r.Experiment.Methods[i]
		panel := report.PointPanel{Name: m.Name}
		for _, n := range r.nearestOf(m.Name) {
			line := report.PointLine{Name: n.Dataset, Tick: n.Paper}
			for _, c := range r.measuredCells(m.Name) {
				if c.Dataset == n.Dataset {
					p := r.protocol(c.Protocol)
					line.Points = append(line.Points, report.Point{
						Series: slices.Index(v.Series, normalisation(p)),
						Shape:  slices.Index(v.Shapes, normalColumns(p)),
						Mean:   c.Mean(), Error: 2 * c.StandardError(),
					})
				}
			}
			panel.Lines = append(panel.Lines, line)
		}
		if panel.Lines != nil {
			v.Panels = append(v.Panels, panel)
		}
	}
	return v
}
