// Package roles tells which column of a table plays which role (target, privileged, normal, …) and loads the columns
// that have one, from one file or several.
package roles

import (
	"context"
	"fmt"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/learn"
)

// Data is a table and the roles of its columns.
type Data struct {
	*dataset.Table
	Roles Columns
	// TargetFile says that the targets came from a file of their own.
	TargetFile bool
	// PrivSkipped is the number of privileged columns that were left unread because nothing learns from them.
	PrivSkipped int
	// Matched tells which rows found their key in the privileged file; nil when no file was joined. The privileged
	// cells of the other rows are missing.
	Matched []bool
	// Unlabelled holds further rows, whose target cells are missing, in the same columns; nil without any. Only keeps
	// them all.
	Unlabelled *dataset.Table
	Notes      []string // what the user should know about the files

	cells    dataset.Cells // how the files were read
	readings map[string]*dataset.Reading
}

// Assign gives the columns of a table in memory their roles.
func Assign(t *dataset.Table, sel dataset.Selection) (*Data, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	columns, err := Resolve(sel, t.Names())
	if err != nil {
		return nil, err
	}
	categorical, _, err := Select(sel.Categorical, t.Names())
	if err != nil {
		return nil, err
	}
	as := make([]dataset.ReadAs, len(t.Columns))
	for _, i := range categorical {
		as[i] = dataset.Categorical
	}
	read, err := dataset.Collect(context.Background(), t.Source(), as)
	if err != nil {
		return nil, err
	}
	read.Missing = t.Missing
	return &Data{Table: read, Roles: columns, cells: dataset.Cells{Missing: t.Missing}}, nil
}

// Only returns the given rows as new data, beside all that Unlabelled holds.
func (d *Data) Only(rows []int) *Data {
	out := *d
	out.Table = d.Subset(rows)
	if d.Matched != nil {
		out.Matched = learn.Gather(d.Matched, rows)
	}
	return &out
}

// Weights returns the weights of the rows, nil without a weight column. A weight that is missing, negative or not a
// number is a fault.Data error.
func (d *Data) Weights() ([]float64, error) {
	if d.Roles.Weight < 0 {
		return nil, nil
	}
	c := &d.Columns[d.Roles.Weight]
	bad := slices.IndexFunc(c.Numbers, func(v float64) bool { return !(v >= 0) })
	if !c.Numeric() {
		bad = 0
	}
	if bad >= 0 {
		e := fault.New(fault.Data, "%s: a weight must be a number >= 0, got %q", c.Place(bad), c.Text(bad))
		if c.Missing(bad) {
			return nil, e.WithHint("leave out rows without a weight with %s", fault.Name("drop-missing"))
		}
		return nil, e
	}
	return c.Numbers, nil
}

// DropMissing returns the data without the rows in which a target or the weight is missing. Notes counts them.
func (d *Data) DropMissing() *Data {
	columns := d.Pick(d.Roles.Target)
	if d.Roles.Weight >= 0 {
		columns = append(columns, &d.Columns[d.Roles.Weight])
	}
	var keep []int
	for i := range d.Rows {
		if !slices.ContainsFunc(columns, func(c *dataset.Column) bool { return c.Missing(i) }) {
			keep = append(keep, i)
		}
	}
	if len(keep) == d.Rows {
		return d
	}
	out := d.Only(keep)
	out.Notes = append(slices.Clone(d.Notes), fmt.Sprintf("%d of %d rows left out: a target or the weight is missing",
		d.Rows-len(keep), d.Rows))
	return out
}

// Groups returns the group of each row, by the text of the group column; nil without such a column. An empty cell is a
// fault.Data error.
func (d *Data) Groups() ([]int, error) {
	if d.Roles.Group < 0 {
		return nil, nil
	}
	column := &d.Columns[d.Roles.Group]
	number, groups := map[string]int{}, make([]int, d.Rows)
	for i := range groups {
		text := column.Text(i)
		if text == "" {
			return nil, column.MissingError(i, "give every row a group")
		}
		if _, known := number[text]; !known {
			number[text] = len(number)
		}
		groups[i] = number[text]
	}
	return groups, nil
}

// NoRows is the error for a table without rows where some are needed.
func NoRows(t *dataset.Table) error {
	return fault.New(fault.Data, "%s has no rows below its header", t.FileName()).
		WithHint("use %s if the first line is data", fault.Name("no-header"))
}
