package ridge

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Pinv is the least-squares solution of least norm without regularisation,
// w = (V^½H)†V^½(Y − 1ȳ) (eq:3).
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

// FitPinv solves by a singular value decomposition of the N×D matrix h (about
// 14·N·D·min(N,D) operations). Singular values at most max(N,D)·2⁻⁵²·σ₁ count as
// 0. center subtracts the weighted mean ȳ first; weight holds N numbers > 0.
// Leave-one-out, computed when maxRefits ≥ 0, is the least-norm solution of the
// other rows, exactly. A row with almost all the weight in a direction costs one
// more decomposition; more than maxRefits such rows are a fault.NotSolved error
// beside the solution.
func FitPinv(ctx context.Context, h, y blas.Matrix, weight []float64, center bool, maxRefits int) (*Pinv, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := &pinvFit{h: h, y: y, weight: weight, total: sum(weight), center: center}
	f.offset = mean(y, weight, f.total, center)
	scaled := mat.NewDense(h.Rows, h.Cols, nil)
	for i := range h.Rows {
		row, s := scaled.RawRowView(i), math.Sqrt(weight[i])
		for j, v := range blas.Row(h, i) {
			row[j] = s * v
		}
	}
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDThin) {
		return nil, fault.New(fault.NotSolved, "the singular values of the %d×%d layer matrix do not converge", h.Rows, h.Cols).
			WithHint("use --solver auto")
	}
	f.values = svd.Values(nil)
	svd.UTo(&f.u)
	svd.VTo(&f.v)
	f.truncate(max(h.Rows, h.Cols))
	p := &Pinv{Weights: f.solve(), Offset: f.offset, Rank: len(f.values)}
	if maxRefits < 0 {
		return p, nil
	}
	var err error
	p.LeaveOneOut, err = f.leave(ctx, maxRefits)
	return p, err
}

type pinvFit struct {
	h, y   blas.Matrix
	weight []float64
	total  float64
	center bool
	offset []float64
	values []float64
	u, v   mat.Dense
	coords *mat.Dense // UᵀV^½[Y−1ȳ, 1], rank × (m+1)
}

// truncate drops the singular values that are zero to working precision.
func (f *pinvFit) truncate(size int) {
	keep := 0
	for keep < len(f.values) && f.values[keep] > float64(size)*0x1p-52*f.values[0] {
		keep++
	}
	f.values = f.values[:keep]
}

func (f *pinvFit) solve() blas.Matrix {
	d, _ := f.v.Dims()
	n, m, rank := f.y.Rows, f.y.Cols, len(f.values)
	if rank == 0 {
		f.coords = &mat.Dense{}
		return blas.New(d, m)
	}
	right := mat.NewDense(n, m+1, nil)
	for i := range n {
		row, s := right.RawRowView(i), math.Sqrt(f.weight[i])
		for j, y := range blas.Row(f.y, i) {
			row[j] = s * (y - f.offset[j])
		}
		row[m] = s
	}
	f.coords = mat.NewDense(rank, m+1, nil)
	f.coords.Mul(f.u.Slice(0, n, 0, rank).T(), right)
	scaled := mat.NewDense(rank, m, nil)
	for r, s := range f.values {
		for j := range m {
			scaled.Set(r, j, f.coords.At(r, j)/s)
		}
	}
	var w mat.Dense
	w.Mul(f.v.Slice(0, d, 0, rank), scaled)
	return w.RawMatrix()
}

// leave returns the least-norm solutions without each row. With P = UUᵀ, row i's
// residual without it is ((I−P)y)ᵢ/(1−Pᵢᵢ). When every row spans a direction of
// its own, P = I, it is (My)ᵢ/Mᵢᵢ with M the inverse of V^½HHᵀV^½. A row with
// almost all the weight in a direction, for which neither has correct digits, is
// refitted without.
func (f *pinvFit) leave(ctx context.Context, maxRefits int) (blas.Matrix, error) {
	out := blas.New(f.y.Rows, f.y.Cols)
	if n := f.refits(); n > maxRefits {
		return blas.Matrix{}, fault.New(fault.NotSolved, "leave-one-out would take %d more decompositions", n).WithHint("use --loo to compute it all the same")
	}
	for i := range f.y.Rows {
		if f.center && !(f.total > f.weight[i]) {
			return out, leverageOne(i)
		}
		if err := f.leaveRow(ctx, i, blas.Row(out, i)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// minResidualShare is the 1 − Pᵢᵢ below which a row is refitted without.
const minResidualShare = 1e-4

// interpolates reports whether P = I.
func (f *pinvFit) interpolates() bool { return len(f.values) == f.y.Rows }

func (f *pinvFit) needsRefit(i int) bool { return !f.interpolates() && f.share(i) < minResidualShare }

func (f *pinvFit) refits() int {
	n := 0
	for i := range f.y.Rows {
		if f.needsRefit(i) {
			n++
		}
	}
	return n
}

func (f *pinvFit) leaveRow(ctx context.Context, i int, out []float64) error {
	v, s, m := f.weight[i], math.Sqrt(f.weight[i]), f.y.Cols
	if f.needsRefit(i) {
		return f.refit(ctx, i, out)
	}
	residual := f.residual
	if f.interpolates() {
		residual = f.interpolated
	}
	constant := 1 - residual(i, m, s)/s
	for j, y := range blas.Row(f.y, i) {
		y -= f.offset[j]
		out[j] = y - residual(i, j, s*y)/s + f.offset[j]
		if f.center {
			out[j] -= v * y / (f.total - v) * (1 - constant)
		}
	}
	return nil
}

// share returns 1 − Pᵢᵢ.
func (f *pinvFit) share(i int) float64 {
	left := 1.0
	for r := range f.values {
		left -= f.u.At(i, r) * f.u.At(i, r)
	}
	return left
}

// residual returns row i's residual, left out, for the scaled target t in column
// j of coords.
func (f *pinvFit) residual(i, j int, t float64) float64 {
	for r := range f.values {
		t -= f.u.At(i, r) * f.coords.At(r, j)
	}
	return t / f.share(i)
}

// interpolated is residual for P = I.
func (f *pinvFit) interpolated(i, j int, _ float64) float64 {
	var m, my float64
	for r, s := range f.values {
		u := f.u.At(i, r) / s
		m += u * u
		my += u * f.coords.At(r, j) / s
	}
	return my / m
}

// refit predicts row i by the solution of the other rows.
func (f *pinvFit) refit(ctx context.Context, i int, out []float64) error {
	without := func(a blas.Matrix) blas.Matrix {
		b := blas.New(a.Rows-1, a.Cols)
		for r := range b.Rows {
			from := r
			if r >= i {
				from++
			}
			copy(blas.Row(b, r), blas.Row(a, from))
		}
		return b
	}
	weight := without(vector(f.weight)).Data
	p, err := FitPinv(ctx, without(f.h), without(f.y), weight, f.center, -1)
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
