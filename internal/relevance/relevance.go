// Package relevance learns a width for every feature of a kernel. It minimises the exact loss of rows left out of KRVFL
// and KRVFL+ by the derivatives of the closed forms (package internal/ridge), with a penalty that draws all widths
// towards each other. Kernels with a width a feature are those of automatic relevance determination (MacKay 1994, Neal
// 1996); that their parameters are learned by leave-one-out follows Allen's PRESS statistic (1974) and Sundararajan and
// Keerthi (2001).
//
// With kernel matrix Ω(θ) + Ω̃(θ̃)/γ and parameters p = (θ, θ̃, log C, log γ, log s) what is minimised is
//
//	log L(p) + λ·Σ_g (θ_g − θ̄)²/G + λ·Σ_g (θ̃_g − mean)²/G̃
//
// where L is the mean squared error of rows left out, θ_g = −log of the width of column g in units of the automatic
// width, s the share of the linear part, and λ the strength of the penalty.
package relevance

import (
	"context"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/internal/rng"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Space is the features of one space and the kernel on them.
type Space struct {
	X       blas.Matrix // rows × features
	Columns []int       // the raw column of each feature; features of one column share a width. nil: each its own
	// Kernel holds at most one term whose width is to be learned. Its other terms stay as they are, but for affine ones
	// where Share is set.
	Kernel kernel.Spec
	Share  bool // learns the share of the affine terms too
}

// Problem is what widths are learned on. Rows are aligned; those with privileged features come first.
type Problem struct {
	Normal Space
	Priv   Space       // its X has a row for each of the first rows, none without a privileged part
	Y      blas.Matrix // N×m targets
	Weight []float64   // N, all > 0
	Folds  [][]int     // rows that are left out together; nil leaves every row out alone
	Scale  []float64   // of each output's error, m
	Center bool        // centres the targets
	// Whole leaves rows out of f + g, which the form projected is chosen by, instead of out of f.
	Whole      bool
	Correction learn.Correction
	C, Gamma   float64 // 0: learned too
	Seed       uint64
}

// Fit is what was learned under one strength of the penalty.
type Fit struct {
	Strength     float64     // λ; +Inf: one width for all columns
	Kernel, Priv kernel.Spec // with numbers for widths
	C, Gamma     float64
	Loss         float64 // of the rows left out that it was learned by, which is too low an estimate for new rows
}

// Strengths are the strengths of the penalty that are tried, in that order: each starts from what the one before found.
func Strengths() []float64 { return []float64{math.Inf(1), 0.1, 0.01} }

// MostRows is the number of rows that widths are learned on; of more rows a sample is drawn.
const MostRows = 500

// Learn returns a fit for each strength. Cost about 30 evaluations each, of 3N³ + N²n operations (f alone with a
// privileged part: 8N³) for N up to MostRows; memory some fifteen N×N matrices. A problem that cannot be solved at any
// start is a fault.NotSolved error.
func Learn(ctx context.Context, p Problem, strengths []float64) ([]Fit, error) {
	if n := p.Y.Rows; n > MostRows {
		p = p.only(slices.Sorted(slices.Values(rng.New(p.Seed, "relevance").Perm(n)[:MostRows])))
	}
	o, err := newObjective(p)
	if err != nil {
		return nil, err
	}
	equal, apart, err := o.starts(ctx)
	if err != nil {
		return nil, err
	}
	var fits []Fit
	at := equal
	for _, strength := range strengths {
		if !math.IsInf(strength, 1) && apart != nil { // columns part from each other: from where is tried out
			if at, err = o.tryOut(ctx, append(apart, at), strength); err != nil {
				return nil, err
			}
			apart = nil
		}
		if at, _, err = o.minimise(ctx, at, strength, mostSteps); err != nil {
			return nil, err
		}
		fit, err := o.fit(ctx, at, strength)
		if err != nil {
			return nil, err
		}
		fits = append(fits, fit)
	}
	return fits, nil
}

// tryOut makes a few steps from each start and returns the best point.
func (o *objective) tryOut(ctx context.Context, starts [][]float64, strength float64) ([]float64, error) {
	var best []float64
	least := math.Inf(1)
	for _, from := range starts {
		x, value, err := o.minimise(ctx, from, strength, fewSteps)
		if err != nil {
			return nil, err
		}
		if value < least {
			best, least = x, value
		}
	}
	return best, nil
}

// only returns the problem of some rows, in ascending order.
func (p Problem) only(rows []int) Problem {
	nc := 0
	for nc < len(rows) && rows[nc] < p.Priv.X.Rows {
		nc++
	}
	at := map[int]int{}
	for k, i := range rows {
		at[i] = k
	}
	if p.Priv.X.Rows > 0 {
		p.Priv.X = blas.Gather(p.Priv.X, rows[:nc])
	}
	p.Normal.X, p.Y, p.Weight = blas.Gather(p.Normal.X, rows), blas.Gather(p.Y, rows), learn.Gather(p.Weight, rows)
	folds := p.Folds
	p.Folds = nil
	for _, fold := range folds {
		var own []int
		for _, i := range fold {
			if k, in := at[i]; in {
				own = append(own, k)
			}
		}
		if len(own) > 0 {
			p.Folds = append(p.Folds, own)
		}
	}
	return p
}

// fit returns what a point says.
func (o *objective) fit(ctx context.Context, point []float64, strength float64) (Fit, error) {
	params := o.params(point)
	f := Fit{Strength: strength, C: params.C, Gamma: params.Gamma}
	var err error
	if f.Kernel, err = o.normal.spec(o.theta(point, o.normal), o.share(point)); err != nil {
		return f, err
	}
	if o.priv != nil {
		if f.Priv, err = o.priv.spec(o.theta(point, o.priv), 1); err != nil {
			return f, err
		}
	}
	logLoss, _, err := o.loss(ctx, point)
	f.Loss = math.Exp(logLoss)
	return f, err
}
