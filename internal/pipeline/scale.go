package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/rng"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Scalings that training chooses (param.AutoScale) are chosen once, before everything else that is chosen, for each
// space by itself: by exact leave-one-out of the KRVFL from the columns of the space to the targets.

// mostScaledOn is the number of rows that a scaling is chosen on; of more rows a sample is drawn.
const mostScaledOn = 1000

// tried are the scalings that are chosen from. Of equally good ones the first is chosen.
var tried = []string{"standard", "log", "quantile"}

// Scaling is the scaling of a space that training chose.
type Scaling struct {
	Space  string // "normal" or "privileged"
	Chosen string
	Rows   int // that were left out
	Losses []ScalingLoss
}

// ScalingLoss is the mean loss of rows left out under a scaling.
type ScalingLoss struct {
	Scale string
	Loss  float64
}

// Text tells what was chosen and what from.
func (s Scaling) Text() fault.Text {
	var losses []string
	for _, l := range s.Losses {
		losses = append(losses, fmt.Sprintf("%s %.4g", l.Scale, l.Loss))
	}
	return fault.Textf("scaling of the %s columns: %s (losses: %s)", s.Space, s.Chosen, strings.Join(losses, ", "))
}

// settleScales puts the chosen scalings in the place of those that training chooses.
func (t *training) settleScales(ctx context.Context) (err error) {
	normal, priv := t.Scales()
	t.Free = slices.DeleteFunc(slices.Clone(t.Free), func(p param.Param) bool { return p == param.Param(param.Scale) })
	all := numbered(t.data.Rows)
	if normal == param.AutoScale {
		columns := t.data.Pick(t.data.Roles.Normal)
		if normal, err = t.chooseScale(ctx, columns, all, "normal"); err != nil {
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
		if priv, err = t.chooseScale(ctx, columns, complete, "privileged"); err != nil {
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
func (t *training) chooseScale(ctx context.Context, columns []*dataset.Column, rows []int, space string) (
	string, error) {
	if len(rows) > mostScaledOn {
		sample := rng.New(t.Seed, "scale").Perm(len(rows))[:mostScaledOn]
		slices.Sort(sample)
		rows = learn.Gather(rows, sample)
	}
	p, err := t.targetsOf(rows)
	if err != nil {
		return "", err
	}
	chosen := Scaling{Space: space, Chosen: tried[0], Rows: len(rows)}
	least := math.Inf(1)
	for k, scale := range tried {
		t.options.Progress.Tell("scalings", k, len(tried))
		x, err := scaled(rowsOf(columns, rows, t.data.Rows), len(rows), t.scaledBy(scale))
		if err == nil && x == nil {
			continue // nothing but "standard"
		}
		var rowLosses kind.RowLosses
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
		if loss < least {
			chosen.Chosen, least = scale, loss
		}
		chosen.Losses = append(chosen.Losses, ScalingLoss{scale, loss})
	}
	t.options.Progress.Tell("scalings", len(tried), len(tried))
	if len(chosen.Losses) > 1 {
		t.model.Report.Scalings = append(t.model.Report.Scalings, chosen)
	}
	return chosen.Chosen, nil
}

// targetsOf returns the problem of some rows without their features.
func (t *training) targetsOf(rows []int) (learn.Problem, error) {
	groups, err := t.data.Groups()
	return learn.Problem{
		Y: learn.GatherRows(t.code(t.truth), rows), Weight: learn.Gather(t.counts, rows),
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
func (t *training) tunedLosses(ctx context.Context, p learn.Problem) (kind.RowLosses, error) {
	return kind.TunedLosses(ctx, t.Config, p, kind.Targets{Classification: t.model.Coder.Task == target.Classification})
}

// TunedLosses returns the losses that a scaling of the normal columns is judged by, under the one of the preparation.
func (p *Prepared) TunedLosses(ctx context.Context) (kind.RowLosses, error) {
	all := p.Problem()
	return p.t.tunedLosses(ctx, learn.Problem{X: all.X, Y: all.Y, Weight: all.Weight})
}

// normalOptions and privOptions say how the spaces are prepared.
func (t *training) normalOptions() prep.Options { return t.scaledBy(t.Scale) }

func (t *training) privOptions() prep.Options {
	_, scale := t.Scales()
	return t.scaledBy(scale)
}

// scaledBy says how a space of a scaling is prepared.
func (t *training) scaledBy(scale string) prep.Options {
	return prep.Options{
		Scale: scale, Impute: t.Impute, MissingIndicator: t.MissingIndicator, MinCategory: t.MinCategory,
		Cyclic: t.Dates == "cyclic",
	}
}

// Scalings returns the scalings that were chosen for these rows.
func (p *Prepared) Scalings() []Scaling { return p.t.model.Report.Scalings }

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
