package compare

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/learn"
)

// Held-out rows are few, and most of what their targets vary by cannot be predicted
// from normal columns: two models are hard to tell apart. But part of it is known. An
// upper bound's prediction with the row's own privileged features, less its mean over
// privileged features that could have come with the same normal ones,
//
//	n(x, x̃) = u(x, x̃) − meanⱼ u(x, m̂(x) + ŝ(x)·rⱼ),
//
// with residuals rⱼ in units of their local spread ŝ, has mean 0 given x, so that
// taking it out of the target changes the expected squared error of no two models that
// do not see x̃ by different amounts. Their difference becomes less noisy (a control
// variate).

// variateMetric is the metric that the control variate is of: what it leaves as it is are expected squared errors.
const variateMetric = "rmse"

// noisePredictions bounds the predictions that the means are formed of.
const noisePredictions = 20000

// setNoise sets n for the test rows; it is 0 where there is no upper bound.
func (r *run) setNoise(ctx context.Context, p *part, left *residuals) error {
	rows, m := p.held.Y.Dims()
	p.noises = mat.NewDense(rows, m, nil)
	v := p.views[UpperBound]
	if v.loo == nil || r.metric.Name != variateMetric {
		return nil
	}
	upper, err := v.best(ctx, r.inClosedForm(UpperBound))
	if err != nil || upper == nil {
		return err
	}
	fits, err := left.mean.at(ctx, p.held.X)
	if err != nil {
		return err
	}
	spread, err := left.spread.at(ctx, p.held.X)
	if err != nil {
		return err
	}
	if p.noises, err = learn.Predict(ctx, upper, p.test[UpperBound], nil); err != nil {
		return err
	}
	use := max(1, min(len(left.rows), noisePredictions/rows))
	for k := range use {
		other := mat.DenseCopyOf(fits)
		residual := left.rest.RawRowView(k * len(left.rows) / use)
		for i := range rows {
			for j, v := range residual {
				other.Set(i, j, other.At(i, j)+spread.At(i, j)*v)
			}
		}
		mean, err := learn.Predict(ctx, upper, beside(p.held.X, other), nil)
		if err != nil {
			return err
		}
		mean.Scale(1/float64(use), mean)
		p.noises.Sub(p.noises, mean)
	}
	return ctx.Err()
}

// best returns the trained model of the method that leave-one-out prefers, nil for none.
func (v view) best(ctx context.Context, methods []Method) (learn.Model, error) {
	all, err := v.tune(ctx, methods)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	least := all[0]
	for _, t := range all {
		if t.loss < least.loss {
			least = t
		}
	}
	model, _, err := least.trainer.Train(ctx, v.problem)
	return model, err
}

// denoised returns the RMSE of the outputs for the test rows with the known noise taken
// out of their targets.
func (p *part) denoised(outputs *mat.Dense) float64 {
	rows, m := outputs.Dims()
	weight := p.held.Weight()
	var sum, total float64
	for i := range rows {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		for j := range m {
			sum += w * math.Pow(p.held.Y.At(i, j)-p.noises.At(i, j)-outputs.At(i, j), 2)
		}
		total += w * float64(m)
	}
	return math.Sqrt(sum / total)
}
