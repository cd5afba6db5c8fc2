package pipeline

import (
	"fmt"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/kind"
	"rvflplus/internal/namelist"
	"rvflplus/internal/param"
)

// classWeights returns a weight for each class, nil when all are 1. known are the
// rows trained on, with weights or nil.
func classWeights(c param.Config, k kind.Kind, known truth, weights []float64) ([]float64, error) {
	if c.ClassWeight == "" || !k.Has(param.ClassWeights) {
		return nil, nil
	}
	classes := known.coder.Classes
	if c.ClassWeight == param.Balanced {
		return balance(len(classes), known.labels, weights), nil
	}
	given, err := param.ParseClassWeight(c.ClassWeight)
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
	if t.ClassWeight != param.Balanced || !t.kind.Has(param.ClassWeights) {
		return
	}
	var parts []string
	weights := balance(len(t.model.Coder.Classes), t.truth.labels, t.weights)
	for class, w := range weights {
		parts = append(parts, fmt.Sprintf("%s %.4g", t.model.Coder.Classes[class], w))
	}
	t.note("balanced class weights: %s", namelist.Abbreviate(parts))
}
