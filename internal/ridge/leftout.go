package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/internal/gram"
)

// LeftOut holds the models fitted without one row each: column i·m+j of Weight
// and number i·m+j of Offset are output j without row i.
type LeftOut struct {
	Weight blas.Matrix // of training rows (N×N·m) or of explicit features (D×N·m)
	Offset []float64   // N·m
}

// NewLeftOut returns room for the models without each of n rows, over k weights
// and m outputs.
func NewLeftOut(k, n, m int) *LeftOut {
	return &LeftOut{blas.New(k, n*m), make([]float64, n*m)}
}

// meanShift returns ȳ⁽⁻ⁱ⁾ − ȳ for a row of weight v out of total, y less ȳ being
// given; 0 when the targets are not centred.
func (p Params) meanShift(v, total, y float64) float64 {
	if !p.Center {
		return 0
	}
	return -v * y / (total - v)
}

// leftOut returns, as M is the inverse of the whole system, the weights that solve
// the system without row i,
//
//	α⁽⁻ⁱ⁾ = α + κvᵢMΩ̃₍:ᵢ₎ − M1δᵢ − M₍:ᵢ₎cᵢ,  δᵢ = ȳ⁽⁻ⁱ⁾ − ȳ,
//
// cᵢ being what makes α⁽⁻ⁱ⁾ᵢ zero: (αᵢ + κvᵢ(MΩ̃)ᵢᵢ − (M1)ᵢδᵢ)/Mᵢᵢ.
func (f *dualFit) leftOut(ctx context.Context, inverse blas.Matrix) (*LeftOut, error) {
	n, m := f.Y.Rows, f.Y.Cols
	removed, err := f.removed(ctx, inverse)
	if err != nil {
		return nil, err
	}
	l := NewLeftOut(n, n, m)
	shift, step := blas.New(n, m), blas.New(n, m)
	for i := range n {
		for j := range m {
			at := i*m + j
			shift.Data[at] = f.meanShift(f.Weight[i], f.total, f.Y.Data[i*f.Y.Stride+j]-f.offset[j])
			step.Data[at] = (f.alpha.Data[i*f.alpha.Stride+j] + removed.at(i, i) - f.ones[i]*shift.Data[at]) / inverse.Data[i*inverse.Stride+i]
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
			row[at] = alpha[j] + removed.at(r, i) - f.ones[r]*shift.Data[at] - direction[i]*step.Data[at]
		}
		for j := range m {
			row[r*m+j] = 0
		}
	}
	return l, nil
}

// columns is a matrix that may be empty, which stands for zeros, and whose columns
// beyond its last are zero.
type columns struct{ blas.Matrix }

func (c columns) at(i, j int) float64 {
	if j >= c.Cols {
		return 0
	}
	return c.Data[i*c.Stride+j]
}

// removed returns κMΩ̃V, N×N_c: what leaving a row out of Ω̃v adds to α.
func (f *dualFit) removed(ctx context.Context, inverse blas.Matrix) (columns, error) {
	nc := f.complete()
	if !f.corrects() {
		return columns{}, nil
	}
	priv, err := full(ctx, f.Priv)
	if err != nil {
		return columns{}, err
	}
	product := blas.New(inverse.Rows, nc)
	err = blas.Gemm(ctx, false, false, f.kappa(), blas.View(inverse, 0, inverse.Rows, 0, nc), priv, 0, product)
	for i := range product.Rows {
		for j := range blas.Row(product, i) {
			product.Data[i*product.Stride+j] *= f.Weight[j]
		}
	}
	return columns{product}, err
}

// Posterior is what the posterior of f is computed from: with prior covariance s²Ω
// of f, s²Ω̃/γ of the privileged part and noise s²(CV)⁻¹, the variance of f(x) is
// s²(k(x,x) − ‖k(x,·)U⁻¹‖²).
type Posterior struct {
	Factor blas.Matrix // U, UᵀU = Ω + Ω̃/γ + (CV)⁻¹; zero below the diagonal
	Scale  []float64   // s, one an output
}

// spread estimates s² = meanᵢ(aᵢ²/Mᵢᵢ) with a = M(Y − 1ȳ), the α of the additive
// form, whatever the correction is: a correction shifts f but is no noise.
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

// LeftOut sets the columns of dst (D × rows·m) and offset (rows·m) to the models
// without each of the block's rows; the arguments are those of LeaveOneOut. With
// θ⁽⁻ⁱ⁾ as there, solved for targets of 1 too,
//
//	w⁽⁻ⁱ⁾ = (θ⁽⁻ⁱ⁾ − δᵢo⁽⁻ⁱ⁾)₁..D,  δᵢ = ȳ⁽⁻ⁱ⁾ − ȳ.
//
// Cost 4·(D+D̃)² operations a row.
func (f *Primal) LeftOut(ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix, offset []float64) error {
	rows, m, d := b.H.Rows, f.theta.Cols, f.normal
	z, own := f.transposed(b)
	solved := blas.Clone(z)
	if err := blas.SolveCholesky(ctx, f.factor, solved); err != nil {
		return err
	}
	if err := blas.SolveCholesky(ctx, f.factor, own); err != nil {
		return err
	}
	for i := range rows {
		v := 1.0
		if weight != nil {
			v = weight[i]
		}
		r := rowOut{v: v, system: v, z: column(z, i), q: column(solved, i), own: column(own, i)}
		if lacking {
			r.system *= f.lacking
		}
		left := 1 - r.system*dot(r.z, r.q)
		if left < minLeft || f.params.Center && !(f.total-v > 0) {
			return leverageOne(first + i)
		}
		ones := r.leave(f.ones, 1, 0, left)
		for j := range m {
			y := b.Y.Data[i*b.Y.Stride+j] - f.mean[j]
			shift := f.params.meanShift(v, f.total, y)
			theta := r.leave(column(f.theta, j), y, sign(f.params.Correction), left)
			for k := range d {
				dst.Data[k*dst.Stride+i*m+j] = theta[k] - shift*ones[k]
			}
			offset[i*m+j] = f.mean[j] + shift
		}
	}
	return nil
}

// transposed returns the block's rows of Z and of [0, H̃/√γ] as columns.
func (f *Primal) transposed(b gram.Block) (z, own blas.Matrix) {
	z, own = blas.New(f.normal+f.priv, b.H.Rows), blas.New(f.normal+f.priv, b.H.Rows)
	for i := range b.H.Rows {
		for k, v := range blas.Row(b.H, i) {
			z.Data[k*z.Stride+i] = v
		}
		for k, v := range blas.Row(b.Priv, i) {
			at := (f.normal+k)*z.Stride + i
			z.Data[at] = v * f.scale(f.normal)
			own.Data[at] = z.Data[at]
		}
	}
	return z, own
}

// rowOut is one row on its way out: its weight v, its weight in S, zᵢ, q = S⁻¹zᵢ
// and own = S⁻¹[0; h̃ᵢ/√γ].
type rowOut struct {
	v, system float64
	z, q, own []float64
}

// leave returns θ⁽⁻ⁱ⁾ from θ for target y; left is 1 − vᵢzᵢᵀq.
func (r rowOut) leave(theta []float64, y, sign, left float64) []float64 {
	out := make([]float64, len(theta))
	for k := range out {
		out[k] = theta[k] - r.system*r.q[k]*y - sign*r.v*r.own[k]
	}
	blas.Axpy(r.system*dot(r.z, out)/left, r.q, out)
	return out
}
