package pipeline

import "rvflplus/fault"

// worseThanConstant returns a warning when a model does no better than a constant: by
// leave-one-out where there is one, else on the rows it was trained on.
func (t *training) worseThanConstant() []fault.Text {
	m, on := t.model.Report.Train.Metrics, "the training rows"
	if t.model.Report.LeaveOneOut != nil {
		m, on = t.model.Report.LeaveOneOut.Metrics, "rows left out"
	}
	switch {
	case m.Number != nil && m.Number.R2 < 0:
		return []fault.Text{fault.Textf("on %s the predictions are worse than the target's mean (R² = %.3g); %s", on,
			m.Number.R2, t.kind.Remedy)}
	case m.Class != nil && m.Class.Accuracy <= t.largestShare():
		return []fault.Text{fault.Textf("on %s the predictions are no better than always the most frequent class "+
			"(accuracy %.3g, its share %.3g); %s", on, m.Class.Accuracy, t.largestShare(), t.kind.Remedy)}
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
