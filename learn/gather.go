package learn

import (
	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
)

// Only returns the problem of the given rows, in their order, and of all rows without a
// target.
func (p Problem) Only(rows []int) Problem {
	p.X, p.Priv, p.Y = GatherRows(p.X, rows), GatherRows(p.Priv, rows), GatherRows(p.Y, rows)
	p.Weight, p.HasPriv, p.Group = Gather(p.Weight, rows), Gather(p.HasPriv, rows), Gather(p.Group, rows)
	return p
}

// GatherRows returns a copy of the given rows of m, at least one, in their order; of nil
// it is nil.
func GatherRows(m *mat.Dense, rows []int) *mat.Dense {
	if m == nil {
		return nil
	}
	g := blas.Gather(m.RawMatrix(), rows)
	return mat.NewDense(g.Rows, g.Cols, g.Data)
}

// Gather returns the given elements of v, in their order; of nil it is nil.
func Gather[T any](v []T, rows []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = v[i]
	}
	return out
}
