package ridge

import (
	"context"
	"math"

	"rvflplus/blas"
	"rvflplus/internal/gram"
	"rvflplus/learn"
)

// PrimalProjected is Projected in the weights of explicit features. The first stage is Primal with learn.Additive: it
// gives w and v = √γ·w̃ from the labelled rows. The second stage regresses ĝ = H̃v/√γ on H over the A rows that have
// privileged values, with or without a target:
//
//	T = (HᵀVH + I/C₂)⁻¹,  R = T·HᵀVH̃/√γ,  f(x) = h(x)(w + Rv) + ȳ.
//
// Both stages need sums over rows only. The model has one vector of weights for each output, as one without a
// privileged part.
type PrimalProjected struct {
	stage1 *Primal
	square blas.Matrix // HᵀVH of the A rows, upper triangle
	cross  blas.Matrix // HᵀVH̃/√γ of the A rows, D×D̃
	stage2 stage2
	spread blas.Matrix // R, D×D̃
}

// stage2 is a ridge regression of ĝ on H.
type stage2 struct {
	factor blas.Matrix // U of T⁻¹
	theta  blas.Matrix // Rv, D×m
}

// NewPrimalProjected solves the first stage. complete and lacking hold the labelled rows with and without privileged
// values, as for FitPrimal. unlabelled holds rows without a target that have privileged values; its targets are not
// read. lacking and unlabelled may be nil. p.Correction is not read. Cost (D+D̃)³/3 operations, memory
// 8·((D+D̃)² + D² + DD̃) bytes. A system that cannot be solved is a fault.NotSolved error.
func NewPrimalProjected(
	ctx context.Context, complete, lacking, unlabelled *gram.Stats, p Params,
) (*PrimalProjected, error) {
	p.Correction = learn.Additive
	stage1, err := FitPrimal(ctx, complete, lacking, p)
	if err != nil {
		return nil, err
	}
	d, e := stage1.normal, stage1.priv
	f := &PrimalProjected{stage1: stage1, square: blas.New(d, d), cross: blas.New(d, e)}
	for _, s := range []*gram.Stats{complete, unlabelled} {
		if s == nil {
			continue
		}
		if normal, priv, _ := s.Dims(); normal != d || priv != e {
			panic("ridge: dimension mismatch")
		}
		features := s.Features()
		for i := range d {
			row := blas.Row(features, i)
			blas.Axpy(1, row[i:d], blas.Row(f.square, i)[i:])
			blas.Axpy(stage1.scale(d), row[d:d+e], blas.Row(f.cross, i))
		}
	}
	return f, nil
}

// solve solves the second stage for the targets ĝ.
func (f *PrimalProjected) solve(ctx context.Context, c2 float64) (stage2, error) {
	d, e, m := f.stage1.normal, f.stage1.priv, f.stage1.theta.Cols
	s := stage2{blas.Clone(f.square), blas.New(d, m)}
	for i := range d {
		s.factor.Data[i*s.factor.Stride+i] += 1 / c2
	}
	if err := factorise(ctx, s.factor, 1/c2, nil); err != nil {
		return s, err
	}
	v := blas.View(f.stage1.theta, d, d+e, 0, m)
	if err := blas.Gemm(ctx, false, false, 1, f.cross, v, 0, s.theta); err != nil {
		return s, err
	}
	return s, blas.SolveCholesky(ctx, s.factor, s.theta)
}

// Project solves the second stage: D³/3 + 2D²D̃ operations.
func (f *PrimalProjected) Project(ctx context.Context, c2 float64) error {
	s, err := f.solve(ctx, c2)
	if err != nil {
		return err
	}
	f.stage2, f.spread = s, blas.Clone(f.cross)
	return blas.SolveCholesky(ctx, s.factor, f.spread)
}

// Weights returns w + Rv, D×m, after Project.
func (f *PrimalProjected) Weights() blas.Matrix {
	w := blas.Clone(f.stage1.Weights())
	for i := range w.Rows {
		blas.Axpy(1, blas.Row(f.stage2.theta, i), blas.Row(w, i))
	}
	return w
}

// PrivWeights returns w̃, D̃×m, such that y = hw + h̃w̃ + ȳ + ε in the first stage.
func (f *PrimalProjected) PrivWeights() blas.Matrix { return f.stage1.PrivWeights() }

// Offset returns ȳ, m numbers.
func (f *PrimalProjected) Offset() []float64 { return f.stage1.Offset() }

// LeaveOneOut sets row i of dst to the exact prediction for row i by both stages without it, after Project; the system
// of the second stage does not have the row either. With q = S⁻¹zᵢ and e = (yᵢ − zᵢᵀθ)/(1 − vᵢzᵢᵀq), the first stage
// without the row is [w⁽⁻ⁱ⁾; v⁽⁻ⁱ⁾] = θ − vᵢqe. With p = hᵢᵀThᵢ,
//
//	f⁽⁻ⁱ⁾ = hᵢᵀw⁽⁻ⁱ⁾ + (hᵢᵀRv⁽⁻ⁱ⁾ − vᵢp·h̃ᵢᵀv⁽⁻ⁱ⁾/√γ)/(1 − vᵢp).
//
// A row without privileged values is not in the second stage, so that p counts as 0. The arguments are those of
// Primal.LeaveOneOut, and the weight of rows without privileged values is held fixed here too. Cost
// (D+D̃)² + 2D̃² + D² + 2DD̃ operations a row, without those of the features.
func (f *PrimalProjected) LeaveOneOut(
	ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix,
) error {
	// The vectors a = U⁻ᵀ[h; 0], c = U⁻ᵀ[0; h̃/√γ] and r = U⁻ᵀ[0; Rᵀh], the last two without their leading zeros, give
	// every quadratic form in S⁻¹.
	s1 := f.stage1
	d, k, m := s1.normal, s1.normal+s1.priv, dst.Cols
	a, c, r := blas.New(b.H.Rows, k), blas.New(b.H.Rows, s1.priv), blas.New(b.H.Rows, s1.priv)
	for i := range a.Rows {
		copy(blas.Row(a, i), blas.Row(b.H, i))
		blas.Axpy(s1.scale(d), blas.Row(b.Priv, i), blas.Row(c, i))
	}
	if err := blas.Gemm(ctx, false, false, 1, b.H, f.spread, 0, r); err != nil {
		return err
	}
	fits, privFits, guideFits := s1.linearForms(b.H, 0), s1.linearForms(c, d), s1.linearForms(r, d)
	if err := blas.SolveRight(ctx, a, s1.factor); err != nil {
		return err
	}
	corner := blas.View(s1.factor, d, k, d, k)
	if err := blas.SolveRight(ctx, c, corner); err != nil {
		return err
	}
	if err := blas.SolveRight(ctx, r, corner); err != nil {
		return err
	}
	leverages, err := f.stage2.leverages(ctx, b.H)
	if err != nil {
		return err
	}
	if first == 0 {
		s1.told = trap{}
	}
	for i := range a.Rows {
		v, system := s1.weights(weight, i, lacking)
		a, c, r := blas.Row(a, i), blas.Row(c, i), blas.Row(r, i)
		aa, ac, cc := dot(a, a), dot(a[d:], c), dot(c, c)
		es, zz := aa+ac, aa+2*ac+cc // [h; 0]ᵀS⁻¹z and zᵀS⁻¹z
		rs := dot(a[d:], r) + dot(c, r)
		p := v * leverages[i]
		if lacking {
			p = 0
		}
		if !(1-system*zz >= minLeft) || !(1-p >= minLeft) || s1.params.meanUndefined(v, s1.total) {
			return leverageOne(first + i)
		}
		fit, privFit, guideFit := blas.Row(fits, i), blas.Row(privFits, i), blas.Row(guideFits, i)
		predict := func(j int, y float64) float64 {
			step := system * (y - fit[j] - privFit[j]) / (1 - system*zz) // vᵢe
			guide := privFit[j] - step*(ac+cc)
			return fit[j] - step*es + (guideFit[j]-step*rs-p*guide)/(1-p)
		}
		s1.told.add((1 - fit[m] - privFit[m]) / (1 - system*zz))
		constant := predict(m, 1)
		for j, out := 0, blas.Row(dst, i); j < m; j++ {
			y := b.Y.Data[i*b.Y.Stride+j] - s1.mean[j]
			out[j] = predict(j, y) + s1.mean[j] + s1.params.meanShift(v, s1.total, y)*(1-constant)
		}
	}
	return nil
}

// LeftOut sets the columns of dst (D × rows·m) and offset (rows·m) to the models without each of the block's rows,
// after Project; the arguments are those of Primal.LeftOut. With [w⁽⁻ⁱ⁾; v⁽⁻ⁱ⁾] and p as in LeaveOneOut, less
// δᵢ = ȳ⁽⁻ⁱ⁾ − ȳ times their values for targets of 1, the weights are
//
//	w⁽⁻ⁱ⁾ + Rv⁽⁻ⁱ⁾ − vᵢThᵢ(h̃ᵢᵀv⁽⁻ⁱ⁾/√γ − hᵢᵀRv⁽⁻ⁱ⁾)/(1 − vᵢp),
//
// for a row without privileged values w⁽⁻ⁱ⁾ + Rv⁽⁻ⁱ⁾. Cost 2·(D+D̃)² + 2D² + DD̃m operations a row.
func (f *PrimalProjected) LeftOut(
	ctx context.Context, b gram.Block, weight []float64, lacking bool, first int, dst blas.Matrix, offset []float64,
) error {
	s1, rows := f.stage1, b.H.Rows
	d, m := s1.normal, s1.theta.Cols
	h, z := blas.New(d, rows), blas.New(d+s1.priv, rows) // columns h and z
	for i := range rows {
		for k, v := range blas.Row(b.H, i) {
			h.Data[k*rows+i], z.Data[k*rows+i] = v, v
		}
		for k, v := range blas.Row(b.Priv, i) {
			z.Data[(d+k)*rows+i] = v * s1.scale(d)
		}
	}
	solved, solved2 := blas.Clone(z), blas.Clone(h) // columns q and Th
	if err := blas.SolveCholesky(ctx, s1.factor, solved); err != nil {
		return err
	}
	if err := blas.SolveCholesky(ctx, f.stage2.factor, solved2); err != nil {
		return err
	}
	guides := blas.New(s1.priv, rows*m) // columns v⁽⁻ⁱ⁾
	for i := range rows {
		v, system := s1.weights(weight, i, lacking)
		z, q := column(z, i), column(solved, i)
		left := 1 - system*dot(z, q)
		if !(left >= minLeft) || s1.params.meanUndefined(v, s1.total) {
			return leverageOne(first + i)
		}
		ones := system * (1 - dot(z, s1.ones)) / left
		for j := range m {
			theta, at := column(s1.theta, j), i*m+j
			y := b.Y.Data[i*b.Y.Stride+j] - s1.mean[j]
			shift, step := s1.params.meanShift(v, s1.total, y), system*(y-dot(z, theta))/left
			for k := range theta {
				value := theta[k] - step*q[k] - shift*(s1.ones[k]-ones*q[k])
				if k < d {
					dst.Data[k*dst.Stride+at] = value
				} else {
					guides.Data[(k-d)*guides.Stride+at] = value
				}
			}
			offset[at] = s1.mean[j] + shift
		}
	}
	return f.addProjected(ctx, weight, lacking, first, h, z, solved2, guides, dst)
}

// addProjected adds to dst what the second stage adds to the models of LeftOut. The columns of h, z and solved are h, z
// and Th of each row, those of guides v⁽⁻ⁱ⁾.
func (f *PrimalProjected) addProjected(
	ctx context.Context, weight []float64, lacking bool, first int, h, z, solved, guides, dst blas.Matrix,
) error {
	s1, rows, d := f.stage1, h.Cols, f.stage1.normal
	m := s1.theta.Cols
	projected := blas.New(d, rows*m) // Rv⁽⁻ⁱ⁾
	if err := blas.Gemm(ctx, false, false, 1, f.spread, guides, 0, projected); err != nil {
		return err
	}
	for i := range rows {
		v, _ := s1.weights(weight, i, lacking)
		h, z, t := column(h, i), column(z, i), column(solved, i)
		left := 1 - v*dot(h, t)
		switch {
		case lacking:
			v = 0
		case !(left >= minLeft):
			return leverageOne(first + i)
		}
		for at := i * m; at < i*m+m; at++ {
			own := column(projected, at)
			residual := v * (dot(z[d:], column(guides, at)) - dot(h, own)) / left
			for k := range own {
				dst.Data[k*dst.Stride+at] += own[k] - residual*t[k]
			}
		}
	}
	return nil
}

// Trapped is Primal.Trapped.
func (f *PrimalProjected) Trapped() error { return f.stage1.Trapped() }

// leverages returns hᵀTh of every row: D² operations a row.
func (s stage2) leverages(ctx context.Context, h blas.Matrix) ([]float64, error) {
	a, out := blas.Clone(h), make([]float64, h.Rows)
	err := blas.SolveRight(ctx, a, s.factor)
	for i := range out {
		out[i] = dot(blas.Row(a, i), blas.Row(a, i))
	}
	return out, err
}

// Projections compares second stages of several C₂ by their own exact leave-one-out in one pass over the A rows.
type Projections struct {
	form   *PrimalProjected
	stages []stage2
	loss   []float64
}

// Projections solves the second stage for each of c2, K numbers: K·D³/3 operations and 8K·D² bytes. A C₂ for which the
// system cannot be solved has a loss of +Inf.
func (f *PrimalProjected) Projections(ctx context.Context, c2 []float64) (*Projections, error) {
	p := &Projections{form: f, stages: make([]stage2, len(c2)), loss: make([]float64, len(c2))}
	for k, c := range c2 {
		var err error
		if p.stages[k], err = f.solve(ctx, c); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p.loss[k] = math.Inf(1)
		}
	}
	return p, nil
}

// Add takes up some rows that have privileged values, with the weights with which they are in the statistics; nil means
// 1 each. The rows' targets are not read. Cost K·D² operations a row.
func (p *Projections) Add(ctx context.Context, b gram.Block, weight []float64) error {
	s1 := p.form.stage1
	d, m := s1.normal, s1.theta.Cols
	guides, residuals := blas.New(b.H.Rows, m), blas.New(b.H.Rows, m)
	v := blas.View(s1.theta, d, d+s1.priv, 0, m)
	if err := blas.Gemm(ctx, false, false, s1.scale(d), b.Priv, v, 0, guides); err != nil {
		return err
	}
	for k, s := range p.stages {
		if math.IsInf(p.loss[k], 1) {
			continue
		}
		copy(residuals.Data, guides.Data)
		if err := blas.Gemm(ctx, false, false, -1, b.H, s.theta, 1, residuals); err != nil {
			return err
		}
		leverages, err := s.leverages(ctx, b.H)
		if err != nil {
			return err
		}
		for i, leverage := range leverages {
			v, _ := s1.weights(weight, i, false)
			left, row := 1-v*leverage, blas.Row(residuals, i)
			if !(left >= minLeft) {
				p.loss[k] = math.Inf(1)
				break
			}
			p.loss[k] += v * dot(row, row) / (left * left)
		}
	}
	return nil
}

// Loss returns for each C₂ the sum of vᵢ‖ĝᵢ − ĝᵢ⁽⁻ⁱ⁾‖² over the rows added so far, where ĝᵢ⁽⁻ⁱ⁾ is the second stage
// without row i. It is +Inf where a row alone determines its own prediction.
func (p *Projections) Loss() []float64 { return p.loss }
