package lupi

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// sumWeight is the weight, beside that of the rows, of the condition that weights sum to 1.
const sumWeight = 1e3

// simplex returns the weights ≥ 0 of sum 1 with which the members' predictions of rows left out come nearest to the
// targets: non-negative least squares with a heavy row of ones (Lawson and Hanson, Solving Least Squares Problems,
// 1974, chapter 23), then divided by their sum. Rows count by their weights.
func (f *fit) simplex(members []*member) []float64 {
	rows, cols := f.rows.Y.Dims()
	k := len(members)
	a, b := mat.NewDense(rows*cols+1, k, nil), mat.NewVecDense(rows*cols+1, nil)
	for i := range rows {
		root := math.Sqrt(f.weight[i])
		for j := range cols {
			at, unit := i*cols+j, f.scale[j]*root
			b.SetVec(at, f.rows.Y.At(i, j)*unit)
			for c, m := range members {
				a.Set(at, c, m.out.At(i, j)*unit)
			}
		}
	}
	heavy := sumWeight * math.Sqrt(float64(rows*cols)) *
		max(stat.PopStdDev(a.RawMatrix().Data[:rows*cols*k], nil), 1e-12)
	for c := range k {
		a.Set(rows*cols, c, heavy)
	}
	b.SetVec(rows*cols, heavy)
	w := nonNegative(a, b)
	var sum float64
	for _, v := range w {
		sum += v
	}
	if !(sum > 0) || math.IsInf(sum, 0) { // numbers so large or small that their squares are lost
		clear(w)
		w[0], sum = 1, 1
	}
	for c := range w {
		w[c] /= sum
	}
	return w
}

// nonNegative minimises ‖Aw − b‖² over w ≥ 0 by the active set of Lawson and Hanson. A column that repeats others to
// working precision gets no weight.
func nonNegative(a *mat.Dense, b *mat.VecDense) []float64 {
	rows, k := a.Dims()
	w, free, barred := make([]float64, k), make([]bool, k), make([]bool, k)
	var residual, gradient mat.VecDense
	for range 10 * k {
		residual.MulVec(a, mat.NewVecDense(k, w))
		residual.SubVec(b, &residual)
		gradient.MulVec(a.T(), &residual)
		enter, steepest := -1, 0.0
		for c := range k {
			column := mat.Norm(a.ColView(c), 2)
			least := 1e-13 * float64(rows) * column * mat.Norm(b, 2) / math.Sqrt(float64(rows))
			if v := gradient.AtVec(c); !free[c] && !barred[c] && v > max(steepest, least) {
				enter, steepest = c, v
			}
		}
		if enter < 0 {
			break
		}
		free[enter] = true
		if !descend(a, b, w, free, enter) {
			free[enter], barred[enter] = false, true
		}
	}
	return w
}

// descend moves w to the least squares solution over the free columns, in steps that end where an element becomes 0.
// It returns false, and leaves w, when the column that entered repeats others.
func descend(a *mat.Dense, b *mat.VecDense, w []float64, free []bool, entered int) bool {
	for first := true; ; first = false {
		s, ok := solveFree(a, b, free)
		if first && (!ok || s[entered] <= 0) {
			return false
		}
		if !ok {
			return true
		}
		step, leaves := 1.0, -1
		for c, v := range s {
			if free[c] && v <= 0 && w[c]/(w[c]-v) < step {
				step, leaves = w[c]/(w[c]-v), c
			}
		}
		for c, v := range s {
			if free[c] {
				w[c] += step * (v - w[c])
			}
		}
		if leaves < 0 {
			return true
		}
		w[leaves], free[leaves] = 0, false
	}
}

// solveFree minimises ‖As − b‖² over the free elements; the others are 0.
func solveFree(a *mat.Dense, b *mat.VecDense, free []bool) (s []float64, ok bool) {
	var at []int
	for c, f := range free {
		if f {
			at = append(at, c)
		}
	}
	rows, _ := a.Dims()
	sub := mat.NewDense(rows, len(at), nil)
	for i, c := range at {
		sub.SetCol(i, mat.Col(nil, c, a))
	}
	var factor mat.QR
	factor.Factorize(sub)
	var solution mat.VecDense
	if factor.Cond() > 1e12 || factor.SolveVecTo(&solution, false, b) != nil {
		return nil, false
	}
	s = make([]float64, len(free))
	for i, c := range at {
		s[c] = solution.AtVec(i)
	}
	return s, true
}
