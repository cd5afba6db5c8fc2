package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/postgres"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
)

type predictOptions struct {
	layoutFlags
	output, id string
	level      float64
	threshold  *float64
}

func (a *app) predictCommand() *cobra.Command {
	var o predictOptions
	c := &cobra.Command{
		Use:   "predict MODEL DATA [-o FILE]",
		Short: "Predict the rows of a table with a trained model",
		Long: `Predict every row of a table, in order, as CSV with a header: the id column if
there is one, prediction (or prediction_<target> for several targets), and for a
classification score_<class> for every class. A model trained with --proba adds
prob_<class>, one trained with --std adds std, and for one trained with
--intervals --level 0.9 adds lower and upper (with _<target> for several targets).
--threshold T predicts the second of two classes, in the order of the score columns,
where its probability (its score, if the model was trained without --proba) is at least T.
DATA needs the normal columns the model was trained on, by name, in any order;
privileged and target columns in it are not looked at. It may be a file of any
format, "-" for standard input, a public data set @NAME (see rvfl data list), or a
database postgres://… (docs/databases.md).
With -o 'postgres://HOST/DATABASE?table=NAME' the predictions are added to a table,
all of them or none; a table that is not there is created.
Features that LIBSVM text does not mention are 0. MODEL may be a model file of LIBSVM
(svm-train), whose features are called f1, f2, ….`,
		Example: `  rvfl predict model.rvfl new.csv
  rvfl predict model.rvfl new.csv --level 0.9
  rvfl predict model.rvfl new.csv --id patient -o predictions.csv
  rvfl predict model.rvfl postgres://db/clinic --table patients -o 'postgres://db/clinic?table=scores'`,
		Args: arguments("MODEL", "DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.predict(c.Context(), args[0], args[1], &o) },
	}
	o.add(c.Flags())
	c.Flags().StringVarP(&o.output, "output", "o", "",
		"CSV file to write, with tabs if it ends in .tsv, compressed if in .gz, or postgres://…?table=NAME "+
			"(default: standard output, -)")
	shareFlag(c.Flags(), &o.level, "level",
		"share of new rows that intervals lower to upper are to cover (default: no intervals)")
	thresholdFlag(c.Flags(), &o.threshold)
	c.Flags().StringVar(&o.id, "id", "",
		"column to copy to the predictions (default: the model's id column, if DATA has it)")
	completeTables(c, 1, &o.layoutFlags)
	return c
}

func (a *app) predict(ctx context.Context, modelPath, path string, o *predictOptions) error {
	if o.output == "-" {
		o.output = "" // standard output
	}
	save, err := o.destination(ctx, a, modelPath, path)
	if err != nil {
		return err
	}
	m, err := modelfile.Load(modelPath)
	if err != nil {
		return err
	}
	if err := m.CheckLevel(o.level); err != nil {
		return err
	}
	if o.threshold != nil {
		if err := pipeline.CheckThreshold(m.Coder, m.HasProbabilities(), *o.threshold); err != nil {
			return err
		}
	}
	t, ids, err := o.read(ctx, a, m, path)
	if err != nil {
		return err
	}
	progress, end := a.progress()
	p, err := m.PredictAt(ctx, t, o.level, progress)
	end()
	if err != nil {
		return err
	}
	a.note(p.Notes...)
	if o.threshold != nil {
		if err := p.Threshold(*o.threshold); err != nil {
			return err
		}
	}
	out, err := newPredictionTable(m, p, ids)
	if err != nil {
		return err
	}
	if err := save(out); err != nil {
		return err
	}
	switch {
	case a.json:
		j := predictJSON{Rows: t.Rows, Task: m.Coder.Task, Output: pathOrNull(o.output), Notes: a.notes}
		if o.output == "" {
			j.Predictions = []predictionJSON{}
			for i := range t.Rows {
				j.Predictions = append(j.Predictions, out.json(i))
			}
		}
		return a.writeJSON(j)
	case o.output == "":
		return out.writeFile(a.stdout, "")
	}
	fmt.Fprintf(a.stdout, "%s written to %s\n", count(t.Rows, "prediction"), o.output)
	return nil
}

// destination checks, before long work, where predictions go, and returns the function that writes them there. It does
// nothing for standard output.
func (o *predictOptions) destination(
	ctx context.Context, a *app, inputs ...string) (save func(*predictionTable) error, err error) {
	switch {
	case o.output == "":
		return func(*predictionTable) error { return nil }, nil
	case postgres.IsURL(o.output):
		sink, err := postgres.OpenSink(ctx, o.output, a.secrets)
		return func(t *predictionTable) error {
			return sink.Write(ctx, t.columns(), func(w io.Writer) error { return t.writeText(w, ',') })
		}, err
	}
	if err := checkTextFile(o.output); err != nil {
		return nil, err
	}
	return func(t *predictionTable) error {
		return atomicfile.Write(ctx, o.output, func(w io.Writer) error { return t.writeFile(w, o.output) })
	}, checkOutput(o.output, inputs...)
}

// checkTextFile refuses a file whose name promises anything but separated text.
func checkTextFile(path string) error {
	format := tablefile.ByName(path)
	if format != "" && format != tablefile.CSV && format != tablefile.TSV ||
		tablefile.Foreign(path) || inputfile.Compression(path) == ".Z" {
		return fault.New(fault.Usage, "-o %s: predictions are written as CSV text only", path).
			WithHint("give it a name that ends in .csv, .tsv or .csv.gz; rvfl data convert writes other formats")
	}
	return nil
}

type predictJSON struct {
	Rows        int              `json:"rows"`
	Task        target.Task      `json:"task"`
	Output      *string          `json:"output"`
	Predictions []predictionJSON `json:"predictions,omitzero"` // nil when written to a file
	Notes       []string         `json:"notes"`
}

// read reads the model's normal columns and the id column, nil if there is none.
func (o *predictOptions) read(
	ctx context.Context, a *app, m *pipeline.Model, path string) (*dataset.Table, *dataset.Column, error) {
	in, err := o.openFor(ctx, a, m, path)
	if err != nil {
		return nil, nil, err
	}
	defer in.file.Close()
	a.noteIgnored(m, in)
	id := slices.Index(in.names, m.Schema.ID)
	if o.id != "" {
		columns, err := roles.Resolve(dataset.Selection{ID: o.id}, in.names)
		if err != nil {
			return nil, nil, err
		}
		id = columns.ID
	}
	if id < 0 {
		t, err := in.collect(ctx)
		return t, nil, err
	}
	if in.read[id] == dataset.Skip {
		in.read[id] = dataset.Text
	} else { // the id is a feature too
		in.read[id] |= dataset.WithText
	}
	t, err := in.collect(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i := range t.Columns { // a feature that is the id too stands twice; the id holds cells as written
		if c := &t.Columns[i]; c.Name == in.names[id] && !c.Numeric() && c.Codes == nil {
			return t, c, nil
		}
	}
	return t, t.Find(in.names[id]), nil // a table without rows
}

// noteIgnored names the columns that are not read although they have a role in the model.
func (a *app) noteIgnored(m *pipeline.Model, in *modelInput) {
	hasRole := map[string]bool{}
	for _, c := range m.Schema.Privileged {
		hasRole[c.Name] = true
	}
	for _, name := range m.Coder.Names {
		hasRole[name] = hasRole[name] || !m.Schema.TargetFile
	}
	var ignored []string
	for i, name := range in.names {
		if in.read[i] == dataset.Skip && hasRole[name] {
			ignored = append(ignored, name)
		}
	}
	if len(ignored) > 0 {
		a.note("privileged and target columns are not used: " + namelist.Abbreviate(ignored))
	}
}
