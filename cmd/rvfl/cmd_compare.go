package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/compare"
	"rvflplus/internal/compare/page"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/search"
)

type compareOptions struct {
	data    dataFlags
	fixed   modelFlags
	options compare.Options
	methods string
	report  string
}

func (a *app) compareCommand() *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare DATA -y COL -p COLS",
		Short: "Tell whether the privileged columns help, and how sure that is",
		Long:  compareLong,
		Example: `  rvfl compare patients.csv -y outcome -p 'lab_*'
  rvfl compare @wine --methods krvfl,krvfl+:additive --report wine.html
  rvfl compare visits.csv -y y -p 'lab_*' --group patient
  rvfl compare d.csv -y y -p 'lab_*' --methods all
  rvfl compare d.csv -y rare -p 'lab_*' --class-weight balanced --score balanced-accuracy
  rvfl compare d.csv -y y -p 'lab_*' --permutations 999 --splits 20 --json`,
		Args: arguments("DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.compare(c, args[0], &o) },
	}
	o.data.add(c.Flags())
	o.fixed.addParams(c, notTuned...)
	f := c.Flags()
	f.StringVar(&o.data.Group, "group", "", "column of groups, such as patients: whole groups are left out, and at "+
		"least 12 are needed; not a feature")
	f.StringVar(&o.data.Time, "time", "", "column of times, numbers or ISO 8601 dates: rows are left out in blocks of "+
		"time, and later rows predicted; with --group the order of rows in a group; not a feature")
	o.options = compare.Options{Splits: 30, Permutations: 199, Rows: 200, Test: 0.25}
	f.StringVar(&o.methods, "methods", "", "methods to compare: KIND or KIND:CORRECTION, separated by commas, or all "+
		"(default: "+strings.Join(compare.DefaultMethods(), ",")+", and label where rows have no target)")
	wholeFlag(f, &o.options.Splits, "splits", 2, 1000, "random splits into training and test rows")
	shareFlag(f, &o.options.Test, "test", "share of test rows in a split")
	wholeFlag(f, &o.options.Permutations, "permutations", 19, 100000,
		"permutations of the test; the smallest p-value is 1/(permutations+1)")
	wholeFlag(f, &o.options.Rows, "rows", 20, 20000, "most rows to tune and train on; of more, so many are drawn")
	f.StringVar(&o.options.Score, "score", "", "what held-out rows are measured by, gains and verdict: "+
		strings.Join(search.Measures(), ", ")+" (default: accuracy or rmse; auc: area under the ROC curve)")
	completeWords(c, "score", search.Measures())
	f.Func("least-gain", "share of the loss of the model without privileged columns that a gain must reach where its "+
		"interval holds 0, else the verdict is open (default 0.01)", func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v < 1) {
			return fault.Param("least-gain", "a number from 0, below 1", strconv.Quote(text))
		}
		if o.options.LeastGain = v; v == 0 {
			o.options.LeastGain = -1 // none
		}
		return nil
	})
	f.StringVar(&o.report, "report", "",
		"HTML file to write: one page with plots, readable without a network and on paper")
	completeTables(c, 0, &o.data.layoutFlags)
	return c
}

// notTuned are the hyper-parameters that a comparison does not tune: flags set them.
var notTuned = []param.Param{
	param.Task, param.Hidden, param.PrivHidden, param.Activation, param.Init, param.Kernel, param.PrivKernel,
	param.Linear, param.Center, param.Encoding, param.Scale, param.PrivScale, param.Impute, param.Dates,
	param.MissingIndicator, param.MinCategory, param.ClassWeights, param.Seed,
}

const compareLong = `Train models with and without the privileged columns, all tuned equally, and tell
whether the columns help. The verdict is

  helps        a method with privileged columns is better for certain, and such a method, or
               the stack of all, also on held-out rows than what was chosen without them;
  hurts        held-out rows are predicted significantly worse with them;
  open         there is evidence for the columns, but no gain that a user would have: what is
               better is no better than a constant, or by less than --least-gain and perhaps not
               at all, or than what training makes of the normal columns alone (auto);
  no evidence  none of these. That is not proof that they are useless: see the interval.

For certain means p <= 0.05, adjusted for the number of methods. Methods in closed form
(krvfl+, distill) have to gain in leave-one-out loss over the best tuned method without the
columns, more than when the privileged columns' residuals given the normal ones are permuted.
The test cannot see what transfer, label and stack gain. They have to be better on held-out
rows than every method without the columns, and than themselves with the rows of the
privileged columns permuted.

Methods are kinds or kinds with a correction (krvfl+:additive); --methods all stands for every
kind in closed form and every correction, and takes many times as long. The kind averaged, which
knows nothing privileged, is always compared. Beside the methods stand an upper bound, the same
models seeing the privileged columns when they predict, and controls, which should gain
nothing: shuffled residuals, noise, and permuted rows. Gains are measured on random splits;
preparation and tuning are repeated inside each. A gain is positive where the privileged columns
make predictions better; its interval is that of the corrected resampled t-test.

Rows are taken to be independent of each other. Where rows belong together, as the visits of
a patient do, --group leaves whole groups out; where they follow each other, --time predicts
later rows. The answer says what it assumes.

--score is what held-out rows are measured by: gains, the verdict and --least-gain are in it.
Tuning by leave-one-out and the permutation test stay with squared error. Log losses are
refused: scores of closed forms are no probabilities. --class-weight weighs the classes in
training, not in the scores.

C, gamma, widths of kernels left automatic and the scale of random weights are tuned
by exact leave-one-out; the flags below fix the rest. docs/compare.md tells more.
`

func (a *app) compare(c *cobra.Command, path string, o *compareOptions) error {
	config, err := o.config(path)
	if err != nil {
		return err
	}
	k, err := kind.ByName(config.Kind)
	if err != nil {
		return err
	}
	if err := checkOutput(o.report, path, o.data.privData, o.data.targetData, o.data.unlabelled); err != nil {
		return err
	}
	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, k)
	if err != nil {
		return err
	}
	if len(data.Roles.Priv) == 0 {
		return fault.New(fault.Usage, "no privileged columns to compare with and without").
			WithHint("name them with -p, or give a file with --priv-data")
	}
	o.options.Data = o.dataWords(a, c, path)
	var end func()
	o.options.Progress, end = a.progress()
	result, err := compare.Compare(ctx, data, config, o.options)
	end()
	if err != nil {
		return err
	}
	result.Spell(inFlags)
	a.note(worded(result.Notes)...)
	a.say("warning", worded(result.Warnings)...)
	if o.report != "" {
		advice, err := a.adviceSection(c, path, data, config)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return page.Write(w, path, result, advice) }
		if err := atomicfile.Write(ctx, o.report, write); err != nil {
			return err
		}
	}
	if a.json {
		result.Notes = nil
		for _, text := range a.notes {
			result.Notes = append(result.Notes, fault.Plain(text))
		}
		return a.writeJSON(result)
	}
	return a.printComparison(result, path, o.report)
}

// config returns the config that the flags and a public data set spell, and checks the names of the methods.
func (o *compareOptions) config(path string) (param.Config, error) {
	config, err := o.fixed.withoutKind(&o.data, path)
	if err != nil {
		return config, err
	}
	config.Kind = compare.Kind
	if err := pipeline.Validate(config); err != nil {
		return config, err
	}
	for _, name := range strings.Split(o.methods, ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.options.Methods = append(o.options.Methods, name)
		}
	}
	if err := search.CheckMeasure(o.options.Score); err != nil {
		return config, err
	}
	return config, compare.CheckNames(o.options.Methods, config)
}

// dataWords spells DATA and the flags that training has too, as the user ordered them: how the table is read and
// prepared. The column of times is no feature.
func (o *compareOptions) dataWords(a *app, c *cobra.Command, path string) string {
	known := a.trainCommand().Flags()
	c.Flags().SortFlags = false
	words := append([]string{quoted(path)}, givenFlags(c.Flags(), func(name string) bool {
		return known.Lookup(name) != nil && name != "methods" && name != "drop"
	})...)
	if dropped := strings.Trim(o.data.Drop+","+o.data.Time, ","); dropped != "" {
		words = append(words, "--drop", quoted(dropped))
	}
	return strings.Join(words, " ")
}

// printComparison writes the comparison on the data at path as text. report is the HTML file, "" without one.
func (a *app) printComparison(c *compare.Comparison, path, report string) error {
	fmt.Fprintf(a.stdout, "Verdict: %s\n  %s\nNext: %s\n\n", c.Verdict, c.Reason, c.Advice)
	of := "rows"
	switch c.LeftOut {
	case "groups":
		of = fmt.Sprintf("rows, whole groups of %d", c.Groups)
	case "blocks":
		of = "rows, those that follow in time"
	}
	fmt.Fprintf(a.stdout, "%s: %s, %d normal + %s; %d splits of %d training and %d test %s\n\n", path,
		count(c.Rows, "row"), c.Features, count(c.Privileged, "privileged column"), c.Splits, c.TrainRows, c.TestRows,
		of)
	a.printMethods(c)
	a.printOtherScores(c)
	if note := c.AutoNote(); note != "" {
		fmt.Fprintf(a.stdout, "\n%s\n", note)
	}
	fmt.Fprintf(a.stdout, "\nGain of privileged columns, the methods chosen by leave-one-out in each split: %s.\n",
		c.Range(c.Difference))
	if c.Metric == "rmse" {
		fmt.Fprintf(a.stdout,
			"The same, the noise that privileged columns tell of taken out of held-out targets: %s.\n",
			c.Range(c.ControlVariate))
	}
	if !math.IsNaN(c.Recovered) {
		fmt.Fprintf(a.stdout, "Share of the upper bound's gain that is recovered: %.0f %%.\n", 100*c.Recovered)
	}
	if len(c.Permutation.Tests) > 0 {
		fmt.Fprintf(a.stdout, "p: %d permutations of %s, adjusted for %s; smallest possible %.2g.\n",
			c.Permutation.Rounds, count(c.Permutation.Rows, "row"), count(c.Tests(), "method"), c.SmallestP())
	}
	if len(c.HeldOut) > 0 {
		fmt.Fprintf(a.stdout, "p held out: better than every method without privileged columns and than with "+
			"their rows permuted, adjusted for %s.\n", count(c.Tests(), "method"))
	}
	if note := c.PNote(); note != "" {
		fmt.Fprintln(a.stdout, note)
	}
	fmt.Fprintf(a.stdout, "Assumed: %s.\n", c.Assumes)
	if report != "" {
		fmt.Fprintf(a.stdout, "Report: %s\n", filepath.ToSlash(report))
	}
	_, err := fmt.Fprintf(a.stdout, "%.1f s\n", c.Seconds)
	return err
}

// seen words which privileged columns a method sees.
var seen = map[compare.Role]string{
	compare.Baseline: "no", compare.Privileged: "in training", compare.UpperBound: "in use too",
}

// printMethods writes a row for each method and each control.
func (a *app) printMethods(c *compare.Comparison) {
	columns, methods := c.Table()
	a.printMethodTable(columns, methods)
}

// printOtherScores writes the other scores of a classification.
func (a *app) printOtherScores(c *compare.Comparison) {
	columns, methods := c.ClassTable()
	if len(methods) == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\nOther scores of the classes, means over the splits:\n\n")
	a.printMethodTable(columns, methods)
}

func (a *app) printMethodTable(columns []string, methods []compare.TableRow) {
	t := a.newTable()
	header := table.Row{"method", "privileged columns"}
	for _, name := range columns {
		header = append(header, name)
	}
	t.AppendHeader(header)
	for _, m := range methods {
		row := table.Row{m.Name, seen[m.Role]}
		if m.Role == compare.Control {
			row = table.Row{"control", m.Name}
		}
		for _, cell := range m.Cells {
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	t.Render()
}
