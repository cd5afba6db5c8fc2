package main

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/internal/advise"
	"rvflplus/internal/compare/page"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/target"
)

type adviseOptions struct {
	data  dataFlags
	fixed modelFlags
	plot  string
}

func (a *app) adviseCommand() *cobra.Command {
	var o adviseOptions
	c := &cobra.Command{
		Use:   "advise DATA -y COL -p COLS",
		Short: "Tell what the privileged columns are good for, before anything is fitted",
		Long:  adviseLong,
		Example: `  rvfl advise patients.csv -y outcome -p 'lab_*'
  rvfl advise patients.csv -y outcome -p 'lab_*' --plot advice.svg
  rvfl advise @wine --json`,
		Args: arguments("DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.advise(c, args[0], &o) },
	}
	o.data.add(c.Flags())
	o.fixed.addParams(c,
		param.Task, param.Kernel, param.PrivKernel, param.Linear, param.Scale, param.PrivScale, param.Impute,
		param.Dates, param.MissingIndicator, param.MinCategory, param.Seed)
	f := c.Flags()
	f.StringVar(&o.data.Group, "group", "", groupUsage)
	f.StringVar(&o.plot, "plot", "", plotUsage("the errors and the thresholds of the rules"))
	completeTables(c, 0, &o.data.layoutFlags)
	return c
}

const adviseLong = `Tell what to do with the privileged columns before a model is trained. Four numbers
are measured on rows left out: how well the target is predicted by the normal columns,
by normal and privileged columns together and by the privileged columns alone, and how
well the normal columns predict the privileged ones. The first rule that applies is the
advice:

  label       rows have both kinds of columns and no target, and the privileged columns
              know much about the target: learn from these rows too
  drop        the privileged columns tell nothing more about the target
  transfer    predict the privileged columns first, then the target from the predictions
  projected   take the part that only the privileged columns explain out of the target
  projected-or-distil
              let the privileged columns teach the model
  nothing     expect no gain from training with them: get rows without a target, or have
              the columns when the model is used

The thresholds of the rules were read off 30 data sets: they are a guide, not a guarantee,
and a number within one standard error of its threshold is called a close call. At most
1,000 rows are measured on, a sample of more. rvfl compare tells afterwards, on held-out
rows, whether the columns helped. docs/advise.md has the thresholds.
`

func (a *app) advise(c *cobra.Command, path string, o *adviseOptions) error {
	config, err := o.config(path)
	if err != nil {
		return err
	}
	if err := checkPicture(o.plot); err != nil {
		return err
	}
	if err := checkOutput(o.plot, path, o.data.privData, o.data.targetData, o.data.unlabelled); err != nil {
		return err
	}
	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, advise.Kind())
	if err != nil {
		return err
	}
	progress, end := a.progress()
	advice, err := advise.Advise(ctx, data, config, progress)
	end()
	if err != nil {
		return err
	}
	if n := advice.WithoutPriv; n > 0 {
		a.note(fmt.Sprintf("%s without privileged values: not looked at", count(n, "row")))
	}
	a.note(scalings(advice.Scalings)...)
	if advice.Used < advice.Rows {
		a.note(fmt.Sprintf("measured on %d of %d rows, drawn by the seed", advice.Used, advice.Rows))
	}
	if o.plot != "" {
		if err := writePicture(ctx, o.plot, advice.Picture()); err != nil {
			return err
		}
	}
	next := a.nextCommand(c.Flags(), path, advice)
	if a.json {
		return a.writeJSON(adviceJSON(advice, next, a.notes))
	}
	return a.printAdvice(advice, path, next)
}

// config returns the config that the flags and a public data set spell.
func (o *adviseOptions) config(path string) (param.Config, error) {
	config, err := o.fixed.withoutKind(&o.data, path)
	if err != nil {
		return config, err
	}
	return config, pipeline.Validate(advise.Config(config))
}

// nextCommand returns the command line that trains as advised: with the given flags that advise and train have both.
func (a *app) nextCommand(given *pflag.FlagSet, path string, result *advise.Advice) string {
	own, known := a.adviseCommand().Flags(), a.trainCommand().Flags()
	forPriv := []string{"allow-missing-privileged", "priv-kernel", "unlabelled"}
	given.SortFlags = false // the flags as the user ordered them
	words := append([]string{"rvfl train", quoted(path)}, givenFlags(given, func(name string) bool {
		unused := result.Rule == advise.Drop && slices.Contains(forPriv, name)
		return own.Lookup(name) != nil && known.Lookup(name) != nil && !unused
	})...)
	for _, s := range result.Next() {
		words = append(words, flagOf(s.Name), quoted(s.Value))
	}
	return strings.Join(append(words, "-o model.rvfl"), " ")
}

// adviceSection returns the advice on data as the first section of a comparison's page, "" where none can be given.
func (a *app) adviceSection(c *cobra.Command, path string, data *roles.Data, config param.Config) (
	template.HTML, error) {
	advice, err := advise.Advise(c.Context(), data, config, nil)
	if c.Context().Err() != nil {
		return "", c.Context().Err()
	}
	if err != nil {
		a.note(fmt.Sprintf("no advice on the page: %v", err))
		return "", nil
	}
	return page.Advice(advice, a.nextCommand(c.Flags(), path, advice))
}

// printAdvice writes the advice on the data at path as text.
func (a *app) printAdvice(advice *advise.Advice, path, next string) error {
	fmt.Fprintf(a.stdout, "Advice: %s.\n  %s\n", advice.Headline(), advice.Why())
	for _, d := range advice.Doubts {
		fmt.Fprintf(a.stdout, "  %s\n", d)
	}
	fmt.Fprintf(a.stdout, "Next: %s\n  %s\n\n", next, advice.Instead())
	rows := count(advice.Rows, "row")
	if advice.Unlabelled > 0 {
		rows += fmt.Sprintf(" and %d without a target", advice.Unlabelled)
	}
	fmt.Fprintf(a.stdout, "%s: %s, %d normal + %s, %s\n\n", path, rows, advice.NormalColumns,
		count(advice.PrivColumns, "privileged column"),
		map[bool]string{true: "a classification", false: "a regression"}[advice.Task == target.Classification])
	t := a.newTable()
	t.AppendHeader(table.Row{"rows left out are predicted by", "squared error", "±"})
	t.AppendRow(table.Row{"always the mean of the target", "100 %", ""})
	for _, l := range advice.Lines() {
		format, unit, factor := "%.1f %%", "%.1f %%", 100.0
		if !l.Error {
			format, unit, factor = "R² = %.2f", "%.2f", 1
		}
		t.AppendRow(table.Row{
			l.Words, fmt.Sprintf(format, factor*l.Estimate.Value+0), fmt.Sprintf(unit, factor*l.Estimate.SE),
		})
	}
	t.Render()
	_, err := fmt.Fprintf(a.stdout, "\n%s\n", advise.Caution)
	return err
}

// adviceAnswer is the answer of --json. Losses are mean squared errors of the coded target on rows left out.
type adviceAnswer struct {
	Rows       int                `json:"rows"`
	Unlabelled int                `json:"unlabelled"`
	Losses     map[string]float64 `json:"losses"`
	LossesSE   map[string]float64 `json:"losses_se"`
	Ratios     map[string]float64 `json:"ratios"`
	RatiosSE   map[string]float64 `json:"ratios_se"`
	R2         float64            `json:"r2"`
	R2SE       float64            `json:"r2_se"`
	Rule       advise.Rule        `json:"rule"`
	Close      bool               `json:"close"`
	Otherwise  []advise.Rule      `json:"otherwise"` // the rules on the other sides of near thresholds
	Say        string             `json:"say"`
	Next       string             `json:"next"`
	Notes      []string           `json:"notes"`
}

func adviceJSON(advice *advise.Advice, next string, notes []string) adviceAnswer {
	j := adviceAnswer{
		Rows: advice.Rows, Unlabelled: advice.Unlabelled, Losses: map[string]float64{}, LossesSE: map[string]float64{},
		Ratios: map[string]float64{}, RatiosSE: map[string]float64{}, R2: advice.R2.Value, R2SE: advice.R2.SE,
		Rule: advice.Rule, Close: len(advice.Doubts) > 0, Otherwise: []advise.Rule{}, Say: advice.Say(), Next: next,
		Notes: notes,
	}
	for name, e := range map[string]lupi.Estimate{
		"constant": advice.Constant, "normal": advice.Normal, "all": advice.All, "privileged": advice.Privileged,
	} {
		j.Losses[name], j.LossesSE[name] = e.Value, e.SE
	}
	for name, e := range map[string]lupi.Estimate{
		"all_normal": advice.AllToNormal, "privileged_normal": advice.PrivilegedToNormal,
		"privileged_all": advice.PrivilegedToAll,
	} {
		j.Ratios[name], j.RatiosSE[name] = e.Value, e.SE
	}
	for _, d := range advice.Doubts {
		if !slices.Contains(j.Otherwise, d.Otherwise) {
			j.Otherwise = append(j.Otherwise, d.Otherwise)
		}
	}
	return j
}
