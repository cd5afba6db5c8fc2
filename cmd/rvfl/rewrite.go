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
	"rvflplus/learn"
)

// rewriteFlags say which columns of a table are written to other files, and how.
type rewriteFlags struct {
	layoutFlags
	cellFlags
	target, drop, categorical string
	to, toSep                 string
	toNoHeader                bool
}

func (r *rewriteFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&r.target, "target", "y", "",
		"target columns, which are written last; for LIBSVM text, which has no names, the name of its target")
	f.StringVar(&r.drop, "drop", "", "columns to leave out")
	f.StringVar(&r.categorical, "categorical", "",
		"columns whose cells are categories even if they look like numbers")
	wordFlag(f, &r.to, "to", tablefile.Formats(), "format to write (default: by the name of the file to write)")
	f.StringVar(&r.toSep, "to-sep", "", `separator of a CSV file to write: one character or "tab" (default: comma)`)
	f.BoolVar(&r.toNoHeader, "to-no-header", false, "write a CSV file without a line of column names")
	r.layoutFlags.add(f)
	r.cellFlags.addMissing(f)
}

func (r *rewriteFlags) writeOptions() tablefile.WriteOptions {
	return tablefile.WriteOptions{Format: tablefile.Format(r.to), Separator: r.toSep, NoHeader: r.toNoHeader}
}

// rewriting is a table on its way into other files.
type rewriting struct {
	file    *tablefile.Table
	source  dataset.Source   // of the columns to write, in their order: targets last
	read    []dataset.ReadAs // how each column of source is read
	commas  *decimalCommas   // columns whose decimal commas are written as points, or nil
	named   []int            // columns that --categorical names
	targets int              // number of columns at the end that are targets
	outline dataset.Outline
	options tablefile.WriteOptions
}

// begin opens the table and reads it once, to know what is in it. Columns that the outputs cannot hold are refused,
// before the reading where the names of the columns tell.
func (r *rewriteFlags) begin(ctx context.Context, a *app, path string, outputs ...string) (w *rewriting, err error) {
	r.again, r.missing = true, r.cells.Missing
	file, err := r.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	w = &rewriting{file: file, options: r.writeOptions()}
	if err := w.chooseColumns(r); err != nil {
		return nil, err
	}
	for _, output := range outputs {
		if err := w.options.CheckFields(output, w.source.Fields()); err != nil {
			return nil, err
		}
	}
	if err := w.survey(ctx, a, r.missing); err != nil {
		return nil, err
	}
	for _, output := range outputs {
		if err := w.checkMerging(output); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// survey reads the table once and decides how its columns are written: cells stay as they are. A column with words
// among its numbers, such as 1,234 beside 950, is one of categories; it takes one more reading to know them all.
func (w *rewriting) survey(ctx context.Context, a *app, missing []string) error {
	var mixed []string
	var counts []survey.Column
	for {
		summary, err := survey.Summarize(ctx, w.source, w.read, missing)
		if err != nil {
			return err
		}
		again := mixed == nil
		for i, c := range summary.Columns {
			if c.Words {
				mixed = append(mixed, c.Name)
				w.read[i] = dataset.Categorical
			}
		}
		if mixed == nil || !again {
			w.outline = summary.Outline()
			counts = summary.Columns
			break
		}
		if err := w.file.Reopen(ctx); err != nil {
			return err
		}
	}
	points := w.findCommas(a, counts, missing)
	mixed = slices.DeleteFunc(mixed, func(name string) bool { return slices.Contains(points, name) })
	if len(mixed) > 0 {
		a.note("written as text, as the cells stand, because not all are plain numbers: " + namelist.Abbreviate(mixed))
	}
	for i, f := range w.outline.Fields {
		if w.read[i] == dataset.Auto {
			w.read[i] = dataset.Categorical
			if f.Kind == dataset.Numeric {
				w.read[i] = dataset.Numbers
			}
		}
	}
	return nil
}

// chooseColumns chooses the columns to write: targets last, the others in the order of the file.
func (w *rewriting) chooseColumns(r *rewriteFlags) error {
	names := dataset.FieldNames(w.file.Fields())
	sel := dataset.Selection{Target: r.target, Drop: r.drop}
	if w.file.Format == tablefile.LIBSVM && r.target != "" {
		names[len(names)-1] = r.target
		if slices.Index(names, r.target) < len(names)-1 {
			return fault.New(fault.Usage, "-y %s: a feature has this name already", r.target).
				WithHint("give the target another name")
		}
		sel.Target = roles.ByName(names[len(names)-1:])
	}
	if sel.Target == "" {
		sel.Target = w.file.Roles.Target
	}
	chosen, err := roles.Resolve(sel, names)
	if err != nil {
		return err
	}
	columns := slices.Concat(chosen.Normal, chosen.Target)
	if len(columns) == 0 {
		return fault.New(fault.Usage, "no column is left to write")
	}
	w.targets = len(chosen.Target)
	w.options.Targets = w.targets
	written := learn.Gather(names, columns)
	w.source = roles.SelectColumns(w.file, columns, written)
	w.read = make([]dataset.ReadAs, len(written))
	categories, _, err := roles.Select(r.categorical, written)
	for _, i := range categories {
		w.read[i] = dataset.Categorical
		w.named = append(w.named, i)
	}
	for i, f := range w.source.Fields() {
		if f.Kind == dataset.Date {
			w.read[i] = dataset.Categorical // as ISO 8601
		}
	}
	return err
}

// rows reads the table once more.
func (w *rewriting) rows(ctx context.Context) (dataset.Blocks, error) {
	if err := w.file.Reopen(ctx); err != nil {
		return nil, err
	}
	return w.blocks(ctx), nil
}

// blocks returns the rows as they are written.
func (w *rewriting) blocks(ctx context.Context) dataset.Blocks {
	blocks := w.source.Blocks(ctx, w.read)
	if w.commas != nil {
		blocks = w.commas.points.Blocks(blocks)
	}
	return blocks
}

// write writes rows to a file, "-" for standard output.
func (w *rewriting) write(
	ctx context.Context, a *app, path string, outline dataset.Outline, rows dataset.Blocks) error {
	if path == "-" {
		return tablefile.Encode(ctx, a.stdout, path, outline, rows, w.options)
	}
	return tablefile.Write(ctx, path, outline, rows, w.options)
}

// collect reads the table once more, into memory.
func (w *rewriting) collect(ctx context.Context) (*dataset.Table, error) {
	if err := w.file.Reopen(ctx); err != nil {
		return nil, err
	}
	return dataset.Collect(ctx, written{w.source, w}, w.read)
}

// written is the source of the rows as they are written.
type written struct {
	dataset.Source
	w *rewriting
}

// Blocks implements dataset.Source; all columns are read as the rewriting says.
func (s written) Blocks(ctx context.Context, _ []dataset.ReadAs) dataset.Blocks {
	return s.w.blocks(ctx)
}

// replace puts a table in memory in the place of the source.
func (w *rewriting) replace(source dataset.Source, rows int) {
	w.source, w.commas = source, nil
	w.outline = dataset.Outline{Rows: rows, Fields: source.Fields()}
	w.read = make([]dataset.ReadAs, len(w.outline.Fields))
}

// writeAll writes all rows to a file, "-" for standard output, and tells how far it has come.
func (w *rewriting) writeAll(ctx context.Context, a *app, path string) error {
	w.noteFormat(a, path)
	rows, err := w.rows(ctx)
	if err != nil {
		return err
	}
	progress, end := a.progress()
	defer end()
	return w.write(ctx, a, path, w.outline, func(yield func(*dataset.Table, error) bool) {
		done := 0
		for block, err := range rows {
			if err == nil && progress != nil {
				done += block.Rows
				progress("writing", done, w.outline.Rows)
			}
			if !yield(block, err) {
				return
			}
		}
	})
}

// selectOne returns the position of the one column that a flag selects.
func selectOne(flag, selector string, names []string) (int, error) {
	columns, _, err := roles.Select(selector, names)
	if err != nil {
		return -1, err
	}
	if len(columns) != 1 {
		return -1, fault.New(fault.Usage, "--%s names one column; %d are selected", flag, len(columns))
	}
	return columns[0], nil
}

// check refuses, before long work, files that cannot be written.
func (r *rewriteFlags) check(a *app, input string, outputs ...string) error {
	for i, output := range outputs {
		switch {
		case output == "-" && a.json:
			return fault.New(fault.Usage, "standard output cannot take both the table and --json").
				WithHint("name a file to write")
		case output == "-" && len(outputs) > 1:
			return fault.New(fault.Usage, "standard output cannot take one of several tables").
				WithHint("name a file to write")
		}
		if err := distinctOutputs(outputs[:i+1]...); err != nil {
			return err
		}
		if err := noDatabase(output); err != nil {
			return err
		}
		if _, err := r.writeOptions().FormatOf(output); err != nil {
			return err
		}
		if output != "-" {
			if err := checkOutput(output, input); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteFormat says what the format of a file does not keep; it says so once if several outputs have the format.
func (w *rewriting) noteFormat(a *app, path string) {
	format, _ := w.options.FormatOf(path) // checked before
	note := ""
	switch fields := w.outline.Fields; format {
	case tablefile.CSV, tablefile.TSV:
		if names := numberLike(fields); len(names) > 0 {
			note = "categories that look like numbers are read back as such with --categorical: " +
				namelist.Abbreviate(names)
		}
	case tablefile.LIBSVM:
		if names := w.targetsAmongFeatures(); len(names) > 0 {
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

// targetsAmongFeatures returns the columns that the file states as targets and that are written as features.
func (w *rewriting) targetsAmongFeatures() []string {
	if w.file.Format == tablefile.LIBSVM {
		return nil // its target may have got another name
	}
	names, fields := dataset.FieldNames(w.file.Fields()), w.outline.Fields
	stated, _, _ := roles.Select(w.file.Roles.Target, names)
	features := dataset.FieldNames(fields[:len(fields)-w.targets])
	return slices.DeleteFunc(learn.Gather(names, stated), func(name string) bool {
		return !slices.Contains(features, name)
	})
}

// checkMerging refuses categories such as 1 and 1.0: a reader of separated text would take both for the same number. A
// user who knows names the column in --categorical.
func (w *rewriting) checkMerging(path string) error {
	if format, _ := w.options.FormatOf(path); format != tablefile.CSV && format != tablefile.TSV {
		return nil
	}
	for i, f := range w.outline.Fields {
		if slices.Contains(w.named, i) || padded(f.Levels) {
			continue
		}
		levelOf := map[float64]string{}
		for _, level := range f.Levels {
			v, kind := celltext.Parse(level)
			if kind != celltext.Number {
				continue
			}
			if other, again := levelOf[v]; again {
				return fault.New(fault.Data,
					"%s: the categories %q and %q of column %q would be read back as one number",
					path, other, level, f.Name).WithHint("write ARFF, .npz or Parquet, which keep categories, " +
					"or give --categorical with this column here and when the file is read")
			}
			levelOf[v] = level
		}
	}
	return nil
}

// padded reports whether all categories are digits and one begins with a zero.
func padded(levels []string) bool {
	found := false
	for _, level := range levels {
		_, shape, ok := celltext.Plain(level)
		if !ok || shape&^celltext.Padded != 0 {
			return false
		}
		found = found || shape == celltext.Padded
	}
	return found
}

// numberLike returns the columns of categories of which one looks like a number, but for digits with leading zeros,
// which are read back as text.
func numberLike(fields []dataset.Field) []string {
	looksLikeNumber := func(level string) bool {
		_, kind := celltext.Parse(level)
		return kind == celltext.Number || kind == celltext.NotFinite
	}
	var names []string
	for _, f := range fields {
		if slices.ContainsFunc(f.Levels, looksLikeNumber) && !padded(f.Levels) {
			names = append(names, f.Name)
		}
	}
	return names
}
