package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
)

// Train trains a model whose free hyper-parameters (param.Config.Free) are chosen first: by the kind itself where it
// does, else among the settings of Settings, by leave-one-out in closed form or by five folds. Of more than 1,000 rows
// a sample chooses. The number of settings does not depend on the time they take.
func Train(ctx context.Context, d *roles.Data, c param.Config, o pipeline.Options) (*pipeline.Model, error) {
	if len(c.Free) == 0 || d.Rows == 0 {
		return pipeline.Train(ctx, d, c, o)
	}
	k, err := kind.ByName(c.Kind)
	if err != nil {
		return nil, err
	}
	if k.ChoosesItself(c, k.Privileged && len(d.Roles.Priv) > 0) {
		return pipeline.Train(ctx, d, c, o)
	}
	sample := d
	if d.Rows < leastSearchedOn {
		return nil, fault.New(fault.Data, "settings cannot be chosen on fewer than %d rows, got %d", leastSearchedOn,
			d.Rows).WithHint("use %s", fault.Set("tune", "false"))
	}
	if d.Rows > mostSearchedOn {
		rows := rng.New(c.Seed, "choose").Perm(d.Rows)[:mostSearchedOn]
		slices.Sort(rows)
		sample = d.Only(rows)
	}
	free := c.Free
	c.Free = nil
	p, err := pipeline.Prepare(ctx, sample, c)
	if err != nil {
		return nil, err
	}
	c = p.Settle(c)
	options := Options{Seed: c.Seed, Progress: o.Progress, Budget: c.Budget}
	if options.Candidates, err = Settings(p, c, free); err != nil {
		return nil, err
	}
	if !k.ClosedForm {
		options.Scheme.Folds = min(chosenFolds, sample.Rows)
	}
	found, err := Tune(ctx, sample, c, options)
	if err != nil {
		return nil, err
	}
	best := found.Trials[found.Best]
	m, err := pipeline.Train(ctx, d, best.Config, o)
	if err != nil {
		return nil, err
	}
	tried := fmt.Sprint(len(found.Trials))
	if n := found.notTried(); n > 0 {
		tried = fmt.Sprintf("%d of %s", len(found.Trials)-n, tried)
	}
	m.Report.Scalings = p.Scalings()
	m.Report.Notes = append(m.Report.Notes, fault.Textf("%s settings tried on %d rows, %s: %s %.4g",
		tried, sample.Rows, found.Scheme, found.Score.Name, best.Score))
	return m, nil
}

// notTried counts the settings that there was no time for.
func (r *Result) notTried() int {
	n := 0
	for _, t := range r.Trials {
		if errors.Is(t.Err, errNotTried) {
			n++
		}
	}
	return n
}

const (
	mostSearchedOn  = 1000
	leastSearchedOn = 2
	chosenFolds     = 5
)

// values are the values of hyper-parameters that Settings tries: of widths and ε, multiples of the automatic width and
// of the targets' standard deviation. Kinds that are iterative have fewer.
var (
	values = map[param.Param][]float64{
		param.C: {1e-3, 1e-2, 0.1, 1, 10, 100, 1000}, param.Gamma: {1e-3, 1e-2, 0.1, 1, 10, 100, 1000},
		param.Width: {0.25, 1, 4}, param.PrivWidth: {1}, param.U: {0.25, 1, 4},
	}
	iterativeValues = map[param.Param][]float64{
		param.C: {0.1, 1, 10, 100}, param.Gamma: {0.1, 1, 10}, param.Width: {0.25, 1, 4}, param.PrivWidth: {1},
		param.Epsilon: {0.03, 0.3}, param.U: {0.25, 1, 4},
	}
)

// Settings returns the settings that Train tries: all combinations of some values of the free hyper-parameters.
func Settings(p *pipeline.Prepared, base param.Config, free []param.Param) ([]param.Config, error) {
	base, all, k, err := searched(p, base)
	if err != nil {
		return nil, err
	}
	out := []param.Config{base}
	for _, d := range all {
		if !slices.Contains(free, d.param) {
			continue
		}
		list := values[d.param]
		if !k.ClosedForm {
			list = iterativeValues[d.param]
		}
		if list == nil {
			panic(fmt.Sprintf("search: no values of %s to try", d.param.About().Name))
		}
		var next []param.Config
		for _, c := range out {
			for _, v := range list {
				own := c
				d.set(&own, v)
				next = append(next, own)
			}
		}
		out = next
	}
	return out, nil
}
