package repro

import (
	"maps"
	"slices"
)

// The sizes of a quick run.
const (
	quickDraws = 4
	quickTrain = 100 // rows
	quickTest  = 300
	quickPoint = 4 // values of a hyper-parameter in a figure

	quickUnlabelled = 100
)

// quick returns an experiment that runs in seconds and has every cell of the whole one.
func quick(e *Experiment) *Experiment {
	small := *e
	small.Trials = quickTrials
	small.Protocols, small.Datasets = slices.Clone(e.Protocols), slices.Clone(e.Datasets)
	for i := range small.Protocols {
		small.Protocols[i].Draws = alike(quickDraws)
	}
	for i := range small.Datasets {
		small.Datasets[i].shorten()
	}
	if e.Sweep != nil {
		s := *e.Sweep
		s.XValues, s.YValues, s.Over = thin(s.XValues), thin(s.YValues), maps.Clone(s.Over)
		for name, values := range s.Over {
			s.Over[name] = thin(values)
		}
		small.Sweep = &s
	}
	return &small
}

// shorten leaves few rows of a data set.
func (d *Dataset) shorten() {
	d.Train, d.Validation, d.Test = min(d.Train, quickTrain), min(d.Validation, quickTest), min(d.Test, quickTest)
	d.Unlabelled = min(d.Unlabelled, quickUnlabelled)
	d.Folds, d.TuneRows, d.MarginTuneRows = min(d.Folds, 3), min(d.TuneRows, 60), min(d.MarginTuneRows, 60)
	if d.Else != nil {
		other := *d.Else
		other.shorten()
		d.Else = &other
	}
}

// thin returns at most quickPoint of the values, evenly, with the first and the last.
func thin(values []float64) []float64 {
	if len(values) <= quickPoint {
		return values
	}
	out := make([]float64, quickPoint)
	for i := range out {
		out[i] = values[i*(len(values)-1)/(quickPoint-1)]
	}
	return out
}
