package roles

import (
	"context"
	"fmt"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/namelist"
)

// ReadUnlabelled reads further rows, without a target, from a table called file, and makes them d.Unlabelled. The
// table has the normal and the privileged columns of d by name, in any order. Its other columns are not read; a note
// names the targets among them. A column that is missing, or that holds texts where d has numbers, is a fault.Data
// error.
func (d *Data) ReadUnlabelled(ctx context.Context, src dataset.Source, file string) error {
	features := slices.Concat(d.Roles.Normal, d.Roles.Priv)
	names := dataset.FieldNames(src.Fields())
	as := slices.Repeat([]dataset.ReadAs{dataset.Skip}, len(names))
	readings := make([]*dataset.Reading, len(names))
	for _, i := range features {
		c := &d.Columns[i]
		at := slices.Index(names, c.Name)
		switch {
		case at < 0:
			return fault.New(fault.Data, "%s has no column %q", file, c.Name).
				WithHint("rows without a target need all normal and privileged columns; the file's columns are: %s",
					namelist.Abbreviate(names))
		case as[at] != dataset.Skip:
			return fault.New(fault.Usage, "two columns are called %q: rows of %s cannot be told by name", c.Name, file).
				WithHint("rename one of them")
		case c.Numeric():
			as[at], readings[at] = dataset.Auto, &dataset.Reading{}
			if c.Reading != nil {
				readings[at] = c.Reading
			}
		default:
			as[at] = dataset.Categorical
		}
	}
	table, err := dataset.Read(ctx, src, as, d.cells, readings)
	if err != nil {
		return err
	}
	if table.Rows == 0 {
		return NoRows(table)
	}
	var targets []string
	for _, i := range d.Roles.Target {
		if slices.Contains(names, d.Columns[i].Name) {
			targets = append(targets, d.Columns[i].Name)
		}
	}
	if len(targets) > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: targets are not looked at: %s", file, namelist.Abbreviate(targets)))
	}
	d.Unlabelled, err = d.arrange(table, features)
	return err
}

// arrange returns a table with the columns of d: those at the given positions from t, by name, the others with missing
// cells.
func (d *Data) arrange(t *dataset.Table, features []int) (*dataset.Table, error) {
	out := d.Subset(slices.Repeat([]int{-1}, t.Rows))
	for _, i := range features {
		own, read := &d.Columns[i], t.Find(d.Columns[i].Name)
		if own.Numeric() && !read.Numeric() {
			first := slices.IndexFunc(read.Codes, func(code int) bool { return code >= 0 })
			return nil, fault.New(fault.Data, "%s: %q is text, but %s has numbers in this column", read.Place(first),
				read.Text(first), d.FileName())
		}
		out.Columns[i] = *read
	}
	return out, nil
}

// Below returns a table with the rows of a followed by those of b, which has the same columns. Its cells have no
// places: mistakes in them must be found before.
func Below(a, b *dataset.Table) *dataset.Table {
	out := &dataset.Table{Rows: a.Rows + b.Rows, Columns: make([]dataset.Column, len(a.Columns)), Missing: a.Missing}
	for i := range out.Columns {
		up, down := &a.Columns[i], &b.Columns[i]
		c := &out.Columns[i]
		c.Name, c.Number, c.Reading = up.Name, up.Number, up.Reading
		switch {
		case up.Texts != nil || down.Texts != nil:
			c.Texts = slices.Concat(up.Texts, down.Texts)
		case up.Codes != nil || down.Codes != nil:
			c.Codes, c.Levels = joinCategories(up, down)
		default:
			c.Numbers = slices.Concat(up.Numbers, down.Numbers)
		}
	}
	return out
}

// joinCategories returns the codes of both columns by the levels of both.
func joinCategories(columns ...*dataset.Column) (codes []int, levels []string) {
	coder := categories.New()
	for _, c := range columns {
		for i := range c.Codes {
			if c.Missing(i) {
				codes = append(codes, -1)
			} else {
				codes = append(codes, coder.Code(c.Text(i)))
			}
		}
	}
	return codes, coder.Levels
}
