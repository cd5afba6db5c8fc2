package ridge

import (
	"context"

	"rvflplus/blas"
	"rvflplus/internal/gram"
)

// minLeft is the least 1 − leverage at which the prediction of a row by the other rows still has correct digits.
const minLeft = 1e-12

// LeaveOneOut sets row i of dst (rows × m) to the exact prediction for row i of the block by the model fitted without
// it. With bᵢ = b − vᵢ(zᵢyᵢ ± [0; h̃ᵢ/√γ]), since the row also leaves the sum s̃,
//
//	θ⁽⁻ⁱ⁾ = S⁻¹bᵢ + vᵢq(qᵀbᵢ)/(1 − vᵢzᵢᵀq),  q = S⁻¹zᵢ,  f⁽⁻ⁱ⁾ = hᵢᵀθ⁽⁻ⁱ⁾_{1..D}.
//
// b holds the features and targets of the rows as they were added, and weight their weights (nil means 1 each). lacking
// says that the rows have no privileged values. first is the number of the block's first row, for errors. The weight of
// rows without privileged values is held fixed. Cost 1.25·(D+D̃)² operations a row, without those of the features.
func (f *Primal) LeaveOneOut(
	ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix,
) error {
	// With e = [h; 0] and z̃ = [0; h̃/√γ], so that z = e + z̃, the vectors a = U⁻ᵀe and c = U⁻ᵀz̃ (without its leading
	// zeros) give every quadratic form that leave-one-out needs.
	k, m := f.normal+f.priv, dst.Cols
	a, c := blas.New(b.H.Rows, k), blas.New(b.H.Rows, f.priv)
	for i := range a.Rows {
		copy(blas.Row(a, i), blas.Row(b.H, i))
		for j, v := range blas.Row(b.Priv, i) {
			c.Data[i*c.Stride+j] = v * f.scale(f.normal)
		}
	}
	fits, privFits := f.linearForms(b.H, 0), f.linearForms(c, f.normal)
	if err := blas.SolveRight(ctx, a, f.factor); err != nil {
		return err
	}
	if err := blas.SolveRight(ctx, c, blas.View(f.factor, f.normal, k, f.normal, k)); err != nil {
		return err
	}
	if first == 0 {
		f.told = trap{}
	}
	for i := range a.Rows {
		v, system := f.weights(weight, i, lacking)
		a, c := blas.Row(a, i), blas.Row(c, i)
		aa, ac, cc := dot(a, a), dot(a[f.normal:], c), dot(c, c)
		es, zz := aa+ac, aa+2*ac+cc // eᵀS⁻¹z and zᵀS⁻¹z
		if 1-system*zz < minLeft || f.params.meanUndefined(v, f.total) {
			return leverageOne(first + i)
		}
		// The prediction for target t, from eᵀθ and zᵀθ; extraE and extraZ are those of ±v·S⁻¹z̃, which bᵢ loses too.
		predict := func(eTheta, zTheta, t, extraE, extraZ float64) float64 {
			e := eTheta - system*es*t + extraE
			z := zTheta - system*zz*t + extraZ
			return e + system*es*z/(1-system*zz)
		}
		fit, privFit := blas.Row(fits, i), blas.Row(privFits, i)
		f.told.add((1 - fit[m] - privFit[m]) / (1 - system*zz))
		constant := predict(fit[m], fit[m]+privFit[m], 1, 0, 0)
		sign := sign(f.params.Correction)
		for j, out := 0, blas.Row(dst, i); j < m; j++ {
			y := b.Y.Data[i*b.Y.Stride+j] - f.mean[j]
			out[j] = predict(fit[j], fit[j]+privFit[j], y, -sign*v*ac, -sign*v*(ac+cc)) + f.mean[j]
			if f.params.Center {
				out[j] += f.params.meanShift(v, f.total, y) * (1 - constant)
			}
		}
	}
	return nil
}

// Trapped returns a fault.NotSolved error if the predictions of LeaveOneOut say nothing, once it was called for the
// blocks of all rows one after the other, the first row in the first block.
func (f *Primal) Trapped() error { return f.told.err(f.params) }

// linearForms returns the products of rows with the part of θ that begins at from, and after them with that part of
// S⁻¹ZᵀV1.
func (f *Primal) linearForms(rows blas.Matrix, from int) blas.Matrix {
	m := f.theta.Cols
	fits := blas.New(rows.Rows, m+1)
	for i := range rows.Rows {
		out := blas.Row(fits, i)
		for r, x := range blas.Row(rows, i) {
			for j, t := range blas.Row(f.theta, from+r) {
				out[j] += x * t
			}
			out[m] += x * f.ones[from+r]
		}
	}
	return fits
}

// weights returns the weight of a row, and its weight in S.
func (f *Primal) weights(weight []float64, i int, lacking bool) (v, system float64) {
	v = 1
	if weight != nil {
		v = weight[i]
	}
	if lacking {
		return v, v * f.lacking
	}
	return v, v
}

// LeftOut sets the columns of dst (D × rows·m) and offset (rows·m) to the models without each of the block's rows; the
// other arguments are those of LeaveOneOut. With θ⁽⁻ⁱ⁾ as there, and o⁽⁻ⁱ⁾ its value for targets of 1,
//
//	w⁽⁻ⁱ⁾ = (θ⁽⁻ⁱ⁾ − δᵢo⁽⁻ⁱ⁾)_{1..D},  δᵢ = ȳ⁽⁻ⁱ⁾ − ȳ.
//
// Cost 4·(D+D̃)² operations a row.
func (f *Primal) LeftOut(
	ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix, offset []float64,
) error {
	rows, m := b.H.Rows, f.theta.Cols
	z, priv := blas.New(f.normal+f.priv, rows), blas.New(f.normal+f.priv, rows) // columns z and [0; h̃/√γ]
	for i := range rows {
		for k, v := range blas.Row(b.H, i) {
			z.Data[k*z.Stride+i] = v
		}
		for k, v := range blas.Row(b.Priv, i) {
			at := (f.normal+k)*z.Stride + i
			z.Data[at] = v * f.scale(f.normal)
			priv.Data[at] = z.Data[at]
		}
	}
	solved := blas.Clone(z)
	if err := blas.SolveCholesky(ctx, f.factor, solved); err != nil {
		return err
	}
	if err := blas.SolveCholesky(ctx, f.factor, priv); err != nil {
		return err
	}
	for i := range rows {
		v, system := f.weights(weight, i, lacking)
		z, q, priv := column(z, i), column(solved, i), column(priv, i)
		left := 1 - system*dot(z, q)
		if left < minLeft || f.params.meanUndefined(v, f.total) {
			return leverageOne(first + i)
		}
		without := func(theta []float64, y, sign float64) []float64 { // θ⁽⁻ⁱ⁾ from θ for target y
			out := make([]float64, len(theta))
			for k := range out {
				out[k] = theta[k] - system*q[k]*y - sign*v*priv[k]
			}
			blas.Axpy(system*dot(z, out)/left, q, out)
			return out
		}
		ones := without(f.ones, 1, 0)
		for j := range m {
			y := b.Y.Data[i*b.Y.Stride+j] - f.mean[j]
			shift := f.params.meanShift(v, f.total, y)
			theta := without(column(f.theta, j), y, sign(f.params.Correction))
			for k := range f.normal {
				dst.Data[k*dst.Stride+i*m+j] = theta[k] - shift*ones[k]
			}
			offset[i*m+j] = f.mean[j] + shift
		}
	}
	return nil
}
