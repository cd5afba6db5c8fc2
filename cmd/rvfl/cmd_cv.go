package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/internal/crossval"
	"rvflplus/internal/kind"
	"rvflplus/internal/metric"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/report"
	"rvflplus/internal/search"
	"rvflplus/internal/target"
)

type cvOptions struct {
	fitOptions
	choiceFlags
	scheme search.Scheme
	cv     string
	plot   string
}

func (a *app) cvCommand() *cobra.Command {
	var o cvOptions
	c := &cobra.Command{
		Use:   "cv DATA -y COL [-p COLS] [-m KIND] [--cv K|loo] [--repeats R]",
		Short: "Cross-validate: how well do models predict rows that they have not seen?",
		Long:  cvLong,
		Example: `  rvfl cv patients.csv -y outcome -p 'lab_*'
  rvfl cv patients.csv -y outcome -m krvfl --C 10 --width 2 --cv loo
  rvfl cv visits.csv -y y -p 'lab_*' -m krvfl+ --cv 5 --repeats 4 --group patient --plot cv.svg
  rvfl cv sales.csv -y y -m krvfl --time day --json`,
		Args: arguments("DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.crossValidate(c, args[0], &o) },
	}
	o.addSettings(c, true)
	f := c.Flags()
	o.choiceFlags.add(f, &o.choose)
	f.StringVar(&o.cv, "cv", "", "number of folds (default 10, with --time 5), or loo: each row, or each group, alone")
	wordFlag(f, &o.scheme.Layout, "folds", search.Layouts(), layoutUsage+": "+strings.Join(search.Layouts(), ", "))
	completeWords(c, "folds", search.Layouts())
	wholeFlag(f, &o.scheme.Repeats, "repeats", 1, 1000, "times the folds are dealt (default 1)")
	f.StringVar(&o.plot, "plot", "", plotUsage("the scores of the folds and their means"))
	completeTables(c, 0, &o.data.layoutFlags)
	return c
}

const cvLong = `Train a model on all folds of the rows but one, score it on that one, and do so for each
fold. Nothing of a fold takes part in training: scalings, settings and preparation are
chosen anew for each model, as rvfl train would choose them with the same flags. The
answer lists every fold, and the mean of each score with its standard error. Beside it
stands the score of a constant: the mean, or the most frequent class, of the training rows.

Models of different folds share most of their training rows, so their scores are not
independent. The standard error is Nadeau and Bengio's: the square root of
(1/k + test rows/training rows) times the variance over all k folds and repetitions.

--cv loo leaves out each row alone, in closed form, for kinds that have one and settings
that are given; with --group each group, trained anew. --time COL orders the rows: every
fold is predicted by a model of the earlier rows alone.
`

func (a *app) crossValidate(c *cobra.Command, path string, o *cvOptions) error {
	config, k, err := o.config(a, c, path)
	if err != nil {
		return err
	}
	if err := errors.Join(o.check(a, k, config), o.setFolds()); err != nil {
		return err
	}
	config.Single, config.Budget = o.single, o.budget
	if err := pipeline.Validate(config); err != nil {
		return err
	}
	if err := errors.Join(checkPicture(o.plot), checkOutput(o.plot, o.inputs(path)...)); err != nil {
		return err
	}
	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, k)
	if err != nil {
		return err
	}
	if o.cv == "" && o.data.Time == "" {
		o.scheme.Folds = max(2, min(o.scheme.Folds, data.Rows))
	}
	progress, end := a.progress()
	r, err := crossval.Run(ctx, data, config, crossval.Options{
		Scheme: o.scheme, RefitPreparation: search.RefitFewRows, Progress: progress,
	})
	end()
	if err != nil {
		return err
	}
	a.noteTask(c, r.Task)
	a.note(worded(r.Notes)...)
	a.say("warning", worded(r.Warnings)...)
	if o.plot != "" {
		if err := writePicture(ctx, o.plot, cvPicture(r, path)); err != nil {
			return err
		}
	}
	if a.json {
		return a.writeJSON(cvAnswer(r, a.notes))
	}
	return a.printCV(r, path)
}

// setFolds reads --cv.
func (o *cvOptions) setFolds() (err error) {
	switch {
	case o.cv == "loo":
	case o.cv != "":
		o.scheme.Folds, err = foldsOf(o.cv)
	case o.data.Time != "":
		o.scheme.Folds = search.FoldsInTime
	default:
		o.scheme.Folds = crossval.DefaultFolds
	}
	return err
}

type cvScoreJSON struct {
	Mean     float64  `json:"mean"`
	SE       *float64 `json:"standard_error"`     // null where it is not known
	Constant *float64 `json:"constant,omitempty"` // the same of a constant
}

type cvFoldJSON struct {
	Repeat  int              `json:"repeat"`
	Fold    int              `json:"fold"`
	Train   int              `json:"train_rows"`
	Test    int              `json:"test_rows"`
	Metrics pipeline.Metrics `json:"metrics"`
	Seconds float64          `json:"seconds"`
}

type cvJSON struct {
	Kind     string                 `json:"kind"`
	Task     target.Task            `json:"task"`
	Config   kind.Settings          `json:"config"` // as given: without what training chose
	Rows     int                    `json:"rows"`
	CV       string                 `json:"cv"`
	Scores   map[string]cvScoreJSON `json:"scores"`
	Formula  string                 `json:"standard_error_is"`
	Folds    []cvFoldJSON           `json:"folds"`
	Notes    []string               `json:"notes"`
	Warnings []string               `json:"warnings"`
	Seconds  float64                `json:"seconds"`
}

func cvAnswer(r *crossval.Result, notes []string) cvJSON {
	out := cvJSON{
		Kind: r.Kind.Name, Task: r.Task, Config: kind.Settings(r.Config), Rows: r.Rows, CV: r.Scheme,
		Scores: map[string]cvScoreJSON{}, Formula: r.Formula(), Folds: []cvFoldJSON{}, Notes: notes,
		Warnings: worded(r.Warnings), Seconds: r.Seconds,
	}
	for _, s := range r.Scores {
		out.Scores[s.Name] = cvScoreJSON{s.Mean, metric.Defined(s.SE), metric.Defined(s.Constant)}
	}
	for _, f := range r.Folds {
		out.Folds = append(out.Folds, cvFoldJSON{f.Repeat, f.Number, f.Train, f.Test, f.Metrics, f.Seconds})
	}
	return out
}

// scoreNames are the names of scores for people.
var scoreNames = map[string]string{
	"rmse": "RMSE", "mae": "MAE", "r2": "R²", "f1": "F1", "balanced_accuracy": "balanced", "log_loss": "log loss",
	"roc_auc": "ROC AUC", "pr_auc": "PR AUC", "brier": "Brier",
}

func scoreName(name string) string {
	if text, known := scoreNames[name]; known {
		return text
	}
	return name
}

// scoreText writes a score, a share as a percentage.
func scoreText(name string, v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case strings.HasSuffix(name, "accuracy") || name == "f1":
		return percent(v)
	}
	return digits4(v)
}

func (a *app) printCV(r *crossval.Result, path string) error {
	fmt.Fprintf(a.stdout, "%s on %s: %s, %s\n\n", r.Kind.Name, path, count(r.Rows, "row"), r.Scheme)
	t := a.newTable()
	t.AppendHeader(table.Row{"score", "mean", "standard error", "constant"})
	for _, s := range r.Scores {
		row := table.Row{scoreName(s.Name)}
		for _, v := range []float64{s.Mean, s.SE, s.Constant} {
			row = append(row, scoreText(s.Name, v))
		}
		t.AppendRow(row)
	}
	t.SuppressEmptyColumns()
	t.Render()
	if r.Folds != nil {
		fmt.Fprintln(a.stdout)
		a.printFolds(r)
	}
	if !r.Beats() {
		fmt.Fprintf(a.stdout, "\nThe models are no better than a constant.\n")
	}
	_, err := fmt.Fprintf(a.stdout, "\nA standard error is %s.\n%.1f s\n", r.Formula(), r.Seconds)
	return err
}

// printFolds writes a row for each fold.
func (a *app) printFolds(r *crossval.Result) {
	t := a.newTable()
	header := table.Row{"fold", "training rows", "test rows"}
	for _, s := range r.Scores {
		header = append(header, scoreName(s.Name))
	}
	t.AppendHeader(header)
	repeats := r.Folds[len(r.Folds)-1].Repeat
	for k, f := range r.Folds {
		name := fmt.Sprint(f.Number)
		if repeats > 1 {
			name = fmt.Sprintf("%d.%d", f.Repeat, f.Number)
		}
		row := table.Row{name, f.Train, f.Test}
		for _, s := range r.Scores {
			row = append(row, scoreText(s.Name, s.Values[k]))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// cvPicture draws the scores of the folds.
func cvPicture(r *crossval.Result, path string) report.Drawing {
	p := &report.Estimates{
		Title: fmt.Sprintf("%s on %s: %s", r.Kind.Name, path, r.Scheme),
		Note:  "circles: folds; point and line: their mean and one standard error; rule: the same mean of a constant",
	}
	for _, s := range r.Scores {
		p.Panels = append(p.Panels, report.EstimatePanel{
			Label: scoreName(s.Name), Free: true,
			Lines: []report.Estimate{{Name: "mean", Value: s.Mean, SE: s.SE, Parts: s.Values, Tick: s.Constant}},
		})
	}
	return p
}
