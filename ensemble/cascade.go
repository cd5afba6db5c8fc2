package ensemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Train fits cmcRVFL+. Layer 1 is K independent networks: RVFL, and RVFL+ when p has privileged features. Every
// further layer is K independent RVFL+ networks on the normal features, whose privileged features are the leave-one-out
// predictions of all K networks of the layer before, standardised. The model is the average of the last layer's
// networks. It takes normal features alone: nothing flows between layers in use.
//
// There is no leave-one-out: the predictions of a row by an earlier layer are among the privileged features of other
// rows' fits, and the closed form keeps them. learn.Always is a fault.Usage error.
//
// Cost K times layers trainings of package rvfl, of which all but the last layer's are with leave-one-out.
func (c CascadeConfig) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := errors.Join(c.Validate(), check(p)); err != nil {
		return nil, learn.Report{}, err
	}
	return cascade(ctx, p, cmp.Or(c.Layers, cascadeLayers), layer{
		predict: func(ctx context.Context, p learn.Problem, prefix string) (all []*mat.Dense, err error) {
			err = c.columns().each(ctx, p, prefix, func(_ rvfl.Layer, _ *rvfl.Model, r learn.Report) {
				all = append(all, r.LeaveOneOut)
			})
			return all, err
		},
		last: c.columns().average,
	})
}

// Train fits cKRVFL+: the cascade of CascadeConfig with one KRVFL+ a layer (in layer 1 KRVFL without privileged
// features) instead of K networks. The model is a *krvfl.Model. Cost: that of package krvfl a layer, with leave-one-out
// in all but the last one.
func (c KernelCascadeConfig) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if err := errors.Join(c.Validate(), check(p)); err != nil {
		return nil, learn.Report{}, err
	}
	return cascade(ctx, p, cmp.Or(c.Layers, cascadeLayers), layer{
		predict: func(ctx context.Context, p learn.Problem, _ string) ([]*mat.Dense, error) {
			_, report, err := c.Network.Train(ctx, p)
			return []*mat.Dense{report.LeaveOneOut}, err
		},
		last: func(ctx context.Context, p learn.Problem, _ string) (learn.Model, learn.Report, error) {
			return c.Network.Train(ctx, p)
		},
	})
}

// check refuses what no cascade has.
func check(p learn.Problem) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.LeaveOneOut == learn.Always {
		return fault.New(fault.Usage, "leave-one-out of a cascade has no closed form: the predictions of a layer, on "+
			"which the next layer is trained, have seen the row that is left out").
			WithHint("leave out folds, which train the whole cascade anew")
	}
	return nil
}

// layer is how the layers of a cascade are trained; prefix begins the names of their random streams.
type layer struct {
	// predict returns the leave-one-out predictions of each column, N×m.
	predict func(ctx context.Context, p learn.Problem, prefix string) ([]*mat.Dense, error)
	// last trains the last layer.
	last func(ctx context.Context, p learn.Problem, prefix string) (learn.Model, learn.Report, error)
}

func cascade(ctx context.Context, p learn.Problem, layers int, by layer) (learn.Model, learn.Report, error) {
	progress := p.Progress
	p.LeftOut, p.Posterior, p.Unlabelled = false, false, nil // rows without targets have no leave-one-out prediction
	for l := 1; l < layers; l++ {
		p.LeaveOneOut, p.Progress = learn.Always, told(progress, fmt.Sprintf("layer %d of %d, ", l, layers))
		columns, err := by.predict(ctx, p, fmt.Sprintf("layer%d.", l))
		if err != nil {
			return nil, learn.Report{}, fmt.Errorf("layer %d of the cascade: %w", l, err)
		}
		p = p.WithPriv(standardised(columns, p.Weight))
		p.HasPriv = nil
	}
	p.LeaveOneOut, p.Progress = learn.Never, told(progress, fmt.Sprintf("layer %d of %d, ", layers, layers))
	return by.last(ctx, p, fmt.Sprintf("layer%d.", layers))
}

// standardised returns the predictions side by side, each column less its weighted mean and divided by its standard
// deviation: what privileged features become before they reach a network, so that random weights and widths do not
// depend on the unit of the targets. A constant column becomes zeros.
func standardised(predictions []*mat.Dense, weight []float64) *mat.Dense {
	rows, m := predictions[0].Dims()
	out := mat.NewDense(rows, m*len(predictions), nil)
	for k, p := range predictions {
		for j := range m {
			mean, sd := moments(p, j, weight)
			for i := range rows {
				if v := (p.At(i, j) - mean) / sd; sd > 0 {
					out.Set(i, k*m+j, v)
				}
			}
		}
	}
	return out
}

// moments returns the weighted mean and standard deviation of column j; weight nil means 1 each.
func moments(p *mat.Dense, j int, weight []float64) (mean, sd float64) {
	rows, _ := p.Dims()
	var total, square float64
	for i := range rows {
		v := 1.0
		if weight != nil {
			v = weight[i]
		}
		if v == 0 {
			continue
		}
		total += v
		d := p.At(i, j) - mean
		mean += d * v / total
		square += v * d * (p.At(i, j) - mean)
	}
	return mean, math.Sqrt(square / total)
}
