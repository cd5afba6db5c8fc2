package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/report"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
)

// tuneResult is the answer of tune: the trials, and the model with the best setting.
type tuneResult struct {
	*search.Result
	model   *pipeline.Model
	data    string // as the user calls it
	output  string // file of the model, "" for none
	seconds float64
}

type trialJSON struct {
	Config  kind.Settings `json:"config"`
	Score   *float64      `json:"score"` // null when it could not be evaluated
	Seconds float64       `json:"seconds"`
	Rows    int           `json:"rows"`
	Error   string        `json:"error,omitempty"`
}

type bestJSON struct {
	Config kind.Settings `json:"config"`
	Score  float64       `json:"score"`
}

// constantScore is the constant predictor on the rows that settings were scored on.
type constantScore struct {
	Predictor string  `json:"predictor"`
	Score     float64 `json:"score"`
}

type tuneJSON struct {
	Best     bestJSON         `json:"best"`
	Score    string           `json:"score"`
	Greater  bool             `json:"greater_is_better"`
	CV       string           `json:"cv"`
	Model    *string          `json:"model"`
	Trials   []trialJSON      `json:"trials"`
	Constant constantScore    `json:"constant"`
	LOO      *pipeline.Scored `json:"loo"`
	Notes    []string         `json:"notes"`
	Warnings []string         `json:"warnings"`
	Seconds  float64          `json:"seconds"`
}

// tell writes the plot, if a file is named, and the answer.
func (r tuneResult) tell(ctx context.Context, a *app, data *roles.Data, plot string) error {
	p, err := pipeline.Prepare(ctx, data, r.Trials[r.Best].Config)
	if err != nil {
		return err
	}
	var trials []trialJSON
	for _, t := range r.Trials {
		config, err := p.Resolve(t.Config)
		if err != nil {
			return err
		}
		j := trialJSON{Config: kind.Settings(config), Seconds: t.Seconds, Rows: t.Rows}
		if t.Err != nil {
			j.Error = t.Err.Error()
		} else if !math.IsNaN(t.Score) {
			j.Score = &t.Score
		}
		trials = append(trials, j)
	}
	if plot != "" {
		if err := r.draw(ctx, plot, trials); err != nil {
			return err
		}
	}
	if a.json {
		return a.writeJSON(tuneJSON{
			Best:  bestJSON{kind.Settings(r.model.Config), r.Trials[r.Best].Score},
			Score: r.Score.Name, Greater: r.Score.Greater, CV: r.Scheme, Model: pathOrNull(r.output),
			Trials: trials, Constant: constantScore{r.Constant.Name, r.Constant.Score}, LOO: r.model.Report.LeaveOneOut,
			Notes: a.notes, Warnings: worded(slices.Concat(r.Warnings, r.model.Report.Warnings)), Seconds: r.seconds,
		})
	}
	return r.print(a, trials)
}

// shown is the number of trials that the table lists.
const shown = 5

func (r tuneResult) print(a *app, trials []trialJSON) error {
	m := r.model
	fmt.Fprintf(a.stdout, "%s on %s: %s, %s\n", m.Kind.Name, r.data, describeRows(m), describeColumns(m))
	fmt.Fprintf(a.stdout, "%s by %s, %.2f s; the best:\n\n", count(len(trials), "setting"), r.Scheme, r.seconds)
	order := make([]int, len(trials))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, r.compare)
	t := a.newTable()
	header, columns := table.Row{r.Score.Name}, r.numberColumns(trials)
	several := r.severalKinds()
	if several {
		header = append(header, "kind")
	}
	for _, c := range columns {
		header = append(header, c.About().Name)
	}
	t.AppendHeader(header)
	for _, i := range order[:min(shown, len(order))] {
		if trials[i].Score == nil {
			break
		}
		row := table.Row{digits(*trials[i].Score)}
		if several {
			row = append(row, kindText(trials[i].Config))
		}
		for _, c := range columns {
			if v := numberIn(trials[i], c); math.IsNaN(v) {
				row = append(row, "")
			} else {
				row = append(row, digits(v))
			}
		}
		t.AppendRow(row)
	}
	t.Render()
	fmt.Fprintf(a.stdout, "\nThe constant predictor, %s: %s %s.\n\n", printable(r.Constant.Name), r.Score.Name,
		digits(r.Constant.Score))
	a.printFit(m)
	if r.output != "" {
		fmt.Fprintf(a.stdout, "\nsaved %s\n", filepath.ToSlash(r.output))
	}
	return a.stdout.err
}

// severalKinds reports whether the trials are of more than one kind.
func (r tuneResult) severalKinds() bool {
	return slices.ContainsFunc(r.Trials, func(t search.Trial) bool { return t.Config.Kind != r.Trials[0].Config.Kind })
}

// kindText names the kind of some settings, and the form in which privileged columns enter.
func kindText(s kind.Settings) string {
	if k, err := kind.ByName(s.Kind); err == nil && k.Has(param.Correction) {
		return s.Kind + " " + string(s.Correction)
	}
	return s.Kind
}

// compare orders trials: those scored on more rows first, and among them those with the better score.
func (r tuneResult) compare(i, j int) int {
	a, b := r.Trials[i], r.Trials[j]
	switch {
	case a.Rows != b.Rows:
		return b.Rows - a.Rows
	case r.Score.Better(a.Score, b.Score):
		return -1
	case r.Score.Better(b.Score, a.Score):
		return 1
	}
	return i - j
}

// numberColumns returns the numeric hyper-parameters that differ between trials, those that a search varies first. They
// are the columns of the table and the panels of a plot.
func (r tuneResult) numberColumns(trials []trialJSON) []param.Param {
	var all, out []param.Param
	for _, t := range r.model.Kind.Tuned {
		all = append(all, t.Param)
	}
	for _, p := range append(all, r.model.Kind.Params...) {
		differs := func(t trialJSON) bool {
			v := numberIn(t, p)
			return v == v && v != numberIn(trials[0], p)
		}
		if !slices.Contains(out, p) && slices.ContainsFunc(trials, differs) {
			out = append(out, p)
		}
	}
	return out
}

// numberIn returns a hyper-parameter of a trial, NaN where its kind does not have it or training chooses it.
func numberIn(t trialJSON, p param.Param) float64 {
	k, err := kind.ByName(t.Config.Kind)
	if err != nil || !k.Has(p) || slices.Contains(t.Config.Free, p) {
		return math.NaN()
	}
	return p.Number((*param.Config)(&t.Config))
}

// draw draws the score over each hyper-parameter that differs between trials.
func (r tuneResult) draw(ctx context.Context, path string, trials []trialJSON) error {
	columns := r.numberColumns(trials)
	if len(columns) == 0 {
		return fault.New(fault.Usage, "--plot draws the score over hyper-parameters, but none that is a number "+
			"differs between the settings")
	}
	m := &report.Marginals{
		Title: fmt.Sprintf("%s on %s: %s by %s", r.model.Kind.Name, r.data, r.Score.Name, r.Scheme),
		Score: r.Score.Name, Greater: r.Score.Greater, Best: r.Best,
	}
	for _, c := range columns {
		m.Names = append(m.Names, c.About().Name)
	}
	for _, t := range trials {
		s := report.Setting{Score: math.NaN()}
		for _, c := range columns {
			s.Values = append(s.Values, numberIn(t, c))
		}
		if t.Score != nil && t.Rows == trials[r.Best].Rows {
			s.Score = *t.Score
		}
		m.Settings = append(m.Settings, s)
	}
	return writePicture(ctx, path, m)
}
