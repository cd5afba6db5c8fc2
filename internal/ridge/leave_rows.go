package ridge

import (
	"context"

	"rvflplus/blas"
)

// rows leaves every row out alone.
func (l *leaving) rows(ctx context.Context, dst blas.Matrix) error {
	if l.complete() == 0 {
		for i := range dst.Rows {
			l.back(i)
			upper := blas.Row(l.half, i)[i:]
			if !l.row(i, 1/dot(upper, upper), 0, 0, blas.Row(dst, i)) {
				return leverageOne(i)
			}
		}
		return ctx.Err()
	}
	product, err := l.smooth(ctx)
	if err != nil {
		return err
	}
	nc := l.complete()
	for i := range dst.Rows {
		omegaM, alpha, fit := 0.0, 0.0, 0.0
		if l.corrects() {
			omegaM = product.Data[i*product.Stride+i]
		} else {
			omegaM = dot(blas.Row(l.Omega, i), blas.Row(l.inverse, i))
		}
		if l.corrects() && i < nc {
			kv := l.kappa() * l.Weight[i]
			alpha = kv * dot(blas.Row(l.inverse, i)[:nc], blas.Row(l.Priv, i))
			fit = kv * dot(blas.Row(product, i)[:nc], blas.Row(l.Priv, i))
		}
		if !l.row(i, omegaM/l.inverse.Data[i*l.inverse.Stride+i], alpha, fit, blas.Row(dst, i)) {
			return leverageOne(i)
		}
	}
	return nil
}

// smooth returns ΩM when the correction needs it.
func (l *leaving) smooth(ctx context.Context) (blas.Matrix, error) {
	if !l.corrects() || l.product.Data != nil {
		return l.product, nil
	}
	l.product = l.square(l.Y.Rows)
	return l.product, blas.Gemm(ctx, false, false, 1, l.Omega, l.inverse, 0, l.product)
}

// row predicts row i: ratio is (ΩM)ᵢᵢ/Mᵢᵢ (1/Mᵢᵢ without a privileged part), alpha and
// fit are what its leaving the sum adds to α and to Ωα.
func (l *leaving) row(i int, ratio, alpha, fit float64, dst []float64) bool {
	left := l.total - l.Weight[i]
	if l.Center && !(left > 0) || ratio-ratio != 0 {
		return false
	}
	a, f := blas.Row(l.alpha, i), blas.Row(l.fits, i)
	m := len(dst)
	constant := f[m] - ratio*a[m]
	for j := range dst {
		dst[j] = f[j] + fit - ratio*(a[j]+alpha) + l.mean[j]
		if l.Center {
			dst[j] -= l.Weight[i] * (l.Y.Data[i*l.Y.Stride+j] - l.mean[j]) / left * (1 - constant)
		}
	}
	return true
}
