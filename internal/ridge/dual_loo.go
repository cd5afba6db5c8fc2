package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
)

// leaveShares is the resolution of the progress of leave-one-out: the inverse
// takes about four tenths, the products with Ω̃ about half.
const leaveShares = 1000

// leaveOneOut returns, row i leaving the sum inside Ω̃v as well,
//
//	f⁽⁻ⁱ⁾ = (Ωα)ᵢ + κvᵢ(ΩMΩ̃)ᵢᵢ − (ΩM)ᵢᵢ/Mᵢᵢ · (αᵢ + κvᵢ(MΩ̃)ᵢᵢ)
//
// and for centred targets adds (ȳ⁽⁻ⁱ⁾ − ȳ)(1 − eᵢ), e = ΩM1 − diag(ΩM)/diag(M)∘M1,
// because the mean loses row i too. It uses up f.factor, and sets what else d is to
// hold.
func (f *dualFit) leaveOneOut(ctx context.Context, d *Dual) (blas.Matrix, error) {
	tell := f.tell("leave-one-out")
	tell(0, leaveShares)
	if f.complete() == 0 && !f.LeftOut && !f.Posterior {
		defer tell(leaveShares, leaveShares)
		return f.leaveAlone(ctx)
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
	tell(leaveShares*4/10, leaveShares)
	omega, err := full(ctx, f.Omega)
	if err != nil {
		return blas.Matrix{}, err
	}
	tell(leaveShares/2, leaveShares)
	n, m := f.Y.Rows, f.Y.Cols
	fits, ones := blas.New(n, m), blas.New(n, 1)
	if err := blas.Gemm(ctx, false, false, 1, omega, f.alpha, 0, fits); err != nil {
		return blas.Matrix{}, err
	}
	if err := blas.Gemm(ctx, false, false, 1, omega, vector(f.ones), 0, ones); err != nil {
		return blas.Matrix{}, err
	}
	mp, omp, err := f.privDiagonals(ctx, omega, inverse)
	if err != nil {
		return blas.Matrix{}, err
	}
	for i := range n {
		ratio := dot(blas.Row(omega, i), blas.Row(inverse, i)) / inverse.Data[i*inverse.Stride+i]
		if !f.leaveRow(i, ratio, mp[i], omp[i], ones.Data[i], blas.Row(fits, i)) {
			return blas.Matrix{}, leverageOne(i)
		}
	}
	if f.LeftOut {
		d.LeftOut, err = f.leftOut(ctx, inverse)
	}
	tell(leaveShares, leaveShares)
	return fits, err
}

// leaveAlone is leaveOneOut without a privileged part: ΩM = I − (CV)⁻¹M leaves
// yᵢ − αᵢ/Mᵢᵢ, and Mᵢᵢ is what row i of U⁻¹ is squared.
func (f *dualFit) leaveAlone(ctx context.Context) (blas.Matrix, error) {
	if err := blas.InvertUpper(ctx, f.factor); err != nil {
		return blas.Matrix{}, err
	}
	fits := blas.Clone(f.Y)
	for i := range fits.Rows {
		fit, upper := blas.Row(fits, i), blas.Row(f.factor, i)[i:]
		for j := range fit {
			fit[j] -= f.offset[j]
		}
		ratio := 1 / dot(upper, upper)
		if math.IsNaN(ratio) || math.IsInf(ratio, 0) || !f.leaveRow(i, ratio, 0, 0, 1, fit) {
			return blas.Matrix{}, leverageOne(i)
		}
	}
	return fits, ctx.Err()
}

// leaveRow turns (Ωα)ᵢ in fit into the prediction without row i; ratio is
// (ΩM)ᵢᵢ/Mᵢᵢ, mp and omp are κvᵢ(MΩ̃)ᵢᵢ and κvᵢ(ΩMΩ̃)ᵢᵢ, fitOne is (ΩM1)ᵢ.
func (f *dualFit) leaveRow(i int, ratio, mp, omp, fitOne float64, fit []float64) bool {
	v, left := f.Weight[i], f.total-f.Weight[i]
	if f.Center && !(left > 0) {
		return false
	}
	for j := range fit {
		fit[j] += omp - ratio*(f.alpha.Data[i*f.alpha.Stride+j]+mp) + f.offset[j]
		if f.Center {
			y := f.Y.Data[i*f.Y.Stride+j] - f.offset[j]
			fit[j] -= v * y / left * (1 - fitOne + ratio*f.ones[i])
		}
	}
	return true
}

// privDiagonals returns κvᵢ(MΩ̃)ᵢᵢ and κvᵢ(ΩMΩ̃)ᵢᵢ, 0 for rows without privileged
// values.
func (f *dualFit) privDiagonals(ctx context.Context, omega, inverse blas.Matrix) (mp, omp []float64, err error) {
	n, nc := f.Y.Rows, f.complete()
	mp, omp = make([]float64, n), make([]float64, n)
	if !f.corrects() {
		return mp, omp, nil
	}
	priv, err := full(ctx, f.Priv)
	if err != nil {
		return nil, nil, err
	}
	const strip = 256
	for lo := 0; lo < nc; lo += strip {
		hi := min(lo+strip, nc)
		product := blas.New(hi-lo, n) // rows of Ω̃M, the transposed columns of MΩ̃
		if err := blas.Gemm(ctx, false, false, 1, blas.View(priv, lo, hi, 0, nc), blas.View(inverse, 0, nc, 0, n), 0, product); err != nil {
			return nil, nil, err
		}
		for i := lo; i < hi; i++ {
			row, kv := blas.Row(product, i-lo), f.kappa()*f.Weight[i]
			mp[i], omp[i] = kv*row[i], kv*dot(row, blas.Row(omega, i))
		}
		f.tell("leave-one-out")(leaveShares/2+leaveShares/2*hi/nc, leaveShares)
	}
	return mp, omp, nil
}

// full returns both triangles of g.
func full(ctx context.Context, g Gramian) (blas.Matrix, error) {
	a := blas.New(g.Size(), g.Size())
	if err := g.Add(ctx, 1, a, nil); err != nil {
		return a, err
	}
	blas.Mirror(a)
	return a, nil
}

func vector(v []float64) blas.Matrix {
	return blas.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}
