package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rvflplus/internal/kind"
	"rvflplus/internal/roles"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/activation"
	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/memory"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

type trainOptions struct {
	data     dataFlags
	model    modelFlags
	output   string
	loo      bool
	keepPriv bool
}

func (a *app) trainCommand() *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train DATA -y COL [-p COLS] [-m KIND] [-o MODEL]",
		Short: "Train a model on a table",
		Long:  trainLong + formulas(),
		Example: `  rvfl train patients.csv -y outcome -p 'lab_*' --id patient -m krvfl+ -o model.rvfl
  rvfl train @iris -m krvfl+
  rvfl train train.txt --no-header --target-data labels.txt --priv-data notes.txt -m rvfl+ -o m.rvfl`,
		Args: arguments("DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.train(c, args[0], &o) },
	}
	o.data.add(c.Flags())
	o.model.add(c)
	c.Flags().StringVarP(&o.output, "output", "o", "", "model file to write (default: none, only report)")
	c.Flags().BoolVar(&o.loo, "loo", false, "fail if leave-one-out cannot be computed; --loo=false leaves it out (default: reported when cheap)")
	c.Flags().BoolVar(&o.keepPriv, "keep-privileged", false, "store the privileged layer and weights too")
	return c
}

const trainLong = `Train a model on a table: CSV, TSV, LIBSVM text, ARFF, .npy, .npz or Parquet, plain
or compressed (.gz, .Z), "-" for standard input, or @NAME for a public data set (see
rvfl data list), which brings its target and privileged columns along.

Columns are chosen with selectors: a comma list of exact names, positions a:b
(from 1, inclusive) and globs such as 'lab_*'. Columns without a role are normal
features. The privileged columns (-p) are used in training only; they may be in a
file of their own (--priv-data), whose row i belongs to row i of DATA, or whose
rows are found by the text of a key column (--key). With --allow-missing-privileged
rows whose privileged cells are missing, or whose key the file lacks, train too.

Whole-number targets of at most 20 distinct values are taken as classes, text
always, other numbers as a regression; several targets always mean regression.

--proba, --intervals and --std keep in the model what predict needs to say how sure
it is; all three rest on exact leave-one-out, whatever --loo says. Of support vector
machines only --proba, which leaves out five folds.
`

// formulas lists the activation functions and the kernels.
func formulas() string {
	var b strings.Builder
	b.WriteString("\nActivations G(z) of the enhancement nodes:\n")
	for _, name := range activation.Names() {
		formula, values := activation.Formula(name)
		fmt.Fprintf(&b, "  %-16s %s, in %s\n", name, formula, values)
	}
	b.WriteString("\nKernels k(x, y):\n")
	for _, name := range kernel.Names() {
		fmt.Fprintf(&b, "  %-16s %s\n", name, kernel.Formula(name))
	}
	return b.String()
}

func (a *app) train(c *cobra.Command, path string, o *trainOptions) error {
	start := time.Now()
	config, k, err := o.config(a, c, path)
	if err != nil {
		return err
	}
	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, k.Privileged)
	if err != nil {
		return err
	}
	m, err := a.fit(ctx, data, config, o.leaveOneOut(c))
	if err != nil {
		return err
	}
	a.note(spelled(m.Report.Notes)...)
	a.noteByTask(c, m)
	a.say("warning", spelled(m.Report.Warnings)...)
	if o.output == "" {
		a.note("no -o: the model was not saved")
	} else if err := modelfile.Save(ctx, o.output, m, o.keepPriv); err != nil {
		return err
	}
	r := trainResult{model: m, path: o.output, seconds: time.Since(start).Seconds()}
	if a.json {
		return a.writeJSON(r.json(a.notes))
	}
	return r.print(a, path)
}

// config returns what the flags, a file of --config and a public data set say, checked
// before anything is read.
func (o *trainOptions) config(a *app, c *cobra.Command, path string) (config param.Config, k kind.Kind, err error) {
	if err = noEmptyNames(c); err != nil {
		return config, k, err
	}
	entry, isEntry, err := registered(path)
	if err != nil {
		return config, k, err
	}
	config, err = o.model.resolve(a, c.Flags(), o.data.Priv != "" || o.data.privData != "" || isEntry && entry.Privileged() > 0)
	if err != nil {
		return config, k, err
	}
	if config.Task == "" && isEntry {
		config.Task = o.data.task(entry)
	}
	config.AllowMissingPriv = o.data.allowMissing
	if err = pipeline.Validate(config); err != nil {
		return config, k, err
	}
	if err = checkOutput(o.output, path, o.data.privData, o.data.targetData, o.model.path); err != nil {
		return config, k, err
	}
	k, err = kind.ByName(config.Kind)
	return config, k, err
}

func (a *app) fit(ctx context.Context, data *roles.Data, c param.Config, loo learn.LeaveOneOut) (*pipeline.Model, error) {
	progress, end := a.progress()
	defer end()
	return pipeline.Train(ctx, data, c, pipeline.Options{LeaveOneOut: loo, Progress: progress, Announce: func(text string) { a.note(text) }})
}

// leaveOneOut reads --loo, --loo=false, or neither.
func (o *trainOptions) leaveOneOut(c *cobra.Command) learn.LeaveOneOut {
	switch {
	case o.loo:
		return learn.Always
	case c.Flags().Changed("loo"):
		return learn.Never
	}
	return learn.WhenCheap
}

// noEmptyNames refuses flags that were given an empty file or column name, which
// would count as not given: -o "$UNSET" must not lose a long run.
func noEmptyNames(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = fault.New(fault.Usage, "--%s is empty", f.Name).WithHint("give a value, or leave the flag out")
		}
	})
	return err
}

// noteByTask says which given flags do not apply to the task.
func (a *app) noteByTask(c *cobra.Command, m *pipeline.Model) {
	name, other := "encoding", target.Classification
	if m.Coder.Task == target.Classification {
		name, other = "center", target.Regression
	}
	if c.Flags().Changed(name) {
		a.note(fmt.Sprintf("--%s applies to a %s only and is not used", name, other))
	}
}

// checkOutput refuses, before long work, an output file that cannot be written or
// is one of the inputs.
func checkOutput(output string, inputs ...string) error {
	switch output {
	case "":
		return nil
	case "-":
		return fault.New(fault.Usage, "this is not written to standard output (-)").WithHint("name a file to write; one called - is ./-")
	}
	if info, err := os.Stat(output); err == nil {
		for _, input := range inputs {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return fault.New(fault.Usage, "writing %s would overwrite the input %s", output, input).WithHint("give another file name")
			}
		}
	}
	return atomicfile.Check(output)
}

// distinctOutputs refuses a file that is named twice to be written, however it is
// spelt: the last would win. "" is none.
func distinctOutputs(outputs ...string) error {
	for i, output := range outputs {
		for _, other := range outputs[:i] {
			if output != "" && other != "" && atomicfile.Same(output, other) {
				return fault.New(fault.Usage, "%s is named twice as a file to write, also as %s", output, other).WithHint("give another file name")
			}
		}
	}
	return nil
}

// trainResult is what train tells.
type trainResult struct {
	model   *pipeline.Model
	path    string
	seconds float64
}

type trainJSON struct {
	Model      *string          `json:"model"`
	Kind       string           `json:"kind"`
	Task       target.Task      `json:"task"`
	Rows       int              `json:"rows"`
	Without    int              `json:"rows_without_privileged"`
	Features   int              `json:"features"`
	Privileged int              `json:"privileged"`
	Outputs    int              `json:"outputs"`
	Config     kind.Settings    `json:"config"`
	Solver     string           `json:"solver"`
	Train      pipeline.Scored  `json:"train"`
	LOO        *pipeline.Scored `json:"loo"`
	Notes      []string         `json:"notes"`
	Warnings   []string         `json:"warnings"`
	Seconds    float64          `json:"seconds"`
}

func (r trainResult) json(notes []string) trainJSON {
	m := r.model
	j := trainJSON{
		Kind: m.Kind.Name, Task: m.Coder.Task, Rows: m.Report.Rows, Without: m.Report.WithoutPriv,
		Features: len(m.Schema.Normal), Privileged: len(m.Schema.Privileged), Outputs: m.Coder.Outputs(),
		Config: kind.Settings(m.Config), Solver: m.Report.Solver, Train: m.Report.Train, LOO: m.Report.LeaveOneOut,
		Notes: orEmpty(notes), Warnings: orEmpty(spelled(m.Report.Warnings)), Seconds: r.seconds,
	}
	if r.path != "" {
		j.Model = &r.path
	}
	return j
}

func orEmpty(v []string) []string {
	if v == nil {
		return []string{}
	}
	return v
}

func (r trainResult) print(a *app, data string) error {
	m := r.model
	fmt.Fprintf(a.stdout, "%s on %s: %s, %s\n\n", m.Kind.Name, data, describeRows(m), describeColumns(m))
	rows := []scoredRow{{"training rows", m.Report.Train.Metrics}}
	if m.Report.LeaveOneOut != nil {
		rows = append(rows, scoredRow{"leave-one-out", m.Report.LeaveOneOut.Metrics})
	}
	a.printScores(rows)
	fmt.Fprintf(a.stdout, "\n%s, %.2f s", describeSolution(m.Report), r.seconds)
	if r.path != "" {
		if info, err := os.Stat(r.path); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(a.stdout, "; saved %s (%s)", filepath.ToSlash(r.path), memory.Text(float64(info.Size())))
		}
	}
	_, err := fmt.Fprintln(a.stdout)
	return err
}

// describeSolution says what was solved, and of a support vector machine how well.
func describeSolution(r pipeline.Report) string {
	o := r.Train.Optimum
	if o == nil {
		return fmt.Sprintf("%s form of size %d", r.Solver, r.SystemSize)
	}
	return fmt.Sprintf("%s: %s; objective %s, duality gap %s, KKT violation %s, %s", r.Solver, count(r.SystemSize, "support vector"),
		digits(o.Objective), digits(o.Gap), digits(o.KKT), count(o.Iterations, "iteration"))
}

// describeRows says how many rows a model was trained on.
func describeRows(m *pipeline.Model) string {
	s := count(m.Report.Rows, "row")
	if n := m.Report.WithoutPriv; n > 0 {
		s += fmt.Sprintf(" (%d without privileged values)", n)
	}
	return s
}

// describeColumns says what a model was trained on.
func describeColumns(m *pipeline.Model) string {
	s := count(len(m.Schema.Normal), "normal column")
	if n := len(m.Schema.Privileged); n > 0 {
		s = fmt.Sprintf("%d normal + %s", len(m.Schema.Normal), count(n, "privileged column"))
	}
	s += ", "
	if m.Coder.Task == target.Classification {
		return s + fmt.Sprintf("%s of %q", count(len(m.Coder.Classes), "class"), m.Coder.Names[0])
	}
	if len(m.Coder.Names) == 1 {
		return s + fmt.Sprintf("regression of %q", m.Coder.Names[0])
	}
	return s + fmt.Sprintf("regression of %d targets", len(m.Coder.Names))
}

type scoredRow struct {
	name    string
	metrics pipeline.Metrics
}

// printScores writes a table with one row a set of predictions.
func (a *app) printScores(rows []scoredRow) {
	t := a.newTable()
	for i, r := range rows {
		if c := r.metrics.Class; c != nil {
			if i == 0 {
				t.AppendHeader(table.Row{"", "accuracy", "balanced", "F1", "log loss"})
			}
			t.AppendRow(table.Row{r.name, percent(c.Accuracy), percent(c.BalancedAccuracy), percent(c.F1), digits(c.LogLoss)})
		}
		if n := r.metrics.Number; n != nil {
			if i == 0 {
				t.AppendHeader(table.Row{"", "RMSE", "MAE", "R²"})
			}
			t.AppendRow(table.Row{r.name, digits(n.RMSE), digits(n.MAE), digits(n.R2)})
		}
	}
	t.Render()
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + " %" }
func digits(v float64) string  { return strconv.FormatFloat(v, 'g', 5, 64) }
