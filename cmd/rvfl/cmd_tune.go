package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

type tuneOptions struct {
	data       dataFlags
	model      modelFlags
	search     search.Options
	cv         string
	candidates string
	validation string
	output     string
	plot       string
	keepPriv   bool
}

func (a *app) tuneCommand() *cobra.Command {
	var o tuneOptions
	c := &cobra.Command{
		Use:   "tune DATA -y COL [-p COLS] [-m KIND] [--trials N] [--cv loo|K] [-o MODEL]",
		Short: "Search hyper-parameters",
		Long:  tuneLong,
		Example: `  rvfl tune patients.csv -y outcome -p 'lab_*' -m krvfl+ --trials 200 -o model.rvfl
  rvfl tune patients.csv -y outcome -m krvfl --cv 10 --group patient --json > best.json
  rvfl train patients.csv -y outcome -m krvfl --drop patient --config best.json -o model.rvfl`,
		Args: arguments("DATA"),
		RunE: func(c *cobra.Command, args []string) error { return a.tune(c, args[0], &o) },
	}
	o.data.add(c.Flags())
	o.model.add(c)
	o.add(c)
	return c
}

const tuneLong = `Try settings of a model and keep the one that predicts rows left out best. Then it
is trained on all rows (-o). C and gamma are drawn from 1e-5 to 1e5, --u from 1/32 to
32, widths from 1/32 to 32 times the median distance, all evenly in the logarithm; a
hyper-parameter that is given as a flag or in --config is held. Support vector machines
have C and gamma from 0.01 to 1000; svr has C times the targets' standard deviation, and
epsilon from 0.001 to 1 times that.

Rows are left out one by one (--cv loo, in closed form; support vector machines are
trained anew, and have 10 folds unless --cv is given), in K folds (--cv K), by whole
groups (--group COL; with --cv loo each group by itself), or not at all: --validation
FILE holds the rows to score on. Scores of folds are averaged over the folds; rows left
out alone are scored together. The preparation (scaling, filling, one-hot), which does
not use the targets, is fitted once on all rows; --refit-preparation fits it again for
every fold, on the others.

--candidates FILE tries the settings of a JSON list such as [{"C": 1}, {"C": 10, "u": 2}]
instead, beside the flags, or the trials of an earlier rvfl tune --json. --strategy halving
scores all settings on few rows and the best third on three times as many, until all rows
take part.
`

func (o *tuneOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.Var(&intValue{&o.search.Trials, "trials", 1, 1_000_000}, "trials", "settings to try (default 100)")
	f.StringVar(&o.cv, "cv", "loo", "rows left out: loo, or the number of folds (support vector machines: 10 unless given)")
	o.search.Strategy = "random"
	choice(c, &o.search.Strategy, "strategy", "", search.Strategies(), "how settings are found")
	choice(c, &o.search.Score, "score", "", search.Scores(), "what is compared (default: accuracy or rmse)")
	choice(c, &o.search.Scheme.Layout, "folds", "", search.Layouts(), "how rows are dealt to folds (default: stratified for classes, else random)")
	f.Var(&intValue{&o.search.Scheme.Repeats, "repeats", 1, 1000}, "repeats", "times the folds are dealt (default 1)")
	f.StringVar(&o.data.Group, "group", "", "column that tells which rows belong together: they leave together; not a feature")
	f.StringVar(&o.validation, "validation", "", "file of rows to score on, with the normal and the target columns")
	f.StringVar(&o.candidates, "candidates", "", "JSON file of settings to try")
	f.BoolVar(&o.search.RefitPreparation, "refit-preparation", false, "fit the preparation again for every fold")
	f.StringVarP(&o.output, "output", "o", "", "model file to write (default: none, only report)")
	f.StringVar(&o.plot, "plot", "", "SVG file to write, with heat maps of the score over the hyper-parameters")
	f.BoolVar(&o.keepPriv, "keep-privileged", false, "store the privileged layer and weights too")
}

func (a *app) tune(c *cobra.Command, path string, o *tuneOptions) error {
	start := time.Now()
	config, err := a.tuneConfig(c, path, o)
	if err != nil {
		return err
	}
	k, err := kind.ByName(config.Kind)
	if err != nil {
		return err
	}
	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, k.Privileged)
	if err != nil {
		return err
	}
	if err := o.readValidation(ctx, a, data, config); err != nil {
		return err
	}
	if !c.Flags().Changed("cv") {
		o.search.Scheme.Folds = min(o.search.Scheme.Folds, data.Rows)
	}
	r, err := a.runSearch(ctx, data, config, o)
	if err != nil {
		return err
	}
	best := r.Trials[r.Best].Config
	m, err := a.fit(ctx, data, best, learn.WhenCheap)
	if err != nil {
		return err
	}
	a.note(spelled(m.Report.Notes)...)
	a.say("warning", spelled(m.Report.Warnings)...)
	if o.output == "" {
		a.note("no -o: the model was not saved")
	} else if err := modelfile.Save(ctx, o.output, m, o.keepPriv); err != nil {
		return err
	}
	t := tuneResult{Result: r, model: m, path: o.output, seconds: time.Since(start).Seconds()}
	return t.tell(ctx, a, path, data, o)
}

// tuneConfig returns the setting that candidates start from, before anything is read.
func (a *app) tuneConfig(c *cobra.Command, path string, o *tuneOptions) (param.Config, error) {
	if err := noEmptyNames(c); err != nil {
		return param.Config{}, err
	}
	entry, isEntry, err := registered(path)
	if err != nil {
		return param.Config{}, err
	}
	config, err := o.model.resolve(a, c.Flags(), o.data.Priv != "" || o.data.privData != "" || isEntry && entry.Privileged() > 0)
	if err != nil {
		return config, err
	}
	o.search.Fixed = o.fixed()
	if config.Task == "" && isEntry {
		config.Task = o.data.task(entry)
	}
	config.AllowMissingPriv = o.data.allowMissing
	o.search.Seed = config.Seed
	if err := o.setFolds(config.Kind, c.Flags().Changed("cv")); err != nil {
		return config, err
	}
	if err := o.checkFiles(path); err != nil {
		return config, err
	}
	if o.candidates != "" {
		if o.search.Candidates, err = o.readCandidates(config); err != nil {
			return config, err
		}
	}
	return config, pipeline.Validate(config)
}

// marginFolds is the largest number of folds, unless --cv says it, for kinds without a
// closed form of leave-one-out, which would train anew for every row.
const marginFolds = 10

// setFolds reads --cv; given tells whether the user chose it.
func (o *tuneOptions) setFolds(kindName string, given bool) error {
	k, err := kind.ByName(kindName)
	if err != nil {
		return err
	}
	if !k.ClosedForm && !given && o.data.Group == "" && o.validation == "" {
		o.search.Scheme.Folds = marginFolds
	}
	if o.cv == "loo" {
		return nil
	}
	n, err := strconv.Atoi(o.cv)
	if err != nil || n < 2 {
		return fault.Param("cv", "loo or a number of folds >= 2", strconv.Quote(o.cv))
	}
	o.search.Scheme.Folds = n
	return nil
}

func (o *tuneOptions) checkFiles(path string) error {
	if o.validation != "" && (o.cv != "loo" || o.data.Group != "" || o.search.RefitPreparation) {
		return fault.New(fault.Usage, "--validation takes the place of --cv, --group and --refit-preparation").WithHint("leave them out")
	}
	if o.plot != "" && filepath.Ext(o.plot) != ".svg" {
		return fault.New(fault.Usage, "--plot %s: only .svg files are drawn", o.plot).WithHint("give it a name that ends in .svg")
	}
	inputs := []string{path, o.data.privData, o.data.targetData, o.model.path, o.candidates, o.validation}
	return errors.Join(checkOutput(o.output, inputs...), checkOutput(o.plot, inputs...), distinctOutputs(o.output, o.plot))
}

// fixed lists the hyper-parameters that the command line or --config gives.
func (o *tuneOptions) fixed() (fixed []param.Param) {
	for name := range o.model.given {
		if p := param.ByName(name); p != nil {
			fixed = append(fixed, p)
		}
	}
	return fixed
}

// runSearch shows progress.
func (a *app) runSearch(ctx context.Context, data *roles.Data, config param.Config, o *tuneOptions) (*search.Result, error) {
	progress, end := a.progress()
	defer end()
	o.search.Progress = progress
	return search.Tune(ctx, data, config, o.search)
}

// readValidation reads the rows to score on like those of rvfl eval.
func (o *tuneOptions) readValidation(ctx context.Context, a *app, data *roles.Data, config param.Config) error {
	if o.validation == "" {
		return nil
	}
	p, err := pipeline.Prepare(data, config)
	if err != nil {
		return err
	}
	m := &pipeline.Model{Schema: p.Schema(), Coder: p.Coder()}
	m.Schema.TargetFile = false
	t, targets, err := a.readForEvaluation(ctx, m, o.validation, &evalOptions{layoutFlags: o.data.layoutFlags})
	if err != nil {
		return err
	}
	if t.Rows == 0 {
		return roles.NoRows(t)
	}
	o.search.Validation = &search.Validation{Table: t, Targets: targets}
	return nil
}

// readCandidates reads a list of settings, or the trials of an earlier answer.
func (o *tuneOptions) readCandidates(base param.Config) ([]param.Config, error) {
	data, err := os.ReadFile(o.candidates)
	if err != nil {
		return nil, fault.New(fault.Usage, "--candidates: %w", err)
	}
	var answer struct{ Trials []json.RawMessage }
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		if json.Unmarshal(data, &answer) != nil || answer.Trials == nil {
			return nil, fault.New(fault.Usage, "--candidates %s: not a JSON list of settings", o.candidates).
				WithHint(`write a list such as [{"C": 1}, {"C": 10, "width": 2}]`)
		}
		list = answer.Trials
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Usage, "--candidates %s: the list is empty", o.candidates)
	}
	var configs []param.Config
	for i, item := range list {
		config, err := o.candidate(base, item)
		if err != nil {
			return nil, fault.New(fault.Usage, "--candidates %s: entry %d: %w", o.candidates, i+1, err).WithHint("%s", fault.HintText(err))
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// candidate returns the setting of one entry: the flags, and over them what it says.
func (o *tuneOptions) candidate(base param.Config, item json.RawMessage) (param.Config, error) {
	fields, err := settingsOf(item)
	if err != nil {
		return base, fault.New(fault.Usage, "not a JSON object")
	}
	own := maps.Clone(o.model.given)
	if err := own.setJSON(fields, func(string) bool { return false }); err != nil {
		return base, err
	}
	config, err := own.config()
	if err != nil {
		return base, err
	}
	config.Kind = cmp.Or(config.Kind, base.Kind)
	if config.Kind != base.Kind {
		return base, fault.New(fault.Usage, "kind %s differs from %s", config.Kind, base.Kind).WithHint("tune one kind at a time")
	}
	config.Task, config.AllowMissingPriv = base.Task, base.AllowMissingPriv
	return config, pipeline.Validate(config)
}
