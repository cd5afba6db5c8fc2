package ridge

import (
	"context"
	"errors"
	"math"

	"rvflplus/blas"
)

// ProjectedProblem is the first stage of the projected form (learn.Projected) on kernels. Labelled rows come first,
// those with privileged values before those without. Rows without a target (unlabelled) have privileged values.
type ProjectedProblem struct {
	Omega blas.Matrix // Ω of the N labelled rows, N×N, both triangles
	// Priv is Ω̃ of the rows that have privileged values: the first N_c labelled rows, then the U unlabelled ones.
	// A×A with A = N_c + U, both triangles.
	Priv     blas.Matrix
	Complete int         // N_c
	Y        blas.Matrix // N×m
	Weight   []float64   // N, all > 0; unlabelled rows have weight 1
	Params
}

// Projected is the projected additive form. The first stage is y = f₀(x) + g(x̃) + ε, as for learn.Additive:
//
//	M = (Ω + Ω̃/γ + (CV)⁻¹)⁻¹,  α = M(Y − 1ȳ),  ĝ = Ω̃_{A,·}α/γ.
//
// The second stage regresses ĝ, which needs no target, on the normal features of all A rows:
//
//	M₂ = (Ω₂ + (C₂V_A)⁻¹)⁻¹,  β = M₂ĝ,  f(x) = k(x,·)α + k₂(x,·)β + ȳ.
//
// The additive form drops E[g|x] and is biased where x̃ depends on x; the projected form is not.
type Projected struct {
	ProjectedProblem
	total   float64
	mean    []float64
	factor  blas.Matrix // U of M⁻¹
	alpha   blas.Matrix // N×(m+1), the last column for targets of 1
	guides  blas.Matrix // ĝ, A×(m+1)
	factor2 blas.Matrix // U of M₂⁻¹
	beta    blas.Matrix // A×(m+1)
	lacking blas.Matrix // k₂ of labelled rows without privileged values against the A rows
	// LeaveOneOut sets these.
	inverse, inverse2 blas.Matrix // M and M₂
	moved             blas.Matrix // Bᵀ, see LeaveOneOut
}

// ProjectedBytes returns the memory that the projected form takes for n labelled and a rows with privileged values,
// beside the caller's kernel matrices.
func ProjectedBytes(n, a int, leaveOneOut bool) float64 {
	fn, fa := float64(n), float64(a)
	need := fn*fn + fa*fa
	if leaveOneOut {
		need += fn*fn + fa*fa + fn*fa
	}
	return 8 * need
}

// NewProjected solves the first stage: N³/3 operations. A system that cannot be solved is a fault.NotSolved error.
func NewProjected(ctx context.Context, p ProjectedProblem) (*Projected, error) {
	n, m := p.Y.Rows, p.Y.Cols
	s := &Projected{ProjectedProblem: p, total: sum(p.Weight)}
	s.mean = mean(p.Y, p.Weight, s.total, p.Center)
	var trace float64
	for i := range p.Complete {
		trace += p.Priv.Data[i*p.Priv.Stride+i] * p.Weight[i]
	}
	noise, err := p.noise(p.Weight, p.Complete, trace)
	if err != nil {
		return nil, err
	}
	s.factor = blas.New(n, n)
	floor := math.Inf(1)
	for i := range n {
		row := blas.Row(s.factor, i)
		copy(row[i:], blas.Row(p.Omega, i)[i:])
		if i < p.Complete {
			blas.Axpy(1/p.Gamma, blas.Row(p.Priv, i)[i:p.Complete], row[i:p.Complete])
		}
		row[i] += noise[i]
		floor = min(floor, noise[i])
	}
	if err := factorise(ctx, s.factor, floor, nil); err != nil {
		return nil, err
	}
	s.alpha = rightHandSide(p.Y, s.mean, make([]float64, n))
	if err := blas.SolveCholesky(ctx, s.factor, s.alpha); err != nil {
		return nil, err
	}
	s.guides = blas.New(p.Priv.Rows, m+1)
	err = blas.Gemm(ctx, false, false, 1/p.Gamma, blas.View(p.Priv, 0, p.Priv.Rows, 0, p.Complete),
		blas.View(s.alpha, 0, p.Complete, 0, m+1), 0, s.guides)
	return s, err
}

// Guides returns ĝ, A×m: what the privileged features explain, the targets of the second stage.
func (s *Projected) Guides() blas.Matrix {
	return blas.View(s.guides, 0, s.guides.Rows, 0, s.Y.Cols)
}

// GuideWeights returns the weights of the A rows.
func (s *Projected) GuideWeights() []float64 {
	weights := make([]float64, s.Priv.Rows)
	for i := range weights {
		weights[i] = 1
		if i < s.Complete {
			weights[i] = s.Weight[i]
		}
	}
	return weights
}

// Alpha returns α, N×m, and Offset ȳ.
func (s *Projected) Alpha() blas.Matrix { return blas.View(s.alpha, 0, s.alpha.Rows, 0, s.Y.Cols) }

// Offset returns ȳ, m numbers.
func (s *Projected) Offset() []float64 { return s.mean }

// Project solves the second stage and returns β, A×m. omega is Ω₂ of the A rows, both triangles; lacking is k₂ of the
// labelled rows without privileged values against the A rows, (N−N_c)×A, which leave-one-out needs. A³/3 operations.
func (s *Projected) Project(ctx context.Context, omega, lacking blas.Matrix, c2 float64) (blas.Matrix, error) {
	second := Params{C: c2}
	noise, err := second.noise(s.GuideWeights(), omega.Rows, 0)
	if err != nil {
		return blas.Matrix{}, err
	}
	s.lacking, s.factor2, s.beta = lacking, blas.New(omega.Rows, omega.Rows), blas.Clone(s.guides)
	floor := math.Inf(1)
	for i := range omega.Rows {
		row := blas.Row(s.factor2, i)
		copy(row[i:], blas.Row(omega, i)[i:])
		row[i] += noise[i]
		floor = min(floor, noise[i])
	}
	if err := factorise(ctx, s.factor2, floor, nil); err != nil {
		return blas.Matrix{}, err
	}
	err = blas.SolveCholesky(ctx, s.factor2, s.beta)
	return blas.View(s.beta, 0, s.beta.Rows, 0, s.Y.Cols), err
}

// LeaveOneOut returns the exact predictions of every labelled row by both stages without it, N×m; the system of the
// second stage does not have the row either. With B = Ω̃_{A,·}M/γ and rᵢ = αᵢ/M_ii,
//
//	f⁽⁻ⁱ⁾ = (Ωα)ᵢ + ĝᵢ − (M₂ĝ)ᵢ/M₂ᵢᵢ − rᵢ[(ΩM)ᵢᵢ + Bᵢᵢ − (M₂B)ᵢᵢ/M₂ᵢᵢ],
//
// and for a row without privileged values, which is not in the second stage,
//
//	f⁽⁻ⁱ⁾ = (Ωα)ᵢ + k₂(xᵢ,·)β − rᵢ[(ΩM)ᵢᵢ + k₂(xᵢ,·)M₂B_{·i}].
//
// The weight of rows without privileged values is held fixed. Cost N³ + A³ + 2N·N_c·A operations.
func (s *Projected) LeaveOneOut(ctx context.Context) (blas.Matrix, error) {
	if err := s.invert(ctx); err != nil {
		return blas.Matrix{}, err
	}
	n, m, nc, a := s.Y.Rows, s.Y.Cols, s.Complete, s.inverse2.Rows
	inverse, inverse2, moved := s.inverse, s.inverse2, s.moved
	smoothed, fits := blas.New(n-nc, a), blas.New(n, m+1)
	if err := blas.Gemm(ctx, false, false, 1, s.Omega, s.alpha, 0, fits); err != nil {
		return blas.Matrix{}, err
	}
	if n > nc {
		if err := blas.Gemm(ctx, false, false, 1, s.lacking, inverse2, 0, smoothed); err != nil {
			return blas.Matrix{}, err
		}
		if err := blas.Gemm(ctx, false, false, 1, s.lacking, s.beta, 1, blas.View(fits, nc, n, 0, m+1)); err != nil {
			return blas.Matrix{}, err
		}
	}
	loo := blas.New(n, m)
	var told trap
	for i := range n {
		own := inverse.Data[i*inverse.Stride+i]
		told.add(s.alpha.Data[i*s.alpha.Stride+m] / own)
		slope := dot(blas.Row(s.Omega, i), blas.Row(inverse, i)) // of f⁽⁻ⁱ⁾ in rᵢ
		fit := blas.Row(fits, i)
		if i < nc {
			own2 := inverse2.Data[i*inverse2.Stride+i]
			slope += moved.Data[i*moved.Stride+i] - dot(blas.Row(inverse2, i), blas.Row(moved, i))/own2
			for j := range fit {
				fit[j] += s.guides.Data[i*s.guides.Stride+j] - s.beta.Data[i*s.beta.Stride+j]/own2
			}
		} else {
			slope += dot(blas.Row(smoothed, i-nc), blas.Row(moved, i))
		}
		if s.meanUndefined(s.Weight[i], s.total) {
			return blas.Matrix{}, leverageOne(i)
		}
		alpha := blas.Row(s.alpha, i)
		constant := fit[m] - slope*alpha[m]/own
		for j, row := 0, blas.Row(loo, i); j < m; j++ {
			shift := s.meanShift(s.Weight[i], s.total, s.Y.Data[i*s.Y.Stride+j]-s.mean[j])
			row[j] = fit[j] - slope*alpha[j]/own + s.mean[j] + shift*(1-constant)
			if row[j]-row[j] != 0 { // not finite
				return blas.Matrix{}, leverageOne(i)
			}
		}
	}
	if err := errors.Join(ctx.Err(), told.err(s.Params)); err != nil {
		return blas.Matrix{}, err
	}
	return loo, nil
}

// invert sets M, M₂ and Bᵀ.
func (s *Projected) invert(ctx context.Context) (err error) {
	if s.inverse, err = blas.Inverse(ctx, s.factor); err != nil {
		return err
	}
	if s.inverse2, err = blas.Inverse(ctx, s.factor2); err != nil {
		return err
	}
	n, nc, a := s.Y.Rows, s.Complete, s.inverse2.Rows
	s.moved = blas.New(n, a)
	columns, rows := blas.View(s.inverse, 0, n, 0, nc), blas.View(s.Priv, 0, nc, 0, a)
	return blas.Gemm(ctx, false, false, 1/s.Gamma, columns, rows, 0, s.moved)
}

// LeftOut returns the models without each labelled row: column i·m+j of alpha (N×N·m) and beta (A×N·m) and number i·m+j
// of offset are output j of the model without row i. It follows LeaveOneOut. With δᵢ the change of the mean, u = M1,
// and ĝ¹, β¹ the values for targets of 1,
//
//	α⁽⁻ⁱ⁾ = α − δᵢu − M_{·i}ρᵢ,  ρᵢ = (αᵢ − δᵢuᵢ)/M_ii,  b = β − δᵢβ¹ − M₂B_{·i}ρᵢ,  β⁽⁻ⁱ⁾ = b − M₂_{·i}bᵢ/M₂ᵢᵢ;
//
// for a row without privileged values β⁽⁻ⁱ⁾ = b. Cost 2NA² operations.
func (s *Projected) LeftOut(ctx context.Context) (alpha, beta blas.Matrix, offset []float64, err error) {
	n, m, a := s.Y.Rows, s.Y.Cols, s.inverse2.Rows
	smoothed := blas.New(n, a) // (M₂B)ᵀ
	if err := blas.Gemm(ctx, false, false, 1, s.moved, s.inverse2, 0, smoothed); err != nil {
		return alpha, beta, nil, err
	}
	alpha, beta, offset = blas.New(n, n*m), blas.New(a, n*m), make([]float64, n*m)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return alpha, beta, nil, err
		}
		own, own2 := s.inverse.Data[i*s.inverse.Stride+i], 0.0
		if i < s.Complete {
			own2 = s.inverse2.Data[i*s.inverse2.Stride+i]
		}
		for j := range m {
			at := i*m + j
			shift := s.meanShift(s.Weight[i], s.total, s.Y.Data[i*s.Y.Stride+j]-s.mean[j])
			offset[at] = s.mean[j] + shift
			rho := (s.alpha.Data[i*s.alpha.Stride+j] - shift*s.alpha.Data[i*s.alpha.Stride+m]) / own
			for r := range n {
				row := blas.Row(s.alpha, r)
				alpha.Data[r*alpha.Stride+at] = row[j] - shift*row[m] - s.inverse.Data[r*s.inverse.Stride+i]*rho
			}
			alpha.Data[i*alpha.Stride+at] = 0
			left := blas.Row(smoothed, i)
			b := func(r int) float64 {
				row := blas.Row(s.beta, r)
				return row[j] - shift*row[m] - left[r]*rho
			}
			ratio := 0.0
			if own2 > 0 {
				ratio = b(i) / own2
			}
			for r := range a {
				beta.Data[r*beta.Stride+at] = b(r) - s.inverse2.Data[r*s.inverse2.Stride+min(i, a-1)]*ratio
			}
			if own2 > 0 {
				beta.Data[i*beta.Stride+at] = 0
			}
		}
	}
	return alpha, beta, offset, nil
}

// Posteriors returns the posteriors of both stages, as FitDual has them for one. They follow LeaveOneOut.
func (s *Projected) Posteriors() (first, second *Posterior) {
	of := func(factor, inverse, weights blas.Matrix) *Posterior {
		p := &Posterior{blas.Clone(factor), make([]float64, s.Y.Cols)}
		for i := range factor.Rows {
			clear(blas.Row(p.Factor, i)[:i])
		}
		for j := range p.Scale {
			var sum float64
			for i := range weights.Rows {
				v := weights.Data[i*weights.Stride+j]
				sum += v * v / inverse.Data[i*inverse.Stride+i]
			}
			p.Scale[j] = math.Sqrt(sum / float64(weights.Rows))
		}
		return p
	}
	return of(s.factor, s.inverse, s.alpha), of(s.factor2, s.inverse2, s.beta)
}

// ProjectCs returns the regularisations among which the second stage chooses; the first switches the stage off.
func ProjectCs() []float64 { return []float64{1e-6, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000} }

// LeastOwnError returns, of some regularisations of the second stage, the one whose own leave-one-out error of ĝ is
// least, and the error Σ vᵢ‖·‖². omega is Ω₂ of the rows of guides, both triangles. Regularisations for which the
// system cannot be solved are passed over; if all are, the error is +Inf.
func LeastOwnError(ctx context.Context, omega, guides blas.Matrix, weight, cs []float64) (c, least float64, err error) {
	path := NewPath(PathProblem{Omega: omega, Y: guides, Weight: weight})
	out, best := blas.New(omega.Rows, guides.Cols), cs[0]
	least = math.Inf(1)
	for _, c := range cs {
		if path.HeldOut(ctx, Params{C: c}, out) != nil {
			if ctx.Err() != nil {
				return best, least, ctx.Err()
			}
			continue
		}
		var loss float64
		for i, v := range weight {
			for j, t := range blas.Row(out, i) {
				d := t - guides.Data[i*guides.Stride+j]
				loss += v * d * d
			}
		}
		if loss < least {
			best, least = c, loss
		}
	}
	return best, least, nil
}
