package ridge

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/internal/gram"
)

// Primal is the solution in the weights of explicit features,
//
//	[w; √γ·w̃] = S⁻¹ b,  S = ZᵀVZ + I/C,  b = ZᵀV(Y − 1ȳ) ± [0; s̃/√γ] 1ᵀ
//
// with Z = [H, H̃/√γ], s̃ = H̃ᵀv, and + for learn.Paper, − for learn.Derived, 0 for learn.Additive. This equals eq:12:
// multiplied by S⁻¹, its right-hand side −κZᵀVH̃s̃ = −κ√γ(S − I/C)[0; s̃] gives ±[0; s̃]/√γ and a part that the
// definition of w̃ takes back. Unlike eq:12 it has no term that grows with C/γ.
type Primal struct {
	params       Params
	normal, priv int
	factor       blas.Matrix // U of S
	theta        blas.Matrix // [w; √γ·w̃], (D+D̃)×m
	ones         []float64   // S⁻¹ZᵀV1, the solution for targets of 1
	mean         []float64   // ȳ
	total        float64     // Σv over all rows
	lacking      float64     // factor of the weights of rows without privileged values
	told         trap        // by LeaveOneOut
}

// FitPrimal solves from the statistics of the rows with privileged values and of the rows without, whose H̃ is zero;
// lacking may be nil. Cost (D+D̃)³/3 operations, memory 8·(D+D̃)² bytes. A system that cannot be solved is a
// fault.NotSolved error.
func FitPrimal(ctx context.Context, complete, lacking *gram.Stats, p Params) (*Primal, error) {
	return fitPrimal(ctx, complete, lacking, p, p.lackingFactor(complete.PrivTrace(), complete.Weight()))
}

// fitPrimal is FitPrimal with the factor of the weights of rows without privileged values.
func fitPrimal(ctx context.Context, complete, lacking *gram.Stats, p Params, factor float64) (*Primal, error) {
	d, e, m := complete.Dims()
	f := &Primal{params: p, normal: d, priv: e, lacking: factor, mean: make([]float64, m)}
	for _, s := range []*gram.Stats{complete, lacking} {
		if s == nil {
			continue
		}
		f.total += s.Weight()
		for j, t := range column(s.TargetSums(), 0) {
			f.mean[j] += t
		}
	}
	for j := range f.mean {
		if p.Center {
			f.mean[j] /= f.total
		} else {
			f.mean[j] = 0
		}
	}
	f.factor = blas.New(d+e, d+e)
	right := blas.New(d+e, m+1)
	f.accumulate(complete, 1, right)
	if lacking != nil {
		f.accumulate(lacking, f.lacking, right)
	}
	for i, s := range column(complete.FeatureSums(), 0)[d:] { // ±s̃/√γ, for the targets only
		for j := range m {
			right.Data[(d+i)*right.Stride+j] += sign(p.Correction) * s * f.scale(d)
		}
	}
	for i := range d + e {
		f.factor.Data[i*f.factor.Stride+i] += 1 / p.C
	}
	if err := factorise(ctx, f.factor, 1/p.C, nil); err != nil {
		return nil, err
	}
	if err := blas.SolveCholesky(ctx, f.factor, right); err != nil {
		return nil, err
	}
	f.theta, f.ones = blas.View(right, 0, d+e, 0, m), column(right, m)
	return f, nil
}

// accumulate adds factor times ZᵀVZ of some rows to S, ZᵀV(Y−1ȳ) to the first m columns of right and ZᵀV1 to the last.
func (f *Primal) accumulate(s *gram.Stats, factor float64, right blas.Matrix) {
	features, targets, sums := s.Features(), s.FeaturesTargets(), s.FeatureSums()
	for i := range features.Rows {
		zi := f.scale(i) * factor
		dst := blas.Row(f.factor, i)
		for j, v := range blas.Row(features, i)[i:] {
			dst[i+j] += zi * f.scale(i+j) * v
		}
		total := sums.Data[i*sums.Stride]
		r := blas.Row(right, i)
		for j, v := range blas.Row(targets, i) {
			r[j] += zi * (v - f.mean[j]*total)
		}
		r[len(r)-1] += zi * total
	}
}

// scale is the factor between column i of [H, H̃] and of Z.
func (f *Primal) scale(i int) float64 {
	if i < f.normal {
		return 1
	}
	return 1 / math.Sqrt(f.params.Gamma)
}

// Weights returns w, D×m.
func (f *Primal) Weights() blas.Matrix {
	return blas.View(f.theta, 0, f.normal, 0, f.theta.Cols)
}

// PrivWeights returns w̃, D̃×m, such that y = hw + h̃w̃ + ȳ + ε.
func (f *Primal) PrivWeights() blas.Matrix {
	w := blas.New(f.priv, f.theta.Cols)
	for i := range f.priv {
		row := blas.Row(w, i)
		for j, v := range blas.Row(f.theta, f.normal+i) {
			row[j] = v * f.scale(f.normal)
		}
	}
	return w
}

// Offset returns ȳ, m numbers.
func (f *Primal) Offset() []float64 { return slices.Clone(f.mean) }
