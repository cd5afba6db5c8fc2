package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/noise"
	"rvflplus/internal/roles"
)

type convertOptions struct {
	rewriteFlags
	noise *noise.White // nil without --noise
	seed  uint64
}

func (a *app) convertCommand() *cobra.Command {
	var o convertOptions
	c := &cobra.Command{
		Use:   "convert IN OUT [-y NAME]",
		Short: "Write a table in another format",
		Long: `Write a table in another format: CSV, TSV, LIBSVM text, ARFF, .npy, .npz or Parquet,
chosen by the names of the files; "-" is standard input or output, a name that
ends in .gz is compressed. IN may be a database, postgres://… with --table or --query.
Every number keeps its bits. Columns with decimal commas are written with points. Targets
(-y, or those that the file or the registry states) are written last, the other columns
in their order. What a format cannot hold is an error that names the column.

The table is read twice and never held whole, but for .npz and --noise.

With --noise, white Gaussian noise of that power in dBW is added to every numeric
feature, and the features without noise are written too, as NAME_clean: train with
-p '*_clean'.`,
		Example: `  rvfl data convert train.csv train.parquet -y outcome
  rvfl data convert a9a a9a.csv --format libsvm -y income
  rvfl data convert @iris iris.arff
  rvfl data convert @wine noisy.csv --noise 10 --seed 1`,
		Args: arguments("IN", "OUT"),
		RunE: func(c *cobra.Command, args []string) error { return a.convert(c.Context(), args[0], args[1], &o) },
	}
	o.add(c.Flags())
	setNoise := func(text string) error {
		dBW, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(dBW) {
			return fault.Param("noise", "a number of dBW", strconv.Quote(text))
		}
		o.noise = &noise.White{DBW: dBW}
		return o.noise.Validate()
	}
	c.Flags().Var(&flagValue{"dBW", setNoise, func() string { return "" }}, "noise",
		"power of white Gaussian noise to add to the features, in dBW (10 is variance 10)")
	c.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the noise")
	completeTables(c, 0, &o.layoutFlags)
	return c
}

type convertJSON struct {
	Input   string   `json:"input"`
	Output  string   `json:"output"`
	Rows    int      `json:"rows"`
	Columns int      `json:"columns"`
	Targets []string `json:"targets"`
	Notes   []string `json:"notes"`
}

func (a *app) convert(ctx context.Context, in, out string, o *convertOptions) error {
	if err := o.check(a, in, out); err != nil {
		return err
	}
	w, err := o.begin(ctx, a, in, out)
	if err != nil {
		return err
	}
	defer w.file.Close()
	if o.noise != nil {
		if err := w.addNoise(ctx, noise.White{DBW: o.noise.DBW, Seed: o.seed}); err != nil {
			return err
		}
	}
	if err := w.writeAll(ctx, a, out); err != nil || out == "-" {
		return err
	}
	names := dataset.FieldNames(w.outline.Fields)
	if a.json {
		return a.writeJSON(convertJSON{in, out, w.outline.Rows, len(names), names[len(names)-w.targets:], a.notes})
	}
	_, err = fmt.Fprintf(a.stdout, "%s of %s written to %s\n",
		count(w.outline.Rows, "row"), count(len(names), "column"), out)
	return err
}

// addNoise replaces the table by one in memory, whose features have noise.
func (w *rewriting) addNoise(ctx context.Context, white noise.White) error {
	table, err := w.collect(ctx)
	if err != nil {
		return err
	}
	names := table.Names()
	data, err := roles.Assign(table, dataset.Selection{Target: roles.ByName(names[len(names)-w.targets:])})
	if err == nil {
		data, err = data.WithNoise(white)
	}
	if err != nil {
		return err
	}
	columns := slices.Concat(data.Roles.Normal, data.Roles.Priv, data.Roles.Target)
	names = nil
	for _, i := range columns {
		names = append(names, data.Columns[i].Name)
	}
	w.replace(roles.SelectColumns(data.Source(), columns, names), data.Rows)
	return nil
}
