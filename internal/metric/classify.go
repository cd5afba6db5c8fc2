// Package metric holds the scores that reports, evaluation and tuning show. Everywhere weight holds what each row
// counts as, ≥ 0 and not all 0; nil stands for 1 each.
package metric

import (
	"maps"
	"math"
	"slices"

	"rvflplus/blas"
)

// Classification holds the scores of predicted classes, fractions unless said otherwise. Classify fills in the first
// three, Describe all. What is not defined for the rows at hand is nil.
type Classification struct {
	Accuracy         float64  `json:"accuracy"`
	BalancedAccuracy float64  `json:"balanced_accuracy"` // mean recall over the classes that occur
	F1               float64  `json:"f1"`                // macro: mean over classes that occur or are predicted
	LogLoss          *float64 `json:"log_loss"`          // in nats, of probabilities
	LogLossReason    string   `json:"log_loss_reason,omitempty"`
	// ROCAUC and PRAUC are the areas under the ROC and the precision-recall curve, the latter as average precision: of
	// two classes those of the second one, of several the mean over the classes that occur, each against the rest.
	ROCAUC *float64 `json:"roc_auc"`
	PRAUC  *float64 `json:"pr_auc"`
	// Brier is the mean of (p - y)², p the probability of the second of two classes and y 1 or 0; of several classes
	// the mean of their sum, from 0 to 2.
	Brier *float64 `json:"brier"`
	// Classes are those of the model in its order, then those that it does not know.
	Classes   []string         `json:"classes,omitempty"`
	PerClass  map[string]Class `json:"per_class,omitempty"`
	Confusion [][]float64      `json:"confusion,omitempty"` // [true][predicted], as Classes; nil of over MostConfused
}

// MostConfused is the number of classes up to which Describe makes a confusion matrix.
const MostConfused = 100

// Class holds the scores of one class against the rest. What is not defined is nil: the precision of a class that is
// never predicted, the recall of one that does not occur.
type Class struct {
	Rows      float64  `json:"rows"`      // that are of the class, the sum of their weights
	Predicted float64  `json:"predicted"` // that are taken for it
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
	ROCAUC    *float64 `json:"roc_auc"`
	PRAUC     *float64 `json:"pr_auc"`
}

// Classified are rows with their true and their predicted classes, numbered from 0. A true class ≥ Values.Cols is one
// that the model does not know.
type Classified struct {
	Truth, Predicted []int
	Values           blas.Matrix // rows × classes: the probabilities where Probable is set, else scores
	Probable         bool
	Weight           []float64
}

// tally counts rows by class: how often each is true, predicted, and both.
type tally struct{ truth, predicted, both float64 }

func (t tally) f1() float64 { return 2 * t.both / (t.truth + t.predicted) }

// count returns the tallies of the classes that occur or are predicted, and the sum of the weights.
func count(truth, predicted []int, weight []float64) (of map[int]*tally, total float64) {
	of = map[int]*tally{}
	at := func(class int) *tally {
		if of[class] == nil {
			of[class] = new(tally)
		}
		return of[class]
	}
	for i, k := range truth {
		w := weightOf(weight, i)
		total += w
		at(k).truth += w
		at(predicted[i]).predicted += w
		if k == predicted[i] {
			at(k).both += w
		}
	}
	return of, total
}

func weightOf(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// Classify compares true and predicted classes. Without rows the result is zero.
func Classify(truth, predicted []int, weight []float64) Classification {
	if len(truth) != len(predicted) {
		panic("metric: length mismatch")
	}
	if len(truth) == 0 {
		return Classification{}
	}
	counts, total := count(truth, predicted, weight)
	var both float64
	var recalls, f1 []float64
	for _, k := range slices.Sorted(maps.Keys(counts)) { // sums have one order
		c := counts[k]
		both += c.both
		if c.truth > 0 {
			recalls = append(recalls, c.both/c.truth)
		}
		if c.truth+c.predicted > 0 {
			f1 = append(f1, c.f1())
		}
	}
	return Classification{Accuracy: both / total, BalancedAccuracy: mean(recalls), F1: mean(f1)}
}

// noProbabilities is why there is no log loss.
const noProbabilities = "the scores are no probabilities: train with proba=platt or proba=isotonic"

// Describe returns all scores. classes names the classes of the truth, those of the model first. Cost: a sort of the
// rows for each class.
func Describe(r Classified, classes []string) Classification {
	out := Classify(r.Truth, r.Predicted, r.Weight)
	if len(r.Truth) == 0 {
		return out
	}
	out.Classes, out.PerClass = classes, r.perClass(classes)
	out.ROCAUC, out.PRAUC = r.areas(out.PerClass, classes)
	if r.Probable {
		loss, brier := LogLoss(r.Truth, r.Values, r.Weight), Brier(r.Truth, r.Values, r.Weight)
		out.LogLoss, out.Brier = &loss, &brier
	} else {
		out.LogLossReason = noProbabilities
	}
	if len(classes) > MostConfused {
		return out
	}
	for range classes {
		out.Confusion = append(out.Confusion, make([]float64, len(classes)))
	}
	for i, k := range r.Truth {
		out.Confusion[k][r.Predicted[i]] += weightOf(r.Weight, i)
	}
	return out
}

// Mean returns the means of the scores of several sets of rows, at least one: of areas, log loss and Brier score over
// those for which they are defined. It tells nothing of each class.
func Mean(all []Classification) Classification {
	over := func(of func(*Classification) *float64) *float64 {
		var values []float64
		for i := range all {
			if v := of(&all[i]); v != nil {
				values = append(values, *v)
			}
		}
		return Defined(mean(values))
	}
	return Classification{
		Accuracy:         *over(func(c *Classification) *float64 { return &c.Accuracy }),
		BalancedAccuracy: *over(func(c *Classification) *float64 { return &c.BalancedAccuracy }),
		F1:               *over(func(c *Classification) *float64 { return &c.F1 }),
		LogLoss:          over(func(c *Classification) *float64 { return c.LogLoss }),
		ROCAUC:           over(func(c *Classification) *float64 { return c.ROCAUC }),
		PRAUC:            over(func(c *Classification) *float64 { return c.PRAUC }),
		Brier:            over(func(c *Classification) *float64 { return c.Brier }),
	}
}

func (r Classified) perClass(classes []string) map[string]Class {
	counts, _ := count(r.Truth, r.Predicted, r.Weight)
	out := map[string]Class{}
	for k, name := range classes {
		c := tally{}
		if counts[k] != nil {
			c = *counts[k]
		}
		own := Class{Rows: c.truth, Predicted: c.predicted, Precision: ratio(c.both, c.predicted),
			Recall: ratio(c.both, c.truth), F1: ratio(2*c.both, c.truth+c.predicted)}
		if k < r.Values.Cols {
			s := r.Sweep(k)
			own.ROCAUC, own.PRAUC = Defined(s.ROCArea()), Defined(s.AveragePrecision())
		}
		out[name] = own
	}
	return out
}

// areas returns those of the whole from those of the classes.
func (r Classified) areas(of map[string]Class, classes []string) (roc, pr *float64) {
	known := classes[:r.Values.Cols]
	if len(known) == 2 {
		known = known[1:]
	}
	var rocs, prs []float64
	for _, name := range known {
		if c := of[name]; c.ROCAUC != nil {
			rocs = append(rocs, *c.ROCAUC)
		}
		if c := of[name]; c.PRAUC != nil {
			prs = append(prs, *c.PRAUC)
		}
	}
	return Defined(mean(rocs)), Defined(mean(prs))
}

// ROCAUC returns the area under the ROC curve as Describe does, NaN where it is not defined.
func (r Classified) ROCAUC() float64 {
	first := 0
	if r.Values.Cols == 2 {
		first = 1
	}
	var areas []float64
	for k := first; k < r.Values.Cols; k++ {
		if a := r.Sweep(k).ROCArea(); !math.IsNaN(a) {
			areas = append(areas, a)
		}
	}
	return mean(areas)
}

// ratio returns a/b, nil where b is 0.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	return Defined(a / b)
}

// Defined returns v, nil for NaN: a score that is not defined for the rows at hand.
func Defined(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// mean is NaN of nothing.
func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// SoftmaxLogLoss is the mean of −ln p(true class) under the softmax of each row of scores. p counts as at least 2⁻⁵²,
// which is also the p of a class that the model does not know. The scores are not calibrated: use it to compare, not
// as a statement of probability.
func SoftmaxLogLoss(truth []int, scores blas.Matrix, weight []float64) float64 {
	return logLoss(truth, scores, weight, func(scores []float64, k int) float64 {
		var total float64
		for _, s := range scores {
			total += math.Exp(s - scores[k])
		}
		return 1 / total
	})
}

// LogLoss is the mean of −ln p(true class) of rows of probabilities, with p bounded as in SoftmaxLogLoss.
func LogLoss(truth []int, probabilities blas.Matrix, weight []float64) float64 {
	return logLoss(truth, probabilities, weight, func(p []float64, k int) float64 { return p[k] })
}

func logLoss(truth []int, rows blas.Matrix, weight []float64, at func(row []float64, k int) float64) float64 {
	var sum, total float64
	for i, k := range truth {
		p := 0.0
		if k < rows.Cols {
			p = at(blas.Row(rows, i), k)
		}
		w := weightOf(weight, i)
		sum -= w * math.Log(max(p, 0x1p-52))
		total += w
	}
	return sum / total
}

// Brier is the Brier score of rows of probabilities: see Classification. A class that the model does not know has
// probability 0, and adds 1.
func Brier(truth []int, probabilities blas.Matrix, weight []float64) float64 {
	var sum, total float64
	for i, k := range truth {
		p, own := blas.Row(probabilities, i), 0.0
		for j, v := range p {
			if j == k {
				v--
			}
			own += v * v
		}
		if k >= len(p) {
			own++
		}
		if len(p) == 2 && k < 2 {
			own = (p[1] - float64(k)) * (p[1] - float64(k))
		}
		w := weightOf(weight, i)
		sum += w * own
		total += w
	}
	return sum / total
}
