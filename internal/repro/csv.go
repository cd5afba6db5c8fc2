package repro

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteCSV writes a header and a row for each cell of a table, each point of a figure or each data set of tables 3 and
// 5. Numbers have full precision; where there is no number, the field is empty. The trials' values stand in one field,
// separated by blanks.
func (r *Result) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := r.cellRows
	switch {
	case r.Statistics != nil:
		rows = r.statisticRows
	case r.Points != nil:
		rows = r.pointRows
	}
	if err := out.WriteAll(rows()); err != nil {
		return err
	}
	return out.Error()
}

func (r *Result) cellRows() [][]string {
	rows := [][]string{{
		"table", "protocol", "dataset", "method", "kernel", "activation", "metric", "mean", "sd", "trials",
		"seconds", "limit",
		"paper", "paper_sd", "paper_seconds", "paper_over", "differs", "best", "added", "stopped", "remark", "values",
	}}
	for _, c := range r.Cells {
		var values []string
		for _, t := range c.Trials {
			values = append(values, field(t.Value))
		}
		row := []string{
			r.Experiment.Name, c.Protocol, c.Dataset, c.Method, c.Kernel, c.Activation, r.Experiment.Metric,
			field(c.Mean()), field(c.SD()), strconv.Itoa(len(c.Trials)), field(c.Seconds()), positive(c.Limit),
		}
		paper := []string{"", "", "", ""}
		if p := c.Paper; p != nil {
			paper = []string{field(p.Value), field(p.SD), field(p.Seconds), strconv.FormatBool(p.Over)}
		}
		row = append(row, paper...)
		for _, is := range []bool{c.Differs(), c.Best, c.Ours} {
			row = append(row, strconv.FormatBool(is))
		}
		rows = append(rows, append(row, c.Stopped, c.Remark, strings.Join(values, " ")))
	}
	return rows
}

func (r *Result) pointRows() [][]string {
	sweep := r.Experiment.Sweep
	head := []string{"figure", "protocol", sweep.X}
	if sweep.Y != "" {
		head = append(head, sweep.Y)
	}
	rows := [][]string{append(head, r.Experiment.Metric)}
	for _, p := range r.Points {
		row := []string{r.Experiment.Name, p.Protocol, field(p.X)}
		if sweep.Y != "" {
			row = append(row, field(p.Y))
		}
		rows = append(rows, append(row, field(p.Value)))
	}
	return rows
}

func (r *Result) statisticRows() [][]string {
	names := []string{"train", "test", "attributes", "normal", "privileged", "classes"}
	head := []string{"table", "dataset"}
	for _, prefix := range []string{"", "paper_"} {
		for _, name := range names {
			head = append(head, prefix+name)
		}
	}
	rows := [][]string{append(head, "remark")}
	for _, s := range r.Statistics {
		row := []string{r.Experiment.Name, s.Problem}
		for _, n := range append(figures(s.Data()), figures(s.Figures)...) {
			row = append(row, positive(float64(n)))
		}
		rows = append(rows, append(row, s.Remark))
	}
	return rows
}

// field writes a number so that it reads back the same, and nothing for NaN and infinities.
func field(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func positive(v float64) string {
	if v > 0 {
		return field(v)
	}
	return ""
}
