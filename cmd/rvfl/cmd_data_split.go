package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/split"
)

type splitOptions struct {
	rewriteFlags
	train, test, stratify string
	ordered               bool
	seed                  uint64
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
(70%). Rows beyond both sizes are left out.`,
		Example: `  rvfl data split patients.csv train.csv test.csv --train 0.7 --stratify outcome
  rvfl data split @iris train.csv test.csv --train 90 --stratify class --seed 1`,
		Args: arguments("IN", "TRAIN", "TEST"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.split(c.Context(), args[0], [2]string{args[1], args[2]}, &o)
		},
	}
	o.add(c.Flags())
	c.Flags().StringVar(&o.train, "train", "", "size of the training part (default: the rest)")
	c.Flags().StringVar(&o.test, "test", "", "size of the test part (default: the rest)")
	c.Flags().StringVar(&o.stratify, "stratify", "", "column of classes that both parts shall have in the same shares")
	c.Flags().BoolVar(&o.ordered, "ordered", false, "the first rows are for training, those after them for testing")
	c.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the draw")
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
	if o.ordered && o.stratify != "" {
		return fault.New(fault.Usage, "--ordered and --stratify exclude each other")
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

// draw decides which row goes into which part.
func (o *splitOptions) draw(ctx context.Context, w *rewriting, train, test split.Size) (split.Split, error) {
	switch n := w.outline.Rows; {
	case o.ordered:
		return split.Ordered(n, train, test)
	case o.stratify == "":
		return split.Shuffled(n, train, test, o.seed)
	}
	names := dataset.FieldNames(w.source.Fields())
	column, err := selectOne("stratify", o.stratify, names)
	if err != nil {
		return split.Split{}, err
	}
	if err := w.file.Reopen(ctx); err != nil {
		return split.Split{}, err
	}
	read := skipAll(len(names))
	read[column] = dataset.Categorical
	table, err := dataset.Collect(ctx, w.source, read)
	if err != nil {
		return split.Split{}, err
	}
	classes, err := split.Classes(&table.Columns[0])
	if err != nil {
		return split.Split{}, err
	}
	return split.Stratified(classes, train, test, o.seed)
}
