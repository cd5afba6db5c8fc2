package main

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/celltext"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
)

type predictOptions struct {
	layoutFlags
	output, id string
	level      float64
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
DATA needs the normal columns the model was trained on, by name, in any order;
privileged and target columns in it are not looked at. It may be a file of any
format, "-" for standard input, or a public data set @NAME (see rvfl data list).
Features that LIBSVM text does not mention are 0. MODEL may be a model file of LIBSVM
(svm-train), whose features are called f1, f2, ….`,
		Example: `  rvfl predict model.rvfl new.csv
  rvfl predict model.rvfl new.csv --level 0.9
  rvfl predict model.rvfl new.csv --id patient -o predictions.csv`,
		Args: arguments("MODEL", "DATA"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := noEmptyNames(c); err != nil {
				return err
			}
			return a.predict(c.Context(), args[0], args[1], &o)
		},
	}
	o.add(c.Flags())
	c.Flags().StringVarP(&o.output, "output", "o", "", "CSV file to write, with tabs if it ends in .tsv, compressed if in .gz (default: standard output, -)")
	c.Flags().Var(&shareValue{&o.level, "level"}, "level", "share of new rows that intervals lower to upper are to cover (default: no intervals)")
	c.Flags().StringVar(&o.id, "id", "", "column to copy to the predictions (default: the model's id column, if DATA has it)")
	return c
}

func (a *app) predict(ctx context.Context, modelPath, path string, o *predictOptions) error {
	if err := o.checkOutput(modelPath, path); err != nil {
		return err
	}
	m, err := modelfile.Load(modelPath)
	if err != nil {
		return err
	}
	if err := m.CheckLevel(o.level); err != nil {
		return err
	}
	t, ids, err := a.readForPrediction(ctx, m, path, o)
	if err != nil {
		return err
	}
	p, err := a.runPrediction(ctx, m, t, o.level)
	if err != nil {
		return err
	}
	a.note(p.Notes...)
	out := predictionTable{model: m, predictions: p, ids: ids, rows: t.Rows}
	if err := out.checkHeader(); err != nil {
		return err
	}
	if o.output != "" {
		if err := atomicfile.Write(ctx, o.output, func(w io.Writer) error { return out.writeFile(w, o.output) }); err != nil {
			return err
		}
	}
	switch {
	case a.json:
		return a.writeJSON(out.json(o.output, a.notes))
	case o.output == "":
		return out.writeFile(a.stdout, "")
	}
	fmt.Fprintf(a.stdout, "%s written to %s\n", count(t.Rows, "prediction"), o.output)
	return nil
}

// checkOutput refuses output that would not be what its name says: text is written.
// "-" becomes "", standard output.
func (o *predictOptions) checkOutput(inputs ...string) error {
	if o.output == "-" {
		o.output = ""
	}
	format := tablefile.ByName(o.output)
	if foreign := format != "" && format != tablefile.CSV && format != tablefile.TSV; foreign || tablefile.Foreign(o.output) || inputfile.Compression(o.output) == ".Z" {
		return fault.New(fault.Usage, "-o %s: predictions are written as CSV text only", o.output).
			WithHint("give it a name that ends in .csv, .tsv or .csv.gz; rvfl data convert writes other formats")
	}
	return checkOutput(o.output, inputs...)
}

func (a *app) runPrediction(ctx context.Context, m *pipeline.Model, t *dataset.Table, level float64) (*pipeline.Predictions, error) {
	progress, end := a.progress()
	defer end()
	return m.PredictAt(ctx, t, level, progress)
}

// readForPrediction reads the model's normal columns and the id column; all else
// is left out, with one note when it has a role in the model.
func (a *app) readForPrediction(ctx context.Context, m *pipeline.Model, path string, o *predictOptions) (*dataset.Table, *dataset.Column, error) {
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
	a.noteIgnored(m, names, want)
	id, err := o.idColumn(m, names)
	if err != nil {
		return nil, nil, err
	}
	if id >= 0 && want[id] == dataset.Skip {
		want[id] = dataset.Text
	} else if id >= 0 { // a feature is the id too
		want[id] |= dataset.WithText
	}
	t, err := dataset.Collect(ctx, f, want)
	if err != nil || id < 0 {
		return t, nil, err
	}
	return t, textColumn(t, names[id]), nil
}

// textColumn finds the column called name that holds cells as written.
func textColumn(t *dataset.Table, name string) *dataset.Column {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Name == name && !c.Numeric() && c.Codes == nil {
			return c
		}
	}
	return t.Find(name) // a table without rows
}

// normalWants says how to read the columns the model needs; the others are
// skipped.
func normalWants(m *pipeline.Model, names []string) ([]dataset.ReadAs, error) {
	want := make([]dataset.ReadAs, len(names))
	for i := range want {
		want[i] = dataset.Skip
	}
	places := make(map[string]int, len(names))
	for i, name := range names {
		places[name] = i
	}
	for _, c := range m.Schema.Normal {
		i, found := places[c.Name]
		if !found {
			return nil, pipeline.MissingColumn(c.Name, names)
		}
		want[i] = wantOf(c.Type)
	}
	return want, nil
}

func wantOf(columnType string) dataset.ReadAs {
	if columnType == "categorical" {
		return dataset.Categorical
	}
	return dataset.Auto
}

func (a *app) noteIgnored(m *pipeline.Model, names []string, want []dataset.ReadAs) {
	roles := map[string]bool{}
	for _, c := range m.Schema.Privileged {
		roles[c.Name] = true
	}
	for _, name := range m.Coder.Names {
		roles[name] = roles[name] || !m.Schema.TargetFile
	}
	var ignored []string
	for i, name := range names {
		if want[i] == dataset.Skip && roles[name] {
			ignored = append(ignored, name)
		}
	}
	if len(ignored) > 0 {
		a.note("privileged and target columns are not used: " + namelist.Abbreviate(ignored))
	}
}

func (o *predictOptions) idColumn(m *pipeline.Model, names []string) (int, error) {
	if o.id == "" {
		return slices.Index(names, m.Schema.ID), nil
	}
	roles, err := roles.Resolve(dataset.Selection{ID: o.id}, names)
	return roles.ID, err
}

// checkHeader refuses an id column that is called like a column of the answer.
func (t predictionTable) checkHeader() error {
	h := t.header()
	if t.ids != nil && slices.Contains(h[1:], h[0]) {
		return fault.New(fault.Usage, "the id column is called %q, as a column of the predictions is", h[0]).
			WithHint("rename it in the input, or choose another with --id")
	}
	return nil
}

// predictionTable is the table that predict writes.
type predictionTable struct {
	model       *pipeline.Model
	predictions *pipeline.Predictions
	ids         *dataset.Column
	rows        int
}

func (t predictionTable) header() []string {
	var h []string
	if t.ids != nil {
		h = append(h, t.ids.Name)
	}
	coder := t.model.Coder
	switch {
	case coder.Task == target.Classification:
		h = append(h, "prediction")
		for _, class := range coder.Classes {
			h = append(h, "score_"+class)
		}
	case len(coder.Names) == 1:
		h = append(h, "prediction")
	default:
		for _, name := range coder.Names {
			h = append(h, "prediction_"+name)
		}
	}
	for _, e := range t.extras() {
		h = append(h, e.columns...)
	}
	return h
}

// numbers returns the scores or predicted numbers of row i.
func (t predictionTable) numbers(i int) []float64 {
	if t.model.Coder.Task == target.Classification {
		return blas.Row(t.predictions.Scores, i)
	}
	return t.predictions.Outputs.RawRowView(i)
}

func (t predictionTable) record(i int) []string {
	var r []string
	if t.ids != nil {
		r = append(r, t.ids.Text(i))
	}
	if t.model.Coder.Task == target.Classification {
		r = append(r, t.predictions.Class(i))
	}
	for _, v := range t.numbers(i) {
		r = append(r, celltext.FormatNumber(v+0)) // -0 becomes 0
	}
	for _, e := range t.extras() {
		for _, v := range blas.Row(e.values, i) {
			r = append(r, celltext.FormatNumber(v+0))
		}
	}
	return r
}

// writeFile writes what a file called path is to hold; "" is standard output.
func (t predictionTable) writeFile(w io.Writer, path string) error {
	separator := ','
	if tablefile.ByName(path) == tablefile.TSV {
		separator = '\t'
	}
	if inputfile.Compression(path) == "" {
		return t.writeText(w, separator)
	}
	z := gzip.NewWriter(w)
	if err := t.writeText(z, separator); err != nil {
		return err
	}
	return z.Close()
}

func (t predictionTable) writeText(w io.Writer, separator rune) error {
	out := csv.NewWriter(w)
	out.Comma = separator
	if err := out.Write(t.header()); err != nil {
		return err
	}
	for i := range t.rows {
		if err := out.Write(t.record(i)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

type predictionJSON struct {
	ID         *string            `json:"id,omitempty"`
	Prediction any                `json:"prediction"` // a class, a number, or a number for each target
	Scores     map[string]float64 `json:"scores,omitempty"`

	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	Std           any                `json:"std,omitempty"` // as prediction, like the following
	Lower         any                `json:"lower,omitempty"`
	Upper         any                `json:"upper,omitempty"`
}

type predictJSON struct {
	Rows        int              `json:"rows"`
	Task        target.Task      `json:"task"`
	Output      *string          `json:"output"`
	Predictions []predictionJSON `json:"predictions,omitzero"` // nil when written to a file
	Notes       []string         `json:"notes"`
}

// json returns the predictions, or where they were written.
func (t predictionTable) json(output string, notes []string) predictJSON {
	j := predictJSON{Rows: t.rows, Task: t.model.Coder.Task, Notes: orEmpty(notes)}
	if output != "" {
		j.Output = &output
		return j
	}
	j.Predictions = []predictionJSON{}
	for i := range t.rows {
		j.Predictions = append(j.Predictions, t.rowJSON(i))
	}
	return j
}

func (t predictionTable) rowJSON(i int) predictionJSON {
	var p predictionJSON
	if t.ids != nil {
		id := t.ids.Text(i)
		p.ID = &id
	}
	coder, numbers := t.model.Coder, t.numbers(i)
	named := map[string]float64{}
	switch {
	case coder.Task == target.Classification:
		for k, class := range coder.Classes {
			named[class] = numbers[k]
		}
		p.Prediction, p.Scores = t.predictions.Class(i), named
	case len(coder.Names) == 1:
		p.Prediction = numbers[0]
	default:
		for j, name := range coder.Names {
			named[name] = numbers[j]
		}
		p.Prediction = named
	}
	t.addUncertainty(&p, i)
	return p
}
