package pipeline

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// preparePriv prepares the privileged space, fitted on the rows that have
// privileged values; the others have rows of zeros, which no estimator reads.
func (t *training) preparePriv() error {
	complete, err := t.complete(t.data.Pick(t.data.Roles.Priv))
	if err != nil {
		return err
	}
	lacking := t.data.Rows - len(complete)
	columns, fitted := t.all.Pick(t.data.Roles.Priv), t.all.Rows
	if lacking > 0 {
		rows := t.withUnlabelled(complete)
		columns, fitted = rowsOf(columns, rows, t.all.Rows), len(rows)
	}
	space, prepared, err := t.prepare(columns, fitted, "privileged", t.privOptions())
	if err != nil {
		return err
	}
	t.model.Priv, t.model.Report.WithoutPriv = space, lacking
	if t.unlabelled != nil {
		t.unlabelled.Priv = prepared.Slice(len(complete), fitted, 0, space.Width()).(*mat.Dense)
	}
	if lacking == 0 {
		t.priv, _ = t.divide(prepared)
		return nil
	}
	t.priv, t.hasPriv = mat.NewDense(t.data.Rows, space.Width(), nil), make([]bool, t.data.Rows)
	for i, row := range complete {
		t.priv.SetRow(row, prepared.RawRowView(i))
		t.hasPriv[row] = true
	}
	return nil
}

// rowsOf returns the given ones of the columns' rows.
func rowsOf(columns []*dataset.Column, rows []int, of int) []*dataset.Column {
	t := &dataset.Table{Rows: of}
	for _, c := range columns {
		t.Columns = append(t.Columns, *c)
	}
	t = t.Subset(rows)
	out := make([]*dataset.Column, len(columns))
	for i := range out {
		out[i] = &t.Columns[i]
	}
	return out
}

// complete returns the rows that have privileged values. Others are a fault.Data
// error unless they are allowed, and if there are no more.
func (t *training) complete(columns []*dataset.Column) ([]int, error) {
	if !t.AllowMissingPriv {
		if err := t.refuseMissing(columns); err != nil {
			return nil, err
		}
	}
	var rows []int
	for i := range t.data.Rows {
		if !t.AllowMissingPriv || t.hasValues(columns, t.data.Matched, i) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, t.noValues(columns)
	}
	return rows, nil
}

// refuseMissing is the error for rows without privileged values that are not
// allowed.
func (t *training) refuseMissing(columns []*dataset.Column) error {
	allow := fault.Name("allow-missing-privileged")
	err := t.data.Unmatched("correct the keys, which are compared as text (1 and 1.0 differ), or train on these rows "+
		"without privileged values with %s", allow)
	if err != nil || t.Impute != "none" {
		return err
	}
	for _, c := range columns {
		if i := c.FirstMissing(); i >= 0 {
			return c.MissingError(i, "fill missing cells with %s, median or most-frequent, train on such rows "+
				"without privileged values with %s, leave the column out, or remove the row",
				fault.Set("impute", "mean"), allow)
		}
	}
	return nil
}

// hasValues reports whether row i of privileged columns has values: all of them, or,
// where the others are imputed, one. matched tells the rows whose key the privileged
// file has, nil for all.
func (t *training) hasValues(columns []*dataset.Column, matched []bool, i int) bool {
	if matched != nil && !matched[i] {
		return false
	}
	missing := func(c *dataset.Column) bool { return c.Missing(i) }
	if t.Impute == "none" {
		return !slices.ContainsFunc(columns, missing)
	}
	return slices.ContainsFunc(columns, func(c *dataset.Column) bool { return !missing(c) })
}

// noValues is the error when no row has privileged values; it names a column that
// is empty.
func (t *training) noValues(columns []*dataset.Column) error {
	e := fault.New(fault.Data, "none of %d rows has privileged values: there is nothing to learn from", t.data.Rows)
	if t.data.Matched != nil && !slices.Contains(t.data.Matched, true) {
		return e.WithHint("no key of DATA is in the privileged file; keys are compared as text (1 and 1.0 differ)")
	}
	for _, c := range columns {
		if empty(c, t.data.Rows) {
			return e.WithHint("column %q is empty: leave it out", c.Name)
		}
	}
	return e.WithHint("every row lacks some privileged cell: fill cells with %s, or leave columns out",
		fault.Name("impute"))
}

func empty(c *dataset.Column, rows int) bool {
	for i := range rows {
		if !c.Missing(i) {
			return false
		}
	}
	return true
}
