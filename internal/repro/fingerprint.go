package repro

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/registry"
	"rvflplus/internal/search"
)

// computation is how a method makes its numbers, whatever the data set.
type computation struct {
	Noise      bool
	Metric     string
	Protocol   Protocol
	Config     param.Config
	ChosenWith string
	AllColumns bool
	Rule       search.Neighbours
	Sweep      *Sweep

	// Of gains.go.
	Own          string `json:",omitempty"`
	LabelledOnly bool   `json:",omitempty"`
	Unlabelled   bool   `json:",omitempty"`
	Classes      bool   `json:",omitempty"`
}

func (j *job) computation() computation {
	c := computation{
		Noise: j.experiment.Noise, Metric: j.experiment.Metric, Protocol: j.protocol,
		Config: j.method.Config, ChosenWith: j.method.ChosenWith, AllColumns: j.method.AllColumns, Rule: rule,
		Sweep: j.experiment.Sweep,
	}
	c.Protocol.Title, c.Protocol.Name = "", j.protocol.family()
	if j.experiment.Metric == points {
		c.Own, c.LabelledOnly = j.method.Own, j.method.LabelledOnly
		c.Unlabelled, c.Classes = j.dataset.Unlabelled > 0, j.classification()
	}
	return c
}

// The generated problem of fingerprints, in parts of so many rows.
var (
	fingerprintRows = registry.Sizes{Train: 24, Validation: 12, Test: 12}

	fingerprintClasses = registry.Entry{
		Name: "fingerprint", Task: "classification", Rows: 48, Normal: 3, Split: fingerprintRows,
		Features: []string{"x1", "x2", "x3", "x4", "x5"}, Targets: []string{"class"},
		Classes: []registry.Class{{Name: "a", Rows: 20}, {Name: "b", Rows: 16}, {Name: "c", Rows: 12}},
	}
	fingerprintNumbers = registry.Entry{
		Name: "fingerprint", Task: "regression", Rows: 48, Normal: 3, Split: fingerprintRows,
		Features: []string{"x1", "x2", "x3", "x4", "x5"}, Targets: []string{"y1", "y2"},
	}
)

// fingerprintNodes are numbers of enhancement nodes. With fewer nodes than rows the system is solved in the primal
// form, with more in the dual.
var fingerprintNodes = []int{8, 50}

// fingerprint returns a hash of the bits that the job's computation gives on a small generated problem: the chosen
// settings, their score, the outputs for test rows and for rows left out. When the code that makes a method's numbers
// changes, its fingerprint changes, and cells that the code before has filled are not used any more; cells of other
// methods are. It is the same for every number of threads.
func (j *job) fingerprint(ctx context.Context) (string, error) {
	small, err := j.small()
	if err != nil {
		return "", err
	}
	nodes := fingerprintNodes
	if !j.kind.Has(param.Hidden) {
		nodes = nodes[:1]
	}
	hash := sha256.New()
	for _, n := range nodes {
		small.method.Config.Hidden = n
		results, err := small.sample(ctx)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil: // a failure is a result too
			_, _ = hash.Write([]byte(err.Error()))
		}
		_, _ = hash.Write(results)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}

// small returns the job on the generated problem.
func (j *job) small() (*job, error) {
	small := *j
	small.experiment, small.repeats = quick(j.experiment), 1
	small.protocol.Draws = alike(3)
	small.dataset = Dataset{
		Train: fingerprintRows.Train, Validation: fingerprintRows.Validation, Test: fingerprintRows.Test, Folds: 2,
		Fixed: j.protocol.Choice == "validation", TuneRows: 18, MarginTuneRows: 18,
	}
	if j.dataset.Unlabelled > 0 {
		small.dataset.Train, small.dataset.Unlabelled = fingerprintRows.Train-8, 8
	}
	e := fingerprintNumbers
	if j.classification() {
		e = fingerprintClasses
	}
	small.dataset.Entry, small.dataset.Task = j.dataset.Entry, e.Task
	var err error
	if small.pool, err = newPool(generated(e, 1), small.dataset, j.experiment.Noise); err != nil {
		return nil, err
	}
	small.pool.read(j.protocol.Reading)
	return &small, nil
}

// sample returns the bits of what the job computes in its first trial.
func (j *job) sample(ctx context.Context) ([]byte, error) {
	var out []byte
	add := func(values ...float64) { out, _ = binary.Append(out, binary.LittleEndian, values) }
	rows, err := j.pool.split(0, 0)
	if err != nil {
		return nil, err
	}
	if j.method.AllColumns {
		rows = rows.withAll()
	}
	best := choice{config: j.base(0)}
	if j.experiment.Sweep == nil {
		if best, err = j.choose(ctx, rows, 0); err != nil {
			return nil, err
		}
		add(best.score)
	} else {
		points, err := j.sweep(ctx, 1, 0)
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			add(p.Value)
		}
	}
	t, outputs, err := j.trial(ctx, rows, best, time.Hour)
	if err != nil {
		return nil, err
	}
	add(t.Value)
	add(outputs.RawMatrix().Data...)
	out = append(append(out, mustMarshal(t.Config)...), mustMarshal(t.Settings)...)
	if j.method.Own != "" {
		add(t.Score)
		return out, nil // its score is that of rows left out
	}

	prepared, err := pipeline.Prepare(ctx, rows.train, best.config)
	if err != nil {
		return nil, err
	}
	folds := heldout.Folds(nil)
	if !j.kind.ClosedForm {
		if folds, err = (search.Scheme{Folds: j.dataset.Folds}).Make(rows.train.Rows, nil); err != nil {
			return nil, err
		}
	}
	e, err := heldout.New(prepared.Problem(), folds)
	if err != nil {
		return nil, err
	}
	left, err := prepared.HeldOut(ctx, e, best.config)
	if err != nil {
		return nil, err
	}
	add(left[0].RawMatrix().Data...)
	return out, nil
}
