package main

import (
	"context"
	"iter"
	"slices"

	"github.com/spf13/pflag"

	"rvflplus/dataset"
	"rvflplus/dataset/open"
	"rvflplus/fault"
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
	f.Var(&choiceValue{&r.to, "to", open.Formats()}, "to", "format to write (default: by the name of the file to write)")
	f.StringVar(&r.toSep, "to-sep", "", `separator of a CSV file to write: one character or "tab" (default: comma)`)
	f.BoolVar(&r.bare, "to-no-header", false, "write a CSV file without a line of column names")
	r.layoutFlags.add(f)
}

func (r *rewriteFlags) writeOptions() open.WriteOptions {
	return open.WriteOptions{Format: open.Format(r.to), Separator: r.toSep, NoHeader: r.bare}
}

// rewriting is a table on its way into other files.
type rewriting struct {
	file    *open.Table
	source  dataset.Source // of the columns to write, in their order
	want    []dataset.Want
	targets int // columns from the last
	outline dataset.Outline
	options open.WriteOptions
}

// begin opens the table and reads it once, to know what is in it.
func (r *rewriteFlags) begin(ctx context.Context, a *app, path string) (*rewriting, error) {
	r.again = true
	file, err := r.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	w := &rewriting{file: file, options: r.writeOptions()}
	if err := w.plan(r); err != nil {
		file.Close()
		return nil, err
	}
	summary, err := dataset.Survey(ctx, w.source, w.want)
	if err != nil {
		file.Close()
		return nil, err
	}
	w.outline = summary.Outline()
	return w, nil
}

// plan chooses the columns: targets last, the others in the order of the file.
func (w *rewriting) plan(r *rewriteFlags) error {
	names := dataset.Names(w.file.Fields())
	sel := dataset.Selection{Target: r.target, Drop: r.drop}
	if w.file.Format == open.LIBSVM && r.target != "" {
		names[len(names)-1] = r.target
		if slices.Index(names, r.target) < len(names)-1 {
			return fault.New(fault.Usage, "-y %s: a feature has this name already", r.target).WithHint("give the target another name")
		}
		sel.Target = dataset.List(names[len(names)-1:])
	}
	if sel.Target == "" {
		sel.Target = w.file.Roles.Target
	}
	roles, err := sel.Resolve(names)
	if err != nil {
		return err
	}
	columns := slices.Concat(roles.Normal, roles.Target)
	if len(columns) == 0 {
		return fault.New(fault.Usage, "no column is left to write")
	}
	w.targets = len(roles.Target)
	w.arrange(names, columns)
	return w.setWants(r.categorical)
}

func (w *rewriting) arrange(names []string, columns []int) {
	var written []string
	for _, i := range columns {
		written = append(written, names[i])
	}
	w.source = dataset.Arrange(w.file, columns, written)
}

func (w *rewriting) setWants(categorical string) error {
	names := dataset.Names(w.source.Fields())
	w.want = make([]dataset.Want, len(names))
	columns, _, err := dataset.Select(categorical, names)
	for _, i := range columns {
		w.want[i] = dataset.Categorical
	}
	return err
}

// rows reads the table once more.
func (w *rewriting) rows(ctx context.Context) (iter.Seq2[*dataset.Table, error], error) {
	if err := w.file.Reopen(ctx); err != nil {
		return nil, err
	}
	return w.source.Blocks(ctx, w.want), nil
}

// write writes rows to a file, "-" for standard output.
func (w *rewriting) write(ctx context.Context, a *app, path string, outline dataset.Outline, rows open.Blocks) error {
	o := w.options
	o.Targets = w.targets
	if path == "-" {
		return open.To(ctx, a.stdout, path, outline, rows, o)
	}
	return open.Write(ctx, path, outline, rows, o)
}

// check refuses, before long work, files that cannot be written.
func (r *rewriteFlags) check(a *app, input string, outputs ...string) error {
	for i, output := range outputs {
		switch {
		case output == "-" && a.json:
			return fault.New(fault.Usage, "standard output cannot take both the table and --json").WithHint("name a file to write")
		case output == "-" && len(outputs) > 1:
			return fault.New(fault.Usage, "standard output cannot take one of several tables").WithHint("name a file to write")
		case slices.Contains(outputs[:i], output):
			return fault.New(fault.Usage, "%s is named twice as a file to write", output)
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

// noteFormat says what the format that is written does not keep.
func (w *rewriting) noteFormat(a *app, path string) {
	format, _ := w.options.FormatOf(path) // checked before
	fields := w.outline.Fields
	switch format {
	case open.CSV, open.TSV:
		if names := numberLike(fields); len(names) > 0 {
			a.note("categories that look like numbers are read back as such with --categorical: " + dataset.Abbreviate(names))
		}
	case open.LIBSVM:
		if w.targets == 0 {
			a.note("the last column, " + fields[len(fields)-1].Name + ", is written as the label (-y chooses another)")
		}
	}
}

// numberLike returns the columns of categories of which one looks like a number.
func numberLike(fields []dataset.Field) []string {
	var names []string
	for _, f := range fields {
		if slices.ContainsFunc(f.Levels, func(level string) bool {
			_, kind := dataset.ParseCell(level)
			return kind == dataset.Number || kind == dataset.NotFinite
		}) {
			names = append(names, f.Name)
		}
	}
	return names
}
