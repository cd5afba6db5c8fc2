package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
)

type evalOptions struct {
	layoutFlags
	target, targetData string
	weight, plot       string
	threshold          *float64
}

func (a *app) evalCommand() *cobra.Command {
	var o evalOptions
	c := &cobra.Command{
		Use:   "eval MODEL DATA",
		Short: "Measure a model on a table with known targets",
		Long: `Predict the rows of a table and compare the predictions with its target columns,
found by the names they had in training unless -y or --target-data says
otherwise. Accuracy, balanced accuracy (mean recall) and F1 (macro) are fractions. The
areas under the ROC curve and the precision-recall curve (average precision) are of the
probabilities of a model trained with --proba, else of the scores: of the second of two
classes, of several classes the mean of each against the rest. Brier score and log loss
are of probabilities only. Over several targets RMSE is the root of the mean over all
entries. The constant predictor beside the model always says the class of most of these
rows, or their mean; a warning says so where the model does not beat it.

Rows count by the weight column of the training, if DATA has it, or by --weight COL.
--threshold T predicts the second class where its probability, or its score if the model
was trained without --proba, is at least T. --plot draws the ROC curve, the
precision-recall curve and, of probabilities, the calibration; of a regression predicted
against true values, and residuals. DATA may be a file of any format, "-" for standard
input, a public data set @NAME (see rvfl data list), or postgres://… with --table or
--query (docs/databases.md). MODEL may be a model file of LIBSVM.`,
		Example: `  rvfl eval model.rvfl test.csv
  rvfl eval model.rvfl test.csv --threshold 0.2 --plot test.svg
  rvfl eval model.rvfl @shuttle:test
  rvfl eval model.rvfl test.txt --no-header --target-data labels.txt --json`,
		Args: arguments("MODEL", "DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.eval(c.Context(), args[0], args[1], &o) },
	}
	o.add(c.Flags())
	c.Flags().StringVarP(&o.target, "target", "y", "", "target columns, in the order of training (default: by name)")
	c.Flags().StringVar(&o.targetData, "target-data", "", "row-aligned file of the target columns")
	c.Flags().StringVar(&o.weight, "weight", "",
		"column of DATA by which rows count in the scores (default: the one of the training, if DATA has it)")
	thresholdFlag(c.Flags(), &o.threshold)
	c.Flags().StringVar(&o.plot, "plot", "",
		plotUsage("ROC, precision-recall and calibration curves, or predictions against targets"))
	completeTables(c, 1, &o.layoutFlags)
	return c
}

type evalJSON struct {
	Rows      int              `json:"rows"`
	Task      target.Task      `json:"task"`
	Metrics   pipeline.Metrics `json:"metrics"`
	Constant  constantJSON     `json:"constant"`
	Threshold *float64         `json:"threshold,omitempty"`
	Notes     []string         `json:"notes"`
	Warnings  []string         `json:"warnings"`
}

// constantJSON is the constant predictor beside a model.
type constantJSON struct {
	Predictor string           `json:"predictor"`
	Metrics   pipeline.Metrics `json:"metrics"`
}

func (a *app) eval(ctx context.Context, modelPath, path string, o *evalOptions) error {
	if err := errors.Join(checkPicture(o.plot), checkOutput(o.plot, modelPath, path, o.targetData)); err != nil {
		return err
	}
	m, err := modelfile.Load(modelPath)
	if err != nil {
		return err
	}
	if o.threshold != nil {
		if err := pipeline.CheckThreshold(m.Coder, m.HasProbabilities(), *o.threshold); err != nil {
			return err
		}
	}
	t, targets, err := o.read(ctx, a, m, path)
	if err != nil {
		return err
	}
	options := pipeline.EvaluateOptions{Threshold: o.threshold}
	if options.Weight, err = o.weights(a, m, t); err != nil {
		return err
	}
	var end func()
	options.Progress, end = a.progress()
	e, err := m.Evaluate(ctx, t, targets, options)
	end()
	if err != nil {
		return err
	}
	a.note(e.Notes...)
	warnings := worded(e.Warnings)
	a.say("warning", warnings...)
	if o.plot != "" {
		if err := drawEvaluation(ctx, o.plot, fmt.Sprintf("%s on %s", m.Kind.Name, path), m, e); err != nil {
			return err
		}
	}
	if a.json {
		return a.writeJSON(evalJSON{e.Rows, e.Task, e.Metrics, constantJSON{e.Constant.Name(), e.Constant.Metrics},
			o.threshold, a.notes, warnings})
	}
	return a.printEvaluation(m, path, e)
}

// printEvaluation writes the scores beside those of the constant predictor, and those of each class or target.
func (a *app) printEvaluation(m *pipeline.Model, path string, e *pipeline.Evaluation) error {
	fmt.Fprintf(a.stdout, "%s on %s: %s\n\n", m.Kind.Name, path, count(e.Rows, "row"))
	a.printScores([]scoredRow{{"all rows", e.Metrics}, {printable(e.Constant.Name()), e.Constant.Metrics}})
	a.printClassScores(scoredRow{"all rows", e.Metrics})
	if len(e.Metrics.PerTarget) < 2 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	each := a.newTable()
	each.AppendHeader(table.Row{"target", "RMSE", "MAE", "R²"})
	for _, name := range m.Coder.Names {
		r := e.Metrics.PerTarget[name]
		each.AppendRow(table.Row{printable(name), digits(r.RMSE), digits(r.MAE), digits(r.R2)})
	}
	each.Render()
	return a.stdout.err
}

// weights returns the weights of the rows of t, nil for 1 each, and tells where they are from.
func (o *evalOptions) weights(a *app, m *pipeline.Model, t *dataset.Table) ([]float64, error) {
	name := cmp.Or(o.weight, m.Schema.Weight)
	if name == "" || t.Find(name) == nil {
		return nil, nil
	}
	weights := &roles.Data{Table: t, Roles: roles.Columns{Weight: slices.Index(t.Names(), name)}}
	v, err := weights.Weights()
	if err == nil && o.weight == "" {
		a.note(fmt.Sprintf("rows count by column %q, as in training", name))
	}
	return v, err
}

// readWeight marks the column of the weights as one to read, if there is one.
func (o *evalOptions) readWeight(m *pipeline.Model, in *modelInput) error {
	name := cmp.Or(o.weight, m.Schema.Weight)
	if name == "" {
		return nil
	}
	i := slices.Index(in.names, name)
	switch {
	case i < 0 && o.weight == "":
		return nil
	case i < 0:
		return fault.New(fault.Data, "the input has no weight column %q", name).
			WithHint("the columns are: %s", namelist.Abbreviate(in.names))
	case in.read[i] != dataset.Skip:
		return fault.New(fault.Usage, "column %q is a feature of the model, not its weight", name)
	}
	in.read[i] = dataset.Auto
	return nil
}

// read reads the normal columns of a model, and its targets from DATA or from the file of --target-data.
func (o *evalOptions) read(
	ctx context.Context, a *app, m *pipeline.Model, path string) (*dataset.Table, []*dataset.Column, error) {
	if err := oneStdin(path, o.targetData); err != nil {
		return nil, nil, err
	}
	in, err := o.openFor(ctx, a, m, path)
	if err != nil {
		return nil, nil, err
	}
	defer in.file.Close()
	if err := o.readWeight(m, in); err != nil {
		return nil, nil, err
	}
	if o.targetData != "" {
		return o.readWithTargetFile(ctx, a, m, in)
	}
	if m.Schema.TargetFile && o.target == "" {
		return nil, nil, fault.New(fault.Usage, "the model's targets came from a file of their own").
			WithHint("give one with --target-data, or name the columns with -y")
	}
	var columns []int
	if o.target != "" {
		if columns, err = selectTargets(m, o.target, in.names); err != nil {
			return nil, nil, err
		}
	} else {
		for _, name := range m.Coder.Names {
			i := slices.Index(in.names, name)
			if i < 0 {
				return nil, nil, fault.New(fault.Data, "the input has no target column %q", name).
					WithHint("name it with -y, or give a file with --target-data; the columns are: %s",
						namelist.Abbreviate(in.names))
			}
			columns = append(columns, i)
		}
	}
	for k, i := range columns {
		if in.read[i] != dataset.Skip {
			return nil, nil, fault.New(fault.Usage, "column %q is a feature of the model, not its target", in.names[i])
		}
		in.read[i], in.readings[i] = readTarget(m, k)
	}
	t, err := in.collect(ctx)
	if err != nil {
		return nil, nil, err
	}
	return t, find(t, in.names, columns), nil
}

// selectTargets returns the columns that a selector chooses, one for each target of the model.
func selectTargets(m *pipeline.Model, selector string, names []string) ([]int, error) {
	columns, _, err := roles.Select(selector, names)
	if err == nil && len(columns) != len(m.Coder.Names) {
		err = fault.New(fault.Usage, "the model has %d targets, %d columns are given", len(m.Coder.Names), len(columns))
	}
	return columns, err
}

// readTarget returns how the column of target k is read: as it was in training.
func readTarget(m *pipeline.Model, k int) (dataset.ReadAs, *dataset.Reading) {
	reading := m.Schema.TargetReading(k)
	switch {
	case reading != nil:
		return dataset.Auto, reading
	case m.Coder.Task == target.Classification:
		return dataset.Categorical, nil
	}
	return dataset.Auto, &dataset.Reading{}
}

// readWithTargetFile reads the features from in and the targets from the file of --target-data.
func (o *evalOptions) readWithTargetFile(ctx context.Context, a *app, m *pipeline.Model, in *modelInput) (
	*dataset.Table, []*dataset.Column, error) {
	file, err := o.open(ctx, a, o.targetData, true)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	names := dataset.FieldNames(file.Fields())
	columns, err := selectTargets(m, cmp.Or(o.target, file.Roles.Target, "*"), names)
	if err != nil {
		return nil, nil, err
	}
	read, readings := skipAll(len(names)), make([]*dataset.Reading, len(names))
	for k, i := range columns {
		read[i], readings[i] = readTarget(m, k)
	}
	features, err := in.collect(ctx)
	if err != nil {
		return nil, nil, err
	}
	targets, err := dataset.Read(ctx, file, read, in.cells, readings)
	if err != nil {
		return nil, nil, err
	}
	if _, err := roles.SideBySide(features, targets); err != nil {
		return nil, nil, err
	}
	return features, find(targets, names, columns), nil
}

// find returns columns of t, given by their positions in the file that has all the names.
func find(t *dataset.Table, names []string, columns []int) (found []*dataset.Column) {
	for _, i := range columns {
		found = append(found, t.Find(names[i]))
	}
	return found
}
