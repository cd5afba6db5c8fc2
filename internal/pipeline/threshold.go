package pipeline

import (
	"math"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/target"
)

// Threshold decides between the two classes of Predictions anew: the second class is predicted where its probability,
// or its score if the model has no probabilities, is at least threshold, else the first. Not two classes, and a
// threshold that is no number, or no probability where there are some, are fault.Usage errors.
func (p *Predictions) Threshold(threshold float64) error {
	if err := CheckThreshold(p.Coder, p.Probabilities.Cols > 0, threshold); err != nil {
		return err
	}
	values := p.Scores
	if p.Probabilities.Cols > 0 {
		values = p.Probabilities
	}
	for i := range p.Labels {
		p.Labels[i] = 0
		if blas.Row(values, i)[1] >= threshold {
			p.Labels[i] = 1
		}
	}
	return nil
}

// CheckThreshold returns the errors of Predictions.Threshold.
func CheckThreshold(coder *target.Coder, probable bool, threshold float64) error {
	name := fault.Name("threshold")
	switch {
	case coder.Task != target.Classification:
		return fault.New(fault.Usage, "%s decides between two classes, the model is a regression", name).
			WithHint("leave it out")
	case len(coder.Classes) != 2:
		return fault.New(fault.Usage, "%s decides between two classes, the model has %d", name, len(coder.Classes)).
			WithHint("leave it out")
	case probable && !(threshold >= 0 && threshold <= 1):
		return fault.New(fault.Usage, "%s must be a probability of class %q, from 0 to 1, got %v", name,
			coder.Classes[1], threshold)
	case math.IsNaN(threshold) || math.IsInf(threshold, 0):
		return fault.Param("threshold", "a finite number", threshold)
	}
	return nil
}
