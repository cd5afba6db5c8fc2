package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

// fixed are the scalings that training chooses from.
var fixed = []string{"standard", "log", "quantile"}

// compared are the columns of the table: fixed scalings, the one that training chooses, and the one that the rule of
// one standard error would choose (of normal columns alone).
var compared = append(slices.Clone(fixed), param.AutoScale, "one se")

// mostTestedOn bounds the test rows of a split.
const mostTestedOn = 1000

// scaleTable collects what the lines of -scales tell.
type scaleTable struct {
	ratios map[string][][]float64 // by kind of columns: of each table, the logarithms of losses over that of standard
}

// line prints the mean losses over splits, in the order of compared, the difference that auto makes, and it over its
// standard error, which is corrected for the rows that splits share (Nadeau and Bengio 2003).
func (t *scaleTable) line(name, columns string, train, test int, losses [][]float64) {
	fmt.Printf("| %s | %d | %s |", name, train, columns)
	var ratios []float64
	standard, _ := mean(losses[0])
	for _, v := range losses {
		loss, _ := mean(v)
		fmt.Printf(" %.4f |", loss)
		ratios = append(ratios, math.Log(loss/standard))
	}
	if len(losses) < len(compared) {
		fmt.Print(" |")
	}
	t.ratios[columns] = append(t.ratios[columns], ratios)
	auto := losses[slices.Index(compared, param.AutoScale)]
	difference := make([]float64, len(auto))
	for k := range difference {
		difference[k] = auto[k] - losses[0][k]
	}
	more, se := mean(difference)
	se *= math.Sqrt(1 + float64(len(auto))*float64(test)/float64(train))
	if more == 0 {
		se = 1
	}
	fmt.Printf(" %+.4f | %+.2f |\n", more, more/se)
}

// summary prints geometric means over the tables of the losses, each over that of standard.
func (t *scaleTable) summary() {
	for _, columns := range kindsOfColumns {
		lines := t.ratios[columns]
		if len(lines) == 0 {
			continue
		}
		fmt.Printf("| geometric mean | | %s |", columns)
		for k := range compared {
			var v []float64
			for _, line := range lines {
				if k < len(line) {
					v = append(v, line[k])
				}
			}
			if v == nil {
				fmt.Print(" |")
				continue
			}
			ratio, _ := mean(v)
			fmt.Printf(" %.3f |", math.Exp(ratio))
		}
		fmt.Println(" | |")
	}
}

// Kinds of columns: privileged ones count as normal ones, are left out, or are privileged.
const (
	allNormal   = "all normal"
	normalAlone = "normal alone"
	privileged  = "privileged"
)

var kindsOfColumns = []string{allNormal, normalAlone, privileged}

// selectionOf returns the roles of a table for a kind of columns.
func selectionOf(given dataset.Selection, columns string) dataset.Selection {
	switch columns {
	case allNormal:
		given.Priv = ""
	case normalAlone:
		if given.Drop != "" {
			given.Drop += ","
		}
		given.Drop, given.Priv = given.Drop+given.Priv, ""
	}
	return given
}

// compareScales prints lines for a table: the mean losses on test rows of what `rvfl train` makes of the training rows
// of some splits under each scaling, with kernel rbf of one width for all columns.
func (s study) compareScales(ctx context.Context, d source) error {
	table, selection := d.train, d.selection
	train := min(s.rows, table.Rows*2/3)
	test := min(mostTestedOn, table.Rows-train)
	for _, columns := range kindsOfColumns {
		d.selection = selectionOf(selection, columns)
		var losses [][]float64 // of each split
		for k := range s.splits {
			parts, err := split.Shuffled(table.Rows, split.Rows(train), split.Rows(test), s.config.Seed+uint64(k))
			if err != nil {
				return err
			}
			d.train, d.test = parts.Tables(table)
			own, err := s.underScales(ctx, d)
			if err != nil {
				return err
			}
			if losses == nil {
				losses = make([][]float64, len(own))
			}
			for i, loss := range own {
				losses[i] = append(losses[i], loss)
			}
		}
		s.table.line(d.name, columns, train, test, losses)
	}
	return nil
}

// underScales returns the mean losses of the test rows in the order of compared.
func (s study) underScales(ctx context.Context, d source) ([]float64, error) {
	private := d.selection.Priv != dataset.Selection{}.Priv
	k, base := kind.ForAuto(nil, private, true)
	var losses []float64
	for _, scale := range append(slices.Clone(fixed), param.AutoScale) {
		own := s
		own.held = []param.Param{param.Kernel} // one kernel, so that scalings alone differ
		if scale != param.AutoScale {
			own.config.Scale, own.held = scale, append(own.held, param.Scale)
		}
		rows, _, err := own.chosen(ctx, d, k, base)
		if err != nil {
			return nil, err
		}
		loss, _ := mean(rows)
		losses = append(losses, loss)
	}
	if private {
		return losses, nil
	}
	chosen, err := s.byOneError(ctx, d)
	return append(losses, losses[chosen]), err
}

// byOneError returns the number in fixed of the scaling of the least loss of training rows left out; standard where its
// loss is no larger by more than one standard error of the paired differences.
func (s study) byOneError(ctx context.Context, d source) (int, error) {
	data, err := roles.Assign(d.train, d.selection)
	if err != nil {
		return 0, err
	}
	best, least := 0, math.Inf(1)
	all := make([]kind.RowLosses, len(fixed))
	for k, scale := range fixed {
		c := s.config
		c.Kind, c.Task, c.Scale = "krvfl", d.task, scale
		p, err := pipeline.Prepare(ctx, data, c)
		if err != nil {
			return 0, err
		}
		if all[k], err = p.TunedLosses(ctx); err != nil {
			return 0, err
		}
		if loss, _ := all[k].Mean(); loss < least {
			best, least = k, loss
		}
	}
	if gain, se := all[best].Gain(all[0]); gain <= se {
		return 0, nil
	}
	return best, nil
}
