package qp

import (
	"context"
	"math"

	"rvflplus/blas"
)

// reduced is the quadratic form of a face on the null space of the equalities,
// ZᵀHZ + ridge·I = UᵀU. Members that a step leaves at 0 are dropped without
// factoring again: U⁻ᵀZᵀg is made orthogonal to their columns of U⁻ᵀZᵀ.
type reduced struct {
	members []int
	// Householder vectors; Z is their product without its first columns, one for each vector.
	householder [][]float64
	factor      blas.Matrix
	dropped     []int
	excluded    [][]float64 // orthonormal
}

// reduce factors the form on the free variables.
func (f *face) reduce(ctx context.Context) (*reduced, error) {
	members := f.members()
	r := &reduced{members: members, householder: f.nullSpace(members)}
	h := f.block(members)
	var scale float64
	for k := range h.Rows {
		scale += h.Data[k*(h.Stride+1)] / float64(h.Rows)
	}
	for _, v := range r.householder {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		reflectBoth(h, v)
	}
	rank := len(r.householder)
	var err error
	r.factor, err = factorRidged(ctx, blas.View(h, rank, h.Rows, rank, h.Rows), f.ridge, scale)
	return r, err
}

// factorRidged returns the factor of H + ridge·scale·I; the ridge grows until
// Cholesky's factorisation succeeds.
func factorRidged(ctx context.Context, h blas.Matrix, ridge, scale float64) (blas.Matrix, error) {
	if h.Rows == 0 {
		return h, ctx.Err()
	}
	for ; ridge < 1e-4; ridge *= 10 {
		u := blas.Clone(h)
		for i := range u.Rows {
			u.Data[i*(u.Stride+1)] += ridge * scale
		}
		pivot, err := blas.Factor(ctx, u, nil)
		if err != nil || pivot < 0 {
			return u, err
		}
	}
	return h, notPositive()
}

// refactorPays reports whether so many members were dropped that factoring again costs less.
func (r *reduced) refactorPays() bool { return len(r.dropped) > 10+len(r.members)/4 }

// direction returns the step to the minimum, d = −Z(UᵀU)⁻¹Zᵀg with the dropped
// members staying where they are.
func (r *reduced) direction(gradient []float64) []float64 {
	d := make([]float64, len(r.members))
	for k, i := range r.members {
		d[k] = -gradient[i]
	}
	t := r.whiten(d)
	r.project(t)
	backSubstitute(r.factor, t)
	clear(d[:len(r.householder)])
	for k := len(r.householder) - 1; k >= 0; k-- {
		reflect(r.householder[k], d)
	}
	for _, k := range r.dropped {
		d[k] = 0
	}
	return d
}

// whiten overwrites the end of v with U⁻ᵀZᵀv, which it returns.
func (r *reduced) whiten(v []float64) []float64 {
	for _, h := range r.householder {
		reflect(h, v)
	}
	t := v[len(r.householder):]
	forwardSubstitute(r.factor, t, 0)
	return t
}

// project makes t orthogonal to the excluded vectors, twice for precision.
func (r *reduced) project(t []float64) {
	for range 2 {
		for _, q := range r.excluded {
			blas.Axpy(-blas.Dot(q, t), q, t)
		}
	}
}

// drop keeps member k where it is from now on.
func (r *reduced) drop(k int) {
	r.dropped = append(r.dropped, k)
	unit := make([]float64, len(r.members))
	unit[k] = 1
	q := r.whiten(unit)
	before := blas.Dot(q, q)
	r.project(q)
	left := blas.Dot(q, q)
	if left <= 1e-24*before {
		return // the others hold it already
	}
	length := math.Sqrt(left)
	for i := range q {
		q[i] /= length
	}
	r.excluded = append(r.excluded, q)
}

// nullSpace returns the Householder vectors, of length √2, that turn the two
// equalities' coefficients into multiples of the first unit vectors; one where
// they are dependent.
func (f *face) nullSpace(members []int) [][]float64 {
	n := f.n()
	rows := [2][]float64{make([]float64, len(members)), make([]float64, len(members))}
	for k, i := range members {
		rows[0][k] = 1
		if i < n {
			rows[1][k] = f.Y[i]
		}
	}
	var vectors [][]float64
	for _, a := range rows {
		for _, v := range vectors {
			reflect(v, a)
		}
		at := len(vectors)
		if at == len(a) {
			break
		}
		clear(a[:at])
		norm := math.Sqrt(blas.Dot(a, a))
		if norm <= 1e-12*math.Sqrt(float64(len(a))) {
			continue
		}
		a[at] += math.Copysign(norm, a[at])
		length := math.Sqrt(blas.Dot(a, a) / 2)
		for k := range a {
			a[k] /= length
		}
		vectors = append(vectors, a)
	}
	return vectors
}

// reflect overwrites x with (I − vvᵀ)x.
func reflect(v, x []float64) { blas.Axpy(-blas.Dot(v, x), v, x) }

// reflectBoth overwrites H with (I − vvᵀ)H(I − vvᵀ).
func reflectBoth(h blas.Matrix, v []float64) {
	w := make([]float64, len(v))
	blas.Gemv(false, h, v, w)
	blas.Axpy(-blas.Dot(v, w)/2, v, w)
	for i := range h.Rows {
		blas.Axpy(-v[i], w, blas.Row(h, i))
		blas.Axpy(-w[i], v, blas.Row(h, i))
	}
}
