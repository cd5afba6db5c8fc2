package compare

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/metric"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
)

// outcomeOf measures outputs for the test rows of a split.
func (r *run) outcomeOf(p *part, outputs *mat.Dense) (outcome, error) {
	var o outcome
	metrics, err := p.held.Describe(outputs)
	if err != nil {
		return o, err
	}
	rows, _ := outputs.Dims()
	if o.value, _, err = r.metric.Of(p.held.Truth(), outputs, from(0, rows), nil); err != nil {
		return o, err
	}
	o.denoised = o.value
	if metrics.Class != nil {
		o.classes = &classOutcome{metrics: scoresAlone(*metrics.Class)}
		_, o.classes.predicted = p.held.Classes(outputs)
	}
	return o, nil
}

// classOutcome is what is told of the classes of a split's test rows beside the metric.
type classOutcome struct {
	metrics   metric.Classification // without those of each class
	predicted []string              // of each row
}

// scoresAlone leaves out what is told of each class, which is counted over all splits, and why there is no log loss.
func scoresAlone(c metric.Classification) metric.Classification {
	return metric.Classification{Accuracy: c.Accuracy, BalancedAccuracy: c.BalancedAccuracy, F1: c.F1,
		ROCAUC: c.ROCAUC, PRAUC: c.PRAUC}
}

// classMeans returns the means of a method's scores of classes over the splits, nil of a regression.
func classMeans(parts []*part, of func(*part) outcome) *metric.Classification {
	var all []metric.Classification
	for _, p := range parts {
		if o := of(p); o.classes != nil {
			all = append(all, o.classes.metrics)
		}
	}
	if all == nil {
		return nil
	}
	mean := metric.Mean(all)
	return &mean
}

// countClasses adds to the scores of the two methods that the answer names how the test rows of all splits were
// classified.
func (r *run) countClasses(c *Comparison) {
	if c.Task != target.Classification {
		return
	}
	for j := range c.Methods {
		s := &c.Methods[j]
		if s.Class == nil || s.Name != c.Baseline && s.Name != c.Best {
			continue
		}
		all := metric.Describe(r.pooled(func(p *part) outcome { return p.methods[j] }), r.classes)
		s.Class.Classes, s.Class.PerClass, s.Class.Confusion = all.Classes, all.PerClass, all.Confusion
	}
}

// pooled returns the true and the predicted classes of the test rows of all splits. It has no scores: those of models
// of different splits have no common order.
func (r *run) pooled(of func(*part) outcome) metric.Classified {
	var out metric.Classified
	number := func(name string) int { return slices.Index(r.classes, name) }
	for _, p := range r.parts {
		known, predicted := p.known, of(p).classes.predicted
		for i := range known {
			out.Truth, out.Predicted = append(out.Truth, number(known[i])), append(out.Predicted, number(predicted[i]))
		}
		out.Weight = append(out.Weight, p.held.Weight()...)
	}
	return out
}

// measureConstant measures the predictor that knows no column. Weights of rows count in it, those of classes do not.
func (r *run) measureConstant(p *part) error {
	weight, err := p.train.Data().Weights()
	if err != nil {
		return err
	}
	p.constant, err = r.outcomeOf(p, pipeline.MeanTargets(p.train.Problem().Y.RawMatrix(), weight, p.testRows))
	return err
}
