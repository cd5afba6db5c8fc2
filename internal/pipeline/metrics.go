package pipeline

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/target"
)

// Metrics are the scores of a classification or of a regression.
type Metrics struct {
	Class     *metric.Classification
	Number    *metric.Regression
	PerTarget map[string]metric.Regression

	older json.RawMessage // what a file of an older program says of classes, else nil
}

// MarshalJSON writes the scores as one flat object; a regression has a per_target
// object beside them.
func (m Metrics) MarshalJSON() ([]byte, error) {
	switch {
	case m.older != nil:
		return m.older, nil
	case m.Class != nil:
		return json.Marshal(m.Class)
	}
	if m.Number == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(struct {
		metric.Regression
		PerTarget map[string]metric.Regression `json:"per_target"`
	}{*m.Number, m.PerTarget})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *Metrics) UnmarshalJSON(data []byte) error {
	var both struct {
		Accuracy *float64 `json:"accuracy"`
		RMSE     *float64 `json:"rmse"`
		metric.Regression
		PerTarget map[string]metric.Regression `json:"per_target"`
	}
	if err := json.Unmarshal(data, &both); err != nil {
		return err
	}
	*m = Metrics{}
	if both.Accuracy != nil {
		m.Class = new(metric.Classification)
		if err := json.Unmarshal(data, m.Class); err != nil {
			return err
		}
		if m.Class.Classes == nil {
			m.older = slices.Clone(data)
			m.Class.LogLoss, m.Class.LogLossReason = nil, "the model's file holds the log loss of scores"
		}
		return nil
	}
	if both.RMSE != nil {
		m.Number, m.PerTarget = new(metric.Regression), both.PerTarget
		return json.Unmarshal(data, m.Number)
	}
	return nil
}

// Main returns the score people look at first, its name and value.
func (m Metrics) Main() (name string, value float64) {
	if m.Class != nil {
		return "accuracy", m.Class.Accuracy
	}
	if m.Number != nil {
		return "RMSE", m.Number.RMSE
	}
	return "", 0
}

// truth holds the true classes or numbers of some rows.
type truth struct {
	coder   *target.Coder
	labels  []int
	unknown []string // the classes that the coder does not know, whose numbers follow those of the others
	y       blas.Matrix
	weight  []float64 // of the rows in all scores, nil for 1 each
}

// score compares a model's outputs, and the classes that decide makes of them, with the truth. Of classes it tells
// what metric.Classify does. Numbers so large that their squares overflow are a fault.Data error.
func (t truth) score(outputs *mat.Dense, decide func(*mat.Dense) []int) (Metrics, error) {
	if t.coder.Task == target.Classification {
		c := metric.Classify(t.labels, decide(outputs), t.weight)
		return Metrics{Class: &c}, nil
	}
	all, each := metric.Regress(t.y, outputs.RawMatrix(), t.weight)
	m := Metrics{Number: &all, PerTarget: map[string]metric.Regression{}}
	for j, r := range each {
		m.PerTarget[t.coder.Names[j]] = r
	}
	if !m.finite() {
		return m, fault.New(fault.Data,
			"targets or predictions are so large that the squares of their differences overflow").
			WithHint("use other units for the target")
	}
	return m, nil
}

// describe is score with all that there is to tell of classes. probabilities, rows × classes, are empty where the
// model has none.
func (t truth) describe(
	outputs *mat.Dense, decide func(*mat.Dense) []int, probabilities blas.Matrix,
) (Metrics, error) {
	if t.coder.Task != target.Classification {
		return t.score(outputs, decide)
	}
	c := metric.Describe(t.classified(outputs, decide(outputs), probabilities), t.classes())
	return Metrics{Class: &c}, nil
}

// classified returns what the scores of classes are made of.
func (t truth) classified(outputs *mat.Dense, predicted []int, probabilities blas.Matrix) metric.Classified {
	r := metric.Classified{Truth: t.labels, Predicted: predicted, Values: probabilities, Probable: true,
		Weight: t.weight}
	if probabilities.Cols == 0 {
		r.Values, r.Probable = t.coder.Scores(outputs), false
	}
	return r
}

// classes names the classes of the rows: those that the coder knows, then the others.
func (t truth) classes() []string { return slices.Concat(t.coder.Classes, t.unknown) }

// finite reports whether JSON can hold the scores of a regression.
func (m Metrics) finite() bool {
	scores := []float64{m.Number.RMSE, m.Number.MAE, m.Number.R2}
	return !slices.ContainsFunc(scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
