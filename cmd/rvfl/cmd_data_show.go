package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/registry"
	"rvflplus/internal/report"
	"rvflplus/internal/roles"
	"rvflplus/internal/survey"
)

type showOptions struct {
	layoutFlags
	dataset.Selection
	plot string
}

func (a *app) showCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show NAME|@NAME|FILE",
		Short: "Describe a data set or a file",
		Long: `Describe a table: its columns with their types, ranges and missing cells, and the
rows of every class. Of a data set that has a name, also its parts, licence, citation
and errata, and where the RVFL+ paper says otherwise; NAME:PART describes a part. A
name of rvfl data list means that data set even if there is a file of that name
(write ./NAME for the file).`,
		Example: `  rvfl data show iris
  rvfl data show train.csv -y outcome -p 'lab_*' --plot train.svg`,
		Args: arguments("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := noEmptyNames(c); err != nil {
				return err
			}
			return a.show(c.Context(), args[0], &o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Target, "target", "y", "", "target columns (default: what the file or data set states)")
	f.StringVarP(&o.Priv, "privileged", "p", "", "privileged columns (default: as target)")
	f.StringVar(&o.Drop, "drop", "", "columns to leave out")
	f.StringVar(&o.Categorical, "categorical", "", "columns whose cells are categories even if they look like numbers")
	f.StringVar(&o.plot, "plot", "", "SVG file to write, with a small histogram of every column")
	o.add(f)
	return c
}

func (a *app) show(ctx context.Context, name string, o *showOptions) error {
	if o.plot != "" {
		if filepath.Ext(o.plot) != ".svg" {
			return fault.New(fault.Usage, "--plot %s: only .svg files are drawn", o.plot).WithHint("give it a name that ends in .svg")
		}
		if err := checkOutput(o.plot, name); err != nil {
			return err
		}
	}
	d, err := o.describe(ctx, a, name)
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(d.json(a.notes))
	}
	return d.print(a)
}

// description is what show tells.
type description struct {
	name      string
	entry     *registry.Entry // nil of a file
	part      string
	available bool
	format    tablefile.Format // of a file
	roles     roles.Columns
	fields    []dataset.Field
	summary   *survey.Summary // nil of a data set that is not here
	columns   map[int]int     // from positions among the fields to the summary's
	roleOf    []string        // of each field, "" if it is left out; see role
}

// describe reads the table, if it is here.
func (o *showOptions) describe(ctx context.Context, a *app, name string) (*description, error) {
	e, part, isEntry, err := entryOf(name)
	if err != nil {
		return nil, err
	}
	if !isEntry {
		return o.describeFile(ctx, a, name, &description{name: name})
	}
	d := &description{name: e.Name, entry: &e, part: part}
	folders, err := registry.Folders(o.dataDir)
	if err != nil {
		return nil, err
	}
	if d.available = e.PartAvailable(d.shownPart(), folders); d.available || o.plot != "" {
		return o.describeFile(ctx, a, "@"+e.Name+":"+d.shownPart(), d)
	}
	a.note(e.Name + " is not here; fetch it with: rvfl data fetch " + e.Name)
	for _, name := range slices.Concat(e.Features, e.Targets) {
		d.fields = append(d.fields, dataset.Field{Name: name})
	}
	d.roles, err = roles.Resolve(e.Selection(), dataset.FieldNames(d.fields))
	return d, err
}

// shownPart is the part that was asked for, or all rows.
func (d *description) shownPart() string {
	if d.part == "" {
		return registry.All
	}
	return d.part
}

// entryOf returns the entry that NAME or @NAME means, unless it is a file.
func entryOf(name string) (e registry.Entry, part string, ok bool, err error) {
	reference, marked := registry.Reference(name)
	e, part, err = registry.Find(reference)
	if err == nil || marked || e.Name != "" {
		return e, part, true, err
	}
	if _, statErr := os.Stat(name); errors.Is(statErr, fs.ErrNotExist) && !strings.ContainsAny(name, "./\\") && name != "" && name != "-" {
		return e, part, false, err // neither a data set nor a file
	}
	return e, part, false, nil
}

func (o *showOptions) describeFile(ctx context.Context, a *app, path string, d *description) (*description, error) {
	o.again = o.plot != ""
	t, err := o.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	d.format, d.fields = t.Format, t.Fields()
	names := dataset.FieldNames(d.fields)
	sel, dropped := roles.Complete(o.Selection, t.Roles, names, dataset.Selection{})
	if d.roles, err = roles.Resolve(sel, names); err != nil {
		return nil, err
	}
	if len(dropped) > 0 {
		a.note("left out, because " + path + " has them as targets: " + namelist.Abbreviate(dropped))
	}
	want, err := d.wants(o.Categorical)
	if err != nil {
		return nil, err
	}
	if d.summary, err = survey.Summarize(ctx, t, want); err != nil || o.plot == "" {
		return d, err
	}
	return d, d.draw(ctx, t, want, o.plot)
}

// wants says how the columns are read: those that have a role.
func (d *description) wants(categorical string) ([]dataset.ReadAs, error) {
	columns, _, err := roles.Select(categorical, dataset.FieldNames(d.fields))
	want := make([]dataset.ReadAs, len(d.fields))
	for _, i := range columns {
		want[i] = dataset.Categorical
	}
	d.columns = map[int]int{}
	for i := range want {
		if d.role(i) == "" {
			want[i] = dataset.Skip
			continue
		}
		d.columns[i] = len(d.columns)
	}
	return want, err
}

// role returns the role of a column, "" if it is left out.
func (d *description) role(i int) string {
	if d.roleOf == nil {
		d.roleOf = make([]string, len(d.fields))
		for _, r := range []struct {
			name    string
			columns []int
		}{{"normal", d.roles.Normal}, {"privileged", d.roles.Priv}, {"target", d.roles.Target}} {
			for _, k := range r.columns {
				d.roleOf[k] = r.name
			}
		}
	}
	return d.roleOf[i]
}

// draw reads the table once more, for the histograms.
func (d *description) draw(ctx context.Context, t *tablefile.Table, want []dataset.ReadAs, path string) error {
	if err := t.Reopen(ctx); err != nil {
		return err
	}
	class := -1
	if d.task() == "classification" {
		class = d.columns[d.roles.Target[0]]
	}
	sheet := report.NewSheet(d.title(), d.summary, class)
	d.annotate(sheet)
	for block, err := range t.Blocks(ctx, want) {
		if err != nil {
			return err
		}
		sheet.Add(block)
	}
	return atomicfile.Write(ctx, path, sheet.WriteSVG)
}

// annotate names the roles of the columns.
func (d *description) annotate(sheet *report.Sheet) {
	for i, at := range d.columns {
		if at < len(sheet.Panels) && (len(d.roles.Target) > 0 || len(d.roles.Priv) > 0) {
			sheet.Panels[at].Note = d.role(i)
		}
	}
}
