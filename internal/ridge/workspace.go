package ridge

import "rvflplus/blas"

// Workspace hands out matrices whose memory is used again after Reset. The same N×N matrices are needed at every point
// of a minimisation; new ones would keep the garbage collector busy. It is for one goroutine. A nil Workspace hands out
// new matrices.
type Workspace struct {
	free, taken map[int][][]float64 // by number of elements
}

// Reset takes all matrices back.
func (w *Workspace) Reset() {
	for size, slices := range w.taken {
		w.free[size] = append(w.free[size], slices...)
		w.taken[size] = slices[:0]
	}
}

// New returns a matrix of zeros.
func (w *Workspace) New(rows, cols int) blas.Matrix {
	m, used := w.take(rows, cols)
	if used {
		clear(m.Data)
	}
	return m
}

// Clone returns a copy of a.
func (w *Workspace) Clone(a blas.Matrix) blas.Matrix {
	m, _ := w.take(a.Rows, a.Cols)
	for i := range a.Rows {
		copy(blas.Row(m, i), blas.Row(a, i))
	}
	return m
}

// take returns a matrix, and whether it was used before.
func (w *Workspace) take(rows, cols int) (m blas.Matrix, used bool) {
	size := rows * cols
	if w == nil || size == 0 {
		return blas.New(rows, cols), false
	}
	if w.free == nil {
		w.free, w.taken = map[int][][]float64{}, map[int][][]float64{}
	}
	free := w.free[size]
	if len(free) == 0 {
		m = blas.New(rows, cols)
		w.taken[size] = append(w.taken[size], m.Data)
		return m, false
	}
	last := len(free) - 1
	data := free[last]
	w.free[size], w.taken[size] = free[:last], append(w.taken[size], data)
	return blas.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: data}, true
}
