package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lead"
	"rvflplus/internal/memory"
	"rvflplus/internal/roles"
)

type leadOptions struct {
	rewriteFlags
	by, time, columns, steps string
	sort                     bool
	output                   string
}

func (a *app) leadCommand() *cobra.Command {
	var o leadOptions
	c := &cobra.Command{
		Use:   "lead IN --time COL --columns COLS --steps N[,N...] [--by COL] [-o OUT]",
		Short: "Add columns with later values of series: privileged columns of the future",
		Long: `Add columns with later values of series. For every column x of --columns and every
step k of --steps the new column x_leadk holds the value of x that many rows later in
the same series. Later values are known of past series, when a model is trained, and
not when it is used: they are privileged columns, and '*_lead*' selects them.

A series is the rows with the same cell in column --by, without it all rows. Its rows
must be in the order of --time: numbers, or dates and times such as 2006-01-02 or
2006-01-02T15:04:05 (UTC unless they have an offset); --sort sorts the rows by series,
in the order in which the series first occur, and by time. A series must not have two
rows of one time. Steps count rows, whatever time lies between them.

The last rows of a series have no later value: their cells are empty, and training
takes such rows with --allow-missing-privileged. Targets (-y) are written last, the
new columns before them. The table is held in memory.`,
		Example: `  rvfl data lead visits.csv --by patient --time day --columns 'lab_*' --steps 1,6 -o with_future.csv
  rvfl train with_future.csv -y outcome -p '*_lead*' --drop patient,day --allow-missing-privileged`,
		Args: arguments("IN"),
		RunE: func(c *cobra.Command, args []string) error { return a.lead(c.Context(), args[0], &o) },
	}
	o.add(c.Flags())
	f := c.Flags()
	f.StringVar(&o.by, "by", "", "column that names the series of a row (default: all rows are one series)")
	f.StringVar(&o.time, "time", "", "column of times, by which the rows of a series are ordered")
	f.StringVar(&o.columns, "columns", "", "columns whose later values are wanted")
	f.StringVar(&o.steps, "steps", "", "how many rows later, whole numbers separated by commas")
	f.BoolVar(&o.sort, "sort", false, "sort the rows by series and time")
	f.StringVarP(&o.output, "output", "o", "-", `file to write; "-" is standard output, CSV unless --to says otherwise`)
	completeTables(c, 0, &o.layoutFlags)
	return c
}

type leadJSON struct {
	Input   string   `json:"input"`
	Output  string   `json:"output"`
	Rows    int      `json:"rows"`
	Series  int      `json:"series"`
	Columns []string `json:"columns"` // the new ones
	Empty   int      `json:"empty"`   // rows with an empty new cell
	Notes   []string `json:"notes"`
}

func (a *app) lead(ctx context.Context, in string, o *leadOptions) error {
	for _, required := range []struct{ flag, value string }{
		{"time", o.time}, {"columns", o.columns}, {"steps", o.steps},
	} {
		if required.value == "" {
			return fault.New(fault.Usage, "--%s is missing", required.flag).
				WithHint("rvfl data lead IN --time COL --columns COLS --steps 1,2")
		}
	}
	steps, err := lead.ParseSteps(o.steps)
	if err != nil {
		return err
	}
	if o.output == "-" && o.to == "" {
		o.to = "csv"
	}
	if err := o.check(a, in, o.output); err != nil {
		return err
	}
	w, err := o.begin(ctx, a, in, o.output)
	if err != nil {
		return err
	}
	defer w.file.Close()
	r, err := o.addLeads(ctx, w, steps)
	if err != nil {
		return err
	}
	if r.Empty > 0 {
		a.note(fmt.Sprintf("%d of %d rows have empty cells in the new columns, for want of a later value: "+
			"train with --allow-missing-privileged", r.Empty, r.Table.Rows))
	}
	if err := w.writeAll(ctx, a, o.output); err != nil || o.output == "-" {
		return err
	}
	if a.json {
		return a.writeJSON(leadJSON{in, o.output, r.Table.Rows, r.Series, r.Columns, r.Empty, a.notes})
	}
	_, err = fmt.Fprintf(a.stdout, "%s of %s, %d of them new, written to %s\n", count(r.Table.Rows, "row"),
		count(len(r.Table.Columns), "column"), len(r.Columns), o.output)
	return err
}

// addLeads replaces the table by one in memory that has the new columns before its targets.
func (o *leadOptions) addLeads(ctx context.Context, w *rewriting, steps []int) (*lead.Result, error) {
	options, err := o.choose(dataset.FieldNames(w.source.Fields()))
	if err != nil {
		return nil, err
	}
	options.Steps = steps
	rows, columns := w.outline.Rows, len(w.outline.Fields)
	need := 8*float64(rows)*float64(columns) + options.Bytes(rows, columns)
	const hint = "use fewer steps or columns, or leave columns out with %s"
	if err := memory.Check(need, "a table with later values", hint, fault.Name("drop")); err != nil {
		return nil, err
	}
	table, err := w.collect(ctx)
	if err != nil {
		return nil, err
	}
	r, err := lead.Add(ctx, table, options)
	if err != nil {
		return nil, err
	}
	features := columns - w.targets
	r.Table.Columns = slices.Concat(r.Table.Columns[:features], r.Table.Columns[columns:],
		r.Table.Columns[features:columns])
	w.replace(r.Table.Source(), r.Table.Rows)
	return r, nil
}

// choose finds the columns that the flags name. Columns that tell series and times do not lead, unless they are named
// exactly: then that is an error.
func (o *leadOptions) choose(names []string) (out lead.Options, err error) {
	out = lead.Options{By: -1, Sort: o.sort}
	if out.Time, err = selectOne("time", o.time, names); err != nil {
		return out, err
	}
	if o.by != "" {
		if out.By, err = selectOne("by", o.by, names); err != nil {
			return out, err
		}
	}
	columns, exact, err := roles.Select(o.columns, names)
	if err != nil {
		return out, err
	}
	for _, i := range columns {
		switch special := i == out.Time || i == out.By; {
		case special && exact[i]:
			return out, fault.New(fault.Usage, "--columns names %q, by which rows are ordered", names[i]).
				WithHint("name columns whose later values are wanted")
		case !special:
			out.Columns = append(out.Columns, i)
		}
	}
	if out.By == out.Time {
		return out, fault.New(fault.Usage, "--by and --time name the same column, %q", names[out.Time])
	}
	if len(out.Columns) == 0 {
		return out, fault.New(fault.Usage, "--columns %s selects no column beside those of --by and --time", o.columns)
	}
	return out, nil
}
