// Package compare tells whether privileged columns help.
package compare

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/memory"
	"rvflplus/internal/parallel"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/ridge"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/internal/split"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Compare tells whether the privileged columns of d help to predict its targets. c
// gives what is not tuned: preparation, task, encoding, kernels (whose automatic
// widths are tuned), nodes, activation, seed. Every method is tuned equally: by exact
// leave-one-out over the same C, widths or weight scales, and γ where there is one; transfer by folds.
//
// Two things are measured. By permutation test, on all rows (at most o.Rows): whether
// tuned privileged methods gain more in leave-one-out loss than they do with
// privileged features that know nothing of the target beyond the normal ones. And on
// random splits, preparation and tuning repeated inside each: by how much held-out
// rows are predicted better, beside an upper bound and controls. Methods whose gain permuted
// features keep are judged on held-out rows alone.
//
// The result is the same for the same input and seed, times aside, whatever the number of
// threads. Cost: about (B + 4·o.Splits) tunings of every privileged method, each a few
// hundred factorisations of the rows.
func Compare(ctx context.Context, d *roles.Data, c param.Config, o Options) (*Comparison, error) {
	start := time.Now()
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, config: c, data: d}
	for _, step := range []func(context.Context) error{r.prepare, r.heldOut, r.permute} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	out := r.conclude()
	out.Seconds = time.Since(start).Seconds()
	return out, nil
}

// run is one comparison.
type run struct {
	Options
	config          param.Config
	metric          search.Score // that held-out rows are measured in
	classes         []string     // of a classification
	data            *roles.Data
	whole           *pipeline.Prepared // all rows of the data
	all             *pipeline.Prepared // the rows of the permutation test
	rows            int                // of the data
	allRows         []int              // the rows of all
	group           []int              // of each row of the data: its group or block; nil where rows are independent
	groups          int                // how many there are
	series          bool               // rows are in the order of time
	blocks          bool               // the groups are blocks of the series
	methods         []Method
	parts           []*part
	permutation     Permutation
	autos           int // splits that Auto is measured on
	notes, warnings []fault.Text
	lock            sync.Mutex
	work            map[string]float64 // to tune once, of methods that are not of package lupi
	done, total     int
}

// Kind is the kind for which data are read and prepared: it has both spaces, and rows without a target.
const Kind = "stack"

// minTrain is the fewest training rows of a split.
const minTrain = 10

// prepare reads the task from all rows, chooses the rows of the permutation test and
// makes the methods.
func (r *run) prepare(ctx context.Context) error {
	r.config.Kind = Kind
	if err := r.holdPrivScale(); err != nil {
		return err
	}
	if err := r.orderByTime(); err != nil {
		return err
	}
	whole, err := pipeline.Prepare(ctx, r.data, r.config)
	if err != nil {
		return err
	}
	if err := r.takeTask(whole); err != nil {
		return err
	}
	r.data = whole.Data() // without rows of weight 0
	if r.rows = r.data.Rows; r.rows < 20 {
		return fault.New(fault.Data, "%d rows are too few to compare on: at least 20 are needed", r.rows)
	}
	if err := r.findGroups(); err != nil {
		return err
	}
	if err := r.checkSizes(); err != nil {
		return err
	}
	r.allRows = from(0, r.rows)
	names, left := r.names(r.grouped(whole.Problem(), r.allRows))
	if r.methods, err = Methods(names, r.config, whole, whole.Targets()); err != nil {
		return err
	}
	r.notes = slices.Concat(whole.Notes(), left, r.notes)
	r.warnings = append(whole.Warnings(), r.suspects()...)
	r.methods = append(r.methods, r.More...)
	if err := checkMethods(r.methods); err != nil {
		return err
	}
	if r.whole, r.all = whole, whole; r.rows > r.Rows {
		s, err := r.divide(split.Rows(r.Rows), split.Size{}, rng.New(r.config.Seed, "rows to permute").Uint64())
		if err != nil {
			return err
		}
		if r.all, err = r.prepareRows(ctx, s.Train); err != nil {
			return err
		}
		r.allRows = s.Train
	}
	for _, s := range r.all.Scalings() {
		r.notes = append(r.notes, s.Text())
	}
	return r.plan()
}

// takeTask takes the task from all rows, and what held-out rows are measured in.
func (r *run) takeTask(whole *pipeline.Prepared) (err error) {
	task := whole.Coder().Task
	r.config.Task, r.classes = string(task), whole.Coder().Classes
	if r.Score != "" {
		r.notes = append(r.notes, fault.Textf("%s measures held-out rows; settings are chosen, and the permutation "+
			"test is made, by the squared error of rows left out", fault.Set("score", r.Score)))
	}
	r.metric, err = search.MeasureByName(r.Score, task)
	return err
}

// prepareRows prepares some rows of the data by themselves.
func (r *run) prepareRows(ctx context.Context, rows []int) (*pipeline.Prepared, error) {
	config := r.config
	config.ClassWeight = r.whole.ClassWeightOf(rows)
	return pipeline.Prepare(ctx, r.data.Only(rows), config)
}

// checkSizes refuses splits with too few training rows, and rows that do not fit into memory. Of blocks there are no
// more splits than windows.
func (r *run) checkSizes() error {
	train, test := r.sizes()
	if r.blocks {
		r.Splits = min(r.Splits, r.rows-train-test+1)
	}
	if train < minTrain {
		return fault.New(fault.Usage,
			"a share of test rows of %v leaves %d of %d rows for training: at least %d are needed", r.Test, train,
			r.rows, minTrain).
			WithHint("use a smaller %s, or more rows", fault.Name("test"))
	}
	return memory.Check(8*ridge.DualBytes(min(r.rows, r.Rows), true), "the comparison", "use fewer rows with %s",
		fault.Name("rows"))
}

// holdPrivScale settles the scaling of the privileged columns beforehand. One that the targets choose would have to be
// chosen anew for every permutation of these columns; that of the normal columns, which no permutation moves, is chosen
// on the training rows of each split.
func (r *run) holdPrivScale() error {
	if r.config.PrivScale == param.AutoScale {
		return fault.New(fault.Usage, "%s does not apply to a comparison: a permutation test needs privileged columns "+
			"that are prepared without the target", fault.Set("priv-scale", param.AutoScale)).
			WithHint("name a scaling, such as %s", fault.Set("priv-scale", "quantile"))
	}
	if _, priv := r.config.Scales(); priv == param.AutoScale {
		r.config.PrivScale = param.Scale.Default()
	}
	return nil
}

// names returns the names of the methods and notes on those that are left out.
func (r *run) names(p learn.Problem) ([]string, []fault.Text) {
	switch {
	case len(r.Methods) == 0:
		return suited(append(DefaultMethods(), "label"), p)
	case slices.Equal(r.Methods, []string{All}):
		return suited(allMethods(), p)
	}
	return r.Methods, nil
}

// divide draws training and test rows, with the same mixture of classes in both.
func (r *run) divide(train, test split.Size, seed uint64) (split.Split, error) {
	if r.config.Task == string(target.Classification) {
		classes, err := split.Classes(&r.data.Columns[r.data.Roles.Target[0]])
		if err != nil {
			return split.Split{}, err
		}
		return split.Stratified(classes, train, test, seed)
	}
	return split.Shuffled(r.data.Rows, train, test, seed)
}

// random returns the generator of a purpose.
func (r *run) random(purpose string) *rand.Rand { return rng.New(r.config.Seed, purpose) }

// each calls fn for 0 … n-1 on all cores and returns the error of the lowest i.
func each(ctx context.Context, n int, fn func(i int) error) error {
	failures := make([]error, n)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err := parallel.For(ctx, n, func(i int) {
		if failures[i] = fn(i); failures[i] != nil {
			stop()
		}
	})
	for _, failure := range failures {
		if failure != nil && !errors.Is(failure, context.Canceled) {
			return failure
		}
	}
	return err
}
