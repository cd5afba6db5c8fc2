package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
)

// The loss of rows left out, and its derivatives by every element of the kernel matrices, are derived here. They are
// what parameters of kernels are learned by: for a parameter θ the chain rule needs no more than
//
//	dL/dθ = Σᵢⱼ (∂L/∂Ω)ᵢⱼ dΩᵢⱼ/dθ + Σᵢⱼ (∂L/∂Ω̃)ᵢⱼ dΩ̃ᵢⱼ/dθ
//
// Notation: P = Ω̃/γ, filled with zeros for rows without privileged values; S = Ω + P + (CV)⁻¹, M = S⁻¹, [A, u] =
// M[Y, 1]; x̄ is the derivative of the loss by x.
//
// The whole fit f + g. Without a fold F its residuals are r_F = M_FF⁻¹(A_F − u_F ȳ⁻ᶠ), see dual_loo.go. With T_F =
// M_FF⁻¹ r̄_F, for targets and for the column of ones,
//
//	S̄ = −M(T[Y, 1]ᵀ + D)M,  D_FF = −T_F r_Fᵀ,
//
// and both Ω̄ and P̄ are S̄. The residuals of f alone differ when there is a privileged part; see alone.go.

// LossGradient is the loss of rows left out and its derivatives.
type LossGradient struct {
	// Loss is the mean over rows, by weight, and over outputs of the squared error of the predictions of rows left out,
	// each output's error times its scale.
	Loss float64
	// Held holds the residuals yᵢ − f⁻ⁱ of the rows, N×m.
	Held blas.Matrix
	// Omega and Priv are the derivatives by the elements of Ω, N×N, and of Ω̃, N_c×N_c: symmetric, each element of the
	// kernel matrix counted by itself. Priv has no rows without a privileged part.
	Omega, Priv blas.Matrix
	LogC        float64 // derivative by log C
	LogGamma    float64 // derivative by log γ
}

// GradientProblem is a PathProblem whose loss of rows left out is to be minimised.
type GradientProblem struct {
	PathProblem
	Scale []float64 // of each output's error, m
	// Whole takes the residuals of f + g, which the form projected is chosen by, instead of those of f alone. Without a
	// privileged part both are the same.
	Whole bool
	// Space, if given, holds the N×N matrices. Those of a loss, and its derivatives, are in use until it is reset.
	Space *Workspace
}

// gradientTerms is what the loss leaves for its derivatives.
type gradientTerms struct {
	GradientProblem
	Params
	noise   []float64
	ones    blas.Matrix // [Y − ȳ, 1], N×(m+1)
	inverse blas.Matrix // M
	solved  blas.Matrix // [A, u] = M·ones
	apart   blas.Matrix // M_FF⁻¹[A, u]_F: residuals of targets and of ones
	held    blas.Matrix // residuals r
	shift   blas.Matrix // ȳ⁻ᶠ − ȳ for the fold of each row, N×m
	total   float64
	alone   *aloneTerms
}

// Loss returns the loss under given parameters, and a function that returns its derivatives at further cost. A
// system that cannot be solved, or that is not determined without a fold, is a fault.NotSolved error. Cost in N³
// operations: one for the loss, one for the derivatives (two with folds; of f alone with a privileged part six),
// memory 4 N×N matrices.
func (p GradientProblem) Loss(ctx context.Context, q Params) (
	loss float64, gradient func(context.Context) (LossGradient, error), err error) {
	t := &gradientTerms{GradientProblem: p, Params: q, total: sum(p.Weight)}
	if err := t.solve(ctx); err != nil {
		return 0, nil, err
	}
	if p.Priv.Rows > 0 && !p.Whole {
		if err := t.leaveOutAlone(ctx); err != nil {
			return 0, nil, err
		}
	}
	loss = t.loss()
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, nil, fault.New(fault.NotSolved, "the squared errors of rows left out overflow")
	}
	return loss, t.derivatives, nil
}

// solve factorises the system and leaves the rows of every fold out.
func (t *gradientTerms) solve(ctx context.Context) error {
	n, m := t.Y.Rows, t.Y.Cols
	var trace float64
	for i := range t.Priv.Rows {
		trace += t.Priv.Data[i*t.Priv.Stride+i] * t.Weight[i]
	}
	var err error
	if t.noise, err = t.Params.noise(t.Weight, t.Priv.Rows, trace); err != nil {
		return err
	}
	system := t.Space.Clone(t.Omega)
	for i := range t.Priv.Rows {
		blas.Axpy(1/t.Gamma, blas.Row(t.Priv, i), blas.Row(system, i)[:t.Priv.Rows])
	}
	for i := range n {
		system.Data[i*system.Stride+i] += t.noise[i]
	}
	pivot, err := blas.Factor(ctx, system, nil)
	if err != nil {
		return err
	}
	if pivot >= 0 {
		return fault.New(fault.NotSolved, "the system is singular at row %d", pivot+1)
	}
	t.inverse = t.Space.New(n, n)
	if err := blas.InverseTo(ctx, system, t.Space.New(n, n), t.inverse); err != nil {
		return err
	}
	offset := mean(t.Y, t.Weight, t.total, t.Center)
	t.ones = blas.New(n, m+1)
	for i := range n {
		row := blas.Row(t.ones, i)
		for j, y := range blas.Row(t.Y, i) {
			row[j] = y - offset[j]
		}
		row[m] = 1
	}
	t.solved = blas.New(n, m+1)
	if err := blas.Gemm(ctx, false, false, 1, t.inverse, t.ones, 0, t.solved); err != nil {
		return err
	}
	return t.leaveOut()
}

// each calls use for the rows of every fold.
func (t *gradientTerms) each(use func(fold []int) error) error {
	if t.Sets != nil {
		for _, fold := range t.Sets {
			if err := use(fold); err != nil {
				return err
			}
		}
		return nil
	}
	one := make([]int, 1)
	for i := range t.Y.Rows {
		one[0] = i
		if err := use(one); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut computes the residuals of the whole fit without each fold.
func (t *gradientTerms) leaveOut() error {
	n, m := t.Y.Rows, t.Y.Cols
	t.apart, t.held, t.shift = blas.Clone(t.solved), blas.New(n, m), blas.New(n, m)
	return t.each(func(fold []int) error {
		if err := t.divide(fold, t.apart); err != nil {
			return err
		}
		moved, err := t.meanWithout(fold)
		if err != nil {
			return err
		}
		for _, i := range fold {
			apart, held := blas.Row(t.apart, i), blas.Row(t.held, i)
			copy(blas.Row(t.shift, i), moved)
			for j := range held {
				held[j] = apart[j] - moved[j]*apart[m]
			}
		}
		return nil
	})
}

// meanWithout returns ȳ⁻ᶠ − ȳ, zeros when targets are not centred.
func (t *gradientTerms) meanWithout(fold []int) ([]float64, error) {
	moved, weight := make([]float64, t.Y.Cols), 0.0
	if !t.Center {
		return moved, nil
	}
	for _, i := range fold {
		weight += t.Weight[i]
		for j := range moved {
			moved[j] -= t.Weight[i] * t.ones.Data[i*t.ones.Stride+j]
		}
	}
	if t.meanUndefined(weight, t.total) {
		return nil, leverageOne(fold[0])
	}
	for j := range moved {
		moved[j] /= t.total - weight
	}
	return moved, nil
}

// divide replaces the rows of a fold in x by M_FF⁻¹ times these rows.
func (t *gradientTerms) divide(fold []int, x blas.Matrix) error {
	if len(fold) == 1 {
		i := fold[0]
		own := t.inverse.Data[i*(t.inverse.Stride+1)]
		if !(own > 0) {
			return leverageOne(i)
		}
		row := blas.Row(x, i)
		for j := range row {
			row[j] /= own
		}
		return nil
	}
	ctx := context.Background()
	part, rows := t.block(fold), blas.Gather(x, fold)
	if pivot, err := blas.Factor(ctx, part, nil); err != nil || pivot >= 0 {
		return leverageOne(fold[max(0, pivot)])
	}
	if err := blas.SolveCholesky(ctx, part, rows); err != nil {
		return err
	}
	for k, i := range fold {
		copy(blas.Row(x, i), blas.Row(rows, k))
	}
	return nil
}

// block returns M_FF.
func (t *gradientTerms) block(fold []int) blas.Matrix {
	part := blas.New(len(fold), len(fold))
	for a, i := range fold {
		for b, j := range fold {
			part.Data[a*part.Stride+b] = t.inverse.Data[i*t.inverse.Stride+j]
		}
	}
	return part
}

// factorOf is what the squared error of output j in row i counts as in the loss.
func (t *gradientTerms) factorOf(i, j int) float64 {
	return t.Weight[i] * t.Scale[j] * t.Scale[j] / (t.total * float64(t.Y.Cols))
}

func (t *gradientTerms) loss() float64 {
	var loss float64
	for i := range t.held.Rows {
		for j, r := range blas.Row(t.held, i) {
			loss += t.factorOf(i, j) * r * r
		}
	}
	return loss
}

// byResiduals returns r̄ for targets and, in the last column, for the column of ones.
func (t *gradientTerms) byResiduals() blas.Matrix {
	n, m := t.Y.Rows, t.Y.Cols
	out := blas.New(n, m+1)
	for i := range n {
		row, shift := blas.Row(out, i), blas.Row(t.shift, i)
		for j, r := range blas.Row(t.held, i) {
			row[j] = 2 * t.factorOf(i, j) * r
			row[m] -= row[j] * shift[j]
		}
	}
	return out
}

// derivatives returns the derivatives of the loss.
func (t *gradientTerms) derivatives(ctx context.Context) (LossGradient, error) {
	if t.alone != nil {
		return t.derivativesAlone(ctx)
	}
	n := t.Y.Rows
	weights := t.byResiduals()
	if err := t.each(func(fold []int) error { return t.divide(fold, weights) }); err != nil {
		return LossGradient{}, err
	}
	left := blas.New(n, weights.Cols) // MT
	if err := blas.Gemm(ctx, false, false, 1, t.inverse, weights, 0, left); err != nil {
		return LossGradient{}, err
	}
	system := t.Space.New(n, n)
	if err := t.betweenInverses(ctx, weights, system); err != nil {
		return LossGradient{}, err
	}
	if err := blas.Gemm(ctx, false, true, -1, left, t.solved, 1, system); err != nil {
		return LossGradient{}, err
	}
	symmetrise(system)
	return t.gradient(system, blas.View(system, 0, t.Priv.Rows, 0, t.Priv.Rows), 0, 0), nil
}

// betweenInverses sets dst to −MDM, D_FF = −T_F r_Fᵀ.
func (t *gradientTerms) betweenInverses(ctx context.Context, weights, dst blas.Matrix) error {
	n := t.Y.Rows
	if t.Sets == nil { // D is diagonal and nowhere positive: −MDM is a square
		scaled := t.Space.Clone(t.inverse)
		for i := range n {
			d := math.Sqrt(max(0, dot(blas.Row(weights, i), blas.Row(t.apart, i))))
			row := blas.Row(scaled, i)
			for j := range row {
				row[j] *= d
			}
		}
		err := blas.Syrk(ctx, true, 1, scaled, 0, dst)
		blas.Mirror(dst)
		return err
	}
	product := t.Space.New(n, n) // −DM
	for _, fold := range t.Sets {
		for _, i := range fold {
			row := blas.Row(product, i)
			for _, k := range fold {
				blas.Axpy(dot(blas.Row(weights, i), blas.Row(t.apart, k)), blas.Row(t.inverse, k), row)
			}
		}
	}
	return blas.Gemm(ctx, false, false, 1, t.inverse, product, 0, dst)
}

// gradient joins Ω̄ and P̄, both symmetric, and derivatives by log C and log γ that come on top.
func (t *gradientTerms) gradient(omega, priv blas.Matrix, logC, logGamma float64) LossGradient {
	g := LossGradient{Loss: t.loss(), Held: t.held, Omega: omega, LogC: logC, LogGamma: logGamma}
	for i, noise := range t.noise {
		own := 1 / (t.C * t.Weight[i]) // the rest is the noise of rows without privileged values, which γ divides
		d := omega.Data[i*(omega.Stride+1)]
		g.LogC -= own * d
		g.LogGamma -= (noise - own) * d
	}
	if nc := t.Priv.Rows; nc > 0 {
		g.Priv = t.Space.New(nc, nc)
		for i := range nc {
			blas.Axpy(1/t.Gamma, blas.Row(priv, i)[:nc], blas.Row(g.Priv, i))
			g.LogGamma -= dot(blas.Row(g.Priv, i), blas.Row(t.Priv, i))
		}
	}
	return g
}

// symmetrise replaces a by (a + aᵀ)/2.
func symmetrise(a blas.Matrix) {
	for i := range a.Rows {
		for j := range i {
			v := (a.Data[i*a.Stride+j] + a.Data[j*a.Stride+i]) / 2
			a.Data[i*a.Stride+j], a.Data[j*a.Stride+i] = v, v
		}
	}
}

// Predictions returns f⁻ⁱ for targets y, N×m.
func (g LossGradient) Predictions(y blas.Matrix) blas.Matrix {
	out := blas.Clone(y)
	for i := range out.Rows {
		blas.Axpy(-1, blas.Row(g.Held, i), blas.Row(out, i))
	}
	return out
}
