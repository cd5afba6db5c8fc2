package repro

import (
	"encoding/json"

	"rvflplus/internal/kind"
	"rvflplus/internal/registry"
)

// answer is a result as JSON. NaN and infinities are null, or left out where a field may be missing.
type answer struct {
	Table      string     `json:"table"`
	Title      string     `json:"title"`
	Protocol   string     `json:"protocol,omitempty"`
	Metric     string     `json:"metric,omitempty"`
	Rows       []any      `json:"rows"`
	Axes       *axes      `json:"axes,omitempty"`
	Gains      []Gain     `json:"gains,omitempty"`
	Nearest    []Nearest  `json:"nearest,omitempty"`
	Overall    []Overall  `json:"overall,omitempty"`
	Findings   []string   `json:"findings,omitempty"`
	Protocols  []protocol `json:"protocols,omitempty"`
	Run        runAnswer  `json:"run"`
	Incomplete bool       `json:"incomplete,omitempty"` // a cell lacks trials
}

// axes names what x and y of a figure's rows are.
type axes struct {
	X string `json:"x"`
	Y string `json:"y,omitempty"`
}

type protocol struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Draws *Draws `json:"draws,omitempty"` // settings drawn for each method and split
}

type runAnswer struct {
	Run
	Draws   any      `json:"draws,omitempty"` // left out: the protocols tell it
	Seconds *float64 `json:"seconds"`
}

// cellAnswer is a row of a table.
type cellAnswer struct {
	Key
	Accuracy    *float64      `json:"accuracy,omitempty"` // percent
	Points      *float64      `json:"points,omitempty"`   // percent of rows or of variance
	RMSE        *float64      `json:"rmse,omitempty"`
	SD          *float64      `json:"sd"`
	Seconds     *float64      `json:"seconds"`
	TuneSeconds *float64      `json:"tune_seconds"` // of all trials
	Paper       *paperAnswer  `json:"paper"`        // null where the paper prints nothing
	Differs     bool          `json:"differs"`
	Best        bool          `json:"best"`
	Ours        bool          `json:"added"` // not a method of the paper
	SameAs      string        `json:"same_as,omitempty"`
	Otherwise   string        `json:"otherwise,omitempty"`
	Stopped     string        `json:"stopped,omitempty"`
	Limit       float64       `json:"limit,omitempty"` // seconds
	Remark      string        `json:"remark,omitempty"`
	Notes       []string      `json:"notes,omitempty"`
	Trials      []trialAnswer `json:"trials"`
}

type paperAnswer struct {
	Accuracy *float64 `json:"accuracy,omitempty"`
	RMSE     *float64 `json:"rmse,omitempty"`
	SD       *float64 `json:"sd,omitempty"`
	Seconds  *float64 `json:"seconds,omitempty"`
	Over     bool     `json:"over,omitempty"` // printed as "> seconds"
}

type trialAnswer struct {
	Value       *float64       `json:"value"`
	Seconds     *float64       `json:"seconds"`
	TuneSeconds *float64       `json:"tune_seconds"`
	Score       *float64       `json:"score"`
	Settings    *kind.Settings `json:"settings,omitempty"` // none of a method that chooses its own
	Solver      string         `json:"solver,omitempty"`
	Shares      *lossRatios    `json:"shares,omitempty"`
}

// pointAnswer is a row of a figure.
type pointAnswer struct {
	Protocol string   `json:"protocol"`
	X        float64  `json:"x"`
	Y        *float64 `json:"y,omitempty"`
	Value    *float64 `json:"value"`
}

// statisticAnswer is a row of tables 3 and 5: the sizes of the data, and the sizes that the paper prints.
type statisticAnswer struct {
	Dataset string `json:"dataset"`
	registry.Figures
	Paper       registry.Figures      `json:"paper"`
	Differences []registry.Difference `json:"differences,omitempty"`
	Remark      string                `json:"remark,omitempty"`
}

// MarshalJSON writes a result with a row for each cell, point or data set.
func (r *Result) MarshalJSON() ([]byte, error) {
	e := r.Experiment
	a := answer{
		Table: e.Name, Title: e.Title, Protocol: r.Protocol, Metric: e.Metric, Rows: []any{}, Findings: r.Findings,
		Gains: r.Gains, Nearest: r.Nearest, Overall: r.Overall,
		Run: runAnswer{Run: r.Run, Seconds: finite(r.Run.Seconds)},
	}
	for _, p := range e.Protocols {
		if r.Protocol == "both" || r.Protocol == p.family() {
			a.Protocols = append(a.Protocols, r.protocolAnswer(p))
		}
	}
	if e.Sweep != nil {
		a.Axes = &axes{e.Sweep.X, e.Sweep.Y}
	}
	for _, c := range r.Cells {
		a.Rows = append(a.Rows, e.cellAnswer(c))
		a.Incomplete = a.Incomplete || c.Stopped != ""
	}
	for _, p := range r.Points {
		a.Rows = append(a.Rows, e.pointAnswer(p))
	}
	for _, s := range r.Statistics {
		a.Rows = append(a.Rows, statisticAnswer{s.Problem, s.Data(), s.Figures, s.Differences(), s.Remark})
	}
	return json.Marshal(a)
}

func (r *Result) protocolAnswer(p Protocol) protocol {
	a := protocol{Name: p.Name, Title: p.Title}
	if d := r.draws(p); r.Experiment.Sweep == nil {
		a.Draws = &d
	}
	return a
}

func (e *Experiment) cellAnswer(c *Cell) cellAnswer {
	a := cellAnswer{
		Key: c.Key, SD: finite(c.SD()), Seconds: finite(c.Seconds()), Differs: c.Differs(), Best: c.Best, Ours: c.Ours,
		SameAs: c.SameAs, Otherwise: c.Otherwise, Stopped: c.Stopped, Limit: c.Limit, Remark: c.Remark,
		Notes: c.Notes, Trials: []trialAnswer{},
	}
	a.Accuracy, a.RMSE = e.metric(c.Mean())
	if e.Metric == points {
		a.Points, a.Accuracy = a.Accuracy, nil
	}
	if p := c.Paper; p != nil {
		a.Paper = &paperAnswer{SD: finite(p.SD), Seconds: finite(p.Seconds), Over: p.Over}
		a.Paper.Accuracy, a.Paper.RMSE = e.metric(p.Value)
	}
	tuning := 0.0
	for _, t := range c.Trials {
		tuning += t.TuneSeconds
		one := trialAnswer{
			finite(t.Value), finite(t.Seconds), finite(t.TuneSeconds), finite(t.Score), &t.Settings, t.Solver, t.Shares,
		}
		if e.own(c.Method) {
			one.Settings = nil
		}
		a.Trials = append(a.Trials, one)
	}
	a.TuneSeconds = finite(tuning)
	return a
}

// metric puts a value where its name is.
func (e *Experiment) metric(v float64) (accuracy, rmse *float64) {
	if !e.greater() {
		return nil, finite(v)
	}
	return finite(v), nil
}

func (e *Experiment) pointAnswer(p Point) pointAnswer {
	a := pointAnswer{Protocol: p.Protocol, X: p.X, Value: finite(p.Value)}
	if e.Sweep != nil && e.Sweep.Y != "" {
		a.Y = finite(p.Y)
	}
	return a
}
