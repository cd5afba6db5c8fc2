package ridge

import (
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
// Leave-one-out is the least-norm solution of the other rows, exactly.
func FitPinv(h, y blas.Matrix, weight []float64, center, leaveOneOut bool) (*Pinv, error) {
	f := &pinvFit{y: y, weight: weight, total: sum(weight), center: center}
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
	if leaveOneOut {
		var err error
		p.LeaveOneOut, err = f.leave()
		return p, err
	}
	return p, nil
}

type pinvFit struct {
	y      blas.Matrix
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

// leave is the limit of the dual form for C → ∞. With P = UUᵀ and the
// pseudo-inverse M of V^½HHᵀV^½, row i's residual without it is
// ((I−P)y)ᵢ/(1−Pᵢᵢ), or (My)ᵢ/Mᵢᵢ when the row alone spans a direction, Pᵢᵢ = 1.
func (f *pinvFit) leave() (blas.Matrix, error) {
	n, m := f.y.Rows, f.y.Cols
	out := blas.New(n, m)
	for i := range n {
		v, s := f.weight[i], math.Sqrt(f.weight[i])
		left := f.total - v
		if f.center && !(left > 0) {
			return out, leverageOne(i)
		}
		constant := 1 - f.residual(i, m, s)/s
		for j, y := range blas.Row(f.y, i) {
			y -= f.offset[j]
			fit := y - f.residual(i, j, s*y)/s + f.offset[j]
			if f.center {
				fit -= v * y / left * (1 - constant)
			}
			out.Data[i*out.Stride+j] = fit
		}
	}
	return out, nil
}

// residual returns row i's residual, left out, for the scaled target t in column
// j of coords.
func (f *pinvFit) residual(i, j int, t float64) float64 {
	var p, fit, m, my float64
	for r, s := range f.values {
		u, c := f.u.At(i, r), f.coords.At(r, j)
		p += u * u
		fit += u * c
		m += u * u / (s * s)
		my += u * c / (s * s)
	}
	if 1-p > 1e-9 {
		return (t - fit) / (1 - p)
	}
	return my / m
}
