package pipeline

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// separate takes rows without a target out of the training rows, and sets apart those that the kind learns from. For
// kinds that learn from none of them, a row without a target stays: coding the targets refuses it.
func (t *training) separate() error {
	t.all = t.data.Table
	labelled, without := t.byTarget()
	count := len(without)
	if t.data.Unlabelled != nil {
		count += t.data.Unlabelled.Rows
	}
	switch {
	case count == 0, !t.kind.Unlabelled && t.data.Unlabelled == nil:
		return nil
	case !t.kind.Unlabelled:
		return CheckUnlabelled(t.kind)
	case len(labelled) == 0:
		return fault.New(fault.Data, "%s: none of %d rows has a target", t.data.FileName(), t.data.Rows).
			WithHint("rows without a target help only beside rows that have one")
	case len(t.data.Roles.Priv) == 0:
		return fault.New(fault.Usage, "%d rows have no target, and there are no privileged columns to learn from "+
			"them by", count).
			WithHint("name privileged columns with %s or %s, or remove the rows", fault.Name("privileged"),
				fault.Name("priv-data"))
	}
	unlabelled, err := t.usable(t.data.Subset(without), learn.Gather(t.data.Matched, without))
	if err != nil {
		return err
	}
	if t.data.Unlabelled != nil {
		further, err := t.usable(t.data.Unlabelled, nil)
		if err != nil {
			return err
		}
		unlabelled, t.further = roles.Below(unlabelled, further), further.Rows
	}
	if left := count - unlabelled.Rows; left > 0 {
		t.note("%d rows have neither target nor privileged values: left out", left)
	}
	if unlabelled, err = t.withoutTwins(unlabelled, labelled); err != nil {
		return err
	}
	t.data, t.weights = t.data.Only(labelled), learn.Gather(t.weights, labelled)
	t.all, t.data.Unlabelled = t.data.Table, nil
	if unlabelled.Rows > 0 {
		t.all, t.data.Unlabelled = roles.Below(t.data.Table, unlabelled), unlabelled
	}
	t.model.Report.Unlabelled = unlabelled.Rows
	return nil
}

// withoutTwins leaves out rows without a target whose normal and privileged cells are those of a row with one. They
// would tell what a left-out row's privileged values are, so that its loss would be too good.
func (t *training) withoutTwins(unlabelled *dataset.Table, labelled []int) (*dataset.Table, error) {
	columns := slices.Concat(t.data.Roles.Normal, t.data.Roles.Priv)
	key := func(picked []*dataset.Column, row int) string {
		var cells []string
		for _, c := range picked {
			cells = append(cells, c.Text(row))
		}
		return strings.Join(cells, "\x00")
	}
	own, known := t.data.Pick(columns), map[string]bool{}
	for _, i := range labelled {
		known[key(own, i)] = true
	}
	further, rows := unlabelled.Pick(columns), []int{}
	for i := range unlabelled.Rows {
		if !known[key(further, i)] {
			rows = append(rows, i)
		}
	}
	twins := unlabelled.Rows - len(rows)
	if twins == 0 {
		return unlabelled, nil
	}
	if t.further > 0 {
		first := unlabelled.Rows - t.further
		t.further = 0
		for _, i := range rows {
			if i >= first {
				t.further++
			}
		}
	}
	t.note("%d rows without a target have the cells of a row with one: left out", twins)
	return unlabelled.Subset(rows), nil
}

// CheckUnlabelled returns a fault.Usage error for a kind that does not learn from a file of rows without a target.
func CheckUnlabelled(k kind.Kind) error {
	if k.Unlabelled {
		return nil
	}
	return fault.New(fault.Usage, "kind %s does not learn from rows without a target", k.Name).
		WithHint("use %s, or leave out %s", fault.Set("kind", "label"), fault.Name("unlabelled"))
}

// byTarget returns the rows with a target and those whose target cells are all missing.
func (t *training) byTarget() (labelled, without []int) {
	columns := t.data.Pick(t.data.Roles.Target)
	for i := range t.data.Rows {
		if slices.ContainsFunc(columns, func(c *dataset.Column) bool { return !c.Missing(i) }) {
			labelled = append(labelled, i)
		} else {
			without = append(without, i)
		}
	}
	return labelled, without
}

// usable returns the rows of a table that have privileged values; matched is that of hasValues. A normal cell that is
// missing there and not filled is an error.
func (t *training) usable(table *dataset.Table, matched []bool) (*dataset.Table, error) {
	columns := table.Pick(t.data.Roles.Priv)
	var rows []int
	for i := range table.Rows {
		if t.hasValues(columns, matched, i) {
			rows = append(rows, i)
		}
	}
	out := table.Subset(rows)
	return out, prep.Options{Impute: t.Impute}.RefuseMissing(out.Pick(t.data.Roles.Normal))
}

// withUnlabelled returns rows of t.data, as rows of t.all, and after them the rows without a target.
func (t *training) withUnlabelled(rows []int) []int {
	rows = slices.Clone(rows)
	for i := t.data.Rows; i < t.all.Rows; i++ {
		rows = append(rows, i)
	}
	return rows
}

// divide returns the rows of t.data in a matrix of the rows of t.all, and the rows without a target, nil without any.
func (t *training) divide(all *mat.Dense) (labelled, unlabelled *mat.Dense) {
	n, width := t.data.Rows, all.RawMatrix().Cols
	if t.all.Rows == n {
		return all, nil
	}
	return all.Slice(0, n, 0, width).(*mat.Dense), all.Slice(n, t.all.Rows, 0, width).(*mat.Dense)
}
