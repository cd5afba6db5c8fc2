package learn

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
)

// Ordered is a problem in the order in which the closed forms want its rows:
// those of weight 0 left out, those without privileged values last.
type Ordered struct {
	X, Priv, Y blas.Matrix // Priv has no columns without privileged features
	Weight     []float64   // all > 0
	Complete   int         // rows with privileged values: the first ones
	order      []int       // row i here is row order[i] of the problem
	rows       int         // rows of the problem
}

// CompleteFirst brings p, which must have passed Check, into that order. Nothing is
// copied when the rows are in order already.
func (p Problem) CompleteFirst() Ordered {
	a := Ordered{rows: p.X.RawMatrix().Rows}
	a.chooseRows(p)
	a.X, a.Y = pick(p.X, a.order), pick(p.Y, a.order)
	if p.Priv != nil {
		a.Priv = pick(p.Priv, a.order)
	} else {
		a.Priv = blas.New(len(a.order), 0)
	}
	a.Weight = make([]float64, len(a.order))
	for i, r := range a.order {
		a.Weight[i] = 1
		if p.Weight != nil {
			a.Weight[i] = p.Weight[r]
		}
	}
	return a
}

// Guides returns both spaces of the rows that have privileged values: the labelled ones, then those of u, which may be
// nil. They are what the second stage of Projected is fitted to. Without u nothing is copied.
func (a Ordered) Guides(u *Unlabelled) (x, priv blas.Matrix) {
	x, priv = blas.View(a.X, 0, a.Complete, 0, a.X.Cols), blas.View(a.Priv, 0, a.Complete, 0, a.Priv.Cols)
	if u != nil {
		x, priv = blas.Stack(x, u.X.RawMatrix()), blas.Stack(priv, u.Priv.RawMatrix())
	}
	return x, priv
}

func (a *Ordered) chooseRows(p Problem) {
	var lacking []int
	a.order = make([]int, 0, a.rows)
	for i := range a.rows {
		switch {
		case p.Weight != nil && p.Weight[i] == 0:
		case p.Priv != nil && p.HasPriv != nil && !p.HasPriv[i]:
			lacking = append(lacking, i)
		default:
			a.order = append(a.order, i)
		}
	}
	a.Complete = len(a.order)
	a.order = append(a.order, lacking...)
}

func pick(m *mat.Dense, order []int) blas.Matrix {
	raw := m.RawMatrix()
	if len(order) == raw.Rows && slices.IsSorted(order) {
		return raw
	}
	return blas.Gather(raw, order)
}

// Rows returns the number of rows of the problem, those that were left out included.
func (a Ordered) Rows() int { return a.rows }

// Order returns the number, in the problem, of each row, in this order.
func (a Ordered) Order() []int { return a.order }

// Restore returns values, a row for each row, in this order, in the problem's order;
// the rows that were left out come from fill.
func (a Ordered) Restore(values blas.Matrix, fill func(dst, x *mat.Dense), x *mat.Dense) *mat.Dense {
	out := mat.NewDense(a.rows, values.Cols, nil)
	if len(a.order) < a.rows {
		fill(out, x)
	}
	for i, r := range a.order {
		copy(out.RawRowView(r), blas.Row(values, i))
	}
	return out
}
