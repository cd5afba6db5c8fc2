package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

type tuneOptions struct {
	fitOptions
	search     search.Options
	cv         string
	candidates string
	validation string
	plot       string
	refit      bool
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
	o.model.lists = true
	o.fitOptions.add(c, true)
	f := c.Flags()
	wholeFlag(f, &o.search.Trials, "trials", 1, 1_000_000, "settings to try (default 100)")
	f.StringVar(&o.cv, "cv", "loo",
		"rows left out: loo, or the number of folds (support vector machines and cascades: 10 unless given)")
	o.search.Strategy = "random"
	choice := func(dst *string, name string, words []string, usage string) {
		wordFlag(f, dst, name, words, usage+": "+strings.Join(words, ", "))
		completeWords(c, name, words)
	}
	choice(&o.search.Strategy, "strategy", search.Strategies(), "how settings are found")
	choice(&o.search.Score, "score", search.Scores(),
		"what is compared (default: accuracy or rmse; auc: area under the ROC curve)")
	choice(&o.search.Scheme.Layout, "folds", search.Layouts(), layoutUsage)
	wholeFlag(f, &o.search.Scheme.Repeats, "repeats", 1, 1000, "times the folds are dealt (default 1)")
	f.StringVar(&o.validation, "validation", "",
		"file of rows to score on, with the normal and the target columns")
	f.StringVar(&o.candidates, "candidates", "", "JSON file of settings to try")
	f.BoolVar(&o.refit, "refit-preparation", false,
		"fit the preparation without the rows left out (default: where rows are fewer than 1,000)")
	f.StringVar(&o.plot, "plot", "", plotUsage("the score over each hyper-parameter"))
	completeTables(c, 0, &o.data.layoutFlags)
	return c
}

// What describes flags of verbs with folds.
const (
	layoutUsage = "how rows are dealt to folds (default: stratified for classes, else random)"
	groupUsage  = "column that tells which rows belong together: they leave together; not a feature"
	timeUsage   = "column of times, numbers or ISO 8601 dates: folds (5 unless --cv says otherwise) are blocks of " +
		"time, each predicted from earlier rows alone; not a feature"
)

const tuneLong = `Try settings of a model and keep the one that predicts rows left out best. Then it
is trained on all rows (-o). C and gamma are drawn from 1e-5 to 1e5, --u from 1/32 to
32, widths from 1/32 to 32 times the median distance, all evenly in the logarithm; a
hyper-parameter that is given as a flag or in --config is held. Support vector machines
have C and gamma from 0.01 to 1000; svr has C times the targets' standard deviation, and
epsilon from 0.001 to 1 times that.

Rows are left out one by one (--cv loo, in closed form; support vector machines and
cascades are trained anew, and have 10 folds unless --cv is given), in K folds (--cv K),
by whole groups (--group COL; with --cv loo each group by itself), in blocks of time that
are predicted from earlier rows alone (--time COL), or not at all: --validation FILE
holds the rows to score on. Scores of folds are averaged over the
folds; rows left out alone are scored together. The preparation (scaling, filling,
one-hot) does not use the targets. Where rows are fewer than 1,000, or with
--refit-preparation, it is fitted without the rows left out: without each of up to ten
folds; more folds, and rows left out alone, leave it by fifths. Else, or with
--refit-preparation=false, it is fitted once on all rows.

--candidates FILE tries the settings of a JSON list such as [{"C": 1}, {"C": 10, "u": 2}]
instead, beside the flags, or the trials of an earlier rvfl tune --json. --strategy halving
scores all settings on few rows and the best third on three times as many, until all rows
take part.
`

func (a *app) tune(c *cobra.Command, path string, o *tuneOptions) error {
	start := time.Now()
	config, k, err := o.config(a, c, path)
	if err != nil {
		return err
	}
	o.search.Fixed, o.search.Seed = o.model.given.parameters(), config.Seed
	o.search.Kinds = o.model.kindsFor(k)
	o.setRefit(c)
	if err := o.setFolds(k, c.Flags().Changed("cv")); err != nil {
		return err
	}
	if err := o.checkFiles(path); err != nil {
		return err
	}
	if o.candidates != "" {
		if o.search.Candidates, err = o.readCandidates(config); err != nil {
			return err
		}
	}
	if err := pipeline.Validate(config); err != nil {
		return err
	}

	ctx := c.Context()
	data, err := o.data.load(ctx, a, path, k)
	if err != nil {
		return err
	}
	if o.validation != "" {
		if err := o.readValidation(ctx, a, data, config); err != nil {
			return err
		}
	}
	if !c.Flags().Changed("cv") {
		o.search.Scheme.Folds = min(o.search.Scheme.Folds, data.Rows)
	}
	var end func()
	o.search.Progress, end = a.progress()
	found, err := search.Tune(ctx, data, config, o.search)
	end()
	if err != nil {
		return err
	}
	m, err := a.fit(ctx, data, found.Trials[found.Best].Config, learn.WhenCheap)
	if err != nil {
		return err
	}
	if err := o.save(ctx, a, m); err != nil {
		return err
	}
	a.note(worded(found.Notes)...)
	a.say("warning", worded(found.Warnings)...)
	r := tuneResult{Result: found, model: m, data: path, output: o.output, seconds: time.Since(start).Seconds()}
	return r.tell(ctx, a, data, o.plot)
}

// setRefit reads --refit-preparation, --refit-preparation=false, or neither.
func (o *tuneOptions) setRefit(c *cobra.Command) {
	switch {
	case o.refit:
		o.search.RefitPreparation = search.RefitAlways
	case !c.Flags().Changed("refit-preparation"):
		o.search.RefitPreparation = search.RefitFewRows
	}
}

// iterativeFolds is the number of folds, unless --cv gives it, for kinds without a closed form of leave-one-out: they
// would be trained anew for every row.
const iterativeFolds = 10

// setFolds reads --cv; given tells whether the user chose it.
func (o *tuneOptions) setFolds(k kind.Kind, given bool) error {
	switch {
	case given || o.validation != "":
	case o.data.Time != "":
		o.search.Scheme.Folds = search.FoldsInTime
	case !k.ClosedForm && o.data.Group == "":
		o.search.Scheme.Folds = iterativeFolds
	}
	if o.cv == "loo" {
		return nil
	}
	var err error
	o.search.Scheme.Folds, err = foldsOf(o.cv)
	return err
}

// foldsOf reads the number of folds of --cv.
func foldsOf(cv string) (int, error) {
	n, err := strconv.Atoi(cv)
	if err != nil || n < 2 {
		return 0, fault.Param("cv", "loo or a number of folds >= 2", strconv.Quote(cv))
	}
	return n, nil
}

// checkFiles refuses, before long work, files that cannot be written or that do not go with other flags.
func (o *tuneOptions) checkFiles(path string) error {
	if o.validation != "" && (o.cv != "loo" || o.data.Group != "" || o.data.Time != "" || o.refit) {
		return fault.New(fault.Usage, "--validation takes the place of --cv, --group, --time and --refit-preparation").
			WithHint("leave them out")
	}
	if err := checkPicture(o.plot); err != nil {
		return err
	}
	inputs := append(o.inputs(path), o.candidates, o.validation)
	return errors.Join(checkOutput(o.output, inputs...), checkOutput(o.plot, inputs...),
		distinctOutputs(o.output, o.plot))
}

// readValidation reads the rows to score on as rvfl eval would for a model trained on data.
func (o *tuneOptions) readValidation(ctx context.Context, a *app, data *roles.Data, config param.Config) error {
	p, err := pipeline.Prepare(ctx, data, config)
	if err != nil {
		return err
	}
	m := &pipeline.Model{Schema: p.Schema(), Coder: p.Coder()}
	m.Schema.TargetFile = false
	rows := evalOptions{layoutFlags: o.data.layoutFlags}
	t, targets, err := rows.read(ctx, a, m, o.validation)
	if err != nil {
		return err
	}
	if t.Rows == 0 {
		return roles.NoRows(t)
	}
	o.search.Validation = &search.Validation{Table: t, Targets: targets}
	return nil
}

// readCandidates reads the settings of --candidates: a list, or the trials of an earlier answer of tune. The flags give
// what an entry does not.
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
			return nil, fault.New(fault.Usage, "--candidates %s: entry %d: %w", o.candidates, i+1, err).
				WithHint("%s", fault.HintText(err))
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// candidate returns the config of one entry.
func (o *tuneOptions) candidate(base param.Config, item json.RawMessage) (param.Config, error) {
	fields, err := settingsIn(item)
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
		return base, fault.New(fault.Usage, "kind %s differs from %s", config.Kind, base.Kind).
			WithHint("tune one kind at a time")
	}
	config.Task, config.AllowMissingPriv = base.Task, base.AllowMissingPriv
	return config, pipeline.Validate(config)
}
