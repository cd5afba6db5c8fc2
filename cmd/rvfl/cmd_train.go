package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rvflplus/activation"
	"rvflplus/internal/kind"
	"rvflplus/internal/memory"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

type trainOptions struct {
	fitOptions
	choiceFlags
	loo         bool
	writeConfig string // file of --write-config, "" for none
}

func (a *app) trainCommand() *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train DATA -y COL [-p COLS] [-m KIND] [-o MODEL]",
		Short: "Train a model on a table",
		Long:  trainLong + formulas(),
		Example: `  rvfl train patients.csv -y outcome -p 'lab_*' --id patient -o model.rvfl
  rvfl train @iris -m krvfl+
  rvfl train postgres://host/clinic --query 'SELECT * FROM patients ORDER BY id' -y outcome -p 'lab_*'
  rvfl train train.txt --no-header --target-data labels.txt --priv-data notes.txt -m rvfl+ -o m.rvfl`,
		Args: arguments("DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.train(c, args[0], &o) },
	}
	o.fitOptions.add(c, false)
	f := c.Flags()
	o.choiceFlags.add(f, &o.choose)
	f.StringVar(&o.writeConfig, "write-config", "",
		"JSON file to write: the kind, the hyper-parameters and the roles of columns that are given here, for --config")
	f.BoolVar(&o.loo, "loo", false,
		"fail if leave-one-out cannot be computed; --loo=false leaves it out (default: reported when cheap)")
	completeTables(c, 0, &o.data.layoutFlags)
	return c
}

const trainLong = `Train a model on a table: CSV, TSV, LIBSVM text, ARFF, .npy, .npz or Parquet, plain
or compressed (.gz, .Z), "-" for standard input, postgres://HOST/DATABASE with --table
or --query (docs/databases.md), or @NAME for a public data set (see rvfl data list),
which brings its target and privileged columns along.

Columns are chosen with selectors: a comma list of exact names, positions a:b
(from 1, inclusive) and globs such as 'lab_*'. Columns without a role are normal
features. The privileged columns (-p) are used in training only; they may be in a
file of their own (--priv-data), whose row i belongs to row i of DATA, or whose
rows are found by the text of a key column (--key). With --allow-missing-privileged
rows whose privileged cells are missing, or whose key the file lacks, train too.

Columns whose cells are all percentages, money, numbers of one unit, numbers with separated
thousands or decimal commas, or dates are numbers; a note says what was assumed, and the model
reads later tables alike (docs/tables.md). Cells that are not alike are an error.

Without -m training chooses: first how the columns are scaled (standard, log or
quantile, for normal and privileged columns separately), then it tries methods that
learn from normal columns alone and methods that learn from the privileged columns too,
each with several kernels, values of C, gamma, kernel widths or the scale u of random
weights, and kernels with a learned width for every column. Rows are predicted by models
of the other rows: in ten folds (five of more than 300 rows), or one by one where a flag
gives the kernel or a width; of more than 1,000 rows a sample stands for all. It keeps
a weighted sum of the methods, moved towards the sum without privileged columns as far as
the advantage is uncertain (kind stack).
--single keeps one method instead: the simplest within one standard error of the best.
The same input always tries the same settings; only --budget 30s stops early, and the
answer says where. -m KIND holds the kind, and a flag such as --C holds its
hyper-parameter. --tune=false tries nothing and takes the documented constants, and so
does a command that gives C and gamma (and the width, for kernels).

The answer names the columns that count, where widths of columns can be learned: without
-m, and with --width relevance. rvfl inspect lists and draws them (docs/relevance.md).

Whole-number targets of at most 20 distinct values are taken as classes, text
always, other numbers as a regression; several targets always mean regression.

--proba, --intervals and --std keep in the model what predict needs to say how sure
it is; all three rest on exact leave-one-out, whatever --loo says. Of support vector
machines and cascades only --proba, which leaves out five folds.
`

// formulas lists the activation functions and the kernels.
func formulas() string {
	var b strings.Builder
	b.WriteString("\nActivations G(z) of the enhancement nodes:\n")
	for _, name := range activation.Names() {
		formula, values := activation.Formula(name)
		fmt.Fprintf(&b, "  %-18s %s, in %s\n", name, formula, values)
	}
	b.WriteString("\nKernels k(x, y):\n")
	for _, name := range kernel.Names() {
		fmt.Fprintf(&b, "  %-18s %s\n", name, kernel.Formula(name))
	}
	return b.String()
}

func (a *app) train(c *cobra.Command, path string, o *trainOptions) error {
	start := time.Now()
	config, k, err := o.config(a, c, path)
	if err != nil {
		return err
	}
	if err := o.check(a, k, config); err != nil {
		return err
	}
	config.Single, config.Budget, config.Nested = o.single, o.budget, o.choose
	if err := pipeline.Validate(config); err != nil {
		return err
	}
	if err := errors.Join(checkOutput(o.output, o.inputs(path)...), checkOutput(o.writeConfig, o.inputs(path)...),
		distinctOutputs(o.output, o.writeConfig)); err != nil {
		return err
	}
	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, k)
	if err != nil {
		return err
	}
	m, err := a.fit(ctx, data, config, o.leaveOneOut(c))
	if err != nil {
		return err
	}
	a.noteTask(c, m.Coder.Task)
	if err := o.save(ctx, a, m); err != nil {
		return err
	}
	if o.writeConfig != "" {
		if err := o.model.writeFile(ctx, o.writeConfig); err != nil {
			return err
		}
	}
	seconds := time.Since(start).Seconds()
	if a.json {
		return a.writeJSON(trainJSON{
			Model: pathOrNull(o.output), Kind: m.Kind.Name, Task: m.Coder.Task,
			Rows: m.Report.Rows, Without: m.Report.WithoutPriv, Unlabelled: m.Report.Unlabelled,
			Features: len(m.Schema.Normal), Privileged: len(m.Schema.Privileged), Outputs: m.Coder.Outputs(),
			Config: kind.Settings(m.Config), Solver: m.Report.Solver,
			Train: m.Report.Train, LOO: m.Report.LeaveOneOut,
			Chosen: m.Report.Outcome, Columns: m.Report.Columns, Notes: append(a.notes, scalings(m.Report.Scalings)...),
			Warnings: worded(m.Report.Warnings), Seconds: seconds,
		})
	}
	return a.printTrained(m, path, o.output, seconds)
}

// printTrained writes what was trained: what training tried, the scores, and where the model is.
func (a *app) printTrained(m *pipeline.Model, path, output string, seconds float64) error {
	fmt.Fprintf(a.stdout, "%s on %s: %s, %s\n\n", m.Kind.Name, path, describeRows(m), describeColumns(m))
	for _, text := range scalings(m.Report.Scalings) {
		fmt.Fprintf(a.stdout, "  S%s.\n", strings.TrimPrefix(text, "s"))
	}
	if m.Report.Scalings != nil {
		fmt.Fprintln(a.stdout)
	}
	if m.Report.Outcome != nil {
		a.printOutcome(m)
		fmt.Fprintln(a.stdout)
	}
	a.printFit(m)
	if text := columnsSentence(m.Report); text != "" {
		fmt.Fprintf(a.stdout, "\n%s\n", text)
	}
	fmt.Fprintf(a.stdout, "\n%s, %.2f s", describeSolution(m.Report), seconds)
	if output != "" {
		if info, err := os.Stat(output); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(a.stdout, "; saved %s (%s)", filepath.ToSlash(output), memory.Text(float64(info.Size())))
		}
	}
	_, err := fmt.Fprintln(a.stdout)
	return err
}

// scalings tells which scalings of the columns were chosen.
func scalings(chosen []pipeline.Scaling) (out []string) {
	for _, s := range chosen {
		out = append(out, s.Text().String())
	}
	return out
}

// noteTask notes flags that do not apply to the task that the target decided.
func (a *app) noteTask(c *cobra.Command, task target.Task) {
	if classes := task == target.Classification; classes && c.Flags().Changed("center") {
		a.note("--center applies to a regression only and is not used")
	} else if !classes && c.Flags().Changed("encoding") {
		a.note("--encoding applies to a classification only and is not used")
	}
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

type trainJSON struct {
	Model      *string          `json:"model"`
	Kind       string           `json:"kind"`
	Task       target.Task      `json:"task"`
	Rows       int              `json:"rows"`
	Without    int              `json:"rows_without_privileged"`
	Unlabelled int              `json:"rows_unlabelled,omitempty"` // beside Rows
	Features   int              `json:"features"`
	Privileged int              `json:"privileged"`
	Outputs    int              `json:"outputs"`
	Config     kind.Settings    `json:"config"`
	Solver     string           `json:"solver"`
	Train      pipeline.Scored  `json:"train"`
	LOO        *pipeline.Scored `json:"loo"`
	Chosen     *learn.Outcome   `json:"chosen,omitempty"`

	Columns []pipeline.ColumnShare `json:"relevance,omitempty"` // the largest share first

	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`
	Seconds  float64  `json:"seconds"`
}

// describeSolution says what was solved, and of a support vector machine how well.
func describeSolution(r pipeline.Report) string {
	o := r.Train.Optimum
	if o == nil {
		return fmt.Sprintf("%s form of size %d", r.Solver, r.SystemSize)
	}
	return fmt.Sprintf("%s: %s; objective %s, duality gap %s, KKT violation %s, %s",
		r.Solver, count(r.SystemSize, "support vector"),
		digits(o.Objective), digits(o.Gap), digits(o.KKT), count(o.Iterations, "iteration"))
}

// describeRows says how many rows a model was trained on.
func describeRows(m *pipeline.Model) string {
	s := count(m.Report.Rows+m.Report.Unlabelled, "row")
	var parts []string
	if n := m.Report.Unlabelled; n > 0 {
		parts = append(parts, fmt.Sprintf("%d without target", n))
	}
	if n := m.Report.WithoutPriv; n > 0 {
		parts = append(parts, fmt.Sprintf("%d without privileged values", n))
	}
	if len(parts) > 0 {
		s += " (" + strings.Join(parts, ", ") + ")"
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
