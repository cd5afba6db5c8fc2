package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/explain"
	"rvflplus/internal/metric"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/report"
	"rvflplus/internal/roles"
)

type explainOptions struct {
	evalOptions
	options       explain.Options
	trainData     string
	privData, key string
	plot          string
}

func (a *app) explainCommand() *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain MODEL DATA [--train-data FILE] [--plot FILE]",
		Short: "Tell what each column is worth to a model",
		Long:  explainLong,
		Example: `  rvfl explain model.rvfl test.csv
  rvfl explain model.rvfl test.csv --train-data patients.csv --plot worth.svg
  rvfl explain model.rvfl patients.csv --repeats 50 --json`,
		Args: arguments("MODEL", "DATA"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.explain(c.Context(), args[0], args[1], &o)
		},
	}
	o.add(c.Flags())
	f := c.Flags()
	f.StringVarP(&o.target, "target", "y", "", "target columns of DATA, in the order of training (default: by name)")
	f.StringVar(&o.targetData, "target-data", "", "row-aligned file of the target columns of DATA")
	o.options.Repeats = 10
	wholeFlag(f, &o.options.Repeats, "repeats", 1, 10_000, "permutations of each normal column")
	f.Uint64Var(&o.options.Seed, "seed", 0, "seed of the permutations")
	f.StringVar(&o.trainData, "train-data", "",
		"table that the model was trained on, for the privileged columns (default: DATA, if it has them)")
	f.StringVar(&o.privData, "priv-data", "", "file of the privileged columns beside the table that is trained on")
	f.StringVar(&o.key, "key", "", "column that joins --priv-data: COL, or COL=COL2 where the file calls it COL2")
	f.StringVar(&o.plot, "plot", "", plotUsage("the 25 columns of each kind that are worth most"))
	completeTables(c, 1, &o.layoutFlags)
	return c
}

const explainLong = `Tell by how much predictions get worse without a column.

Normal columns: the cells of one column go to other rows of DATA at random (--repeats
times), the model predicts, and the growth of the mean loss is the column's importance.
One-hot codes of a column move together. DATA needs the targets, and should be rows that
the model was not trained on. Columns that stand for each other share what both tell.

Privileged columns: prediction does not see them, so models are trained again, with the
settings in MODEL, on the table that MODEL was trained on: with all privileged columns and
without each one. The growth of the exact leave-one-out loss is what the column is worth.
The table is --train-data or, where it has the privileged columns, DATA.

A standard error is over the rows, whose losses with and without a column are compared in
pairs. docs/explain.md says how to read the answer.
`

func (a *app) explain(ctx context.Context, modelPath, path string, o *explainOptions) error {
	start := time.Now()
	inputs := []string{modelPath, path, o.targetData, o.trainData, o.privData}
	if err := errors.Join(checkPicture(o.plot), checkOutput(o.plot, inputs...)); err != nil {
		return err
	}
	if err := oneStdin(path, o.targetData, o.trainData, o.privData); err != nil {
		return err
	}
	m, err := modelfile.Load(modelPath)
	if err != nil {
		return err
	}
	t, targets, err := o.read(ctx, a, m, path)
	if err != nil {
		return err
	}
	var end func()
	o.options.Progress, end = a.progress()
	normal, err := explain.Permute(ctx, m, t, targets, o.options)
	var priv *explain.Part
	if err == nil {
		priv, err = o.privileged(ctx, a, m, path)
	}
	end()
	if err != nil {
		return err
	}
	a.note(worded(normal.Notes)...)
	answer := explainJSON{Model: modelPath, Normal: partOf(normal), Seconds: time.Since(start).Seconds()}
	if priv != nil {
		answer.Privileged = partOf(priv)
	}
	if o.plot != "" {
		if err := writePicture(ctx, o.plot, explainPicture(m, path, normal, priv)); err != nil {
			return err
		}
	}
	if answer.Notes = a.notes; a.json {
		return a.writeJSON(answer)
	}
	fmt.Fprintf(a.stdout, "%s %s on %s\n", m.Kind.Name, modelPath, path)
	a.printPart("Normal columns, permuted", "importance", normal)
	if priv != nil {
		a.printPart("Privileged columns, left out of training", "worth", priv)
	}
	_, err = fmt.Fprintf(a.stdout, "\n%.1f s\n", answer.Seconds)
	return err
}

// privileged measures the privileged columns; it is nil, with a note, where there is no table to train on.
func (o *explainOptions) privileged(
	ctx context.Context, a *app, m *pipeline.Model, path string) (*explain.Part, error) {
	if len(m.Schema.Privileged) == 0 {
		if o.trainData != "" || o.privData != "" {
			a.note("the model has no privileged columns: --train-data and --priv-data are not used")
		}
		return nil, nil
	}
	if !m.Kind.ClosedForm {
		a.note(fmt.Sprintf("kind %s has no exact leave-one-out, by which privileged columns are measured", m.Kind.Name))
		return nil, nil
	}
	training := o.trainData
	if training == "" {
		has, err := o.hasPrivileged(ctx, a, m, path)
		if err != nil {
			return nil, err
		}
		if !has {
			a.note("the privileged columns are not measured, because DATA does not have all of them; name the table " +
				"that the model was trained on with --train-data")
			return nil, nil
		}
		training = path
	}
	data, err := o.trainingRows(ctx, a, m, training)
	if err != nil {
		return nil, err
	}
	a.noteOtherRows(m, data)
	return explain.WithoutPrivileged(ctx, data, explain.SettingsOf(m), o.options.Progress)
}

// hasPrivileged reports whether the table to train on can be DATA: it, or the file of --priv-data, has the privileged
// columns.
func (o *explainOptions) hasPrivileged(ctx context.Context, a *app, m *pipeline.Model, path string) (bool, error) {
	if path == "-" {
		return false, nil // it has been read
	}
	if o.privData != "" {
		return true, nil
	}
	file, err := o.open(ctx, a, path, false)
	if err != nil {
		return false, err
	}
	defer file.Close()
	names := dataset.FieldNames(file.Fields())
	return !slices.ContainsFunc(m.Schema.Privileged, func(c pipeline.SchemaColumn) bool {
		return !slices.Contains(names, c.Name)
	}), nil
}

// trainingRows reads the table that the model was trained on, with the columns in the roles that they had.
func (o *explainOptions) trainingRows(
	ctx context.Context, a *app, m *pipeline.Model, path string) (*roles.Data, error) {
	d := dataFlags{layoutFlags: o.layoutFlags, Selection: m.Selection(), privData: o.privData, key: o.key}
	d.readings, d.cells.Missing = m.Schema.Readings(m.Coder.Names), m.Schema.Markers()
	d.missing = d.cells.Missing
	if o.target != "" {
		d.Target = o.target
	}
	if o.trainData == "" {
		d.targetData = o.targetData
	}
	if m.Schema.TargetFile && d.targetData == "" && o.target == "" {
		return nil, fault.New(fault.Usage, "the model's targets came from a file of their own, which --train-data "+
			"does not have").
			WithHint("use a table with targets and privileged columns, and name the targets with -y")
	}
	return d.loadRows(ctx, a, path, false)
}

// noteOtherRows tells where the rows to train on cannot be those of the model.
func (a *app) noteOtherRows(m *pipeline.Model, d *roles.Data) {
	if rows := m.Report.Rows + m.Report.Unlabelled; d.Rows != rows {
		a.note(fmt.Sprintf("the privileged columns are measured on %s, the model was trained on %d",
			count(d.Rows, "row"), rows))
	}
}

type explainColumnJSON struct {
	Column string   `json:"column"`
	Change float64  `json:"change"`
	SE     *float64 `json:"standard_error"`
}

type explainPartJSON struct {
	Rows     int                 `json:"rows"`
	Loss     float64             `json:"loss"`
	SE       *float64            `json:"standard_error"`
	Of       string              `json:"loss_is"`
	Columns  []explainColumnJSON `json:"columns"`
	Together *explainColumnJSON  `json:"together,omitempty"`
}

type explainJSON struct {
	Model      string           `json:"model"`
	Normal     *explainPartJSON `json:"normal"`
	Privileged *explainPartJSON `json:"privileged"` // null where they were not measured
	Notes      []string         `json:"notes"`
	Seconds    float64          `json:"seconds"`
}

func partOf(p *explain.Part) *explainPartJSON {
	of := func(c explain.Column) explainColumnJSON {
		return explainColumnJSON{c.Name, c.Change, metric.Defined(c.SE)}
	}
	out := &explainPartJSON{Rows: p.Rows, Loss: p.Loss, SE: metric.Defined(p.SE), Of: p.Of}
	for _, c := range p.Columns {
		out.Columns = append(out.Columns, of(c))
	}
	if p.Together != nil {
		all := of(*p.Together)
		out.Together = &all
	}
	return out
}

// printPart writes a row for each column, at most mostColumns.
func (a *app) printPart(title, worth string, p *explain.Part) {
	a.section(title)
	t := a.newTable()
	t.AppendHeader(table.Row{"column", worth, "standard error", ""})
	t.SetColumnConfigs(append(numbersRight(2, 3), shortNames))
	largest := 0.0
	for _, c := range p.Columns {
		largest = max(largest, c.Change)
	}
	row := func(c explain.Column) {
		bar := ""
		if c.Change > 0 && largest > 0 {
			bar = strings.Repeat("#", min(40, int(40*c.Change/largest+0.5)))
		}
		t.AppendRow(table.Row{printable(c.Name), digits4(c.Change), digits2(c.SE), bar})
	}
	for _, c := range p.Columns[:min(len(p.Columns), mostColumns)] {
		row(c)
	}
	if n := len(p.Columns) - mostColumns; n > 0 {
		t.AppendRow(table.Row{restName(n) + ", each less"})
	}
	if p.Together != nil {
		row(*p.Together)
	}
	t.Render()
	fmt.Fprintf(a.stdout, "  A number is the growth of the loss, which is %s with all columns on %s.\n"+
		"  Loss: %s.\n", withError(p.Loss, p.SE), count(p.Rows, "row"), p.Of)
}

// explainPicture draws what the columns of both kinds are worth; priv is nil where it was not measured.
func explainPicture(m *pipeline.Model, path string, normal, priv *explain.Part) report.Drawing {
	p := &report.Estimates{
		Title: fmt.Sprintf("What columns are worth in %s: %s on %s", strings.Join(m.Coder.Names, ", "), m.Kind.Name,
			path),
		Note: "growth of the loss without the column, with one standard error; below 0 predictions are better without",
	}
	add := func(label string, part *explain.Part) {
		panel := report.EstimatePanel{Label: label}
		line := func(c explain.Column) {
			e := report.Estimate{Name: c.Name, Value: c.Change, SE: c.SE, Tick: math.NaN()}
			panel.Lines = append(panel.Lines, e)
		}
		for _, c := range part.Columns[:min(len(part.Columns), mostColumns)] {
			line(c)
		}
		if part.Together != nil {
			line(*part.Together)
		}
		p.Panels = append(p.Panels, panel)
	}
	add("normal columns, permuted: "+normal.Of, normal)
	if priv != nil {
		add("privileged columns, left out of training: "+priv.Of, priv)
	}
	return p
}
