package learn

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
)

// WithPriv returns the problem with other privileged features of the same rows, nil for none. The columns that features
// come from are kept where there are as many features as before.
func (p Problem) WithPriv(priv *mat.Dense) Problem {
	if priv == nil || p.Priv == nil ||
		priv.RawMatrix().Cols != p.Priv.RawMatrix().Cols {
		p.PrivColumns = nil
	}
	p.Priv = priv
	return p
}

// ColumnsBeside returns the columns of n features that come from columns, followed by further features, m of them, that
// come from other columns. nil stands for a column of its own for each feature.
func ColumnsBeside(columns []int, n int, further []int, m int) []int {
	out := slices.Clone(own(columns, n))
	next := 0
	for _, c := range out {
		next = max(next, c+1)
	}
	for _, c := range own(further, m) {
		out = append(out, next+c)
	}
	return out
}

// own returns columns, or where they are nil one for each of n features.
func own(columns []int, n int) []int {
	if columns != nil {
		return columns
	}
	columns = make([]int, n)
	for j := range columns {
		columns[j] = j
	}
	return columns
}

// checkColumns returns a fault.Usage error unless there is a column for each feature; columns of a space that is not
// there do not matter.
func (p Problem) checkColumns() error {
	for _, part := range []struct {
		name    string
		columns []int
		m       *mat.Dense
	}{{"normal", p.Columns, p.X}, {"privileged", p.PrivColumns, p.Priv}} {
		if part.columns == nil || part.m == nil {
			continue
		}
		if have := part.m.RawMatrix().Cols; len(part.columns) != have {
			return fault.New(fault.Usage, "there are columns for %d %s features, and %d features", len(part.columns),
				part.name, have)
		}
	}
	return nil
}
