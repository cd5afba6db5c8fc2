package pipeline

import "fmt"

// useless returns a warning when a model does no better than a constant: by
// leave-one-out where there is one, else on the rows it was trained on.
func (t *training) useless() []string {
	m, on := t.model.Report.Train.Metrics, "the training rows"
	if t.model.Report.LeaveOneOut != nil {
		m, on = t.model.Report.LeaveOneOut.Metrics, "rows left out"
	}
	remedy := "try other values of --C, --hidden or --width"
	switch {
	case t.kind.Margin && t.kind.Priv:
		remedy = "try other values of --C, --gamma, --width or --priv-width"
	case t.kind.Margin:
		remedy = "try other values of --C or --width"
	case t.kind.Priv:
		remedy = "the privileged part may have taken over: use --correction additive or a larger --gamma, and compare with the same model without privileged columns"
	}
	switch {
	case m.Number != nil && m.Number.R2 < 0:
		return []string{fmt.Sprintf("on %s the predictions are worse than the target's mean (R² = %.3g); %s", on, m.Number.R2, remedy)}
	case m.Class != nil && m.Class.Accuracy <= t.largestShare():
		return []string{fmt.Sprintf("on %s the predictions are no better than always the most frequent class (accuracy %.3g, its share %.3g); %s", on, m.Class.Accuracy, t.largestShare(), remedy)}
	}
	return nil
}

// largestShare is the share of the most frequent class.
func (t *training) largestShare() float64 {
	counts, most := map[int]int{}, 0
	for _, k := range t.truth.labels {
		counts[k]++
		most = max(most, counts[k])
	}
	return float64(most) / float64(len(t.truth.labels))
}
