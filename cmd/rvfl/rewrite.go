package main

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/namelist"
	"rvflplus/internal/roles"
	"rvflplus/internal/survey"
)

// rewriteFlags say which columns of a table are written to other files, and how.
type rewriteFlags struct {
	layoutFlags
	target, drop, categorical string
	to, toSep                 string
	bare                      bool // without a header line
}

func (r *rewriteFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&r.target, "target", "y", "", "target columns, which are written last; for LIBSVM text, which has no names, the name of its target")
	f.StringVar(&r.drop, "drop", "", "columns to leave out")
	f.StringVar(&r.categorical, "categorical", "", "columns whose cells are categories even if they look like numbers")
	f.Var(&choiceValue{&r.to, "to", tablefile.Formats()}, "to", "format to write (default: by the name of the file to write)")
	f.StringVar(&r.toSep, "to-sep", "", `separator of a CSV file to write: one character or "tab" (default: comma)`)
	f.BoolVar(&r.bare, "to-no-header", false, "write a CSV file without a line of column names")
	r.layoutFlags.add(f)
}

func (r *rewriteFlags) writeOptions() tablefile.WriteOptions {
	return tablefile.WriteOptions{Format: tablefile.Format(r.to), Separator: r.toSep, NoHeader: r.bare}
}

// rewriting is a table on its way into other files.
type rewriting struct {
	file    *tablefile.Table
	source  dataset.Source // of the columns to write, in their order
	want    []dataset.ReadAs
	targets int // columns from the last
	outline dataset.Outline
	options tablefile.WriteOptions
}

// begin opens the table and reads it once, to know what is in it. Columns that the
// outputs cannot hold are refused before that.
func (r *rewriteFlags) begin(ctx context.Context, a *app, path string, outputs ...string) (*rewriting, error) {
	r.again = true
	file, err := r.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	w := &rewriting{file: file, options: r.writeOptions()}
	if err := w.survey(ctx, r, outputs); err != nil {
		file.Close()
		return nil, err
	}
	return w, nil
}

func (w *rewriting) survey(ctx context.Context, r *rewriteFlags, outputs []string) error {
	if err := w.plan(r); err != nil {
		return err
	}
	for _, output := range outputs {
		if err := w.options.CheckFields(output, w.source.Fields()); err != nil {
			return err
		}
	}
	summary, err := survey.Summarize(ctx, w.source, w.want)
	if err != nil {
		return err
	}
	w.outline = summary.Outline()
	for _, output := range outputs {
		if err := w.checkMerging(output); err != nil {
			return err
		}
	}
	return nil
}

// plan chooses the columns: targets last, the others in the order of the file.
func (w *rewriting) plan(r *rewriteFlags) error {
	names := dataset.FieldNames(w.file.Fields())
	sel := dataset.Selection{Target: r.target, Drop: r.drop}
	if w.file.Format == tablefile.LIBSVM && r.target != "" {
		names[len(names)-1] = r.target
		if slices.Index(names, r.target) < len(names)-1 {
			return fault.New(fault.Usage, "-y %s: a feature has this name already", r.target).WithHint("give the target another name")
		}
		sel.Target = roles.ByName(names[len(names)-1:])
	}
	if sel.Target == "" {
		sel.Target = w.file.Roles.Target
	}
	roles, err := roles.Resolve(sel, names)
	if err != nil {
		return err
	}
	columns := slices.Concat(roles.Normal, roles.Target)
	if len(columns) == 0 {
		return fault.New(fault.Usage, "no column is left to write")
	}
	w.targets = len(roles.Target)
	w.options.Targets = w.targets
	w.arrange(names, columns)
	return w.setWants(r.categorical)
}

func (w *rewriting) arrange(names []string, columns []int) {
	var written []string
	for _, i := range columns {
		written = append(written, names[i])
	}
	w.source = roles.SelectColumns(w.file, columns, written)
}

func (w *rewriting) setWants(categorical string) error {
	names := dataset.FieldNames(w.source.Fields())
	w.want = make([]dataset.ReadAs, len(names))
	columns, _, err := roles.Select(categorical, names)
	for _, i := range columns {
		w.want[i] = dataset.Categorical
	}
	return err
}

// rows reads the table once more.
func (w *rewriting) rows(ctx context.Context) (dataset.Blocks, error) {
	if err := w.file.Reopen(ctx); err != nil {
		return nil, err
	}
	return w.source.Blocks(ctx, w.want), nil
}

// write writes rows to a file, "-" for standard output.
func (w *rewriting) write(ctx context.Context, a *app, path string, outline dataset.Outline, rows dataset.Blocks) error {
	if path == "-" {
		return tablefile.Encode(ctx, a.stdout, path, outline, rows, w.options)
	}
	return tablefile.Write(ctx, path, outline, rows, w.options)
}

// check refuses, before long work, files that cannot be written.
func (r *rewriteFlags) check(a *app, input string, outputs ...string) error {
	for i, output := range outputs {
		switch {
		case output == "-" && a.json:
			return fault.New(fault.Usage, "standard output cannot take both the table and --json").WithHint("name a file to write")
		case output == "-" && len(outputs) > 1:
			return fault.New(fault.Usage, "standard output cannot take one of several tables").WithHint("name a file to write")
		}
		if err := distinctOutputs(outputs[:i+1]...); err != nil {
			return err
		}
		if err := r.checkOne(output, input); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriteFlags) checkOne(output, input string) error {
	if _, err := r.writeOptions().FormatOf(output); err != nil || output == "-" {
		return err
	}
	return checkOutput(output, input)
}

// noteFormat says, once, what the format that is written does not keep.
func (w *rewriting) noteFormat(a *app, path string) {
	format, _ := w.options.FormatOf(path) // checked before
	note := ""
	switch fields := w.outline.Fields; format {
	case tablefile.CSV, tablefile.TSV:
		if names := numberLike(fields); len(names) > 0 {
			note = "categories that look like numbers are read back as such with --categorical: " + namelist.Abbreviate(names)
		}
	case tablefile.LIBSVM:
		if names := w.otherTargets(); len(names) > 0 {
			note = "targets that the file states are written as features: " + namelist.Abbreviate(names)
		}
		if w.targets == 0 {
			note = "the last column, " + fields[len(fields)-1].Name + ", is written as the label (-y chooses another)"
		}
	}
	if note != "" && !slices.Contains(a.notes, note) {
		a.note(note)
	}
}

// otherTargets returns the columns that the file states as targets and that are written
// as others.
func (w *rewriting) otherTargets() []string {
	if w.file.Format == tablefile.LIBSVM {
		return nil // its target may have got another name
	}
	stated, _, _ := roles.Select(w.file.Roles.Target, dataset.FieldNames(w.file.Fields()))
	all := w.file.Fields()
	var names []string
	for _, i := range stated {
		if slices.ContainsFunc(w.outline.Fields[:len(w.outline.Fields)-w.targets], func(f dataset.Field) bool { return f.Name == all[i].Name }) {
			names = append(names, all[i].Name)
		}
	}
	return names
}

// checkMerging refuses categories such as 1 and 01, which a reader of separated text
// would take for one number, unless --categorical shows that this is known.
func (w *rewriting) checkMerging(path string) error {
	if format, _ := w.options.FormatOf(path); format != tablefile.CSV && format != tablefile.TSV {
		return nil
	}
	for i, f := range w.outline.Fields {
		if w.want[i] == dataset.Categorical {
			continue
		}
		if a, b, found := merging(f.Levels); found {
			return fault.New(fault.Data, "%s: the categories %q and %q of column %q would be read back as one number", path, a, b, f.Name).
				WithHint("write ARFF, .npz or Parquet, which keep categories, or give --categorical with this column here and when the file is read")
		}
	}
	return nil
}

// merging returns two texts that are the same number.
func merging(levels []string) (a, b string, found bool) {
	seen := map[float64]string{}
	for _, level := range levels {
		v, kind := celltext.Parse(level)
		if kind != celltext.Number {
			continue
		}
		if before, again := seen[v]; again {
			return before, level, true
		}
		seen[v] = level
	}
	return "", "", false
}

// numberLike returns the columns of categories of which one looks like a number.
func numberLike(fields []dataset.Field) []string {
	var names []string
	for _, f := range fields {
		if slices.ContainsFunc(f.Levels, func(level string) bool {
			_, kind := celltext.Parse(level)
			return kind == celltext.Number || kind == celltext.NotFinite
		}) {
			names = append(names, f.Name)
		}
	}
	return names
}
