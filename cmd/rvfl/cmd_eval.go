package main

import (
	"cmp"
	"context"
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
}

func (a *app) evalCommand() *cobra.Command {
	var o evalOptions
	c := &cobra.Command{
		Use:   "eval MODEL DATA",
		Short: "Measure a model on a table with known targets",
		Long: `Predict the rows of a table and compare the predictions with its target columns,
found by the names they had in training unless -y or --target-data says
otherwise. Accuracy, balanced accuracy (mean recall) and F1 (macro) are fractions;
log_loss is that of the probabilities of a model trained with --proba, else of the
softmax of the scores, which are not calibrated. Over several targets RMSE is the
root of the mean over all entries. DATA may be a file of any format, "-" for
standard input, or a public data set @NAME (see rvfl data list). MODEL may be a model
file of LIBSVM.`,
		Example: `  rvfl eval model.rvfl test.csv
  rvfl eval model.rvfl @shuttle:test
  rvfl eval model.rvfl test.txt --no-header --target-data labels.txt --json`,
		Args: arguments("MODEL", "DATA"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := noEmptyNames(c); err != nil {
				return err
			}
			return a.eval(c.Context(), args[0], args[1], &o)
		},
	}
	o.add(c.Flags())
	c.Flags().StringVarP(&o.target, "target", "y", "", "target columns, in the order of training (default: by name)")
	c.Flags().StringVar(&o.targetData, "target-data", "", "row-aligned file of the target columns")
	return c
}

type evalJSON struct {
	Rows    int              `json:"rows"`
	Task    target.Task      `json:"task"`
	Metrics pipeline.Metrics `json:"metrics"`
	Notes   []string         `json:"notes"`
}

func (a *app) eval(ctx context.Context, modelPath, path string, o *evalOptions) error {
	m, err := modelfile.Load(modelPath)
	if err != nil {
		return err
	}
	t, targets, err := a.readForEvaluation(ctx, m, path, o)
	if err != nil {
		return err
	}
	progress, end := a.progress()
	e, err := m.Evaluate(ctx, t, targets, progress)
	end()
	if err != nil {
		return err
	}
	a.note(e.Notes...)
	if a.json {
		return a.writeJSON(evalJSON{e.Rows, e.Task, e.Metrics, orEmpty(a.notes)})
	}
	return a.printEvaluation(m, path, e)
}

func (a *app) printEvaluation(m *pipeline.Model, path string, e *pipeline.Evaluation) error {
	fmt.Fprintf(a.stdout, "%s on %s: %s\n\n", m.Kind.Name, path, count(e.Rows, "row"))
	a.printScores([]scoredRow{{"all rows", e.Metrics}})
	if len(e.Metrics.PerTarget) < 2 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	t := a.newTable()
	t.AppendHeader(table.Row{"target", "RMSE", "MAE", "R²"})
	for _, name := range m.Coder.Names {
		r := e.Metrics.PerTarget[name]
		t.AppendRow(table.Row{printable(name), digits(r.RMSE), digits(r.MAE), digits(r.R2)})
	}
	t.Render()
	return nil
}

// readForEvaluation reads the normal columns and the targets, from DATA or from a
// file of their own.
func (a *app) readForEvaluation(ctx context.Context, m *pipeline.Model, path string, o *evalOptions) (t *dataset.Table, targets []*dataset.Column, err error) {
	if err := oneStdin(path, o.targetData); err != nil {
		return nil, nil, err
	}
	o.need(m)
	f, err := o.open(ctx, a, path, false)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	names := dataset.FieldNames(f.Fields())
	*m = *m.Widened(names)
	want, err := normalWants(m, names)
	if err != nil {
		return nil, nil, err
	}
	if o.targetData != "" {
		return a.readWithTargetFile(ctx, m, f, want, o)
	}
	if m.Schema.TargetFile && o.target == "" {
		return nil, nil, fault.New(fault.Usage, "the model's targets came from a file of their own").
			WithHint("give one with --target-data, or name the columns with -y")
	}
	columns, err := o.targetColumns(m, names)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range columns {
		if want[i] != dataset.Skip {
			return nil, nil, fault.New(fault.Usage, "column %q is a feature of the model, not its target", names[i])
		}
		want[i] = targetWant(m)
	}
	if t, err = dataset.Collect(ctx, f, want); err != nil {
		return nil, nil, err
	}
	for _, i := range columns {
		targets = append(targets, t.Find(names[i]))
	}
	return t, targets, nil
}

func targetWant(m *pipeline.Model) dataset.ReadAs {
	if m.Coder.Task == target.Classification {
		return dataset.Categorical
	}
	return dataset.Auto
}

// targetColumns finds the targets by -y, or by their names in training.
func (o *evalOptions) targetColumns(m *pipeline.Model, names []string) ([]int, error) {
	if o.target != "" {
		columns, _, err := roles.Select(o.target, names)
		return columns, checkCount(m, len(columns), err)
	}
	var columns []int
	for _, name := range m.Coder.Names {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fault.New(fault.Data, "the input has no target column %q", name).
				WithHint("name it with -y, or give a file with --target-data; the columns are: %s", namelist.Abbreviate(names))
		}
		columns = append(columns, i)
	}
	return columns, nil
}

func checkCount(m *pipeline.Model, got int, err error) error {
	if err == nil && got != len(m.Coder.Names) {
		return fault.New(fault.Usage, "the model has %d targets, %d columns are given", len(m.Coder.Names), got)
	}
	return err
}

func (a *app) readWithTargetFile(ctx context.Context, m *pipeline.Model, f dataset.Source, want []dataset.ReadAs, o *evalOptions) (*dataset.Table, []*dataset.Column, error) {
	g, err := o.open(ctx, a, o.targetData, true)
	if err != nil {
		return nil, nil, err
	}
	defer g.Close()
	names := dataset.FieldNames(g.Fields())
	selector := cmp.Or(o.target, g.Roles.Target, "*")
	columns, _, err := roles.Select(selector, names)
	if err := checkCount(m, len(columns), err); err != nil {
		return nil, nil, err
	}
	wantTarget := make([]dataset.ReadAs, len(names))
	for i := range wantTarget {
		wantTarget[i] = dataset.Skip
		if slices.Contains(columns, i) {
			wantTarget[i] = targetWant(m)
		}
	}
	t, err := dataset.Collect(ctx, f, want)
	if err != nil {
		return nil, nil, err
	}
	own, err := dataset.Collect(ctx, g, wantTarget)
	if err != nil {
		return nil, nil, err
	}
	if _, err := roles.SideBySide(t, own); err != nil {
		return nil, nil, err
	}
	var targets []*dataset.Column
	for _, i := range columns {
		targets = append(targets, own.Find(names[i]))
	}
	return t, targets, nil
}
