package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/demo"
	"rvflplus/internal/memory"
)

func (a *app) demoCommand() *cobra.Command {
	var o demo.Options
	var file string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show on generated data what privileged columns can do",
		Long: `Generate data with known truth, y = f(x) + g(lab) + noise, where the lab columns
exist in training only; train models with and without them, each tuned equally by
exact leave-one-out; and show their errors on fresh rows. Needs no file and no
network. --write saves training rows instead, to try the other verbs on.`,
		Example: `  rvfl demo
  rvfl demo --seed 1 --write data.csv && rvfl compare data.csv -y y -p 'lab_*'`,
		Args: func(c *cobra.Command, args []string) error {
			if err := arguments()(c, args); err != nil {
				return err
			}
			if c.Flags().Changed("write") && file == "" {
				return fault.New(fault.Usage, "--write: the name of the file is empty")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if file != "" {
				return a.writeDemo(c.Context(), o, file)
			}
			return a.demo(c.Context(), o)
		},
	}
	f := c.Flags()
	o = demo.Options{Rows: 80, Test: 1000, Repeats: 10, Hidden: 200, Gain: 1}
	wholeFlag(f, &o.Rows, "rows", 10, 1e6, "training rows of one data set")
	wholeFlag(f, &o.Repeats, "repeats", 1, 1e6, "independent data sets")
	positiveFlag(f, &o.Gain, "gain", "strength of what only the lab columns explain")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the data and of the random layers")
	f.StringVar(&file, "write", "",
		"CSV file to write the training rows of one data set to, instead of training on them")
	return c
}

func (a *app) writeDemo(ctx context.Context, o demo.Options, path string) error {
	if err := checkOutput(path); err != nil {
		return err
	}
	if err := memory.Check(100*float64(o.Rows), "the table", "use fewer rows"); err != nil {
		return err
	}
	t := demo.Data(o)
	rows := func(yield func(*dataset.Table, error) bool) { yield(t, nil) }
	write := func(w io.Writer) error { return csv.Write(ctx, w, t.Outline(), rows, csv.Options{}) }
	err := atomicfile.Write(ctx, path, write)
	if err == nil && a.json {
		return a.writeJSON(map[string]any{"data": path, "rows": t.Rows})
	}
	return err
}

type demoJSON struct {
	Rows    int           `json:"rows"`
	Test    int           `json:"test_rows"`
	Repeats int           `json:"repeats"`
	Seed    uint64        `json:"seed"`
	Methods []demo.Method `json:"methods"`
}

func (a *app) demo(ctx context.Context, o demo.Options) error {
	progress, end := a.progress()
	methods, err := demo.Run(ctx, o, progress)
	end()
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(demoJSON{o.Rows, o.Test, o.Repeats, o.Seed, methods})
	}
	fmt.Fprintf(a.stdout, `Generated data: y = f(x1, x2, x3) + g(lab_1, lab_2) + noise. The lab columns explain
part of y, but they exist only while training. Each model is tuned over the same
values of C (and gamma) by leave-one-out on %d rows and tested on %d fresh rows
that have no lab columns; the table shows the error to the truth f, over %d data sets.

`, o.Rows, o.Test, o.Repeats)
	t := a.newTable()
	t.AppendHeader(table.Row{"method", "lab columns", "test RMSE", "sd", "vs"})
	plain := 0.0
	for i, m := range methods {
		used, versus := "no", ""
		if m.Privileged {
			used, versus = "in training", fmt.Sprintf("%+.0f %%", 100*(m.Mean/plain-1))
		} else {
			plain = m.Mean
			if i > 0 {
				t.AppendRow(table.Row{""})
			}
		}
		t.AppendRow(table.Row{m.Name, used, fmt.Sprintf("%.3f", m.Mean), fmt.Sprintf("%.3f", m.SD), versus})
	}
	t.Render()
	fmt.Fprint(a.stdout, `
"vs" compares with the same model without privileged data, tuned equally. This
data was made so that the lab columns help. On yours they may not: train weighs
methods with and without them, and says what they were worth.

The same on your own file, with a target column y and privileged columns lab_*:

  rvfl train data.csv -y y -p 'lab_*' -o model.rvfl
  rvfl eval model.rvfl test.csv
  rvfl predict model.rvfl new.csv         # new.csv needs no lab columns
`)
	return nil
}
