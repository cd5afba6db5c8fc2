package ridge

import (
	"context"
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
	n, m, nc := s.Y.Rows, s.Y.Cols, s.Complete
	inverse, err := blas.Inverse(ctx, s.factor)
	if err != nil {
		return blas.Matrix{}, err
	}
	inverse2, err := blas.Inverse(ctx, s.factor2)
	if err != nil {
		return blas.Matrix{}, err
	}
	a := inverse2.Rows
	moved := blas.New(n, a) // Bᵀ
	err = blas.Gemm(ctx, false, false, 1/s.Gamma, blas.View(inverse, 0, n, 0, nc), blas.View(s.Priv, 0, nc, 0, a), 0, moved)
	if err != nil {
		return blas.Matrix{}, err
	}
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
	for i := range n {
		own := inverse.Data[i*inverse.Stride+i]
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
		if s.meanUndefined(s.Weight[i], s.total) || !(own > 0) || slope-slope != 0 {
			return blas.Matrix{}, leverageOne(i)
		}
		alpha := blas.Row(s.alpha, i)
		constant := fit[m] - slope*alpha[m]/own
		for j, row := 0, blas.Row(loo, i); j < m; j++ {
			shift := s.meanShift(s.Weight[i], s.total, s.Y.Data[i*s.Y.Stride+j]-s.mean[j])
			row[j] = fit[j] - slope*alpha[j]/own + s.mean[j] + shift*(1-constant)
		}
	}
	return loo, ctx.Err()
}
