package ridge

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// Pinv is the least-squares solution of least norm without regularisation, w = (V^½H)†V^½(Y − 1ȳ) (eq:3).
type Pinv struct {
	Weights     blas.Matrix // w, D×m
	Offset      []float64   // ȳ, m
	Rank        int         // numerical rank of V^½H
	LeaveOneOut blas.Matrix // N×m, if asked for
}

// PinvBytes returns the memory FitPinv takes.
func PinvBytes(rows, width int) float64 {
	n, d := float64(rows), float64(width)
	return 8 * (3*n*d + 2*min(n, d)*min(n, d))
}

// FitPinv solves by a singular value decomposition of the N×D matrix h (about 14·N·D·min(N,D) operations). Singular
// values at most max(N,D)·2⁻⁵²·σ₁ count as 0. center subtracts the weighted mean ȳ first; weight holds N numbers > 0.
// Leave-one-out, computed when maxRefits ≥ 0, is exactly the least-norm solution of the other rows. A row with almost
// all the weight in a direction costs one more decomposition; more than maxRefits such rows are a fault.NotSolved
// error, which is returned with the solution.
func FitPinv(ctx context.Context, h, y blas.Matrix, weight []float64, center bool, maxRefits int) (*Pinv, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := &pinvFit{Params: Params{Center: center}, h: h, y: y, weight: weight, total: sum(weight)}
	f.offset = mean(y, weight, f.total, center)
	n, d, m := h.Rows, h.Cols, y.Cols
	scaled, right := mat.NewDense(n, d, nil), mat.NewDense(n, m+1, nil)
	for i, vi := range weight {
		row, out, s := scaled.RawRowView(i), right.RawRowView(i), math.Sqrt(vi)
		for j, v := range blas.Row(h, i) {
			row[j] = s * v
		}
		for j, y := range blas.Row(y, i) {
			out[j] = s * (y - f.offset[j])
		}
		out[m] = s
	}
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDThin) {
		return nil, fault.New(fault.NotSolved, "the singular values of the %d×%d layer matrix do not converge", n, d).
			WithHint("use %s", fault.Set("solver", "auto"))
	}
	f.values = svd.Values(nil)
	svd.UTo(&f.u)
	var v mat.Dense
	svd.VTo(&v)
	rank := 0
	for rank < len(f.values) && f.values[rank] > float64(max(n, d))*0x1p-52*f.values[0] {
		rank++
	}
	f.values = f.values[:rank]
	p := &Pinv{Weights: blas.New(d, m), Offset: f.offset, Rank: rank}
	if rank > 0 {
		f.coords = mat.NewDense(rank, m+1, nil)
		f.coords.Mul(f.u.Slice(0, n, 0, rank).T(), right)
		scaled := mat.NewDense(rank, m, nil)
		for r, s := range f.values {
			for j := range m {
				scaled.Set(r, j, f.coords.At(r, j)/s)
			}
		}
		var w mat.Dense
		w.Mul(v.Slice(0, d, 0, rank), scaled)
		p.Weights = w.RawMatrix()
	}
	if maxRefits < 0 {
		return p, nil
	}
	var err error
	p.LeaveOneOut, err = f.leaveOneOut(ctx, maxRefits)
	return p, err
}

type pinvFit struct {
	Params
	h, y   blas.Matrix
	weight []float64
	total  float64
	offset []float64
	values []float64  // singular values that are not zero to working precision
	u      mat.Dense  // left singular vectors
	coords *mat.Dense // UᵀV^½[Y−1ȳ, 1], rank × (m+1)
}

// minResidualShare is the 1 − Pᵢᵢ below which the model without row i is fitted anew.
const minResidualShare = 1e-4

// leaveOneOut returns the predictions of the least-norm solutions without each row. With P = UUᵀ, the residual of row
// i without it is ((I−P)y)ᵢ/(1−Pᵢᵢ). When every row spans a direction of its own, P = I, the residual is (My)ᵢ/Mᵢᵢ
// with M the inverse of V^½HHᵀV^½. For a row with almost all the weight in a direction neither has correct digits: the
// solution without it is computed anew.
func (f *pinvFit) leaveOneOut(ctx context.Context, maxRefits int) (blas.Matrix, error) {
	n, m := f.y.Rows, f.y.Cols
	interpolates := len(f.values) == n // P = I
	share := make([]float64, n)        // 1 − Pᵢᵢ
	refit, refits := make([]bool, n), 0
	for i := range share {
		share[i] = 1
		for r := range f.values {
			share[i] -= f.u.At(i, r) * f.u.At(i, r)
		}
		if refit[i] = !interpolates && share[i] < minResidualShare; refit[i] {
			refits++
		}
	}
	if refits > maxRefits {
		return blas.Matrix{}, fault.New(fault.NotSolved, "leave-one-out would take %d more decompositions", refits).
			WithHint("use %s to compute it all the same", fault.Name("loo"))
	}
	// residual returns the residual of row i without it, for the scaled target t in column j of coords.
	residual := func(i, j int, t float64) float64 {
		if interpolates {
			var m, my float64
			for r, s := range f.values {
				u := f.u.At(i, r) / s
				m += u * u
				my += u * f.coords.At(r, j) / s
			}
			return my / m
		}
		for r := range f.values {
			t -= f.u.At(i, r) * f.coords.At(r, j)
		}
		return t / share[i]
	}
	out := blas.New(n, m)
	var told trap
	for i := range n {
		v, s, row := f.weight[i], math.Sqrt(f.weight[i]), blas.Row(out, i)
		if f.meanUndefined(v, f.total) {
			return out, leverageOne(i)
		}
		if refit[i] {
			if err := f.refit(ctx, i, row); err != nil {
				return out, err
			}
			continue
		}
		constant := 1 - residual(i, m, s)/s
		told.add(1 - constant)
		for j, y := range blas.Row(f.y, i) {
			y -= f.offset[j]
			row[j] = y - residual(i, j, s*y)/s + f.offset[j]
			if f.Center {
				row[j] += f.meanShift(v, f.total, y) * (1 - constant)
			}
		}
	}
	return out, told.err(f.Params)
}

// refit predicts row i by the solution of the other rows.
func (f *pinvFit) refit(ctx context.Context, i int, out []float64) error {
	rest := without(f.y.Rows, []int{i})
	h, y, weight := blas.Gather(f.h, rest), blas.Gather(f.y, rest), learn.Gather(f.weight, rest)
	p, err := FitPinv(ctx, h, y, weight, f.Center, -1)
	if err != nil {
		return err
	}
	copy(out, p.Offset)
	for k, x := range blas.Row(f.h, i) {
		for j, w := range blas.Row(p.Weights, k) {
			out[j] += x * w
		}
	}
	return nil
}
