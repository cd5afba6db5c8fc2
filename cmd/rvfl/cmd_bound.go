package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/bound"
	"rvflplus/internal/modelfile"
)

type boundOptions struct {
	evalOptions
	bound.Options
	loss           string
	test, testData string
}

func (a *app) boundCommand() *cobra.Command {
	var o boundOptions
	c := &cobra.Command{
		Use:   "bound MODEL DATA",
		Short: "Bound the risk of a model by Theorem 4 of the paper",
		Long: `Compute a bound on the expected loss of a model of two classes and one output (one
trained with --encoding sign) from DATA, the rows it was trained on:

  L(f) <= mean loss + 2KZB/√N + KZB·√(ln(1/delta)/2N)

with Z the largest ‖h(x)‖ of the rows, B = ‖w‖ and K = 1, and with probability 1 -
delta over the rows. Beside it stand the Rademacher complexity that ZB/√N bounds,
and for the ramp loss a form that stays valid although B is read off the model.
The losses of class y = ±1 and output f are |y - f| (absolute) and min(1, max(0, 1 - yf))
(ramp). --test measures the risk that the bound is about. See docs/bound.md for
what the theorem assumes and how loose it is.`,
		Example: `  rvfl train train.csv -y outcome -m krvfl --encoding sign -o m.rvfl
  rvfl bound m.rvfl train.csv --test test.csv`,
		Args: arguments("MODEL", "DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.bound(c.Context(), args[0], args[1], &o) },
	}
	f := c.Flags()
	o.layoutFlags.add(f)
	o.Delta, o.Draws, o.loss = 0.05, 1000, string(bound.Ramp)
	f.StringVarP(&o.target, "target", "y", "", "target column (default: by name)")
	f.StringVar(&o.targetData, "target-data", "", "row-aligned file of the target column")
	f.StringVar(&o.test, "test", "", "rows the model was not trained on, to measure the risk")
	f.StringVar(&o.testData, "test-target-data", "", "row-aligned file of the target column of --test")
	shareFlag(f, &o.Delta, "delta", "probability with which the bound may fail")
	wordFlag(f, &o.loss, "loss", bound.Losses(), "absolute or ramp")
	completeWords(c, "loss", bound.Losses())
	wholeFlag(f, &o.Draws, "draws", 2, 1<<20, "draws of signs for the Monte-Carlo estimate")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the signs")
	completeTables(c, 1, &o.layoutFlags)
	return c
}

type boundJSON struct {
	*bound.Report
	TestRisk *float64 `json:"test_risk"`
	TestRows int      `json:"test_rows"`
	Notes    []string `json:"notes"`
}

func (a *app) bound(ctx context.Context, modelPath, path string, o *boundOptions) error {
	o.Loss = bound.Loss(o.loss)
	if o.testData != "" && o.test == "" {
		return fault.New(fault.Usage, "--test-target-data without --test").WithHint("name the test rows with --test")
	}
	m, err := modelfile.Load(modelPath)
	if err != nil {
		return err
	}
	if _, err := m.BoundSpace(); err != nil {
		return err
	}
	if err := oneStdin(path, o.targetData, o.test, o.testData); err != nil {
		return err
	}
	t, targets, err := o.read(ctx, a, m, path)
	if err != nil {
		return err
	}
	if t.Rows != m.Report.Rows {
		a.note(fmt.Sprintf("DATA has %s, the model was trained on %d: the theorem is about the training rows",
			count(t.Rows, "row"), m.Report.Rows))
	}
	if m.Schema.Weight != "" {
		a.note("the model was trained with row weights, of which the theorem knows nothing: all rows count as 1 here")
	}
	var end func()
	o.Progress, end = a.progress()
	r, err := m.Bound(ctx, t, targets, o.Options)
	end()
	if err != nil {
		return err
	}
	j := boundJSON{Report: r}
	if o.test != "" {
		test := o.evalOptions
		test.targetData = o.testData
		t, targets, err := test.read(ctx, a, m, o.test)
		if err != nil {
			return err
		}
		risk, err := m.Risk(t, targets, o.Loss)
		if err != nil {
			return err
		}
		j.TestRisk, j.TestRows = &risk, t.Rows
	}
	if a.json {
		j.Notes = a.notes
		return a.writeJSON(j)
	}
	a.printBound(path, j)
	return nil
}

func (a *app) printBound(path string, j boundJSON) {
	fmt.Fprintf(a.stdout, "%s loss on %s: %s, delta %g\n\n", j.Loss, path, count(j.Rows, "row"), j.Delta)
	t := a.newTable()
	row := func(name string, v float64) { t.AppendRow(table.Row{name, digits(v)}) }
	row("mean loss on these rows", j.EmpiricalRisk)
	row("Z, largest norm of a row", j.Z)
	row("B, norm of the weights", j.B)
	row("K, Lipschitz constant", j.K)
	row("Rademacher complexity, ZB/√N (paper)", j.Rademacher.Paper)
	row("Rademacher complexity, trace bound", j.Rademacher.Trace)
	t.AppendRow(table.Row{
		"Rademacher complexity, Monte-Carlo", digits(j.Rademacher.MonteCarlo) + " ± " + digits(j.Rademacher.SE),
	})
	row("bound of Theorem 4", j.Bound)
	if j.Posteriori != nil {
		row("bound that is valid a posteriori", *j.Posteriori)
	}
	if j.TestRisk != nil {
		row(fmt.Sprintf("mean loss on %s", count(j.TestRows, "test row")), *j.TestRisk)
	}
	t.Render()
	if j.Loss == bound.Ramp && j.Bound >= 1 {
		fmt.Fprintln(a.stdout, "\nThe ramp loss is never above 1: this bound says nothing.")
	}
}
