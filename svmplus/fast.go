package svmplus

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/qp"
)

// fastSolver returns the solver of Fast SVM+ with kernels:
//
//	min ½‖w‖² + (γ/2)‖w̃‖² + ½Σcᵢ(w̃ᵀφ̃ᵢ)²   subject to   yᵢwᵀφᵢ ≥ 1 − w̃ᵀφ̃ᵢ
//
// with 1 added to both kernels instead of offsets. Its dual is
//
//	max 1ᵀα − ½αᵀQα, α ≥ 0,   Q = K∘yyᵀ + G(γI + Gᵀdiag(c)G)⁻¹Gᵀ,   K̃ = GGᵀ.
//
// Slack may be negative. The parts that do not depend on y are computed once.
func (t *training) fastSolver(ctx context.Context) (func(context.Context, *machine) error, error) {
	k, err := gram(ctx, t.kernel, t.rows.X)
	if err != nil {
		return nil, err
	}
	second, err := t.slackForm(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, m *machine) error {
		q := second // one machine may overwrite it
		if len(t.machines) > 1 {
			q = blas.New(len(m.y), len(m.y))
		}
		for i := range m.y {
			row, own, slack := blas.Row(q, i), blas.Row(k, i), blas.Row(second, i)
			for j := range row {
				row[j] = m.y[i]*m.y[j]*(own[j]+1) + slack[j]
			}
		}
		alpha, r, err := qp.NonNegative(ctx, q, t.Tolerance, t.cap(len(m.y)))
		if err != nil {
			return err
		}
		m.alphaY, m.result = signed(alpha, m.y), r
		for _, a := range m.alphaY {
			m.bias += a
		}
		return nil
	}, nil
}

// slackForm returns G(γI + Gᵀdiag(c)G)⁻¹Gᵀ.
func (t *training) slackForm(ctx context.Context) (blas.Matrix, error) {
	if isLinear(t.priv) {
		return t.slackFromFeatures(ctx)
	}
	k, err := gram(ctx, t.priv, t.rows.Priv)
	if err != nil {
		return k, err
	}
	for i := range k.Data {
		k.Data[i]++
	}
	return t.slackFromKernel(ctx, k)
}

// slackFromFeatures takes G = [X̃, 1] and returns BBᵀ.
func (t *training) slackFromFeatures(ctx context.Context) (blas.Matrix, error) {
	g := blas.New(t.rows.Priv.Rows, t.rows.Priv.Cols+1)
	for i := range g.Rows {
		g.Data[i*g.Stride+copy(blas.Row(g, i), blas.Row(t.rows.Priv, i))] = 1
	}
	scaled, r := blas.Clone(g), blas.New(g.Cols, g.Cols)
	for i := range scaled.Rows {
		scale(blas.Row(scaled, i), math.Sqrt(t.c[i]))
	}
	if err := blas.Syrk(ctx, true, 1, scaled, 0, r); err != nil {
		return r, err
	}
	if err := t.factor(ctx, r); err != nil {
		return r, err
	}
	if err := blas.SolveRight(ctx, g, r); err != nil {
		return g, err
	}
	form := blas.New(g.Rows, g.Rows)
	err := blas.Syrk(ctx, false, 1, g, 0, form)
	blas.Mirror(form)
	return form, err
}

// factor overwrites M with Cholesky's factor of γI + M.
func (t *training) factor(ctx context.Context, m blas.Matrix) error {
	for j := range m.Rows {
		m.Data[j*(m.Stride+1)] += t.Gamma
	}
	pivot, err := blas.Factor(ctx, m, nil)
	if err == nil && pivot >= 0 {
		err = fault.New(fault.NotSolved,
			"the matrix of privileged kernel %s is not positive semi-definite at C = %v, gamma = %v",
			t.priv, t.C, t.Gamma).
			WithHint("use a larger gamma or a smaller C, another %s, or scale the features", fault.Name("priv-kernel"))
	}
	return err
}

// slackFromKernel overwrites K̃ with its form. With D = diag(√c) and UᵀU = γI + DK̃D the form is D⁻² −
// γ(D⁻¹U⁻¹)(D⁻¹U⁻¹)ᵀ. Where C/γ is small, which makes this a difference of almost equal numbers, it is computed as (K̃
// − (K̃DU⁻¹)(K̃DU⁻¹)ᵀ)/γ.
func (t *training) slackFromKernel(ctx context.Context, k blas.Matrix) (blas.Matrix, error) {
	u, d := blas.Clone(k), make([]float64, k.Rows)
	for i, c := range t.c {
		d[i] = math.Sqrt(c)
	}
	var most float64
	for i := range u.Rows {
		row := blas.Row(u, i)
		for j := i; j < len(row); j++ {
			row[j] *= d[i] * d[j]
		}
		most = max(most, row[i])
	}
	if err := t.factor(ctx, u); err != nil {
		return k, err
	}
	if most > t.Gamma {
		if err := blas.InvertUpper(ctx, u); err != nil {
			return k, err
		}
		for i, c := range t.c {
			row := blas.Row(u, i)
			clear(row[:i])
			scale(row[i:], math.Sqrt(t.Gamma/c))
		}
		clear(k.Data)
		err := blas.TimesTransposed(ctx, u, k)
		for i, c := range t.c {
			scale(blas.Row(k, i), -1)
			k.Data[i*(k.Stride+1)] += 1 / c
		}
		return k, err
	}
	b := blas.Clone(k)
	for i := range b.Rows {
		row := blas.Row(b, i)
		for j := range row {
			row[j] *= d[j]
		}
	}
	if err := blas.SolveRight(ctx, b, u); err != nil {
		return k, err
	}
	err := blas.Syrk(ctx, false, -1/t.Gamma, b, 1/t.Gamma, k)
	blas.Mirror(k)
	return k, err
}

func scale(v []float64, by float64) {
	for j := range v {
		v[j] *= by
	}
}
