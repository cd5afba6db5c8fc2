package main

import (
	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
)

// extra is a group of columns that a model adds to its predictions.
type extra struct {
	columns []string
	values  blas.Matrix
}

// extras returns the columns beside predictions and scores, in their order.
func (t predictionTable) extras() []extra {
	var all []extra
	p := t.predictions
	if t.model.HasProbabilities() {
		e := extra{values: p.Probabilities}
		for _, class := range t.model.Coder.Classes {
			e.columns = append(e.columns, "prob_"+class)
		}
		all = append(all, e)
	}
	for _, part := range []struct {
		name   string
		values *mat.Dense
	}{{"std", p.Std}, {"lower", p.Lower}, {"upper", p.Upper}} {
		if part.values != nil {
			all = append(all, extra{t.perTarget(part.name), part.values.RawMatrix()})
		}
	}
	return all
}

// perTarget returns name, or name_<target> for each of several targets.
func (t predictionTable) perTarget(name string) []string {
	if len(t.model.Coder.Names) == 1 {
		return []string{name}
	}
	var names []string
	for _, target := range t.model.Coder.Names {
		names = append(names, name+"_"+target)
	}
	return names
}

// addUncertainty fills in what the model knows of row i beside its prediction.
func (t predictionTable) addUncertainty(p *predictionJSON, i int) {
	predictions := t.predictions
	if t.model.HasProbabilities() {
		p.Probabilities = map[string]float64{}
		for k, v := range blas.Row(predictions.Probabilities, i) {
			p.Probabilities[t.model.Coder.Classes[k]] = v
		}
	}
	for _, part := range []struct {
		values *mat.Dense
		dst    *any
	}{{predictions.Std, &p.Std}, {predictions.Lower, &p.Lower}, {predictions.Upper, &p.Upper}} {
		if part.values != nil {
			*part.dst = t.oneOrNamed(part.values.RawRowView(i))
		}
	}
}

// oneOrNamed returns the number, or several by the names of their targets.
func (t predictionTable) oneOrNamed(values []float64) any {
	if len(values) == 1 {
		return values[0]
	}
	named := map[string]float64{}
	for j, name := range t.model.Coder.Names {
		named[name] = values[j]
	}
	return named
}
