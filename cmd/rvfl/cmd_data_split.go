package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lead"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

type splitOptions struct {
	rewriteFlags
	train, test, stratify, group, time string

	ordered bool
	seed    uint64
}

func (a *app) splitCommand() *cobra.Command {
	var o splitOptions
	c := &cobra.Command{
		Use:   "split IN TRAIN TEST --train N|SHARE",
		Short: "Divide the rows of a table into two files",
		Long: `Divide the rows of a table into a training and a test file, in any formats. Rows are
drawn at random by --seed and keep their order; with --stratify every class has its
share in both files; with --ordered the first rows are for training and those that
follow for testing. A size is a number of rows (100), a share (0.7) or a percentage
(70%). Rows beyond both sizes are left out.

With --group COL the rows of a group, such as a patient's, go to one file. With --time COL
the earlier rows are for training and later ones for testing, and rows of one time go to
one file. Both meet the sizes as nearly as groups and times allow.`,
		Example: `  rvfl data split patients.csv train.csv test.csv --train 0.7 --stratify outcome
  rvfl data split @iris train.csv test.csv --train 90 --stratify class --seed 1
  rvfl data split visits.csv train.csv test.csv --train 0.7 --group patient
  rvfl data split sales.csv train.csv test.csv --test 30 --time day`,
		Args: arguments("IN", "TRAIN", "TEST"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.split(c.Context(), args[0], [2]string{args[1], args[2]}, &o)
		},
	}
	o.add(c.Flags())
	c.Flags().StringVar(&o.train, "train", "", "size of the training part (default: the rest)")
	c.Flags().StringVar(&o.test, "test", "", "size of the test part (default: the rest)")
	c.Flags().StringVar(&o.stratify, "stratify", "", "column of classes that both parts shall have in the same shares")
	c.Flags().StringVar(&o.group, "group", "", "column that tells which rows belong together: they go to one file")
	c.Flags().StringVar(&o.time, "time", "",
		"column of times, numbers or ISO 8601 dates: later rows are for testing")
	c.Flags().BoolVar(&o.ordered, "ordered", false, "the first rows are for training, those after them for testing")
	c.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the draw")
	completeTables(c, 0, &o.layoutFlags)
	return c
}

type splitPartJSON struct {
	Output string `json:"output"`
	Rows   int    `json:"rows"`
}

type splitJSON struct {
	Input string        `json:"input"`
	Train splitPartJSON `json:"train"`
	Test  splitPartJSON `json:"test"`
	Seed  uint64        `json:"seed"`
	Notes []string      `json:"notes"`
}

func (a *app) split(ctx context.Context, in string, out [2]string, o *splitOptions) error {
	if err := o.oneWay(); err != nil {
		return err
	}
	if err := o.check(a, in, out[:]...); err != nil {
		return err
	}
	train, err := split.ParseSize(o.train)
	if err != nil {
		return err
	}
	test, err := split.ParseSize(o.test)
	if err != nil {
		return err
	}
	w, err := o.begin(ctx, a, in, out[:]...)
	if err != nil {
		return err
	}
	defer w.file.Close()
	if !o.ordered && o.time == "" {
		if err := w.warnOfTime(ctx, a); err != nil {
			return err
		}
	}
	s, err := o.draw(ctx, w, train, test)
	if err != nil {
		return err
	}
	for _, path := range out {
		w.noteFormat(a, path)
	}
	for i, rows := range [][]int{s.Train, s.Test} {
		all, err := w.rows(ctx)
		if err != nil {
			return err
		}
		outline := w.outline
		outline.Rows = len(rows)
		if err := w.write(ctx, a, out[i], outline, split.Blocks(all, rows)); err != nil {
			return err
		}
	}
	if a.json {
		train, test := splitPartJSON{out[0], len(s.Train)}, splitPartJSON{out[1], len(s.Test)}
		return a.writeJSON(splitJSON{in, train, test, o.seed, a.notes})
	}
	_, err = fmt.Fprintf(a.stdout, "%s written to %s, %d to %s\n",
		count(len(s.Train), "row"), out[0], len(s.Test), out[1])
	return err
}

// oneWay refuses two ways to divide the rows.
func (o *splitOptions) oneWay() error {
	var given []string
	for _, way := range []struct {
		name  string
		asked bool
	}{
		{"--ordered", o.ordered}, {"--stratify", o.stratify != ""}, {"--group", o.group != ""},
		{"--time", o.time != ""},
	} {
		if way.asked {
			given = append(given, way.name)
		}
	}
	if len(given) > 1 {
		return fault.New(fault.Usage, "%s and %s exclude each other", given[0], given[1])
	}
	return nil
}

// draw decides which row goes into which part.
func (o *splitOptions) draw(ctx context.Context, w *rewriting, train, test split.Size) (split.Split, error) {
	switch n := w.outline.Rows; {
	case o.ordered:
		return split.Ordered(n, train, test)
	case o.stratify != "":
		classes, err := o.column(ctx, w, "stratify", o.stratify, dataset.Categorical)
		if err != nil {
			return split.Split{}, err
		}
		of, err := split.Classes(&classes.Columns[0])
		if err != nil {
			return split.Split{}, err
		}
		return split.Stratified(of, train, test, o.seed)
	case o.group != "":
		groups, err := o.column(ctx, w, "group", o.group, dataset.Text)
		if err != nil {
			return split.Split{}, err
		}
		of, err := (&roles.Data{Table: groups}).Groups()
		if err != nil {
			return split.Split{}, err
		}
		return split.Grouped(of, train, test, o.seed)
	case o.time != "":
		times, err := o.column(ctx, w, "time", o.time, dataset.Auto)
		if err != nil {
			return split.Split{}, err
		}
		compare, err := lead.Times(&times.Columns[0])
		if err != nil {
			return split.Split{}, err
		}
		return split.ByTime(n, compare, train, test)
	default:
		return split.Shuffled(n, train, test, o.seed)
	}
}

// column reads the column that the selector of a flag names, the only one of the table it returns.
func (o *splitOptions) column(
	ctx context.Context, w *rewriting, flag, selector string, as dataset.ReadAs) (*dataset.Table, error) {
	names := dataset.FieldNames(w.source.Fields())
	column, err := selectOne(flag, selector, names)
	if err != nil {
		return nil, err
	}
	if err := w.file.Reopen(ctx); err != nil {
		return nil, err
	}
	read := skipAll(len(names))
	read[column] = as
	return dataset.Read(ctx, w.source, read, dataset.Cells{}, w.readings())
}
