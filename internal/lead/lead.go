// Package lead makes privileged columns of the future: the value that a column of a series has some rows later. The
// later value is known when a model is trained on past series, and not when it is used.
//
//	series a: time 1 2 3, x 5 7 9   →   x_lead1 7 9 –
package lead

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Options say which columns lead, by how many rows, and what a series is.
type Options struct {
	By      int   // position of the column that names the series of a row; -1 for one series
	Time    int   // position of the column of times, numbers or ISO 8601 dates and times
	Columns []int // positions of the columns whose later values are wanted
	Steps   []int // rows ahead, each >= 1 and different
	// Sort sorts the rows: by series, in the order in which the series first occur, and then by time. Without it a row
	// that is not later than the row before in its series is an error.
	Sort bool
}

// Result is a table with its new columns.
type Result struct {
	Table   *dataset.Table // the columns of the table, then the new ones: first those of the first of Options.Columns
	Columns []string       // names of the new columns
	Series  int
	Empty   int // rows in which a new cell is missing: the last ones of a series, and those whose later cell is missing
}

// ParseSteps reads a list of steps such as "1,6".
func ParseSteps(text string) ([]int, error) {
	var steps []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fault.Param("steps", "whole numbers >= 1, separated by commas", strconv.Quote(text))
		}
		if slices.Contains(steps, n) {
			return nil, fault.New(fault.Usage, "%s has %d twice", fault.Name("steps"), n)
		}
		steps = append(steps, n)
	}
	return steps, nil
}

// Name is the name of the new column of a column and a step.
func Name(column string, step int) string { return fmt.Sprintf("%s_lead%d", column, step) }

// Bytes returns the memory that Add takes for a table of so many rows and columns.
func (o Options) Bytes(rows, columns int) float64 {
	added := len(o.Columns) * len(o.Steps)
	if o.Sort {
		added += columns
	}
	return 8 * float64(rows) * float64(added+2) // two numbers a row tell its place in its series
}

// Add appends to t, for every column and every step, a column with the value that many rows later in the series; where
// there is no such row the cell is missing. A new name that t has already is a fault.Usage error. Times that are
// missing, equal in a series or (without Sort) not ascending are fault.Data errors, and so is a step that no series is
// long enough for. Cost: the memory that Bytes tells, and time for sorting the rows of every series with Sort.
func Add(ctx context.Context, t *dataset.Table, o Options) (*Result, error) {
	out := &Result{}
	for _, i := range o.Columns {
		for _, step := range o.Steps {
			name := Name(t.Columns[i].Name, step)
			if t.Find(name) != nil || slices.Contains(out.Columns, name) {
				return nil, fault.New(fault.Usage, "column %q is in the table already", name).
					WithHint("rename or drop it, or choose other steps")
			}
			out.Columns = append(out.Columns, name)
		}
	}
	if t.Rows == 0 {
		return nil, fault.New(fault.Data, "%s has no rows", t.FileName())
	}
	series, err := seriesOf(ctx, t, o)
	if err != nil {
		return nil, err
	}
	if o.Sort {
		t, series = sorted(t, series)
	}
	if err := checkSteps(t, series, o); err != nil {
		return nil, err
	}
	out.Series = len(series)
	return out, out.add(ctx, t, series, o)
}

// seriesOf returns the rows of every series in the order of time, the series in the order in which they first occur.
func seriesOf(ctx context.Context, t *dataset.Table, o Options) ([][]int, error) {
	compare, err := Times(&t.Columns[o.Time])
	if err != nil {
		return nil, err
	}
	series, err := divide(t, o.By)
	if err != nil {
		return nil, err
	}
	for _, rows := range series {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Sort {
			slices.SortStableFunc(rows, compare)
		}
		for k := 1; k < len(rows); k++ {
			if order := compare(rows[k-1], rows[k]); order >= 0 {
				return nil, notAscending(t, o, rows[k-1], rows[k], order)
			}
		}
	}
	return series, nil
}

// divide returns the rows of every series in the order of the table.
func divide(t *dataset.Table, by int) ([][]int, error) {
	if by < 0 {
		rows := make([]int, t.Rows)
		for i := range rows {
			rows[i] = i
		}
		return [][]int{rows}, nil
	}
	c := &t.Columns[by]
	if i := c.FirstMissing(); i >= 0 {
		return nil, c.MissingError(i, "give the row the name of its series, or remove it")
	}
	number := map[string]int{}
	var series [][]int
	for i := range t.Rows {
		name := c.Text(i)
		k, known := number[name]
		if !known {
			k = len(series)
			number[name] = k
			series = append(series, nil)
		}
		series[k] = append(series[k], i)
	}
	return series, nil
}

// notAscending is the error for a row of a series whose time is not later than that of the row before.
func notAscending(t *dataset.Table, o Options, before, row, order int) error {
	c := &t.Columns[o.Time]
	in := ""
	if o.By >= 0 {
		in = fmt.Sprintf(" of series %q", t.Columns[o.By].Text(row))
	}
	if order == 0 {
		e := fault.New(fault.Data, "%s: the time %s is also that of %s%s", c.Place(row), c.Text(row), c.Place(before),
			in)
		if o.By < 0 {
			return e.WithHint("name the column that tells the series apart with %s", fault.Name("by"))
		}
		return e.WithHint("a series has one row at a time: remove the other rows, or name a column that tells more " +
			"series apart")
	}
	return fault.New(fault.Data, "%s: the time %s comes after %s, that of the row before%s", c.Place(row), c.Text(row),
		c.Text(before), in).WithHint("use %s, which sorts the rows", fault.Name("sort"))
}

// sorted returns the table with the rows of one series after those of the other.
func sorted(t *dataset.Table, series [][]int) (*dataset.Table, [][]int) {
	t = t.Subset(slices.Concat(series...))
	next := 0
	for _, rows := range series {
		for k := range rows {
			rows[k] = next
			next++
		}
	}
	return t, series
}

// checkSteps refuses a step for which no series has a later row.
func checkSteps(t *dataset.Table, series [][]int, o Options) error {
	longest := slices.MaxFunc(series, func(a, b []int) int { return len(a) - len(b) })
	for _, step := range o.Steps {
		if step < len(longest) {
			continue
		}
		what := "the series has"
		if o.By >= 0 {
			what = fmt.Sprintf("the longest series, %q, has", t.Columns[o.By].Text(longest[0]))
		}
		return fault.New(fault.Data, "no row has another %d rows later: %s %d rows", step, what, len(longest)).
			WithHint("use smaller %s", fault.Name("steps"))
	}
	return nil
}

// add fills in the table and the number of rows with empty cells.
func (r *Result) add(ctx context.Context, t *dataset.Table, series [][]int, o Options) error {
	chosen := &dataset.Table{Rows: t.Rows}
	for _, c := range t.Pick(o.Columns) {
		own := *c
		own.Origin = nil // a new cell stands in no file
		chosen.Columns = append(chosen.Columns, own)
	}
	later := make([]*dataset.Table, len(o.Steps))
	from := make([]int, t.Rows)
	for s, step := range o.Steps {
		for _, rows := range series {
			for k, row := range rows {
				if from[row] = -1; k+step < len(rows) {
					from[row] = rows[k+step]
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		later[s] = chosen.Subset(from)
	}
	r.Table = &dataset.Table{Rows: t.Rows, Columns: slices.Clone(t.Columns)}
	for i := range o.Columns {
		for s := range o.Steps {
			c := later[s].Columns[i]
			c.Name = r.Columns[len(r.Table.Columns)-len(t.Columns)]
			r.Table.Columns = append(r.Table.Columns, c)
		}
	}
	made := r.Table.Columns[len(t.Columns):]
	for i := range t.Rows {
		if slices.ContainsFunc(made, func(c dataset.Column) bool { return c.Missing(i) }) {
			r.Empty++
		}
	}
	return nil
}
