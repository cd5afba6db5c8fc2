package repro

import (
	"encoding/json"

	"rvflplus/fault"
	"rvflplus/internal/registry"
)

// UnmarshalJSON reads what MarshalJSON writes, and concludes the result anew: the experiment is that of this program,
// the trials, points and notes are those of the text, and the paper's numbers, remarks, gains and findings follow from
// them. A trial has its settings as they were trained, not its Config. A text that is no result, or that names a table,
// a data set or a method that this program does not have, is a fault.Data error.
func (r *Result) UnmarshalJSON(text []byte) error {
	var a struct {
		answer
		Rows []json.RawMessage `json:"rows"`
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return fault.New(fault.Data, "no result of rvfl repro: %w", err)
	}
	found, err := Find(a.Table)
	if err != nil || len(found) != 1 {
		return fault.New(fault.Data, "a result of %q, which is no table or figure of this program", a.Table)
	}
	read := Result{Experiment: found[0], Protocol: a.Protocol, Run: a.Run.Run}
	read.Run.Seconds = number(a.Run.Seconds)
	if read.Run.Quick {
		read.Experiment = quick(read.Experiment)
	}
	read.Run.Draws = read.Experiment.drawsOf(a.Protocols)
	add := read.addCell
	switch {
	case read.Experiment.Metric == "":
		add = read.addStatistic
	case read.Experiment.Sweep != nil:
		add = read.addPoint
	}
	for _, row := range a.Rows {
		if err := add(row); err != nil {
			return err
		}
	}
	read.Conclude()
	*r = read
	return nil
}

// number is the inverse of finite.
func number(v *float64) float64 {
	if v == nil {
		return nan
	}
	return *v
}

// drawsOf returns how many settings were asked for, 0 where they were the protocols' own.
func (e *Experiment) drawsOf(protocols []protocol) int {
	for _, p := range protocols {
		for _, own := range e.Protocols {
			if own.Name == p.Name && p.Draws != nil && *p.Draws != own.Draws {
				return p.Draws.Kernel
			}
		}
	}
	return 0
}

func (r *Result) addCell(row json.RawMessage) error {
	var a cellAnswer
	if err := json.Unmarshal(row, &a); err != nil {
		return fault.New(fault.Data, "%s: a row that is no cell: %w", r.Experiment.Name, err)
	}
	d := r.Experiment.dataset(a.Key)
	if d == nil {
		return fault.New(fault.Data, "%s has no cell of %s on %s under %q", r.Experiment.Name, a.Method, a.Dataset,
			a.Protocol)
	}
	c := &Cell{Key: a.Key, Ours: a.Ours, SameAs: a.SameAs, Otherwise: a.Otherwise, Stopped: a.Stopped,
		Limit: a.Limit, Notes: a.Notes}
	if r.Experiment.Metric == accuracy {
		c.TestRows = d.Test
	}
	for _, t := range a.Trials {
		one := Trial{
			Value: number(t.Value), Seconds: number(t.Seconds), TuneSeconds: number(t.TuneSeconds),
			Score: number(t.Score), Solver: t.Solver, Shares: t.Shares,
		}
		if t.Settings != nil {
			one.Settings = *t.Settings
		}
		c.Trials = append(c.Trials, one)
	}
	r.Cells = append(r.Cells, c)
	return nil
}

// dataset returns the data set of a cell, nil if the experiment has no such cell.
func (e *Experiment) dataset(k Key) *Dataset {
	for _, p := range e.Protocols {
		for i := range e.Datasets {
			for m := range e.Methods {
				if e.Methods[m].key(p.Name, e.Datasets[i].Name) == k {
					return &e.Datasets[i]
				}
			}
		}
	}
	return nil
}

func (r *Result) addPoint(row json.RawMessage) error {
	var a pointAnswer
	if err := json.Unmarshal(row, &a); err != nil {
		return fault.New(fault.Data, "%s: a row that is no point: %w", r.Experiment.Name, err)
	}
	p := Point{Protocol: a.Protocol, X: a.X, Value: number(a.Value)}
	if r.Experiment.Sweep.Y != "" {
		p.Y = number(a.Y)
	}
	r.Points = append(r.Points, p)
	return nil
}

// addStatistic adds a row of tables 3 and 5, which this program knows by the name of its data set.
func (r *Result) addStatistic(row json.RawMessage) error {
	var a statisticAnswer
	if err := json.Unmarshal(row, &a); err != nil {
		return fault.New(fault.Data, "%s: a row that is no data set: %w", r.Experiment.Name, err)
	}
	for _, p := range registry.Paper() {
		if p.Problem == a.Dataset {
			r.Statistics = append(r.Statistics, p)
			return nil
		}
	}
	return fault.New(fault.Data, "%s has no data set %q", r.Experiment.Name, a.Dataset)
}
