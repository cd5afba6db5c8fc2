package ridge

import (
	"context"

	"rvflplus/blas"
	"rvflplus/internal/gram"
)

// LeaveOneOut sets row i of dst (rows × m) to the prediction for row i by the
// model fitted without row i, exactly: with bᵢ = b − vᵢ(zᵢyᵢ ± [0; h̃ᵢ/√γ]), since
// the row also leaves the sum s̃,
//
//	θ = S⁻¹bᵢ + vᵢq(qᵀbᵢ)/(1 − vᵢzᵢᵀq),  q = S⁻¹zᵢ,  f⁽⁻ⁱ⁾ = hᵢᵀθ_{1..D}.
//
// b holds the rows' features and targets as they were added,
// weight their weights (nil means 1), lacking says that they are rows without
// privileged values, and first is the number of the block's first row, for
// errors. The factor by which such rows count is held fixed. Cost
// 1.25·(D+D̃)² operations a row, beside passing it through the layer again.
func (f *Primal) LeaveOneOut(ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix) error {
	k := f.normal + f.priv
	a, c := blas.New(b.H.Rows, k), blas.New(b.H.Rows, f.priv)
	for i := range a.Rows {
		copy(blas.Row(a, i), blas.Row(b.H, i))
		for j, v := range blas.Row(b.Priv, i) {
			c.Data[i*c.Stride+j] = v * f.scale(f.normal)
		}
	}
	l := leaver{Primal: f, a: a, c: c, h: b.H, y: b.Y}
	l.predictAll()
	if err := blas.SolveRight(ctx, a, f.factor); err != nil {
		return err
	}
	if err := blas.SolveRight(ctx, c, blas.View(f.factor, f.normal, k, f.normal, k)); err != nil {
		return err
	}
	for i := range a.Rows {
		v := 1.0
		if weight != nil {
			v = weight[i]
		}
		if !l.row(i, v, lacking, blas.Row(dst, i)) {
			return leverageOne(first + i)
		}
	}
	return nil
}

// leaver holds a block's intermediate results. With e = [h; 0] and z̃ = [0; h̃/√γ],
// so that z = e + z̃, a = U⁻ᵀe and c = U⁻ᵀz̃ (its leading zeros left out) give every
// quadratic form that leave-one-out needs.
type leaver struct {
	*Primal
	a, c blas.Matrix
	h, y blas.Matrix
	fits blas.Matrix // hᵀw and then h̃ᵀw̃, a row each; last columns for targets of 1
}

// predictAll computes eᵀθ and z̃ᵀθ for the targets and for targets of 1, before
// a and c are overwritten.
func (l *leaver) predictAll() {
	m := l.theta.Cols
	l.fits = blas.New(l.h.Rows, 2*(m+1))
	for i := range l.h.Rows {
		out := blas.Row(l.fits, i)
		for part, row := range [][]float64{blas.Row(l.h, i), blas.Row(l.c, i)} {
			base := part * (m + 1)
			for r, x := range row {
				at := part*l.normal + r
				for j, t := range blas.Row(l.theta, at) {
					out[base+j] += x * t
				}
				out[base+m] += x * l.ones[at]
			}
		}
	}
}

// row predicts row i, of weight v, into dst; false means that without the row
// nothing is determined.
func (l *leaver) row(i int, v float64, lacking bool, dst []float64) bool {
	a, c := blas.Row(l.a, i), blas.Row(l.c, i)
	aa, ac, cc := blas.Dot(a, a), blas.Dot(a[l.normal:], c), blas.Dot(c, c)
	q := forms{v: v, es: aa + ac, zz: aa + 2*ac + cc}
	if lacking {
		q.v *= l.lacking
	}
	left := l.total - v
	if 1-q.v*q.zz < minLeft || l.params.Center && !(left > 0) {
		return false
	}
	m, fit := len(dst), blas.Row(l.fits, i)
	constant := q.leave(fit[m], fit[m]+fit[2*m+1], 1)
	// What leaves b with the row beside its target, ±v·z̃, passed through S⁻¹.
	sign := sign(l.params.Correction)
	q.extraE, q.extraZ = -sign*v*ac, -sign*v*(ac+cc)
	for j, y := range blas.Row(l.y, i) {
		y -= l.mean[j]
		dst[j] = q.leave(fit[j], fit[j]+fit[m+1+j], y) + l.mean[j]
		if l.params.Center {
			dst[j] -= v * y / left * (1 - constant)
		}
	}
	return true
}

// minLeft is the least 1 − leverage at which a row's own prediction still has
// correct digits.
const minLeft = 1e-12

// forms are the quadratic forms of one row: es = eᵀS⁻¹z, zz = zᵀS⁻¹z, v its
// weight in S, and the extra terms of the correction.
type forms struct{ v, es, zz, extraE, extraZ float64 }

// leave returns the prediction without the row for target t, from the
// predictions eᵀθ and zᵀθ with it.
func (q forms) leave(eTheta, zTheta, t float64) float64 {
	e := eTheta - q.v*q.es*t + q.extraE
	z := zTheta - q.v*q.zz*t + q.extraZ
	return e + q.v*q.es*z/(1-q.v*q.zz)
}
