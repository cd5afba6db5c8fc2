package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/registry"
	"rvflplus/internal/report"
	"rvflplus/internal/roles"
	"rvflplus/internal/survey"
	"rvflplus/internal/target"
)

type showOptions struct {
	layoutFlags
	cellFlags
	dataset.Selection
	plot string
}

func (a *app) showCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show NAME|@NAME|FILE|URL",
		Short: "Describe a data set or a file",
		Long: `Describe a table: its columns with their types, ranges and missing cells, and the
rows of every class. Of a data set that has a name, also its parts, licence, citation
and errata, and where the RVFL+ paper says otherwise; NAME:PART describes a part. A
name of rvfl data list means that data set even if there is a file of that name
(write ./NAME for the file). A URL, postgres://HOST/DATABASE with --table or --query,
is a table of a database.`,
		Example: `  rvfl data show iris
  rvfl data show train.csv -y outcome -p 'lab_*' --plot train.svg
  rvfl data show postgres://host/clinic --table patients`,
		Args: arguments("NAME"),
		RunE: func(c *cobra.Command, args []string) error { return a.show(c.Context(), args[0], &o) },
	}
	f := c.Flags()
	f.StringVarP(&o.Target, "target", "y", "", "target columns (default: what the file or data set states)")
	f.StringVarP(&o.Priv, "privileged", "p", "", "privileged columns (default: as target)")
	f.StringVar(&o.Drop, "drop", "", "columns to leave out")
	f.StringVar(&o.Categorical, "categorical", "",
		"columns whose cells are categories even if they look like numbers")
	f.StringVar(&o.plot, "plot", "", plotUsage("a small histogram of every column"))
	o.layoutFlags.add(f)
	o.addMissing(f)
	completeTables(c, 0, &o.layoutFlags)
	completeNames(c, true)
	return c
}

func (a *app) show(ctx context.Context, name string, o *showOptions) error {
	if err := checkPicture(o.plot); err != nil {
		return err
	}
	if err := checkOutput(o.plot, name); err != nil {
		return err
	}
	d, err := o.describe(ctx, a, name)
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(d.json(a.notes))
	}
	d.print(a)
	return nil
}

// describe describes what name means: a file, or a public data set. Of a public data set that is not here it tells what
// the registry knows.
func (o *showOptions) describe(ctx context.Context, a *app, name string) (*description, error) {
	reference, marked := registry.Reference(name)
	e, part, err := registry.Find(reference)
	if err != nil && !marked && e.Name == "" {
		_, statErr := os.Stat(name)
		isFile := statErr == nil || !errors.Is(statErr, fs.ErrNotExist)
		if isFile || strings.ContainsAny(name, "./\\") || name == "" || name == "-" {
			return o.describeTable(ctx, a, name, &description{name: name})
		}
	}
	if err != nil {
		return nil, err
	}
	d := &description{name: e.Name, entry: &e, part: part}
	folders, err := registry.Folders(o.dataDir)
	if err != nil {
		return nil, err
	}
	if d.available = e.PartAvailable(d.shownPart(), folders); d.available || o.plot != "" {
		return o.describeTable(ctx, a, "@"+e.Name+":"+d.shownPart(), d)
	}
	a.note(e.Name + " is not here; fetch it with: rvfl data fetch " + e.Name)
	for _, name := range slices.Concat(e.Features, e.Targets) {
		d.fields = append(d.fields, dataset.Field{Name: name})
	}
	return d, d.setRoles(e.Selection())
}

// describeTable reads the table at path.
func (o *showOptions) describeTable(ctx context.Context, a *app, path string, d *description) (*description, error) {
	o.again, o.missing = true, o.cells.Missing
	t, err := o.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	d.format, d.fields = t.Format, t.Fields()
	names := dataset.FieldNames(d.fields)
	sel, dropped := roles.Complete(o.Selection, t.Roles, names, dataset.Selection{})
	if err := d.setRoles(sel); err != nil {
		return nil, err
	}
	a.noteDropped(path, dropped)
	categories, _, err := roles.Select(o.Categorical, names)
	if err != nil {
		return nil, err
	}
	read := make([]dataset.ReadAs, len(names))
	for _, i := range categories {
		read[i] = dataset.Categorical
	}
	d.place = map[int]int{}
	for i, role := range d.roleOf {
		if role == "" {
			read[i] = dataset.Skip
		} else {
			d.place[i] = len(d.place)
		}
	}
	for i, f := range d.fields {
		if f.Kind == dataset.Date && read[i] == dataset.Auto {
			read[i] = dataset.Categorical // as ISO 8601
		}
	}
	if err := d.survey(ctx, t, read, o.missing); err != nil || o.plot == "" {
		return d, err
	}
	return d, d.draw(ctx, t, read, o.plot)
}

// survey describes the columns. Where words are among the plain numbers of a column, it takes one more reading to know
// all its cells as they are written.
func (d *description) survey(
	ctx context.Context, t *tablefile.Table, read []dataset.ReadAs, missing []string) (err error) {
	if d.summary, err = survey.Summarize(ctx, t, read, missing); err != nil {
		return err
	}
	words := false
	for i, at := range d.place {
		if d.summary.Columns[at].Words {
			words, read[i] = true, dataset.Categorical
		}
	}
	if !words {
		return nil
	}
	if err := t.Reopen(ctx); err != nil {
		return err
	}
	d.summary, err = survey.Summarize(ctx, t, read, missing)
	return err
}

// draw writes a histogram of every column. It reads the table once more: the histograms' ranges come from the summary.
func (d *description) draw(ctx context.Context, t *tablefile.Table, read []dataset.ReadAs, plot string) error {
	if err := t.Reopen(ctx); err != nil {
		return err
	}
	class := -1
	if d.task() == string(target.Classification) {
		class = d.place[d.roles.Target[0]]
	}
	sheet := report.NewSheet(d.title(), d.summary, class)
	for i, at := range d.place {
		if at < len(sheet.Panels) && (len(d.roles.Target) > 0 || len(d.roles.Priv) > 0) {
			sheet.Panels[at].Note = d.roleOf[i]
		}
	}
	for i, at := range d.place { // texts of missing cells among numbers are no words
		if read[i] == dataset.Auto && d.summary.Columns[at].Kind == dataset.Numeric {
			read[i] = dataset.Numbers
		}
	}
	for block, err := range t.Blocks(ctx, read) {
		if err != nil {
			return err
		}
		sheet.Add(block)
	}
	return writePicture(ctx, plot, sheet)
}
