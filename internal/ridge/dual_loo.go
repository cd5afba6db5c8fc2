package ridge

import (
	"context"
	"errors"
	"math"

	"rvflplus/blas"
)

// Leave-one-out in the dual is derived here, for FitDual and for Path. Let M = (Ω + Ω̃/γ + (CV)⁻¹)⁻¹, and let F be the
// rows that are left out: row i alone for leave-one-out, a fold for cross-validation.
//
//  1. Without F the sum Ω̃v of the right-hand side loses the terms of F, which changes α to
//     α′ = α + κMΩ̃_{:F}v_F.
//  2. The model of the other rows solves the whole system with other targets of F: those that make its weights of F
//     zero,
//     α⁻ᶠ = α′ − M_{:F} M_FF⁻¹ α′_F.
//  3. Its predictions for F are
//     f⁻ᶠ = (Ωα′)_F − (ΩM)_FF M_FF⁻¹ α′_F.
//     Without a privileged part ΩM = I − (CV)⁻¹M leaves f⁻ᶠ = y_F − M_FF⁻¹α_F, and M_ii is the squared norm of row i
//     of U⁻¹.
//  4. The mean of centred targets changes by δ = ȳ⁻ᶠ − ȳ. The predictions change by δ(1 − e_F) and the weights by −δe′,
//     where e and e′ are f⁻ᶠ and α⁻ᶠ for targets of 1 and κ = 0.
//
// Two computations use these equations. FitDual (this file) has Gramians that need not be in memory, needs five N×N
// matrices, and returns the models α⁻ᶠ too. Path has both matrices in memory, and takes folds and several corrections
// at less cost for each C and γ. They add up the same terms in another order. Neither may change its order: reports
// hold the digits of one, and the settings chosen by tuning depend on those of the other.

// looShares is the resolution of the progress of leave-one-out: the inverse takes about four tenths, the products with
// Ω̃ about half.
const looShares = 1000

// leaveOneOut returns the predictions of every row by the model without it, and sets the LeftOut and Posterior of d
// when they are asked for. It uses up f.factor.
func (f *dualFit) leaveOneOut(ctx context.Context, d *Dual) (blas.Matrix, error) {
	tell := f.tell("leave-one-out")
	tell(0, looShares)
	if f.complete() == 0 && !f.LeftOut && !f.Posterior {
		defer tell(looShares, looShares)
		return f.leaveOneOutWithoutPriv(ctx)
	}
	inverse, err := blas.Inverse(ctx, f.factor)
	if err != nil {
		return blas.Matrix{}, err
	}
	if f.Posterior {
		if d.Posterior, err = f.posterior(ctx, inverse); err != nil {
			return blas.Matrix{}, err
		}
	}
	f.factor = blas.Matrix{}
	tell(looShares*4/10, looShares)
	omega, err := full(ctx, f.Omega)
	if err != nil {
		return blas.Matrix{}, err
	}
	tell(looShares/2, looShares)
	fits, ones := blas.New(f.Y.Rows, f.Y.Cols), blas.New(f.Y.Rows, 1)
	if err := blas.Gemm(ctx, false, false, 1, omega, f.alpha, 0, fits); err != nil {
		return blas.Matrix{}, err
	}
	if err := blas.Gemm(ctx, false, false, 1, omega, vector(f.ones), 0, ones); err != nil {
		return blas.Matrix{}, err
	}
	moved, fitMoved, err := f.movedDiagonals(ctx, omega, inverse)
	if err != nil {
		return blas.Matrix{}, err
	}
	var told trap
	for i := range fits.Rows {
		own := inverse.Data[i*inverse.Stride+i]
		told.add(f.ones[i] / own)
		ratio := dot(blas.Row(omega, i), blas.Row(inverse, i)) / own
		if !f.leaveRow(i, ratio, moved[i], fitMoved[i], ones.Data[i], blas.Row(fits, i)) {
			return blas.Matrix{}, leverageOne(i)
		}
	}
	if err := told.err(f.Params); err != nil {
		return blas.Matrix{}, err
	}
	if f.LeftOut {
		d.LeftOut, err = f.leftOut(ctx, inverse)
	}
	tell(looShares, looShares)
	return fits, err
}

// leaveOneOutWithoutPriv is leaveOneOut without a privileged part.
func (f *dualFit) leaveOneOutWithoutPriv(ctx context.Context) (blas.Matrix, error) {
	if err := blas.InvertUpper(ctx, f.factor); err != nil {
		return blas.Matrix{}, err
	}
	fits := blas.Clone(f.Y)
	var told trap
	for i := range fits.Rows {
		fit, upper := blas.Row(fits, i), blas.Row(f.factor, i)[i:]
		for j := range fit {
			fit[j] -= f.offset[j]
		}
		ratio := 1 / dot(upper, upper)
		told.add(f.ones[i] * ratio)
		if math.IsNaN(ratio) || math.IsInf(ratio, 0) || !f.leaveRow(i, ratio, 0, 0, 1, fit) {
			return blas.Matrix{}, leverageOne(i)
		}
	}
	return fits, errors.Join(ctx.Err(), told.err(f.Params))
}

// leaveRow turns (Ωα)ᵢ in fit into the prediction without row i. ratio is (ΩM)ᵢᵢ/Mᵢᵢ, moved and fitMoved are the
// changes of αᵢ and (Ωα)ᵢ in α′, fitOne is (ΩM1)ᵢ. It returns false when no weight is left.
func (f *dualFit) leaveRow(i int, ratio, moved, fitMoved, fitOne float64, fit []float64) bool {
	if f.meanUndefined(f.Weight[i], f.total) {
		return false
	}
	for j := range fit {
		fit[j] += fitMoved - ratio*(f.alpha.Data[i*f.alpha.Stride+j]+moved) + f.offset[j]
		if f.Center {
			shift := f.meanShift(f.Weight[i], f.total, f.Y.Data[i*f.Y.Stride+j]-f.offset[j])
			fit[j] += shift * (1 - fitOne + ratio*f.ones[i])
		}
	}
	return true
}

// movedDiagonals returns κvᵢ(MΩ̃)ᵢᵢ and κvᵢ(ΩMΩ̃)ᵢᵢ, 0 for rows without privileged values.
func (f *dualFit) movedDiagonals(
	ctx context.Context, omega, inverse blas.Matrix,
) (moved, fitMoved []float64, err error) {
	n, nc := f.Y.Rows, f.complete()
	moved, fitMoved = make([]float64, n), make([]float64, n)
	if !f.corrects(nc) {
		return moved, fitMoved, nil
	}
	priv, err := full(ctx, f.Priv)
	if err != nil {
		return nil, nil, err
	}
	const strip = 256
	for lo := 0; lo < nc; lo += strip {
		hi := min(lo+strip, nc)
		product := blas.New(hi-lo, n) // rows of Ω̃M, the transposed columns of MΩ̃
		rows, columns := blas.View(priv, lo, hi, 0, nc), blas.View(inverse, 0, nc, 0, n)
		if err := blas.Gemm(ctx, false, false, 1, rows, columns, 0, product); err != nil {
			return nil, nil, err
		}
		for i := lo; i < hi; i++ {
			row, kv := blas.Row(product, i-lo), f.kappa()*f.Weight[i]
			moved[i], fitMoved[i] = kv*row[i], kv*dot(row, blas.Row(omega, i))
		}
		f.tell("leave-one-out")(looShares/2+looShares/2*hi/nc, looShares)
	}
	return moved, fitMoved, nil
}

// leftOut returns the models α⁽⁻ⁱ⁾ − δᵢe′ of equations 2 and 4.
func (f *dualFit) leftOut(ctx context.Context, inverse blas.Matrix) (*LeftOut, error) {
	n, m, nc := f.Y.Rows, f.Y.Cols, 0
	var product blas.Matrix // κMΩ̃V, N×N_c: column i is the change of α in α′
	if f.corrects(f.complete()) {
		nc = f.complete()
		priv, err := full(ctx, f.Priv)
		if err != nil {
			return nil, err
		}
		product = blas.New(n, nc)
		columns := blas.View(inverse, 0, n, 0, nc)
		if err := blas.Gemm(ctx, false, false, f.kappa(), columns, priv, 0, product); err != nil {
			return nil, err
		}
		for r := range n {
			for i, v := range f.Weight[:nc] {
				product.Data[r*nc+i] *= v
			}
		}
	}
	moved := func(r, i int) float64 {
		if i >= nc {
			return 0
		}
		return product.Data[r*nc+i]
	}
	l := NewLeftOut(n, n, m)
	shift, step := blas.New(n, m), blas.New(n, m) // δ, and (α′ᵢ − (M1)ᵢδᵢ)/Mᵢᵢ
	for i := range n {
		for j := range m {
			at := i*m + j
			shift.Data[at] = f.meanShift(f.Weight[i], f.total, f.Y.Data[i*f.Y.Stride+j]-f.offset[j])
			alpha := f.alpha.Data[i*f.alpha.Stride+j] + moved(i, i) - f.ones[i]*shift.Data[at]
			step.Data[at] = alpha / inverse.Data[i*inverse.Stride+i]
			l.Offset[at] = f.offset[j] + shift.Data[at]
		}
	}
	for r := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, alpha, direction := blas.Row(l.Weight, r), blas.Row(f.alpha, r), blas.Row(inverse, r)
		for at := range row {
			i, j := at/m, at%m
			row[at] = alpha[j] + moved(r, i) - f.ones[r]*shift.Data[at] - direction[i]*step.Data[at]
		}
		clear(row[r*m : r*m+m])
	}
	return l, nil
}

// Posterior holds the parts from which the posterior of f is computed. With prior covariance s²Ω of f, s²Ω̃/γ of the
// privileged part and noise s²(CV)⁻¹, the variance of f(x) is s²(k(x,x) − ‖k(x,·)U⁻¹‖²).
type Posterior struct {
	Factor blas.Matrix // U, UᵀU = Ω + Ω̃/γ + (CV)⁻¹; zero below the diagonal
	Scale  []float64   // s, one for each output
}

// posterior estimates s² = meanᵢ(aᵢ²/Mᵢᵢ) with a = M(Y − 1ȳ), the α of the additive form. The correction does not take
// part: it shifts f but is no noise.
func (f *dualFit) posterior(ctx context.Context, inverse blas.Matrix) (*Posterior, error) {
	n, m := f.Y.Rows, f.Y.Cols
	centred, a := blas.New(n, m), blas.New(n, m)
	for i := range n {
		for j, y := range blas.Row(f.Y, i) {
			centred.Data[i*m+j] = y - f.offset[j]
		}
		clear(blas.Row(f.factor, i)[:i])
	}
	if err := blas.Gemm(ctx, false, false, 1, inverse, centred, 0, a); err != nil {
		return nil, err
	}
	s := &Posterior{f.factor, make([]float64, m)}
	for j := range s.Scale {
		var sum float64
		for i := range n {
			v := a.Data[i*m+j]
			sum += v * v / inverse.Data[i*inverse.Stride+i]
		}
		s.Scale[j] = math.Sqrt(sum / float64(n))
	}
	return s, nil
}
