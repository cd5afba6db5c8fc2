package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/namelist"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// EvaluateOptions say how predictions are compared with known targets.
type EvaluateOptions struct {
	Threshold *float64  // see Predictions.Threshold; nil for the model's own decision
	Weight    []float64 // what each row counts as, >= 0; nil for 1 each
	Progress  learn.Progress
}

// Evaluation is the comparison of predictions with known targets.
type Evaluation struct {
	Rows     int
	Task     target.Task
	Metrics  Metrics
	Constant Constant
	Notes    []string
	Warnings []fault.Text // the model is not better than the constant

	Classes   metric.Classified // of a classification: the rows that the scores are made of
	Truth     blas.Matrix       // of a regression: rows × targets
	Predicted blas.Matrix
}

// Constant is the predictor that does not look at the features: always the class of most rows, with the shares of the
// classes as its probabilities, or the mean of each target.
type Constant struct {
	Class   string // "" of a regression
	Metrics Metrics
}

// Name words the constant.
func (c Constant) Name() string {
	if c.Metrics.Number != nil {
		return meanName
	}
	return constantName(c.Class)
}

const meanName = "always the mean"

func constantName(class string) string { return fmt.Sprintf("always %q", class) }

// Evaluate predicts a table that has the target columns too and scores the predictions.
func (m *Model) Evaluate(
	ctx context.Context, t *dataset.Table, targets []*dataset.Column, o EvaluateOptions,
) (*Evaluation, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Rows == 0 {
		return nil, roles.NoRows(t)
	}
	if len(targets) != len(m.Coder.Names) {
		return nil, m.otherTargets(targets)
	}
	known, unknown, err := truthOf(m.Coder, targets, t.Rows)
	if err != nil {
		return nil, err
	}
	if known.weight, err = checkedWeights(o.Weight, t.Rows); err != nil {
		return nil, err
	}
	p, err := m.Predict(ctx, t, o.Progress)
	if err != nil {
		return nil, err
	}
	if o.Threshold != nil {
		if err := p.Threshold(*o.Threshold); err != nil {
			return nil, err
		}
	}
	decided := func(*mat.Dense) []int { return p.Labels }
	e := &Evaluation{Rows: t.Rows, Task: m.Coder.Task, Notes: p.Notes, Constant: known.constant()}
	if e.Metrics, err = known.describe(p.Outputs, decided, p.Probabilities); err != nil {
		return nil, err
	}
	if e.Task == target.Classification {
		e.Classes = known.classified(p.Outputs, p.Labels, p.Probabilities)
	} else {
		e.Truth, e.Predicted = known.y, p.Outputs.RawMatrix()
	}
	balanced := m.Config.ClassWeight != "" || o.Threshold != nil
	e.Warnings = noBetter(e.Metrics, e.Constant, balanced)
	if len(unknown) > 0 {
		const wrong = "the model does not know the classes %s; their rows count as wrong"
		e.Notes = append(e.Notes, fmt.Sprintf(wrong, namelist.Abbreviate(unknown)))
	}
	return e, nil
}

// checkedWeights refuses weights of another number of rows, those that are no numbers >= 0, and weights that are all 0.
func checkedWeights(weight []float64, rows int) ([]float64, error) {
	if weight != nil && len(weight) != rows {
		return nil, fault.New(fault.Usage, "%d weights for %d rows", len(weight), rows)
	}
	total := 0.0
	for i, w := range weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fault.New(fault.Data, "the weight of row %d must be a finite number >= 0, got %v", i+1, w)
		}
		total += w
	}
	if weight != nil && total == 0 {
		return nil, fault.New(fault.Data, "every row has weight 0")
	}
	return weight, nil
}

// noBetter returns a warning where a model is not better than the constant on the same rows: by R², by accuracy, or by
// balanced accuracy where the model weighs the classes. Rows of one class or of one value say nothing: there the
// constant is perfect.
func noBetter(m Metrics, c Constant, balanced bool) []fault.Text {
	switch {
	case m.Number != nil && c.Metrics.Number.RMSE == 0, m.Class != nil && c.Metrics.Class.Accuracy == 1:
		return nil
	case m.Number != nil && m.Number.R2 <= 0:
		return []fault.Text{fault.Textf("on these rows the model does not beat the constant predictor, always their "+
			"mean: RMSE %.4g, that of the mean %.4g", m.Number.RMSE, c.Metrics.Number.RMSE)}
	case m.Class == nil:
		return nil
	case balanced && m.Class.BalancedAccuracy <= c.Metrics.Class.BalancedAccuracy:
		return []fault.Text{fault.Textf("on these rows the model does not beat the constant predictor, %s: balanced "+
			"accuracy %.3g, that of the constant %.3g", c.Name(), m.Class.BalancedAccuracy,
			c.Metrics.Class.BalancedAccuracy)}
	case !balanced && m.Class.Accuracy <= c.Metrics.Class.Accuracy:
		return []fault.Text{fault.Textf("on these rows the model does not beat the constant predictor, %s: accuracy "+
			"%.3g, that of the constant %.3g", c.Name(), m.Class.Accuracy, c.Metrics.Class.Accuracy)}
	}
	return nil
}

// constant returns the best constant for the rows themselves.
func (t truth) constant() Constant {
	if t.coder.Task != target.Classification {
		all, each := metric.Regress(t.y, MeanTargets(t.y, t.weight, t.y.Rows).RawMatrix(), t.weight)
		m := Metrics{Number: &all, PerTarget: map[string]metric.Regression{}}
		for j, r := range each {
			m.PerTarget[t.coder.Names[j]] = r
		}
		return Constant{Metrics: m}
	}
	most, shares := t.mostFrequent()
	r := metric.Classified{Truth: t.labels, Predicted: slices.Repeat([]int{most}, len(t.labels)), Probable: true,
		Weight: t.weight, Values: blas.New(len(t.labels), len(t.coder.Classes))}
	for i := range t.labels {
		copy(blas.Row(r.Values, i), shares)
	}
	c := metric.Describe(r, t.classes())
	return Constant{Class: t.coder.Classes[most], Metrics: Metrics{Class: &c}}
}

// MeanTargets returns what the constant predictor that is trained on coded targets y, by weights (nil: 1 each), says of
// some rows: the mean of y in each. The mean of one-hot codes is largest for the most frequent class.
func MeanTargets(y blas.Matrix, weight []float64, rows int) *mat.Dense {
	mean, total := make([]float64, y.Cols), 0.0
	for i := range y.Rows {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		total += w
		floats.AddScaled(mean, w, blas.Row(y, i))
	}
	for j := range mean {
		mean[j] /= total
	}
	return mat.NewDense(rows, y.Cols, slices.Repeat(mean, rows))
}

// mostFrequent returns the class of most rows, of equal ones the first, and the shares of all classes.
func (t truth) mostFrequent() (most int, shares []float64) {
	shares = t.shares()
	for k, s := range shares {
		if s > shares[most] {
			most = k
		}
	}
	return most, shares
}

// Constant returns the name of the best constant for the given rows (see Constant), and its outputs for them.
func (t Truth) Constant(rows []int) (name string, outputs *mat.Dense) {
	own := t.only(rows)
	if t.coder.Task != target.Classification {
		return meanName, MeanTargets(own.y, own.weight, len(rows))
	}
	most, _ := own.mostFrequent()
	code := t.coder.Code(slices.Repeat([]int{most}, len(rows)), blas.Matrix{})
	return constantName(t.coder.Classes[most]), code
}

// ConstantLogLoss is the log loss of the shares of the classes as probabilities of the given rows.
func (t Truth) ConstantLogLoss(rows []int) float64 {
	return *t.only(rows).constant().Metrics.Class.LogLoss
}

// shares returns the share of the rows that each class the model knows has, by weight.
func (t truth) shares() []float64 {
	shares, total := make([]float64, len(t.coder.Classes)), 0.0
	for i, k := range t.labels {
		w := t.weightOf(i)
		total += w
		if k < len(shares) {
			shares[k] += w
		}
	}
	for k := range shares {
		shares[k] /= total
	}
	return shares
}

func (t truth) weightOf(i int) float64 {
	if t.weight == nil {
		return 1
	}
	return t.weight[i]
}

// rows returns the number of rows.
func (t truth) rows() int { return max(len(t.labels), t.y.Rows) }
