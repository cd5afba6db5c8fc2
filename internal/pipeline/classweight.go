package pipeline

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/target"
)

// Balanced is the Config.ClassWeight under which all classes weigh the same.
const Balanced = "balanced"

// weighted reports whether a kind knows weights of classes.
func (k Kind) weighted() bool { return k.Margin && k.Task == target.Classification }

// CheckClassWeight returns a fault.Usage error unless text is a Config.ClassWeight.
func CheckClassWeight(text string) error {
	_, err := parseClassWeight(text)
	return err
}

type classWeight struct {
	class  string
	weight float64
}

// parseClassWeight reads class=weight, separated by commas as in a line of CSV; it
// returns nothing for balanced weights and for none.
func parseClassWeight(text string) ([]classWeight, error) {
	if text == "" || text == Balanced {
		return nil, nil
	}
	parts, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, badClassWeight(text)
	}
	var out []classWeight
	for _, part := range parts {
		at := strings.LastIndexByte(part, '=') // a class may contain one
		if at < 1 {
			return nil, badClassWeight(part)
		}
		w, err := strconv.ParseFloat(part[at+1:], 64)
		if err != nil || !(w > 0) || math.IsInf(w, 1) || strings.ContainsAny(part[at+1:], "_xX") {
			return nil, fault.Param("the class weight of "+strconv.Quote(part[:at]), "a finite number > 0", strconv.Quote(part[at+1:]))
		}
		class := part[:at]
		if slices.ContainsFunc(out, func(c classWeight) bool { return c.class == class }) {
			return nil, fault.New(fault.Usage, "the class %q has two weights", class)
		}
		out = append(out, classWeight{class, w})
	}
	return out, nil
}

func badClassWeight(got string) error {
	return fault.Param("class-weight", "balanced, or weights by class such as yes=5,no=1", strconv.Quote(got)).
		WithHint(`a class with a comma is quoted as in CSV: '"a,b=5",c=1'`)
}

// classWeights returns a weight for each class, nil when all are 1. known are the
// rows trained on, with weights or nil.
func (c Config) classWeights(k Kind, known truth, weights []float64) ([]float64, error) {
	if c.ClassWeight == "" || !k.weighted() {
		return nil, nil
	}
	classes := known.coder.Classes
	if c.ClassWeight == Balanced {
		return balance(len(classes), known.labels, weights), nil
	}
	given, err := parseClassWeight(c.ClassWeight)
	if err != nil {
		return nil, err
	}
	out := slices.Repeat([]float64{1}, len(classes))
	seen := map[int]string{}
	for _, g := range given {
		at := classNumber(classes, g.class)
		if at < 0 {
			return nil, fault.New(fault.Usage, "--class-weight: there is no class %q", g.class).WithHint("the classes are: %s", dataset.Abbreviate(classes))
		}
		if other, twice := seen[at]; twice {
			return nil, fault.New(fault.Usage, "--class-weight: %q and %q are one class", other, g.class)
		}
		seen[at], out[at] = g.class, g.weight
	}
	return out, nil
}

// classNumber finds a class by its text, or a number by its value; -1 if there is
// none.
func classNumber(classes []string, text string) int {
	if v, kind := dataset.ParseCell(text); !slices.Contains(classes, text) && kind == dataset.Number {
		text = dataset.FormatNumber(v + 0) // -0 becomes 0
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
	if t.ClassWeight != Balanced || !t.kind.weighted() {
		return
	}
	var parts []string
	weights := balance(len(t.model.Coder.Classes), t.truth.labels, t.weights)
	for class, w := range weights {
		parts = append(parts, fmt.Sprintf("%s %.4g", t.model.Coder.Classes[class], w))
	}
	t.note("balanced class weights: %s", dataset.Abbreviate(parts))
}
