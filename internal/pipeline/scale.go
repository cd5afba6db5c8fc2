package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/rng"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// Scalings that training chooses (param.AutoScale) are chosen once, before everything else that is chosen, for each
// space by itself: by exact leave-one-out of the KRVFL from the columns of the space to the targets.

// mostScaledOn is the number of rows that a scaling is chosen on; of more rows a sample is drawn.
const mostScaledOn = 1000

// tried are the scalings that are chosen from. Of equally good ones the first is chosen.
var tried = []string{"standard", "log", "quantile"}

// settleScales puts the chosen scalings in the place of those that training chooses.
func (t *training) settleScales(ctx context.Context) (err error) {
	normal, priv := t.Scales()
	t.Free = slices.DeleteFunc(slices.Clone(t.Free), func(p param.Param) bool { return p == param.Param(param.Scale) })
	all := make([]int, t.data.Rows)
	for i := range all {
		all[i] = i
	}
	if normal == param.AutoScale {
		columns := t.data.Pick(t.data.Roles.Normal)
		if normal, err = t.chooseScale(ctx, columns, all, "normal", param.Scale); err != nil {
			return err
		}
	}
	t.Scale, t.PrivScale = normal, ""
	if !t.kind.Privileged || len(t.data.Roles.Priv) == 0 {
		return nil
	}
	if priv == param.AutoScale {
		columns := t.data.Pick(t.data.Roles.Priv)
		complete, err := t.complete(columns)
		if err != nil {
			return err
		}
		if priv, err = t.chooseScale(ctx, columns, complete, "privileged", param.PrivScale); err != nil {
			return err
		}
	}
	if priv != normal {
		t.PrivScale = priv
	}
	return nil
}

// chooseScale returns the scaling of columns under which the losses of some rows left out are least, "standard" where
// the rows do not tell.
func (t *training) chooseScale(ctx context.Context, columns []*dataset.Column, rows []int, space string,
	by param.Param) (string, error) {
	if len(rows) > mostScaledOn {
		sample := rng.New(t.Seed, "scale").Perm(len(rows))[:mostScaledOn]
		slices.Sort(sample)
		rows = learn.Gather(rows, sample)
	}
	p, err := t.targetsOf(rows)
	if err != nil {
		return "", err
	}
	var losses []string
	best, least := tried[0], 0.0
	for k, scale := range tried {
		t.options.Progress.Tell("scalings", k, len(tried))
		x, err := scaled(rowsOf(columns, rows, t.data.Rows), len(rows), prep.Options{Scale: scale, Impute: t.Impute})
		if err == nil && x == nil {
			continue // nothing but "standard"
		}
		var rowLosses lupi.RowLosses
		if err == nil {
			p.X = x
			rowLosses, err = t.tunedLosses(ctx, p)
		}
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.Is(err, fault.Resource):
			return "", err
		case err != nil: // cells or targets that do not allow it
			continue
		}
		loss, _ := rowLosses.Mean()
		if len(losses) == 0 || loss < least {
			best, least = scale, loss
		}
		losses = append(losses, scale+" "+fmt.Sprintf("%.4g", loss))
	}
	t.options.Progress.Tell("scalings", len(tried), len(tried))
	if len(losses) > 1 {
		t.scalesChosen = append(t.scalesChosen, fault.Textf("%s chosen for the %s columns; losses of %d rows left out: %s",
			fault.Set(fault.Name(by.About().Name), best), space, len(rows), strings.Join(losses, ", ")))
	}
	return best, nil
}

// targetsOf returns the problem of some rows without their features.
func (t *training) targetsOf(rows []int) (learn.Problem, error) {
	groups, err := t.data.Groups()
	return learn.Problem{
		Y: learn.GatherRows(t.code(t.truth), rows), Weight: learn.Gather(t.weights, rows),
		Group: learn.Gather(groups, rows),
	}, err
}

// scaled returns columns prepared by a fit to them; nil where a scaling other than "standard" does the same.
func scaled(columns []*dataset.Column, rows int, o prep.Options) (*mat.Dense, error) {
	space, err := prep.Fit(columns, o)
	if err != nil || o.Scale != tried[0] && !space.Bends() {
		return nil, err
	}
	x, _, err := space.Apply(columns, rows)
	return x, err
}

// tunedLosses returns the losses of rows left out of the KRVFL whose C and width are chosen by them.
func (t *training) tunedLosses(ctx context.Context, p learn.Problem) (lupi.RowLosses, error) {
	classes := t.model.Coder.Task == target.Classification
	return lupi.Config{
		Base: "krvfl", Kernel: kernel.Must("rbf"), Linear: true, Widths: lupi.Free().Scales,
		Center: t.Center && !classes, Classes: classes, Seed: t.Seed,
	}.TunedLosses(ctx, p)
}

// TunedLosses returns the losses that a scaling of the normal columns is judged by, under the one of the preparation.
func (p *Prepared) TunedLosses(ctx context.Context) (lupi.RowLosses, error) {
	all := p.Problem()
	return p.t.tunedLosses(ctx, learn.Problem{X: all.X, Y: all.Y, Weight: all.Weight})
}

// normalOptions and privOptions say how the spaces are prepared.
func (t *training) normalOptions() prep.Options {
	return prep.Options{Scale: t.Scale, Impute: t.Impute}
}

func (t *training) privOptions() prep.Options {
	_, scale := t.Scales()
	return prep.Options{Scale: scale, Impute: t.Impute}
}

// ScalesChosen tells which scalings were chosen for these rows.
func (p *Prepared) ScalesChosen() []fault.Text { return p.t.scalesChosen }

// Settle returns c with the scalings that were chosen for these rows in the place of those that training chooses.
func (p *Prepared) Settle(c param.Config) param.Config {
	normal, priv := c.Scales()
	if normal != param.AutoScale && priv != param.AutoScale {
		return c
	}
	c.Scale, c.PrivScale = p.t.Scale, p.t.PrivScale
	c.Free = slices.DeleteFunc(slices.Clone(c.Free), func(p param.Param) bool { return p == param.Param(param.Scale) })
	return c
}
