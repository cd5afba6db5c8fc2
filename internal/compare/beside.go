package compare

import (
	"context"
	"fmt"
	"math"

	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

// Auto is the name of what training without flags makes of the normal columns alone: a mixture of KRVFLs of several
// kernels and of learned widths. A gain over one tuned kernel may be a gain that the normal columns allow too.
const Auto = kind.Auto

// Constant is the name of the predictor that knows no column: the mean of the training rows, or their largest class.
const Constant = "constant"

// Learning widths takes longer than all methods together. Auto is therefore measured on some splits only: on more of
// them where rows are few, because there a split tells little.
const (
	autoSplits, manyAutoSplits = 5, 10
	fewAutoRows                = 100
)

// autoCount returns the number of splits that Auto is measured on. It is 0 where the kernel is given, since Auto
// chooses the kernel, and where rows follow in time, since training leaves out rows at random.
func (r *run) autoCount(train int) int {
	switch {
	case r.NoAuto || r.series || r.config.Kernel.String() != param.Default().Kernel.String():
		return 0
	case train <= fewAutoRows:
		return min(r.Splits, manyAutoSplits)
	}
	return min(r.Splits, autoSplits)
}

// standBeside measures what stands beside the methods on split i.
func (r *run) standBeside(ctx context.Context, p *part, i int) error {
	p.auto = notMeasured
	if i >= r.autos {
		return nil
	}
	defer r.tell(r.autoCost(p.trainRows))
	model, _, err := kind.BestOfNormal(r.config, p.train.Targets()).Train(ctx, p.views[Baseline].problem)
	if err != nil {
		return fmt.Errorf("%s: %w", Auto, err)
	}
	outputs, err := learn.Predict(ctx, model, p.test[Baseline], nil)
	if err != nil {
		return err
	}
	p.auto, err = r.outcomeOf(p, outputs)
	return err
}

// besides sets what the result says of the predictors beside the methods.
func (r *run) besides(c *Comparison) {
	constant := func(p *part) outcome { return p.constant }
	baseline := func(p *part) outcome { o, _ := r.chosen(p, Baseline); return o }
	c.Constant = r.score(Constant, Baseline, constant)
	c.OverConstant = r.over(r.parts, baseline, constant, onTest)
	var sum float64
	for _, p := range r.parts {
		sum += baseline(p).value
	}
	c.Loss = r.metric.Loss(sum / float64(len(r.parts)))
	auto := func(p *part) outcome { return p.auto }
	parts := r.parts[:r.autos]
	c.Auto = Score{Name: Auto, Role: Baseline, Mean: math.NaN(), SD: math.NaN()}
	if len(parts) > 0 {
		c.Auto = r.scoreOf(parts, Auto, Baseline, auto)
	}
	for j, m := range r.methods {
		if !m.Closed || m.Role != Privileged {
			continue
		}
		own, gains := func(p *part) outcome { return p.methods[j] }, &c.Methods[j].Gains
		*gains = append(*gains, Gain{Constant, r.over(r.parts, own, constant, onTest)})
		if len(parts) > 0 {
			*gains = append(*gains, Gain{Auto, r.over(parts, own, auto, onTest)})
		}
	}
}
