package ridge

import (
	"context"

	"rvflplus/blas"
)

// The loss of f alone, and its derivatives, in the notation of gradient.go. Let s be the sign of the correction, so
// that its right-hand side is Z = [Y, 1] − sC·Pv1ᵀ (the column of ones has no correction), α = MZ, B = ΩM, and
//
//	bᵢ = Bᵢᵢ,  ρᵢ = bᵢ/Mᵢᵢ,  qᵢ = (MP)ᵢᵢ,  tᵢ = (ΩMP)ᵢᵢ,
//	f⁻ⁱ = (Ωα)ᵢ + sCvᵢtᵢ − ρᵢ(αᵢ + sCvᵢqᵢ),
//
// the dual leave-one-out of dual_loo.go. Going through these backwards, from f̄ (a column for each output, F̄ᵢ the sum
// over those of targets):
//
//	ᾱ = Ωf̄ − ρ∘f̄,  ρ̄ᵢ = −Σ f̄ᵢ(αᵢ + sCvᵢqᵢ),  t̄ᵢ = sCvᵢF̄ᵢ,  q̄ᵢ = −ρᵢsCvᵢF̄ᵢ,
//	b̄ᵢ = ρ̄ᵢ/Mᵢᵢ,  dᵢ = −ρ̄ᵢbᵢ/Mᵢᵢ²,  z̄ = Mᾱ,
//	M̄ = ᾱZᵀ + Ω·diag(b̄) + diag(d) + Ω·diag(t̄)·P + diag(q̄)·P,
//	S̄ = −MM̄M,
//	Ω̄ = S̄ + f̄αᵀ + diag(b̄)M + diag(t̄)PM,
//	P̄ = S̄ + MΩ·diag(t̄) + M·diag(q̄) − sC(z̄1)vᵀ,
//
// and log C adds C·∂/∂C of the terms with sC: s·C·Σ(vᵢF̄ᵢ(tᵢ − ρᵢqᵢ)) − sC·Σ z̄ᵢ(Pv)ᵢ.

// aloneTerms is what the loss of f alone leaves for its derivatives.
type aloneTerms struct {
	sC       float64     // sC, 0 without a correction
	alpha    blas.Matrix // N×(m+1)
	smoother blas.Matrix // B
	moved    blas.Matrix // PM, N×N; no rows without a correction
	right    blas.Matrix // Z
	pv       []float64   // Pv
	rho      []float64
	q, t     []float64
}

// leaveOutAlone replaces the residuals of the whole fit by those of f.
func (t *gradientTerms) leaveOutAlone(ctx context.Context) error {
	if t.Sets != nil {
		panic("ridge: the loss of f alone leaves single rows out")
	}
	n, m := t.Y.Rows, t.Y.Cols
	a := &aloneTerms{sC: sign(t.Correction) * t.C, alpha: blas.Clone(t.solved), right: blas.Clone(t.ones),
		smoother: t.Space.New(n, n), rho: make([]float64, n), q: make([]float64, n), t: make([]float64, n)}
	t.alone = a
	if err := blas.Gemm(ctx, false, false, 1, t.Omega, t.inverse, 0, a.smoother); err != nil {
		return err
	}
	if a.sC != 0 {
		if err := t.correct(ctx, a); err != nil {
			return err
		}
	}
	fits := blas.New(n, m+1)
	if err := blas.Gemm(ctx, false, false, 1, t.Omega, a.alpha, 0, fits); err != nil {
		return err
	}
	for i := range n {
		a.rho[i] = a.smoother.Data[i*(n+1)] / t.inverse.Data[i*(t.inverse.Stride+1)]
		fit, alpha := blas.Row(fits, i), blas.Row(a.alpha, i)
		cv := a.sC * t.Weight[i]
		for j := range fit {
			fit[j] -= a.rho[i] * alpha[j]
			if j < m {
				fit[j] += cv * (a.t[i] - a.rho[i]*a.q[i])
			}
		}
		held, targets, shift := blas.Row(t.held, i), blas.Row(t.ones, i), blas.Row(t.shift, i)
		for j := range held {
			held[j] = targets[j] - fit[j] - shift[j]*(1-fit[m])
		}
	}
	return nil
}

// correct adds the correction to the right-hand side and to α.
func (t *gradientTerms) correct(ctx context.Context, a *aloneTerms) error {
	n, m, nc := t.Y.Rows, t.Y.Cols, t.Priv.Rows
	a.moved = t.Space.New(n, n)
	top, rows := blas.View(a.moved, 0, nc, 0, n), blas.View(t.inverse, 0, nc, 0, n)
	if err := blas.Gemm(ctx, false, false, 1/t.Gamma, t.Priv, rows, 0, top); err != nil {
		return err
	}
	a.pv = make([]float64, n)
	for i := range nc {
		a.pv[i] = dot(blas.Row(t.Priv, i), t.Weight[:nc]) / t.Gamma
	}
	for i := range n {
		var change float64
		for j := range nc { // (MPv)ᵢ
			change += t.inverse.Data[i*t.inverse.Stride+j] * a.pv[j]
		}
		for j := range m {
			a.right.Data[i*(m+1)+j] -= a.sC * a.pv[i]
			a.alpha.Data[i*(m+1)+j] -= a.sC * change
		}
		a.q[i] = a.moved.Data[i*n+i]
		a.t[i] = dot(blas.Row(a.moved, i), blas.Row(t.Omega, i))
	}
	return nil
}

// derivativesAlone returns the derivatives of the loss of f alone.
func (t *gradientTerms) derivativesAlone(ctx context.Context) (LossGradient, error) {
	n, m, a := t.Y.Rows, t.Y.Cols, t.alone
	byFit := t.byResiduals() // f̄ = −r̄, and of the column of ones Σ r̄·shift·(−1)
	for i := range byFit.Data {
		byFit.Data[i] = -byFit.Data[i]
	}
	byAlpha := blas.New(n, m+1)
	if err := blas.Gemm(ctx, false, false, 1, t.Omega, byFit, 0, byAlpha); err != nil {
		return LossGradient{}, err
	}
	byB, byT, byQ, diag := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	var logC float64
	for i := range n {
		f, alpha := blas.Row(byFit, i), blas.Row(a.alpha, i)
		own, cv := t.inverse.Data[i*(t.inverse.Stride+1)], a.sC*t.Weight[i]
		byRho, total := 0.0, sum(f[:m])
		for j := range f {
			byRho -= f[j] * alpha[j]
		}
		byRho -= total * cv * a.q[i]
		byT[i], byQ[i] = cv*total, -a.rho[i]*cv*total
		byB[i], diag[i] = byRho/own, -byRho*a.rho[i]/own
		logC += cv * total * (a.t[i] - a.rho[i]*a.q[i])
		blas.Axpy(-a.rho[i], f, blas.Row(byAlpha, i))
	}
	inner := t.Space.New(n, n) // M̄
	if err := blas.Gemm(ctx, false, true, 1, byAlpha, a.right, 0, inner); err != nil {
		return LossGradient{}, err
	}
	t.addDiagonals(inner, byB, diag)
	omega, priv := t.Space.New(n, n), t.Space.New(n, n)
	if a.sC != 0 {
		moved, err := t.addCorrected(ctx, byAlpha, byT, byQ, inner, omega, priv)
		if err != nil {
			return LossGradient{}, err
		}
		logC += moved
	}
	system, half := t.Space.New(n, n), t.Space.New(n, n)
	if err := blas.Gemm(ctx, false, false, 1, t.inverse, inner, 0, half); err != nil {
		return LossGradient{}, err
	}
	if err := blas.Gemm(ctx, false, false, -1, half, t.inverse, 0, system); err != nil {
		return LossGradient{}, err
	}
	if err := blas.Gemm(ctx, false, true, 1, byFit, a.alpha, 1, omega); err != nil {
		return LossGradient{}, err
	}
	for i := range n {
		blas.Axpy(byB[i], blas.Row(t.inverse, i), blas.Row(omega, i))
		blas.Axpy(1, blas.Row(system, i), blas.Row(omega, i))
		blas.Axpy(1, blas.Row(system, i), blas.Row(priv, i))
	}
	symmetrise(omega)
	symmetrise(priv)
	symmetrise(system)
	g := t.gradient(system, priv, logC, 0) // noise belongs to S
	g.Omega = omega
	return g, nil
}

// addDiagonals adds Ω·diag(b̄) + diag(d) to M̄.
func (t *gradientTerms) addDiagonals(inner blas.Matrix, byB, diag []float64) {
	for i := range inner.Rows {
		row, omega := blas.Row(inner, i), blas.Row(t.Omega, i)
		for j := range row {
			row[j] += omega[j] * byB[j]
		}
		row[i] += diag[i]
	}
}

// addCorrected adds the terms of a correction to M̄, Ω̄ and P̄, and returns its term of the derivative by log C.
func (t *gradientTerms) addCorrected(ctx context.Context, byAlpha blas.Matrix, byT, byQ []float64,
	inner, omega, priv blas.Matrix) (logC float64, err error) {
	n, m, nc, a := t.Y.Rows, t.Y.Cols, t.Priv.Rows, t.alone
	weighed := t.Space.Clone(t.Omega) // Ω·diag(t̄) + diag(q̄)
	for i := range n {
		row := blas.Row(weighed, i)
		for j := range row {
			row[j] *= byT[j]
		}
		row[i] += byQ[i]
		blas.Axpy(byT[i], blas.Row(a.moved, i), blas.Row(omega, i)) // diag(t̄)PM
	}
	left, columns := blas.View(weighed, 0, n, 0, nc), blas.View(inner, 0, n, 0, nc)
	if err := blas.Gemm(ctx, false, false, 1/t.Gamma, left, t.Priv, 1, columns); err != nil {
		return 0, err
	}
	z := blas.New(n, m+1)
	if err := blas.Gemm(ctx, false, false, 1, t.inverse, byAlpha, 0, z); err != nil {
		return 0, err
	}
	for i := range n {
		row, total := blas.Row(priv, i), sum(blas.Row(z, i)[:m])
		logC -= a.sC * total * a.pv[i]
		inverse := blas.Row(t.inverse, i)
		for j := range nc { // (MΩ)ᵢⱼ = Bⱼᵢ
			row[j] += a.smoother.Data[j*n+i]*byT[j] + inverse[j]*byQ[j] - a.sC*total*t.Weight[j]
		}
	}
	return logC, nil
}
