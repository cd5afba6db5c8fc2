package pipeline

import (
	"fmt"
	"math"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/namelist"
	"rvflplus/internal/param"
	"rvflplus/internal/target"
)

// weighClasses sets the weights of the classes and what the rows count as when the estimator is fitted. Leave-one-out
// keeps both: balanced weights are those of all rows, in the model without a row too.
func (t *training) weighClasses() (err error) {
	t.counts = t.weights
	if t.ClassWeight == "" {
		return nil
	}
	if t.model.Coder.Task != target.Classification {
		t.note("%s applies to a classification only and is not used", fault.Name("class-weight"))
		return nil
	}
	if t.classWeights, err = classWeights(t.ClassWeight, t.truth, t.weights); err != nil {
		return err
	}
	if t.ClassWeight == param.Balanced {
		t.noteClassWeights()
	}
	if t.kind.WeighsClasses {
		return nil
	}
	t.counts = make([]float64, t.data.Rows)
	for i, class := range t.truth.labels {
		t.counts[i] = t.classWeights[class]
		if t.weights != nil {
			t.counts[i] *= t.weights[i]
		}
		if !(t.counts[i] > 0) || math.IsInf(t.counts[i], 1) {
			return fault.New(fault.Usage, "the weight of row %d times that of its class %q is %v: out of range", i+1,
				t.model.Coder.Classes[class], t.counts[i]).
				WithHint("use weights nearer to 1 in %s", fault.Name("class-weight"))
		}
	}
	return nil
}

// classWeights returns a weight for each class, nil when all are 1: those that text gives, as param.ParseClassWeight
// reads it. known are the rows trained on, with weights or nil.
func classWeights(text string, known truth, weights []float64) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	classes := known.coder.Classes
	if text == param.Balanced {
		return balance(len(classes), known.labels, weights), nil
	}
	given, err := param.ParseClassWeight(text)
	if err != nil {
		return nil, err
	}
	out := slices.Repeat([]float64{1}, len(classes))
	seen := map[int]string{}
	for _, g := range given {
		at := classNumber(classes, g.Class)
		if at < 0 {
			return nil, fault.New(fault.Usage, "%s: there is no class %q", fault.Name("class-weight"), g.Class).
				WithHint("the classes are: %s", namelist.Abbreviate(classes))
		}
		if other, twice := seen[at]; twice {
			return nil, fault.New(fault.Usage, "%s: %q and %q are one class", fault.Name("class-weight"), other,
				g.Class)
		}
		seen[at], out[at] = g.Class, g.Weight
	}
	return out, nil
}

// ClassWeightOf returns the weights of classes for a training on some of the rows: those of classes that these rows do
// not have are left out, because a name that is no class is taken for a mistake.
func (p *Prepared) ClassWeightOf(rows []int) string {
	given, err := param.ParseClassWeight(p.t.ClassWeight)
	if err != nil || given == nil || p.t.truth.labels == nil {
		return p.t.ClassWeight // balanced, or of no use
	}
	has := map[int]bool{}
	for _, i := range rows {
		has[p.t.truth.labels[i]] = true
	}
	return param.FormatClassWeight(slices.DeleteFunc(given, func(w param.ClassWeight) bool {
		return !has[classNumber(p.t.model.Coder.Classes, w.Class)]
	}))
}

// classNumber finds a class by its text, or a number by its value; -1 if there is
// none.
func classNumber(classes []string, text string) int {
	if v, kind := celltext.Parse(text); !slices.Contains(classes, text) && kind == celltext.Number {
		text = celltext.FormatNumber(v + 0) // -0 becomes 0
	}
	return slices.Index(classes, text)
}

// balance returns Σv/(k·Σv of the class): the weights under which every class
// counts as much as the k-th part of all rows.
func balance(k int, labels []int, weights []float64) []float64 {
	sums, total := make([]float64, k), 0.0
	for i, class := range labels {
		v := 1.0
		if weights != nil {
			v = weights[i]
		}
		sums[class] += v
		total += v
	}
	for class, s := range sums {
		sums[class] = total / (float64(k) * s)
	}
	return sums
}

// noteClassWeights tells the weights that were computed.
func (t *training) noteClassWeights() {
	var parts []string
	for class, w := range t.classWeights {
		parts = append(parts, fmt.Sprintf("%s %.4g", t.model.Coder.Classes[class], w))
	}
	t.note("balanced class weights: %s", namelist.Abbreviate(parts))
}
