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
}

// MarshalJSON writes the scores as one flat object; a regression has a per_target
// object beside them.
func (m Metrics) MarshalJSON() ([]byte, error) {
	if m.Class != nil {
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
		return json.Unmarshal(data, m.Class)
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
	coder  *target.Coder
	labels []int
	y      blas.Matrix
}

// score compares a model's outputs, and the classes that decide makes of them,
// with the truth. Numbers so large that their
// squares overflow are a fault.Data error.
func (t truth) score(outputs *mat.Dense, decide func(*mat.Dense) []int) (Metrics, error) {
	m := t.compare(outputs, decide)
	if !m.finite() {
		return m, fault.New(fault.Data,
			"targets or predictions are so large that the squares of their differences overflow").
			WithHint("use other units for the target")
	}
	return m, nil
}

// finite reports whether JSON can hold the scores.
func (m Metrics) finite() bool {
	var scores []float64
	if c := m.Class; c != nil {
		scores = append(scores, c.LogLoss)
	}
	if n := m.Number; n != nil {
		scores = append(scores, n.RMSE, n.MAE, n.R2)
	}
	return !slices.ContainsFunc(scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

func (t truth) compare(outputs *mat.Dense, decide func(*mat.Dense) []int) Metrics {
	if t.coder.Task == target.Classification {
		c := metric.Classify(t.labels, decide(outputs), t.coder.Scores(outputs))
		return Metrics{Class: &c}
	}
	all, each := metric.Regress(t.y, outputs.RawMatrix())
	m := Metrics{Number: &all, PerTarget: map[string]metric.Regression{}}
	for j, r := range each {
		m.PerTarget[t.coder.Names[j]] = r
	}
	return m
}
